# SPDX-License-Identifier: MIT
"""Checks lessons before they go into the page: an error names file, line and what to do."""
import re

NEEDED = ('title', 'level', 'test', 'soc', 'predict', 'answer')
KEYS = NEEDED + ('solution', 'may change', 'label')
SECTIONS = ('question', 'step', 'change', 'learned')
MAY = ('kind', 'init', 'size', 'place')


class Wrong(Exception):
    pass


class Lesson:
    """Values and sections of a file, with their lines."""

    def __init__(self, path, text):
        self.path, self.value, self.section, self.line = path, {}, {}, {}
        name = None
        for number, line in enumerate(text.split('\n'), 1):
            if line.startswith('== '):
                name = line[3:].strip()
                self.once(name in self.section or name not in SECTIONS + ('cuda', 'from', 'to'), number,
                          f'section "{name}" is unknown or there twice; sections are {", ".join(SECTIONS)}, cuda, from, to')
                self.section[name], self.line[name] = '', number
            elif name:
                self.section[name] += line + '\n'
            elif line.strip() and not line.startswith('#'):
                key, colon, value = line.partition(': ')
                self.once(not colon or key in self.value or key not in KEYS, number,
                          f'"{line[:40]}" is no line "key: value", or its key is unknown or there twice; keys are {", ".join(KEYS)}')
                self.value[key], self.line[key] = value.strip(), number
        self.section = {k: re.sub(r'\n+$', '', v) for k, v in self.section.items()}

    def once(self, wrong, line, text):
        if wrong:
            raise Wrong(f'{self.path}:{line}: {text}')

    def check(self, wrong, where, text):
        self.once(wrong, self.line.get(where, 1), text)


def condition(test):
    """The condition without white space, as the page compares it."""
    found = re.search(r'^(?:~?exists|never|forall)\b.*?(?=^(?:expect|source|teach)\b|\Z)', test, re.M | re.S)
    return re.sub(r'\s+', '', found.group()) if found else ''


def expected(test):
    """{SoC: can the condition be met} of a test's own expectations."""
    line = re.search(r'^expect (.*)$', test, re.M)
    pairs = [p.split() for p in line.group(1).split(',')] if line else []
    return {soc: verdict in ('allowed', 'fails') for soc, verdict in pairs}


def check_pairs(lesson, key, expects, profiles):
    for pair in lesson.value[key].split(','):
        soc, _, word = pair.strip().partition(' ')
        lesson.check(soc not in profiles, key, f'{key}: there is no SoC "{soc}"; SoCs are {", ".join(profiles)}')
        lesson.check(word not in ('allowed', 'never'), key, f'{key}: "{pair.strip()}": write "SOC allowed" or "SOC never"')
        lesson.check(soc not in expects, key, f'{key}: the test "{lesson.value["test"]}" expects nothing of {soc}, which may not be able to run it; '
                     f'take one of {", ".join(expects)}')
        lesson.check(key == 'predict' and expects.get(soc) != (word == 'allowed'), key,
                     f'predict: {soc} {word}: the test\'s own line "expect" says otherwise')


def check_solution(lesson, tests, text):
    solution, change = lesson.value.get('solution'), lesson.section.get('from')
    lesson.check((solution is None) == (change is None or 'to' not in lesson.section), 'solution',
                 'give either "solution: TEST" or the sections from and to')
    if solution is not None:
        lesson.check(solution not in tests, 'solution', f'solution: there is no test scenarios/litmus/{solution}.litmus')
        lesson.check(condition(tests[solution]) != condition(text), 'solution', f'solution: the condition of {solution} is not that of the test')
    else:
        lesson.check(not change or text.split('\nexpect')[0].count(change) != 1, 'from',
                     f'from: this text must be in {lesson.value["test"]}.litmus exactly once, blanks included')


def columns(test):
    """{agent: its operations without white space} of a test's table."""
    rows = [[c.strip() for c in line.rstrip().rstrip(';').split('|')] for line in test.split('}', 1)[1].split('\n') if line.rstrip().endswith(';')]
    names = [re.split(r'[@ ]', c)[0] for c in rows[0]]
    return {n: ['starts'] + [re.sub(r'\s+', '', r[i]) for r in rows[1:] if i < len(r) and r[i]] for i, n in enumerate(names)}


def check_cuda(lesson, test):
    """The marks //@ AGENT: OPERATION name operations of the test; "#2" the second of the same."""
    agents = columns(test)
    for number, line in enumerate(lesson.section.get('cuda', '').split('\n'), lesson.line.get('cuda', 0) + 1):
        for mark in filter(None, line.partition('//@ ')[2].split('; ')):
            found = re.fullmatch(r'(\w+): (.*?)(?: #(\d))?', mark.strip())
            lesson.once(not found or found.group(1) not in agents, number, f'cuda: "{mark}": write "//@ AGENT: OPERATION"; agents are {", ".join(agents)}')
            same = agents[found.group(1)].count(re.sub(r'\s+', '', found.group(2)))
            lesson.once(same < int(found.group(3) or 1), number, f'cuda: {found.group(1)} has no operation "{found.group(2)}" in the test')


def check(path, text, tests, profiles):
    """@tests, @profiles: name -> text. Raises Wrong."""
    lesson = Lesson(path, text)
    for key in NEEDED:
        lesson.once(key not in lesson.value, 1, f'there is no line "{key}: ..."')
    for name in SECTIONS:
        lesson.once(not lesson.section.get(name), 1, f'there is no text in a section "== {name}"')
    test, soc = lesson.value['test'], lesson.value['soc']
    lesson.check(lesson.value['level'] not in ('1', '2', '3'), 'level', 'level: write 1, 2 or 3')
    lesson.check(test not in tests, 'test', f'test: there is no test scenarios/litmus/{test}.litmus')
    expects = expected(tests[test])
    lesson.check(soc not in expects, 'soc', f'soc: the test "{test}" expects nothing of {soc}, which may not be able to run it; '
                 f'take one of {", ".join(expects)}')
    for key in ('predict', 'answer'):
        check_pairs(lesson, key, expects, profiles)
    for word in filter(None, (w.strip() for w in lesson.value.get('may change', '').split(','))):
        lesson.check(word not in MAY, 'may change', f'may change: "{word}": write some of {", ".join(MAY)}')
    check_solution(lesson, tests, tests[test])
    check_cuda(lesson, tests[test])
    label = lesson.value.get('label', '').partition(' ')
    lesson.check('label' in lesson.value and (label[0] not in columns(tests[test]) or not label[2]), 'label', 'label: write an agent of the test and a name')
