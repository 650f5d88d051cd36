#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""damage.py VTEGRA LOADABLE FOLDER COUNT: deterministic damages of a loadable (cut off, bits flipped, words overwritten).
vtegra dla inspect must print it or name list, entry and field; it never crashes, hangs or stays silent. Every fourth
is run as well: nothing may be read or written outside the memories (sanitizers and the model's faults tell)."""
import subprocess
import sys

vtegra, path, folder, count = sys.argv[1:]
good = open(path, 'rb').read()
x, bad, refused = 1, 0, 0


def rnd(n):
    global x
    x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
    return (x >> 33) % n


def damage(i):
    b = bytearray(good)
    if i % 4 == 0:
        return b[:rnd(len(b))]
    if i % 4 == 1:
        # Tables and descriptors are small and weights are not: aim at what is small, near both ends.
        for _ in range(1 + rnd(4)):
            b[rnd(min(len(b), 4000))] ^= 1 << rnd(8)
        return b
    if i % 4 == 2:
        b[-1 - rnd(min(len(b), 12000))] ^= 1 << rnd(8)
        return b
    at = rnd(len(b) - 4)
    b[at:at + 4] = [b'\xff\xff\xff\xff', b'\0\0\0\0', b'\xff\xff\xff\x7f', b'\0\0\0\x80'][rnd(4)]
    return b


def call(*args):
    try:
        return subprocess.run([vtegra, 'dla', *args], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None


def check(i, r, what):
    global bad
    text = r.stderr.decode() if r else 'took more than a minute'
    ok = r is not None and (r.returncode == 0 or (r.returncode == 1 and ': ' in text and 'vtegra dla' in text))
    if not ok:
        bad += 1
        print(f'damage {i}: {what}: status {r.returncode if r else "-"}: {text[-2000:]}')
    return ok and r.returncode == 1


for i in range(int(count)):
    file = f'{folder}/damaged'
    open(file, 'wb').write(damage(i))
    refused += check(i, call('inspect', file) if i % 2 else call('inspect', '--json', file), 'inspect')
    if i % 4 == 3:
        check(i, call('run', '-q', file, '--input', f'{folder}/input0.npy', '--output', f'{folder}/out.npy',
                      '--dump-layers', f'{folder}/dump'), 'run')
print(f'{refused} of {count} refused with a reason')
# A test that refuses nothing, or all, would prove little.
sys.exit(bad > 0 or not 0.2 <= refused / int(count) <= 0.95)
