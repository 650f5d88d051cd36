#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lessons.py ROOT WORK_DIR: viewer/pack.py takes the shipped lessons, and refuses a broken one with file, line and a reason."""
import os
import shutil
import subprocess
import sys

root, work = sys.argv[1:]
GOOD = '''# SPDX-License-Identifier: MIT
title: T
level: 1
test: mp_pageable_none
soc: orin
predict: tx2 allowed, orin allowed
answer: orin never
may change: kind
solution: mp_pageable_dmb

== question
Q
== step
S
== change
C
== learned
L
'''
REPLACED = '\n== from\n pageable x\n== to\n pinned x\n'
# What is put where, and what the message has: the line is counted by hand in GOOD.
CASES = [
    ('', '', None),
    ('test: mp_pageable_none', 'test: nonesuch', ':4: test: there is no test scenarios/litmus/nonesuch.litmus'),
    ('level: 1', 'level: high', ':3: level: write 1, 2 or 3'),
    ('soc: orin', 'soc: nano', ':5: soc: the test "mp_pageable_none" expects nothing of nano'),
    ('tx2 allowed', 'tx2 perhaps', ':6: predict: "tx2 perhaps": write "SOC allowed" or "SOC never"'),
    ('tx2 allowed', 'tx3 allowed', ':6: predict: there is no SoC "tx3"'),
    ('tx2 allowed', 'tx2 never', ':6: predict: tx2 never: the test\'s own line "expect" says otherwise'),
    ('answer: orin never', 'answer: orin', ':7: answer: "orin": write'),
    ('change: kind', 'change: all', ':8: may change: "all": write some of kind'),
    ('solution: mp_pageable_dmb', 'solution: nonesuch', ':9: solution: there is no test'),
    ('solution: mp_pageable_dmb', 'solution: sb_pageable_dmb', ':9: solution: the condition of sb_pageable_dmb'),
    ('solution: mp_pageable_dmb\n', '', ':1: give either "solution: TEST" or the sections from and to'),
    ('L\n', 'L' + REPLACED, ':9: give either "solution: TEST"'),
    ('title: T', 'titel: T', ':2: "titel: T" is no line "key: value", or its key is unknown'),
    ('title: T\n', '', ':1: there is no line "title: ..."'),
    ('== step', '== stop', ':13: section "stop" is unknown'),
    ('L\n', 'L\n\n== cuda\n*x = 1; //@ CPU0: STR #1,[x]\ny(); //@ CPU1: LDR W0,[y]\n', None),
    ('L\n', 'L\n\n== cuda\n*x = 1; //@ CPU0: STR #2,[x]\n', ':21: cuda: CPU0 has no operation "STR #2,[x]" in the test'),
    ('L\n', 'L\n\n== cuda\n\n*x = 1; //@ CPU7: STR #1,[x]\n', ':22: cuda: "CPU7: STR #1,[x]": write "//@ AGENT: OPERATION"; agents are CPU0, CPU1'),
    ('change: kind', 'change: kind\nlabel: CPU3 camera', ':9: label: write an agent of the test and a name'),
    ('== learned\nL', '', ':1: there is no text in a section "== learned"'),
]


def pack(text, name):
    with open(f'{work}/viewer/lessons/01_t.lesson', 'w', encoding='utf-8') as f:
        f.write(text)
    out = f'{work}/page.html'
    if os.path.exists(out):
        os.remove(out)
    done = subprocess.run([sys.executable, f'{root}/viewer/pack.py', work, f'{work}/wasm', out], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == os.path.exists(out), f'{name}: status {done.returncode}, but the page is there: {os.path.exists(out)}'
    return done


shutil.rmtree(work, ignore_errors=True)
shutil.copytree(f'{root}/viewer', f'{work}/viewer')
shutil.copytree(f'{root}/profiles', f'{work}/profiles')
os.makedirs(f'{work}/scenarios')
os.symlink(f'{root}/scenarios/litmus', f'{work}/scenarios/litmus')
open(f'{work}/wasm', 'wb').close()
for lesson in os.listdir(f'{work}/viewer/lessons'):
    os.remove(f'{work}/viewer/lessons/{lesson}')
failed = 0
from_to = GOOD.replace('solution: mp_pageable_dmb\n', '') + REPLACED
for at, put, message in CASES:
    assert GOOD.count(at) == 1 or not at, at
    done = pack(GOOD.replace(at, put) if at else GOOD, put)
    if (done.returncode != 0) != (message is not None) or (message or '') not in done.stderr or (message and '01_t.lesson:' not in done.stderr):
        failed += 1
        print(f'FAIL {at!r} -> {put!r}: status {done.returncode}, {done.stderr.strip()!r}, wanted {message!r}')
for text, message in ((from_to, None), (from_to.replace(' pageable x', 'pageable  x'), '19: from: this text must be in mp_pageable_none.litmus')):
    done = pack(text, 'from')
    if (done.returncode != 0) != (message is not None) or (message or '') not in done.stderr:
        failed += 1
        print(f'FAIL from: {done.stderr.strip()!r}, wanted {message!r}')
print(f'{len(CASES) + 2 - failed} of {len(CASES) + 2} as expected')
sys.exit(failed > 0)
