#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Asks ptxas which rows of ptx_verdicts.txt are PTX, and writes its answers into that file.
# Usage: ptx_verdicts.py PTXAS FILE      A row: verdict, .target, .version, instruction(s), with tabs
# The registers that a row may name stand in the file's line "decls". A row of ptx_modules.txt is a verdict
# and a whole module, with \n for a new line.
import re
import subprocess
import sys
import tempfile


def ask(ptxas, target, version, decls, rows):
    """The indices of the rows that ptxas refuses: it names all lines that are wrong, but a syntax
    error ends its work, so such rows go and the others are asked again."""
    bad, todo = set(), list(range(len(rows)))
    while todo:
        text = f".version {version}\n.target {target}\n.address_size 64\n"
        text += ".visible .entry k(.param .u64 o)\n{\n" + decls + "\n"
        first = text.count("\n") + 1
        text += "\n".join(rows[i] for i in todo) + "\nret;\n}\n"
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
            f.write(text)
            f.flush()
            run = subprocess.run([ptxas, "-arch", target, f.name, "-o", "/dev/null"],
                                 capture_output=True, text=True)
        if run.returncode == 0:
            return bad
        lines = {int(n) - first for n in re.findall(r"line (\d+); (?:error|fatal)", run.stderr)}
        wrong = {todo[n] for n in lines if 0 <= n < len(todo)}
        if not wrong:
            sys.exit(f"{target} {version}: {run.stderr}")
        bad |= wrong
        todo = [i for i in todo if i not in wrong]
    return bad


def module(ptxas, text):
    """Whether ptxas takes a module, for the oldest GPU that it knows and the target allows"""
    text = text.replace("\\n", "\n").replace('\\"', '"')
    target = re.search(r"\.target (sm_(\d+)\w*)", text)
    arch = "sm_75" if int(target.group(2)) < 75 else target.group(1).replace("sm_101", "sm_110")
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(text)
        f.flush()
        return subprocess.run([ptxas, "-arch", arch, f.name, "-o", "/dev/null"],
                              capture_output=True).returncode == 0


def modules(ptxas, version, path, lines):
    rows = [l.split("\t", 1)[1] for l in lines if l.startswith(("ok\t", "no\t"))]
    with open(path, "w") as out:
        out.write(f"# ptxas {version}; made by ptx_verdicts.py\n")
        out.writelines(("ok" if module(ptxas, r) else "no") + "\t" + r + "\n" for r in rows)


def main():
    ptxas, path = sys.argv[1:]
    version = re.search(r"V([\d.]+)", subprocess.run([ptxas, "--version"], capture_output=True,
                                                     text=True).stdout).group(1)
    lines = open(path).read().splitlines()
    if not any(l.startswith("decls\t") for l in lines):
        modules(ptxas, version, path, lines)
        return
    decls = next(l.split("\t")[1] for l in lines if l.startswith("decls\t"))
    rows = [l.split("\t") for l in lines if l.startswith(("ok\t", "no\t"))]
    groups = {}
    for row in rows:
        groups.setdefault((row[1], row[2]), []).append(row)
    for (target, ptx), group in groups.items():
        bad = ask(ptxas, target, ptx, decls, [r[3] for r in group])
        for i, row in enumerate(group):
            row[0] = "no" if i in bad else "ok"
    with open(path, "w") as out:
        out.write(f"# ptxas {version}; made by ptx_verdicts.py\ndecls\t{decls}\n")
        out.writelines("\t".join(r) + "\n" for r in rows)


main()
