#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Asks ptxas which rows of ptx_verdicts.txt are PTX, and writes its answers into that file.
# Usage: ptx_verdicts.py PTXAS FILE      A row: verdict, .target, .version, instruction(s), with tabs
# The registers that a row may name stand in the file's line "decls".
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


def main():
    ptxas, path = sys.argv[1:]
    version = re.search(r"V([\d.]+)", subprocess.run([ptxas, "--version"], capture_output=True,
                                                     text=True).stdout).group(1)
    lines = open(path).read().splitlines()
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
