#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pack.py ROOT WASM OUT: the page as one file, of viewer/, the shipped litmus tests and the profiles."""
import base64
import glob
import json
import os
import sys

sys.dont_write_bytecode = True
import lessons  # noqa: E402 of this folder

root, wasm, out = sys.argv[1:]
SCRIPTS = ['page', 'timeline', 'arrows', 'boardstate', 'rules', 'layout', 'ways', 'board', 'boardsay', 'stage', 'program', 'stepper', 'words', 'litmus',
           'keeps', 'lessons', 'lesson', 'lessonlist', 'tables', 'costs', 'teach', 'plant', 'lifestate', 'runtimeline', 'threads', 'finding', 'excerpt', 'run', 'playground', 'main']


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def folder(pattern):
    files = sorted(glob.glob(os.path.join(root, pattern)))
    return {os.path.splitext(os.path.basename(p))[0]: read(p) for p in files}


tests, profiles, texts = folder('scenarios/litmus/*.litmus'), folder('profiles/*.profile'), folder('viewer/lessons/*.lesson')
for lesson, text in texts.items():
    try:
        lessons.check(f'viewer/lessons/{lesson}.lesson', text, tests, profiles)
    except lessons.Wrong as e:
        sys.exit(str(e))
# "</script" in a text would end the element it lies in.
costs = {'answer': json.loads(read(f'{root}/viewer/costs/round_trip.json')), 'source': read(f'{root}/viewer/costs/round_trip.cu')}
data = json.dumps({'tests': tests, 'profiles': profiles, 'lessons': texts, 'costs': costs}).replace('<', '\\u003c')
with open(wasm, 'rb') as f:
    module = base64.b64encode(f.read()).decode()
page = read(f'{root}/viewer/page.html')
for name, text in (('STYLE', read(f'{root}/viewer/style.css')), ('WASM', module), ('DATA', data), ('ENGINE', read(f'{root}/viewer/js/engine.js') + read(f'{root}/viewer/js/life.js')),
                   ('SCRIPTS', ''.join(read(f'{root}/viewer/js/{s}.js') for s in SCRIPTS))):
    page = page.replace(f'@{name}@', text)
with open(out, 'w', encoding='utf-8') as f:
    f.write(page)
