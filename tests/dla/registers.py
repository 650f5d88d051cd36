#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""registers.py LIST DEF...: do the model's registers have the names, places and fields of the published list?

LIST has a register a line: "0x03014 CDMA_D_MISC_CFG_0: CONV_MODE[0:+1]{...} ..." (nvdla/hw, spec/manual, small configuration).
Status 77: there is no such list beside the project.
"""
import os
import re
import sys

# Of nvdla/hw's list: the error collector, which none of the configurations here has.
ABSENT = re.compile(r'NVDLA_GEC_')


def published(path):
    found = {}
    with open(path) as f:
        for line in f:
            m = re.match(r'0x([0-9a-f]+) (\w+): (.*)', line)
            if m and not ABSENT.match(m[2]):
                fields = {n: (int(at), int(w)) for n, at, w in re.findall(r'(\w+)\[(\d+):\+(\d+)\]', m[3])}
                name = re.sub(r'^NVDLA_(CFGROM_)?', '', m[2])
                found[name] = int(m[1], 16), fields
    return found


def ours(paths):
    units, found = {}, {}
    for path in paths:
        with open(path) as f:
            text = f.read()
        units.update((u, int(at, 0)) for u, at in re.findall(r'^UNIT\((\w+), (\w+),', text, re.M))
        for u, n, at in re.findall(r'^REG\((\w+), (\w+), (\w+),', text, re.M):
            found[f'{u}_{n}'] = units[u] + int(at, 0), {}
        for u, r, n, at, w in re.findall(r'^FIELD\((\w+), (\w+), (\w+), (\d+), (\d+)\)', text, re.M):
            found[f'{u}_{r}'][1][n] = int(at), int(w)
    return found


def main(path, *defs):
    if not os.path.exists(path):
        print('skipped: no', path)
        return 77
    want, have, bad = published(path), ours(defs), 0
    for name in sorted(set(want) | set(have)):
        if name not in have or name not in want:
            print(name, 'is not in', 'the model' if name not in have else 'the published list')
        elif have[name][0] != want[name][0]:
            print(f'{name} is at {have[name][0]:#x}, published {want[name][0]:#x}')
        elif any(want[name][1].get(n) != f for n, f in have[name][1].items()):
            print(f'{name} has {have[name][1]}, published {want[name][1]}')
        else:
            continue
        bad += 1
    print(len(want), 'registers,', bad, 'differ')
    return bad != 0 or len(want) < 400


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
