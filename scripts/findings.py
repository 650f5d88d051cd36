#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a default run (`vtegra run`, policy lazy) finds in programs: a row of a Markdown table for each.

findings.py BUILD_DIR [--soc S] [--seconds N] PROGRAM...

BUILD_DIR has bin/vtegra. Each program runs in its own folder without arguments, for N seconds of processor time at most (120); then it is
interrupted, and its row has what was found by then. A row has the program, how it ended, each error and warning (its rule, the line, and how
often, where that is more than once) and the number of buffers that were not checked. The table of docs/compatibility.md is made so. Status 1:
a program had no report.
"""
import argparse
import json
import os
import sys
import tempfile

import watched

ASLEEP_SECONDS = 60


def end_of(status, seconds):
    return {0: "passes", "stopped": "stopped after %d s" % seconds, "hangs": "hangs"}.get(status, "status %s" % status)


def place_of(finding):
    return (finding["where"] or "no line").split(" in ")[0]


def words(findings):
    text = ["`%s` at %s%s" % (f["rule"], place_of(f), " (%d times)" % f["times"] if f["times"] > 1 else "")
            for f in findings if f["severity"] in ("error", "warning") and f["rule"] != "interrupted"]  # that is how it ended
    return "; ".join(text) or "none"


def row(args, program, report):
    if os.path.exists(report):
        os.unlink(report)
    command = [os.path.abspath(args.build) + "/bin/vtegra", "run", "-q", "--soc", args.soc, "--json", report, "--", program]
    status = watched.run(command, os.path.dirname(program), args.seconds, ASLEEP_SECONDS)
    name = os.path.basename(program)
    if not os.path.exists(report):
        print("| %s | %s | no report | |" % (name, end_of(status, args.seconds)), flush=True)
        return False
    with open(report, encoding="utf-8") as file:
        run = json.load(file)
    print("| %s | %s | %s | %d |" % (name, end_of(status, args.seconds), words(run["findings"]), len(run["not_checked"])), flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--soc", default="orin")
    parser.add_argument("--seconds", type=int, default=120)
    args = parser.parse_intermixed_args()
    print("| program | end | findings | buffers not checked |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        good = [row(args, os.path.abspath(p), os.path.join(folder, "report.json")) for p in args.programs]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
