#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The operators on small texts, and mutate.py on a project of one function. Expected mutants are written by hand."""
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.dont_write_bytecode = True  # the source tree stays as it is
import operators  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def body(statement):
    """What becomes of a statement in a function: (operator, statement) of each mutant."""
    head = 'int f(int a, int *p)\n{\n'
    return {(m.operator, m.after) for m in operators.mutants('x.c', head + statement + '\n}\n')}


class Operators(unittest.TestCase):
    def check(self, statement, *expected):
        self.assertEqual(body(statement), set(expected))

    def test_condition(self):
        self.check('if (a < 3) { g(); }', ('negate', 'if (!(a < 3)) { g(); }'), ('compare', 'if (a <= 3) { g(); }'),
                   ('constant', 'if (a < 4) { g(); }'), ('constant', 'if (a < 2) { g(); }'), ('call', 'if (a < 3) { ; }'))

    def test_one_operator_for_one_change(self):
        self.check('if (!a) ;', ('unary', 'if (a) ;'))
        self.check('if (a == *p) ;', ('compare', 'if (a != *p) ;'))

    def test_logic_and_unary(self):
        self.check('return !a && *p;', ('logic', 'return !a || *p;'), ('unary', 'return a && *p;'), ('return', 'return 0;'))

    def test_arithmetic_is_binary(self):
        self.check('a = *p + -a;', ('drop', ';'), ('arithmetic', 'a = *p - -a;'))
        self.check('p = &a;', ('drop', ';'))
        self.check('a |= (uint32_t)-a & a;', ('drop', ';'), ('arithmetic', 'a &= (uint32_t)-a & a;'),
                   ('arithmetic', 'a |= (uint32_t)-a | a;'))

    def test_constants(self):
        self.check('a = 0;', ('drop', ';'), ('constant', 'a = 1;'))
        self.check('a = 0x10u;', ('drop', ';'), ('constant', 'a = 0x11u;'), ('constant', 'a = 0xfu;'))
        self.check('a = true;', ('drop', ';'), ('constant', 'a = false;'))

    def test_ternary_condition(self):
        self.check('a = a ? *p : a;', ('drop', ';'), ('negate', 'a = !(a) ? *p : a;'))

    def test_loop(self):
        self.check('for (int i = 1; i < a; i++) { break; }', ('negate', 'for (int i = 1; !(i < a); i++) { break; }'),
                   ('compare', 'for (int i = 1; i <= a; i++) { break; }'), ('constant', 'for (int i = 2; i < a; i++) { break; }'),
                   ('constant', 'for (int i = 0; i < a; i++) { break; }'), ('drop', 'for (int i = 1; i < a; i++) { ; }'))

    def test_left_alone(self):
        for text in ('int b[4];', 'struct s *q;', 'g_assert(a < 3);', 'trace_emit(a + 1);', 'return NULL;', '/* a + 1; */', '#if 1 + 1',
                     'a_t *q, r;', 'case 4: default: ;'):
            self.check(text)
        self.assertEqual(operators.mutants('x.c', 'static const int t[] = { 1, 2 };\nenum { A = 1 };\n'), [])

    def test_initialiser(self):
        self.check('unsigned n = a - 1;', ('arithmetic', 'unsigned n = a + 1;'), ('constant', 'unsigned n = a - 2;'),
                   ('constant', 'unsigned n = a - 0;'))

    def test_lines_stay(self):
        text = 'void f(void)\n{\n    g(1,\n      2);\n}\n'
        for m in operators.mutants('x.c', text):
            self.assertEqual(operators.apply(m, text).count('\n'), text.count('\n'))
            self.assertEqual(m.function, 'f')


CODE = '''
int limit(int a);
int limit(int a)
{
    if (a > 9) {
        return 9;
    }
    return a;
}
'''
TESTED = 'int limit(int); int main(void) { return limit(9) != 9 || limit(10) != 9 || limit(3) != 3; }'
NINJA = '''
rule cc
  command = cc -c $in -o $out
rule ar
  command = ar rcs $out $in
rule link
  command = cc $in -o $out
build limit.o: cc {src}/limit.c
build test.o: cc {src}/test.c
build lib.a: ar limit.o
build test: link test.o lib.a
'''


class Tool(unittest.TestCase):
    """"a > 9" as "a >= 9" is the same function: it survives, all others die."""

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        d = self.dir.name
        os.mkdir(d + '/build')
        self.put('limit.c', CODE)
        self.put('test.c', TESTED)
        self.put('units.txt', 'limit tiny\n')
        self.put('build/build.ninja', NINJA.format(src=d))
        self.put('build/CTestTestfile.cmake', f'add_test(tiny "{d}/build/test")\n')
        self.put('build/compile_commands.json', json.dumps([{'directory': d + '/build', 'file': d + '/limit.c',
                                                             'command': f'cc -O0 -c {d}/limit.c -o limit.o'}]))
        subprocess.run(['ninja', '-C', d + '/build'], check=True, stdout=subprocess.DEVNULL)

    def tearDown(self):
        self.dir.cleanup()

    def put(self, name, text):
        with open(os.path.join(self.dir.name, name), 'w') as f:
            f.write(text)

    def text(self, name):
        with open(os.path.join(self.dir.name, name)) as f:
            return f.read()

    def mutate(self, *more):
        d = self.dir.name
        r = subprocess.run([sys.executable, HERE + '/mutate.py', '--build', d + '/build', '--root', d, '--units', d + '/units.txt',
                            *more, 'limit.c'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return r.returncode, r.stdout

    def test_score_and_survivors(self):
        status, out = self.mutate()
        self.assertEqual(status, 0, out)
        self.assertIn('limit.c:5: survived: compare in limit()', out)
        self.assertIn('    + if (a >= 9) {', out)
        # if: negated, >=, 10, 8; return 9: 0, 10, 8; return a: 0. Of these "> 8" is also the same function.
        self.assertIn('8 of 8 mutants: 6 killed (0 by the time limit), 2 survived (2 not in the list)', out)
        self.assertIn('score 75.0 %', out)

    LIST = textwrap.dedent('''\
        # what may live
        limit.c limit compare
          - if (a > 9) {
          + if (a >= 9) {
          = the same function

        limit.c limit constant
          - if (a > 9) {
          + if (a > 8) {
          = the same function
        ''')

    def test_listed_survivors_may_live(self):
        self.put('list', self.LIST)
        self.assertEqual(self.mutate('--listed')[0], 1)
        status, out = self.mutate('--listed', '--survivors', self.dir.name + '/list')
        self.assertEqual(status, 0, out)
        self.assertNotIn('limit.c:5: survived', out)
        # also where the sample does not have them
        self.assertEqual(self.mutate('--count', '1', '--listed', '--survivors', self.dir.name + '/list')[0], 0)

    def test_entries_that_are_not_needed_are_errors(self):
        self.put('list', self.LIST.replace('> 8', '> 10'))
        status, out = self.mutate('--survivors', self.dir.name + '/list')
        self.assertEqual(status, 1)
        self.assertIn('constant: killed, its entry is not needed: if (a > 10) {', out)
        self.put('list', self.LIST.replace('> 8', '> 7'))
        status, out = self.mutate('--survivors', self.dir.name + '/list')
        self.assertEqual(status, 1)
        self.assertIn('no such mutant: limit.c limit constant: if (a > 7) {', out)
        self.put('list', self.LIST[:-20])
        self.assertEqual(self.mutate('--survivors', self.dir.name + '/list')[0], 1)

    def test_endless_mutants_are_killed(self):
        self.put('limit.c', 'int limit(int a);\nint limit(int a)\n{\n    int n = 0;\n    while (n < a && n < 9) {\n'
                 '        n++;\n    }\n    return n;\n}\n')
        status, out = self.mutate('--limit', '1')
        self.assertEqual(status, 0, out)
        self.assertRegex(out, r'\([1-9] by the time limit\)')

    def test_in_a_time_the_same_is_killed(self):
        status, out = self.mutate('--seconds', '60')
        self.assertEqual(status, 0, out)
        self.assertIn('8 of 8 mutants: 6 killed (0 by the time limit), 2 survived', out)
        # The next time the test is not run as it is, unless it was built anew.
        at, size, _, _ = self.text('build/mutants.cache/tiny').split()
        self.put('build/mutants.cache/tiny', f'{at} {size} 0.5 yes\n')
        self.assertIn('6 killed', self.mutate('--seconds', '60')[1])
        self.assertEqual(self.text('build/mutants.cache/tiny'), f'{at} {size} 0.5 yes\n')
        self.put('limit.c', CODE.replace('return a;', 'return 4;'))
        subprocess.run(['ninja', '-C', self.dir.name + '/build'], check=True, stdout=subprocess.DEVNULL)
        status, out = self.mutate('--seconds', '60')
        self.assertEqual(status, 1)
        self.assertIn('tiny fails as it is built', out)

    def test_the_time_is_a_hard_one(self):
        self.put('test.c', '#include <unistd.h>\n' + TESTED.replace('{ return', '{ sleep(60); return'))
        subprocess.run(['ninja', '-C', self.dir.name + '/build'], check=True, stdout=subprocess.DEVNULL)
        begin = time.monotonic()
        status, out = self.mutate('--seconds', '2', '--min-score', '100')
        self.assertEqual(status, 0, out)
        self.assertIn('0 of 8 mutants: 0 killed', out)
        self.assertLess(time.monotonic() - begin, 30)

    def test_tests_must_pass_before(self):
        self.put('limit.c', CODE.replace('return a;', 'return 4;'))
        status, out = self.mutate()
        self.assertEqual(status, 1)
        self.assertIn('tiny fails with limit.c as it is', out)


if __name__ == '__main__':
    unittest.main()
