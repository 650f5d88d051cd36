#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the documents show is what the tool prints: doc_commands.py SOURCE_DIR BUILD_DIR

Runs each indented "$ COMMAND" of README.md and docs/, page by page, in a new folder that has the source's scenarios/ and docs/.
The indented lines below a command, up to an empty line, must be its output; "..." stands for any lines. Commands that need more
than a build (explore merge, lessons) are left out. Lines that are shown with their numbers ("    26      scale<<<...") must be
these lines of a file that the page copies by cp. Numbers of scenarios and lessons must be those of the files."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RUN = re.compile(r"(cp|cat|vtegra (cc|run|explore --runs|litmus)) ")
NUMBERED = re.compile(r" {4}(\d+)  +(\S.*)")
FEWEST = 20  # commands of all pages: fewer are a mistake of this test


def examples(text):
    """(COMMAND, LINES) of each example, and the indented lines outside of examples."""
    found, other = [], []
    lines = None  # of the example that is being read
    for line in text.splitlines():
        if line.startswith("    $ "):
            lines = []
            found.append((line[6:], lines))
        elif line.startswith("    "):
            (other if lines is None else lines).append(line if lines is None else line[4:])
        else:
            lines = None
    return found, other


def numbered_differences(root, page, commands, other):
    """Numbered lines that are in none of the files that COMMANDS copy."""
    copied = [(root / c.split()[1]).read_text().splitlines() for c in commands if c.startswith("cp ")]
    wrong = 0
    for number, text in (m.groups() for m in map(NUMBERED.fullmatch, other) if m and copied):
        if not any(int(number) <= len(f) and f[int(number) - 1].split("/*")[0].strip() == text.strip() for f in copied):
            wrong += 1
            print(f"{page.relative_to(root)}: no copied file has this line {number}: {text}")
    return wrong


def parts(lines):
    """The runs of lines between "..." lines."""
    split = [[]]
    for line in lines:
        if line == "...":
            split.append([])
        else:
            split[-1].append(line)
    return split


def shows(want, got):
    """Do the lines of WANT show GOT, with "..." for any lines?"""
    first, *rest = parts(want)
    if got[: len(first)] != first or (not rest and len(got) != len(first)):
        return False
    at = len(first)
    for i, part in enumerate(rest):
        last = i == len(rest) - 1 and part
        places = range(max(at, len(got) - len(part)), len(got) + 1) if last else range(at, len(got) + 1)
        at = next((p + len(part) for p in places if got[p : p + len(part)] == part), None)
        if at is None:
            return False
    return True


def page_differences(root, page, folder):
    ran, differ = 0, 0
    for name in ("scenarios", "docs"):
        os.symlink(root / name, folder / name)
    found, other = examples(page.read_text())
    differ += numbered_differences(root, page, [command for command, _ in found], other)
    for command, want in found:
        if not RUN.match(command):
            continue
        ran += 1
        done = subprocess.run(command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=600)
        got = [line.rstrip() for line in done.stdout.decode(errors="replace").splitlines()]
        if not shows(want, got):
            differ += 1
            print(f"{page.relative_to(root)}: $ {command}\n  the document:")
            print("".join(f"    {line}\n" for line in want), " what is printed:")
            print("".join(f"    {line}\n" for line in got))
    return ran, differ


def number_differences(root):
    """Numbers in the pages that are counts of files."""
    counts = {
        r"(\d+) (?:mistakes that people have made|small programs and litmus texts)": len(list(root.glob("scenarios/*/scenario.conf"))),
        r"(\d+) lessons": len(list(root.glob("viewer/lessons/*.lesson")) + list(root.glob("viewer/costs/*.cu"))),
    }
    wrong = 0
    for pattern, count in counts.items():
        found = [(page, int(number)) for page in [root / "README.md", *sorted(root.glob("docs/*.md"))]
                 for number in re.findall(pattern, page.read_text())]
        for page, number in found:
            if number != count:
                wrong += 1
                print(f"{page.relative_to(root)}: {number}, but there are {count}: {pattern}")
        if not found:
            wrong += 1
            print(f"no page has a number like {pattern}")
    return wrong


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    os.environ["PATH"] = f"{pathlib.Path(sys.argv[2]).resolve()}/bin:{os.environ['PATH']}"
    ran, differ = 0, 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder:
            counts = page_differences(root, page, pathlib.Path(folder))
            ran, differ = ran + counts[0], differ + counts[1]
    differ += number_differences(root)
    print(f"{ran} commands, {differ} differences")
    return 1 if differ or ran < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main())
