#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does every rule of the checker and the scheduler have a mutant? mutants_cover.py SOURCE_DIR

Every function of the folders below is touched by a patch of a mutant, or stands in tests/mutants/no_rule.txt, with the reason why
no test could notice it broken, or which other mutant breaks its rule. A reason that begins with "open" is none: what a test lacks.
A line there that is not needed is a mistake, too.
"""
import glob
import os
import re
import sys

FOLDERS = ["runtime/check", "runtime/sched", "runtime/track"]
NAME = re.compile(r"(\w+)\s*\(")


def functions(lines):
    """(name, first line, last line) of each function; clang-format puts its braces into column 0."""
    found, head = [], 0
    for i, line in enumerate(lines):
        if line == "{":
            start = next(k for k in range(i, -1, -1) if k == head or lines[k - 1] == "")
            text = " ".join(lines[start:i])
            text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)
            text = re.sub(r"/\*.*?\*/", "", text)
            names = NAME.findall(text.split("=")[0])
            end = next(k for k in range(i, len(lines)) if lines[k].startswith("}"))
            if names and lines[end] == "}" and not names[0].isupper():
                found.append((names[0], start, end))
            head = end + 1
    return found


def hunks(patch):
    """(file, line, old lines, indices of the old lines that change) of each hunk."""
    path, hunk = None, None
    with open(patch, encoding="utf-8") as f:
        text = f.read().split("\n")
    for line in text:
        if line.startswith("+++ b/"):
            path = line[6:].split()[0]
        elif line.startswith("@@"):
            hunk = (path, int(re.match(r"@@ -(\d+)", line).group(1)) - 1, [], [])
            yield hunk
        elif hunk and line[:1] == "+" and not line.startswith("+++"):
            hunk[3].append(max(len(hunk[2]) - 1, 0))
        elif hunk and line[:1] in ("-", " ") and not line.startswith("--- "):
            if line[0] == "-":
                hunk[3].append(len(hunk[2]))
            hunk[2].append(line[1:])


def place(lines, at, old):
    """Where the old lines stand, nearest to @at; as patch does, without the outermost ones if need be."""
    while old and old[-1] == "":
        old = old[:-1]
    for cut in range(3):
        some = old[cut : len(old) - cut]
        fits = [i for i in range(len(lines) - len(some) + 1) if lines[i : i + len(some)] == some]
        if some and fits:
            return min(fits, key=lambda i: abs(i - cut - at)) - cut
    return None


def main():
    os.chdir(sys.argv[1])
    sources = {}
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + "/*.c")):
            with open(path, encoding="utf-8") as f:
                sources[path] = f.read().split("\n")
    touched = {path: set() for path in sources}
    for patch in sorted(glob.glob("tests/mutants*/*.patch")):
        for path, at, old, changed in list(hunks(patch)):
            if path in sources:
                start = place(sources[path], at, old)
                if start is None:
                    print(f"FAIL: {patch} does not fit")
                    return 1
                touched[path].update(start + i for i in changed)
    excused = {}
    with open("tests/mutants/no_rule.txt", encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, _, why = line.strip().partition(": ")
                excused[name] = why
    failed, total, broken = 0, 0, 0
    lacking = sum(why.startswith("open") for why in excused.values())
    for path, lines in sources.items():
        hits = {}
        for name, start, end in functions(lines):  # twice where it is for two machines
            hits[name] = hits.get(name, False) or any(start <= line <= end for line in touched[path])
        for name, hit in hits.items():
            key = f"{path} {name}"
            total += 1
            broken += hit
            why = excused.pop(key, None)
            if not hit and not why:
                print(f"FAIL: {key}: no mutant breaks it, and tests/mutants/no_rule.txt does not say why")
                failed += 1
            elif hit and why is not None:
                print(f"FAIL: {key}: has a mutant, and stands in tests/mutants/no_rule.txt")
                failed += 1
    for key in excused:
        print(f"FAIL: {key}: in tests/mutants/no_rule.txt, and there is no such function")
        failed += 1
    print(f"{total} functions, {broken} with mutants; {lacking} lack a test")
    return 1 if failed else 0


sys.exit(main())
