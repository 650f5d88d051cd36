# SPDX-License-Identifier: MIT
"""Mutants of a C file: every place where an operator applies, found in the tokens of its functions.

Operators: negate (a condition), compare (off by one, == and !=), constant (off by one, true and false), logic (&& and ||),
arithmetic (| and &, + and -), unary (! or ~ dropped), return (0 instead of the value), drop (a statement), call (a statement
that is a call). Left alone: comments, preprocessor lines, declarations (their initialisers are not), sizes of types, and
statements that assert or write trace records.
"""
import re
from collections import namedtuple

TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<cpp>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
''', re.X | re.S | re.M)
INTEGER = re.compile(r'^(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$')

COMPARE = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
LOGIC = {'&&': '||', '||': '&&'}
ARITHMETIC = {'|': '&', '&': '|', '+': '-', '-': '+', '|=': '&=', '&=': '|=', '+=': '-=', '-=': '+='}
BOOLEAN = {'true': 'false', 'false': 'true', 'TRUE': 'FALSE', 'FALSE': 'TRUE'}

TYPES = set('auto bool char const double enum float int long register short signed static struct typedef union unsigned void '
            'volatile gboolean size_t va_list'.split())
NO_VALUE = {'return', 'case', 'else', 'do', 'goto'}  # words before which an operator is a unary one
SIZES = {'sizeof', 'offsetof', 'G_N_ELEMENTS', '_Alignof', 'alignof', 'trace_wants'}
SILENT = re.compile(r'assert|trace|TRACE', re.A)

# before, after: the text of the lines that change, blanks collapsed: a name that survives edits elsewhere in the file
Mutant = namedtuple('Mutant', 'file function operator line start end text before after')


def plain(lines):
    return ' '.join(re.sub(r'/\*.*?(\*/|$)|//.*', '', lines).split())


class Source:
    """The tokens of a file without comments, with the partner of each bracket."""

    def __init__(self, name, text):
        self.name, self.text, self.mutants, self.function = name, text, [], ''
        self.tokens = [(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text)
                       if m.lastgroup not in ('comment', 'cpp')]
        self.partner, open_ = {}, []
        for i, (_, token, _, _) in enumerate(self.tokens):
            if token in ('(', '[', '{'):
                open_.append(i)
            elif token in (')', ']', '}') and open_:
                self.partner[i] = open_.pop()
                self.partner[self.partner[i]] = i
        self.file()

    def token(self, i):
        return self.tokens[i][1] if 0 <= i < len(self.tokens) else ''

    def find(self, what, i, end):
        """The first token of @what outside of brackets in [i, end); @end if there is none."""
        while i < end:
            if self.token(i) in what:
                return i
            i = (self.partner.get(i, i) if self.token(i) in ('(', '[', '{') else i) + 1
        return end

    # --- what can be changed -----------------------------------------------------------------------------------------------

    def add(self, operator, start, end, text):
        """Replaces [start, end) of the text by @text; the number of lines stays."""
        lines = self.text.count('\n', start, end) - text.count('\n')
        text += '\n' * lines
        first = self.text.rfind('\n', 0, start) + 1
        last = self.text.find('\n', end)
        before, after = plain(self.text[first:last]), plain(self.text[first:start] + text + self.text[end:last])
        line = self.text.count('\n', 0, start) + 1
        if not any(m.line == line and m.after == after for m in self.mutants[-8:]):
            self.mutants.append(Mutant(self.name, self.function, operator, line, start, end, text, before, after))

    def replace(self, operator, i, end, text):
        if end > i:
            self.add(operator, self.tokens[i][2], self.tokens[end - 1][3], text)

    def negate(self, i, end):
        """Not where another operator does the same: !x without its !, a == b as a != b."""
        outside = [k for k in range(i, end) if not any(a < k < self.partner.get(a, a) for a in range(i, k))]
        tokens = [self.token(k) for k in outside]
        same = not any(t in LOGIC or t == '?' for t in tokens) and \
            (tokens[:1] == ['!'] or tokens.count('==') + tokens.count('!=') == 1)
        if end > i and not same:
            start, stop = self.tokens[i][2], self.tokens[end - 1][3]
            self.add('negate', start, stop, '!(' + self.text[start:stop] + ')')

    def is_cast(self, close):
        inside = [self.token(k) for k in range(self.partner.get(close, close) + 1, close)]
        return bool(inside) and all(re.match(r'^(\w+|\*)$', t) for t in inside) and \
            (inside[-1] == '*' or inside[0] in TYPES or inside[-1].endswith('_t'))

    def is_binary(self, i):
        kind, before = self.tokens[i - 1][:2]
        if before == ')':
            return not self.is_cast(i - 1)
        return before == ']' or kind in ('number', 'string') or (kind == 'word' and before not in NO_VALUE)

    def constant(self, i):
        value, suffix = INTEGER.match(self.token(i)).groups()
        number = int(value, 8 if re.match(r'^0\d', value) else 0)
        for other in (number + 1, number - 1) if number else (1,):
            self.replace('constant', i, i + 1, (hex(other) if value[:2] in ('0x', '0X') else str(other)) + suffix)

    def ternary(self, i, first):
        """The condition before the ? at @i goes back to an assignment, a comma, a bracket or the expression's begin."""
        k = i - 1
        while k >= first and self.token(k) not in ('=', ',', '?', ':', '(', '[', '{', '|=', '&=', '+=', '-=', 'return'):
            k = (self.partner.get(k, k) if self.token(k) in (')', ']', '}') else k) - 1
        self.negate(k + 1, i)

    def expression(self, i, end):
        first = i
        while i < end:
            kind, token = self.tokens[i][:2]
            if token in SIZES or (kind == 'word' and SILENT.search(token) and self.token(i + 1) == '('):
                i = self.partner[i + 1] if self.token(i + 1) == '(' else i
            elif kind == 'number' and INTEGER.match(token):
                self.constant(i)
            elif token in BOOLEAN:
                self.replace('constant', i, i + 1, BOOLEAN[token])
            elif token in COMPARE:
                self.replace('compare', i, i + 1, COMPARE[token])
            elif token in LOGIC:
                self.replace('logic', i, i + 1, LOGIC[token])
            elif token in ARITHMETIC and self.is_binary(i):
                self.replace('arithmetic', i, i + 1, ARITHMETIC[token])
            elif token in ('!', '~'):
                self.replace('unary', i, i + 1, '')
            elif token == '?':
                self.ternary(i, first)
            i += 1

    # --- statements --------------------------------------------------------------------------------------------------------

    def is_declaration(self, i, end):
        if self.token(i) in TYPES:
            return True
        k = i + 1
        while self.token(k) == '*':
            k += 1
        return self.tokens[i][0] == 'word' and k < end and self.tokens[k][0] == 'word' and \
            self.token(k + 1) in ('=', ';', ',', '[')

    def simple(self, i):
        """An expression or a declaration, up to its semicolon."""
        end = self.find((';',), i, len(self.tokens))
        call = self.tokens[i][0] == 'word' and self.token(i + 1) == '('
        if self.is_declaration(i, end):
            self.expression(self.find(('=',), i, end) + 1, end)
        elif not (call and SILENT.search(self.token(i))):
            self.replace('call' if call and self.partner[i + 1] == end - 1 else 'drop', i, end, '')
            self.expression(i, end)
        return end + 1

    def loop(self, i):
        """for (init; condition; step) statement"""
        close = self.partner[i + 1]
        first = self.find((';',), i + 2, close)
        second = self.find((';',), first + 1, close)
        self.expression(self.find(('=',), i + 2, first) + 1, first)
        self.negate(first + 1, second)
        self.expression(first + 1, second)
        self.expression(second + 1, close)
        return self.statement(close + 1)

    def branch(self, i):
        """if, while, switch"""
        close = self.partner[i + 1]
        if self.token(i) != 'switch':
            self.negate(i + 2, close)
        self.expression(i + 2, close)
        after = self.statement(close + 1)
        return self.statement(after + 1) if self.token(i) == 'if' and self.token(after) == 'else' else after

    def statement(self, i):
        token = self.token(i)
        if token == '{':
            return self.block(i)
        if token in ('if', 'while', 'switch'):
            return self.branch(i)
        if token == 'for':
            return self.loop(i)
        if token == 'do':
            i = self.statement(i + 1)
            self.negate(i + 2, self.partner[i + 1])
            self.expression(i + 2, self.partner[i + 1])
            return self.partner[i + 1] + 2
        if token in ('case', 'default') or self.token(i + 1) == ':':
            return self.find((':',), i, len(self.tokens)) + 1
        if token in ('return', 'break', 'continue', 'goto'):
            end = self.find((';',), i, len(self.tokens))
            if token == 'return' and end > i + 1 and self.token(i + 1) not in ('0', 'NULL', 'false', 'FALSE'):
                self.replace('return', i + 1, end, '0')
            elif token in ('break', 'continue') or end == i + 1:
                self.replace('drop', i, end, '')
            self.expression(i + 1, end)
            return end + 1
        if self.token(i + 1) == '(' and self.token(self.partner[i + 1] + 1) == '{':  # the macro of a loop
            self.expression(i + 2, self.partner[i + 1])
            return self.statement(self.partner[i + 1] + 1)
        return self.simple(i)

    def block(self, i):
        end = self.partner[i]
        i += 1
        while i < end:
            i = self.statement(i)
        return end + 1

    def file(self):
        i = 0
        while i < len(self.tokens):
            if self.token(i) == '{':
                if self.token(i - 1) == ')':
                    self.function = self.token(self.partner[i - 1] - 1)
                    self.block(i)
                i = self.partner[i]
            i += 1


def mutants(name, text):
    return Source(name, text).mutants


def apply(mutant, text):
    return text[:mutant.start] + mutant.text + text[mutant.end:]
