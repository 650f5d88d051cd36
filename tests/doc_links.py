#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links between the installed pages lead to a page, and to a heading of it: doc_links.py BUILD_DIR WORK_DIR"""
import pathlib
import re
import shutil
import subprocess
import sys

FEWEST = 100  # links: fewer are a mistake of this test


def heading_anchor(heading):
    """As GitHub makes it: small letters, blanks as "-", nothing but letters, digits, "-" and "_"."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def page_anchors(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {heading_anchor(h) for h in re.findall(r"^#+ (.*)$", text, re.M)}


def link_fault(page, link):
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page.resolve()
    if not target.exists():
        return "there is no such file"
    if anchor and target.suffix == ".md" and anchor not in page_anchors(target):
        return "there is no such heading"
    return None


def main():
    build, work = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run(["cmake", "--install", build, "--component", "doc", "--prefix", work], check=True, stdout=subprocess.DEVNULL)
    root = work / "share/doc/vtegra"
    seen, faults = 0, 0
    for page in sorted(root.rglob("*.md")):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            seen += 1
            fault = link_fault(page, link)
            if fault:
                faults += 1
                print(f"{page.relative_to(root)}: {link}: {fault}")
    print(f"{seen} links, {faults} faults")
    return 1 if faults or seen < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main())
