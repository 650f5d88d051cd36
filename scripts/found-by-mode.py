#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of the scenarios' mistakes a run finds, by how the program was built: without compiler hooks, as nvcc builds it, and with them.

found-by-mode.py BUILD_DIR WORK_DIR [--seeds N] [--soc S] [--slice S] [--markdown | --twins] [NAME...]

Each scenario that is a program is built twice and run with its mistake and corrected, under lazy, eager and N seeds. nvcc builds the
program without hooks; where there is no nvcc, and for boards before Orin, `vtegra cc` without --track does. Without --markdown a line for
each that differs; with it a table of what the program without hooks shows of what hooks show in the same mode, and a line with the
scenarios that need --track. "hangs": one of the two slept for 20 s, or used 120 s of the processor, and was stopped. Status 1: a
corrected program has a finding that it does not have with hooks.

--twins runs only the corrected programs, only without hooks, on the boards tx2, xavier, orin and thor (or --soc): under lazy, eager and N
seeds, whose runs `vtegra explore` does. Each error or warning is a line, then a line for each board with the number of runs. Status 1: there
was one, or a program hung or ended otherwise than with status 0.

WORK_DIR keeps what each scenario gave: the same command again runs only those that are missing, and prints all. A build whose programs or
libraries differ begins anew, and so does a scenario whose source does. --slice S begins no scenario after S seconds; status 3: some are missing.
"""
import argparse
import configparser
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

import watched

BOARDS = ["orin", "tx2", "xavier", "thor"]
ARCH = {"orin": "sm_87", "thor": "sm_87"}  # for cp.async
HANGS = ("hangs", "")
HANG_SECONDS = 20  # in which no thread of a run used the processor or waited for one: a busy machine alone makes no hang
RUN_SECONDS = 120  # of processor time
OLDER = "sm_62"  # TX2's. A board takes no PTX for a newer one, and nvcc 13 makes none for a board before Orin: `vtegra cc` builds for them


def scenarios(folder, names):
    for name in sorted(os.listdir(folder)):
        conf = configparser.ConfigParser(strict=False)
        path = os.path.join(folder, name, "scenario.conf")
        source = os.path.join(folder, name, name + ".cu")
        if os.path.exists(path) and os.path.exists(source) and (not names or name in names):
            conf.read(path)
            os.environ["VTEGRA_CAMERA"] = conf["scenario"].get("camera", "")  # of the runs that the caller makes with it
            yield name, source, conf


def expected(conf, soc):
    for boards, words in conf["expect"].items():
        if soc in boards.split() or boards == "all":
            return words.split()
    return conf["expect"].get("all", "silent").split()


def board_of(conf):
    for soc in BOARDS:
        words = expected(conf, soc)
        if not {"silent", "absent", "unsupported"} & set(words):
            return soc
    return None


def newest(output, source):
    return os.path.exists(output) and os.path.getmtime(output) > os.path.getmtime(source)


def build(args, name, source, conf, soc, hooks=True):
    """The programs without hooks and, if @hooks, with them; None: one cannot be built."""
    libraries = ["-l" + x for x in conf["scenario"].get("libraries", "").split()]
    arch = conf["scenario"].get("arch") or ARCH.get(soc, OLDER)  # what the program says it needs
    paths = [os.path.join(args.work, name + "." + arch + end) for end in (".plain", ".hooks")]
    root = os.path.abspath(args.build)
    # A call at the end of a function is a call, so that both compilers name the line where it stands.
    ours = [root + "/bin/vtegra", "cc", "-g", "-O1", "-fno-inline", "-fno-optimize-sibling-calls", "--arch", arch, source]
    commands = [
        ["nvcc", "-g", "-lineinfo", "-O1", "-cudart", "shared", "-arch=" + arch, "-I" + root + "/share/vtegra/nvcc",
         "-L" + root + "/lib", "-Xcompiler", "-fno-optimize-sibling-calls", "-Xlinker", "--allow-shlib-undefined",
         source, "-o", paths[0]] + libraries
        if shutil.which("nvcc") and soc in ARCH else ours + ["-o", paths[0]] + libraries,
        ours + ["--track", "-o", paths[1]] + libraries,
    ]
    for path, command in zip(paths[:1 + hooks], commands):
        if not newest(path, source):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode:
                print("%s: cannot be built: %s" % (name, done.stdout.decode()[-600:]), file=sys.stderr)
                return None
    return paths


def network(args, name, conf):
    """What the program is given before its other arguments: the DLA's network, built. None: it cannot be built."""
    if "network" not in conf["scenario"]:
        return []
    path = os.path.join(args.work, name + ".loadable")
    source = os.path.join(args.folder, name, conf["scenario"]["network"])
    if newest(path, source):
        return [path]
    done = subprocess.run([os.path.abspath(args.build) + "/bin/vtegra", "dla", "build", source, "-o", path],
                          stdout=subprocess.DEVNULL, check=False)
    return [path] if done.returncode == 0 else None


def run(command, folder):
    return watched.run(command, folder, RUN_SECONDS, HANG_SECONDS)


def found(args, program, soc, options, corrected):
    report = os.path.join(args.work, "report.json")
    if os.path.exists(report):
        os.unlink(report)
    command = [os.path.abspath(args.build) + "/bin/vtegra", "run", "-q", "--soc", soc, "--json", report] + options
    if run(command + ["--"] + program + (["fixed"] if corrected else []), args.work) in ("hangs", "stopped"):
        return {HANGS}
    if not os.path.exists(report):
        return {("no report", "")}
    with open(report, encoding="utf-8") as file:
        return {(f["rule"], (f["where"] or "").split(" in ")[0]) for f in json.load(file)["findings"]}


def severe(report):
    """The rules and lines of a report's errors and warnings."""
    with open(report, encoding="utf-8") as file:
        return sorted({"%s %s" % (f["rule"], (f["where"] or "").split(" in ")[0]) for f in json.load(file)["findings"]
                       if f["severity"] in ("error", "warning")})


def digest(paths):
    """Of the contents of files."""
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(hashlib.sha256(file.read()).digest())
    return total.hexdigest()


class Results:
    """What scenarios gave, in a file of the work folder, for one build."""

    def __init__(self, args):
        root = os.path.abspath(args.build)
        build = digest([root + "/bin/vtegra"] + sorted(path for path in glob.glob(root + "/lib/*.so*") if os.path.isfile(path)))
        self.path = os.path.join(args.work, "results.jsonl")
        self.rows, self.end, self.missing = {}, time.monotonic() + (args.slice or float("inf")), 0
        lines = []
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
        if lines and lines[0] == build:
            self.rows = {tuple(key): value for key, value in lines[1:]}
        with open(self.path, "w", encoding="utf-8") as file:
            for line in [build] + [[key, value] for key, value in self.rows.items()]:
                file.write(json.dumps(line) + "\n")

    def of(self, key, make):
        """make()'s, now or before. None: not before, and there is no time."""
        if key not in self.rows and time.monotonic() > self.end:
            self.missing += 1
            return None
        if key not in self.rows:
            self.rows[key] = json.loads(json.dumps(make()))  # as it is read back
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps([key, self.rows[key]]) + "\n")
        return self.rows[key]


def twin_run(args, soc, policy, program):
    """What a corrected program's run under lazy or eager has: a list of words."""
    report = os.path.join(args.work, "twin.json")
    if os.path.exists(report):
        os.unlink(report)
    command = [os.path.abspath(args.build) + "/bin/vtegra", "run", "-q", "--soc", soc, "--policy", policy, "--json", report, "--"]
    status = run(command + program, args.work)
    if status in ("hangs", "stopped"):
        return [status]
    bad = severe(report) if os.path.exists(report) else []
    return bad + (["status %d" % status] if status else [])


def twin_seeds(args, soc, program):
    """The same of N seeds: (seed, words) of each that has something."""
    lines = os.path.join(args.work, "twin.jsonl")
    if os.path.exists(lines):
        os.unlink(lines)
    command = [os.path.abspath(args.build) + "/bin/vtegra", "explore", "--runs", str(args.seeds), "--seed0", "1", "--jobs", "1",
               "--fail-on", "warning", "--soc", soc, "--out", lines, "--"]
    done = subprocess.run(command + program, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                          cwd=args.work)
    if not os.path.exists(lines):
        return [(0, ["explore: " + done.stderr.decode().strip()[-300:]])]
    with open(lines, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    bad = [(run["seed"], run.get("bugs") or [run["why"]]) for run in runs if run["why"]]
    return bad if len(runs) == args.seeds else bad + [(0, ["only %d runs" % len(runs)])]


def twin(args, soc, name, source, conf):
    """(mode, words) of each run of one corrected program; None: it cannot be built."""
    program = build(args, name, os.path.abspath(source), conf, soc, hooks=False)
    network_arguments = network(args, name, conf) if program else None
    if network_arguments is None:
        return None
    command = [program[0]] + network_arguments + ["fixed"]
    seen = [(policy, twin_run(args, soc, policy, command)) for policy in ("lazy", "eager")]
    return seen + [("seed %d" % seed, words) for seed, words in (twin_seeds(args, soc, command) if args.seeds else [])]


def twins(args, results):
    """The corrected programs, as nobody rebuilt them. Return: how many runs had something."""
    bad = 0
    for soc in [args.soc] if args.soc else sorted(BOARDS):
        runs = 0
        for name, source, conf in scenarios(args.folder, args.names):
            if {"absent", "unsupported"} & set(expected(conf, soc)):
                continue
            key = ("twin", name, soc, args.seeds, digest([source]))
            seen = results.of(key, lambda n=name, s=source, c=conf, b=soc: twin(args, b, n, s, c))
            if seen is None:
                continue
            runs += 2 + args.seeds
            for mode, words in seen:
                bad += bool(words)
                for word in words:
                    print("%s %s %s: %s" % (name, soc, mode, word), flush=True)
        print("%s: %d runs of corrected programs without hooks" % (soc, runs), flush=True)
    return bad


def text(findings):
    return "; ".join(sorted("%s %s" % f for f in findings)) or "nothing"


def modes(args):
    yield "lazy", ["--policy", "lazy"]
    yield "eager", ["--policy", "eager"]
    for seed in range(1, args.seeds + 1):
        yield "seed %d" % seed, ["--policy", "seeded", "--seed", str(seed)]


def measure(args, name, source, conf, soc):
    """Of each mode: what nvcc's program shows, what the hooks do, and what the corrected program has without hooks alone. None: one of
    them cannot be built."""
    programs = build(args, name, os.path.abspath(source), conf, soc)
    arguments = network(args, name, conf) if programs else None
    if arguments is None:
        return None
    plain, hooks = [[program] + arguments for program in programs]
    row = {}
    for mode, options in modes(args):
        wanted = found(args, hooks, soc, options, False)
        got = found(args, plain, soc, options, False)
        extra = found(args, plain, soc, options, True) - found(args, hooks, soc, options, True)
        row[mode] = [sorted(got), sorted(wanted), sorted(extra)]
    return row


def compare(args, name, soc, modes_seen):
    """Prints where the two builds differ. Return: got and wanted in each mode, and has a corrected program more without hooks?"""
    row, bad = {}, False
    for mode, lists in modes_seen.items():
        got, wanted, extra = [{tuple(f) for f in findings} for findings in lists]
        row[mode] = (got, wanted)
        if extra:
            bad = True
            print("%s %s %s: corrected: %s" % (name, soc, mode, text(extra)), file=sys.stderr, flush=True)
        if not args.markdown and got != wanted:
            print("%s %s %s: %s; with hooks %s" % (name, soc, mode, text(got), text(wanted)), flush=True)
    if not args.markdown and all(got == wanted for got, wanted in row.values()):
        print("%s %s: as with hooks" % (name, soc), flush=True)
    return row, bad


def mark(got, wanted):
    """As they are: other lines of a race are its other accesses."""
    if HANGS in got | wanted:
        return "hangs"
    if not wanted:
        return "-"
    if wanted <= got:
        return "yes"
    return "other line" if {r for r, _ in wanted} <= {r for r, _ in got} else "in part" if got & wanted else "no"


def print_row(name, soc, row):
    rules = {r for both in row.values() for r, _ in both[1] | both[0] & {HANGS}}
    lacks = any(mark(*x) not in ("yes", "-", "other line", "hangs") for mode, x in row.items() if not mode.startswith("seed"))
    seeds = [mark(*x) for mode, x in row.items() if mode.startswith("seed")]
    cells = [mark(*row["lazy"]), mark(*row["eager"])]
    cells += ["%d of %d" % (sum(x in ("yes", "-") for x in seeds), len(seeds))] if seeds else []
    if rules:
        print("| %s | %s | %s | %s |" % (name, soc, ", ".join(sorted(rules)), " | ".join(cells)), flush=True)
    return bool(rules) and lacks


def end(results, bad):
    """The exit status."""
    if results.missing:
        print("%d scenarios are missing: the same command goes on" % results.missing, file=sys.stderr)
    return 3 if results.missing else int(bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--twins", action="store_true")
    parser.add_argument("--soc", help="instead of the first board that shows the mistake")
    parser.add_argument("--slice", type=float, help="seconds after which no scenario begins")
    parser.add_argument("names", nargs="*")
    args = parser.parse_intermixed_args()
    args.work = os.path.abspath(args.work)
    os.makedirs(args.work, exist_ok=True)
    args.folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenarios")
    bad, need_hooks = False, []
    results = Results(args)
    if args.twins:
        bad = twins(args, results) > 0
        sys.exit(end(results, bad))
    if args.markdown:
        names = ["lazy", "eager"] + (["%d seeds" % args.seeds] if args.seeds else [])
        print("| scenario | board | rules |" + "".join(" without hooks, %s |" % n for n in names))
        print("|---|---|---|" + "---|" * len(names))
    for name, source, conf in scenarios(args.folder, args.names):
        soc = args.soc or board_of(conf)
        key = ("modes", name, soc, args.seeds, digest([source]))
        seen = results.of(key, lambda n=name, s=source, c=conf, b=soc: measure(args, n, s, c, b)) if soc else None
        if seen is None:
            continue
        row, failed = compare(args, name, soc, seen)
        bad = bad or failed
        if args.markdown and print_row(name, soc, row):
            need_hooks.append(name)
    if args.markdown:
        print("\nNot found, or not as with hooks, in the default run or under eager: %s." % (", ".join(need_hooks) or "none"))
    sys.exit(end(results, bad))


if __name__ == "__main__":
    main()
