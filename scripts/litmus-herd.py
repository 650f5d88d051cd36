#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""vtegra litmus over a folder of herd's files, next to herd's verdicts.

  scripts/litmus-herd.py VTEGRA FOLDER... [--kinds FILE] [--soc SOC] [--all]

A folder has *.litmus files and, as herd's catalogue has it, a file kinds.txt or *-kinds.txt: a name and Allow, Allowed, Forbid,
Forbidden or Required a line; FILE.litmus.expected, herd's output, is read, too. Printed are the files that differ, that are not read (with the line and column), and the sums; --all
prints each file. Exit status: 0 all read verdicts agree, 1 some differ, 2 wrong usage.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

WORDS = {"allow": "allowed", "allowed": "allowed", "forbid": "forbidden", "forbidden": "forbidden", "require": "required",
         "required": "required"}


def kinds_read(files):
    """herd's verdicts by name; a line that begins with # has none."""
    kinds = {}
    for name in files:
        with open(name, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                words = line.split()
                if len(words) >= 2 and not line.startswith("#") and words[1].lower() in WORDS:
                    kinds[words[0]] = WORDS[words[1].lower()]
    return kinds


def expected_read(path):
    """The verdict of FILE.expected, herd's own output: "Observation NAME Never 0 4"; None without."""
    try:
        with open(path + ".expected", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                words = line.split()
                if len(words) == 5 and words[0] == "Observation":
                    return {"Never": "forbidden", "Sometimes": "allowed", "Always": "required"}[words[2]]
    except OSError:
        pass
    return None


def ours(vtegra, path, soc, limit):
    """(verdict in herd's words, None) or (None, why there is none)."""
    run = subprocess.run([vtegra, "litmus", "--json", "--soc", soc, "--limit", str(limit), path], capture_output=True, text=True,
                         check=False)
    try:
        result = json.loads(run.stdout)[0]
    except (ValueError, IndexError):
        return None, "exit status %d" % run.returncode
    if "error" in result:
        return None, result["error"]
    if "absent" in result:
        return None, result["absent"]
    if result["verdict"] is None:
        return None, "unknown after %d states" % result["states"]
    # Herd's kinds are of the condition itself, whatever the quantifier: met in some run, in none, in each.
    met = [o["matches"] for o in result["outcomes"]]
    return ("required" if met and all(met) else "allowed" if any(met) else "forbidden"), None


def agree(verdict, theirs):
    """A condition that every run meets is met in some run."""
    return verdict == theirs or {verdict, theirs} == {"required", "allowed"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vtegra")
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--kinds", action="append", default=[], help="a file of verdicts besides those of the folders")
    parser.add_argument("--soc", default="orin")
    parser.add_argument("--limit", type=int, default=2000000, help="states a file")
    parser.add_argument("--all", action="store_true", help="print every file")
    args = parser.parse_args()
    sums = {"agree": 0, "differ": 0, "no verdict of herd's": 0, "not read": 0}
    for folder in args.folder:
        kinds = kinds_read(args.kinds + glob.glob(os.path.join(folder, "*kinds.txt")))
        for path in sorted(glob.glob(os.path.join(folder, "*.litmus"))):
            name = os.path.basename(path)[:-len(".litmus")]
            theirs = kinds.get(name) or expected_read(path)
            verdict, why = ours(args.vtegra, path, args.soc, args.limit)
            word = "not read" if why else "no verdict of herd's" if theirs is None else "agree" if agree(verdict, theirs) else "differ"
            sums[word] += 1
            if args.all or word in ("differ", "not read"):
                print("%-12s %-36s %-10s %-10s %s" % (word, name, theirs or "-", verdict or "-", why or ""))
    print(", ".join("%d %s" % (n, word) for word, n in sums.items()))
    return 1 if sums["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
