#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/note.md has every rule of CUDA for Tegra 13.4, and what its rows name exists.

note.py SOURCE_DIR BUILD_DIR [FILE]
"""
import os
import re
import subprocess
import sys

RULES = 181
WITH_TEST = 80  # of the rules with an effect on bytes, codes, faults or order
LONGEST = 300
TABLE = "editions:features_are_those_of_the_edition"  # of what `vtegra soc show` prints: no program's run


def rows_of(path):
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if re.match(r"\| *\d", line):
                yield number, line.rstrip("\n")


def tests_of(build):
    out = subprocess.run(["ctest", "-N"], cwd=build, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ *Test +#\d+: (\S+)", out, re.M))


def functions_of(source, suite):
    path = os.path.join(source, "tests", f"test_{suite}.c")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return set(re.findall(r"START_TEST\((\w+)\)", f.read()))


def named_wrong(name, source, tests):
    """Why @name is no test or scenario; None: it is one."""
    if name.startswith("scenario/"):
        conf = os.path.join(source, "scenarios", name[9:], "scenario.conf")
        return None if os.path.exists(conf) else "no such scenario"
    suite, _, function = name.partition(":")
    if suite not in tests:
        return "no such test in ctest -N"
    if function and function not in (functions_of(source, suite) or ()):
        return f"tests/test_{suite}.c has no such test"
    return None


def main():
    source, build = sys.argv[1], sys.argv[2]
    path = sys.argv[3] if len(sys.argv) > 3 else os.path.join(source, "docs", "note.md")
    tests, wrong, seen = tests_of(build), [], []
    held = refused = effects = 0
    for line, row in rows_of(path):
        cells = [c.strip() for c in row.strip("|").split("|")]
        if len(cells) != 7:
            wrong.append(f"line {line}: {len(cells)} cells, not 7")
            continue
        rule, _, _, effect, state, does, where = cells
        seen.append(int(rule))
        names = re.findall(r"`([^`]+)`", where)
        if len(row) > LONGEST:
            wrong.append(f"line {line}: longer than {LONGEST}")
        if state not in ("yes", "part", "no") or not does or not where:
            wrong.append(f"line {line}: rule {rule} is yes, part or no, with words and a place")
        if state == "yes" and not names:
            wrong.append(f"line {line}: rule {rule} holds, but no test says so")
        if state == "yes" and names == [TABLE]:
            wrong.append(f"line {line}: rule {rule} holds, but its test is of a table alone: part")
        for name in names:
            why = named_wrong(name, source, tests)
            if why:
                wrong.append(f"line {line}: {name}: {why}")
        if set(effect.split()) & set("SEFO"):
            effects += 1
            held += bool(names) and state != "no"
            refused += bool(names) and state == "no"
    if seen != list(range(1, RULES + 1)):
        missing = sorted(set(range(1, RULES + 1)) - set(seen))
        wrong.append(f"not the rules 1 to {RULES} in order; missing: {missing}")
    if held + refused < WITH_TEST:
        wrong.append(f"{held + refused} of {effects} rules with an effect name a test, {WITH_TEST} must")
    for w in wrong:
        print(w)
    print(f"{len(seen)} rules; of {effects} with an effect {held} hold and {refused} are refused by a test")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
