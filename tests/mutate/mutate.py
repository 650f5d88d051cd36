#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes one place of a C file at a time, and says whether the unit's own tests notice: README.md of this folder."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # the source tree stays as it is
import operators  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY = 16 << 30  # bytes that a test may allocate
FEW = 20  # a score of fewer judged mutants says nothing
UNKNOWN_S = 1.0  # a test that ctest has not run here


def die(text):
    sys.exit('mutate: ' + text)


class Late(Exception):
    """The time is over: what was begun is not judged."""


# --- what belongs together ---------------------------------------------------------------------------------------------------

def units_read(path):
    """(prefix of a file's name, its tests), longest prefix first."""
    rows = [line.split() for line in open(path) if line.strip() and not line.startswith('#')]
    return sorted(((row[0], row[1:]) for row in rows), key=lambda row: -len(row[0]))


class Survivors:
    """Mutants that live and may: stanzas "FILE FUNCTION OPERATOR", "  - line", "  + changed line", "  = reason"."""

    def __init__(self, path):
        self.reasons, self.used, self.stale = {}, set(), []
        text = [line.rstrip('\n') for line in open(path) if line.strip() and not line.startswith('#')] if path else []
        for head, before, after, reason in zip(*[iter(text)] * 4):
            if not (before.startswith('  - ') and after.startswith('  + ') and reason.startswith('  = ') and len(head.split()) == 3):
                die(f'{path}: four lines an entry, the head, "  - ", "  + " and "  = REASON"; not so at "{head}"')
            self.reasons[tuple(head.split()) + (before[4:], after[4:])] = reason[4:]
        if len(text) % 4:
            die(f'{path}: the last entry is not whole')

    def has(self, mutant):
        return key(mutant) in self.reasons


def key(m):
    return m.file, m.function, m.operator, m.before, m.after


def stanza(m):
    return f'{m.file} {m.function} {m.operator}\n  - {m.before}\n  + {m.after}\n  = REASON'


# --- building and running ----------------------------------------------------------------------------------------------------

class Build:
    """A build folder of ninja: how its files are compiled, its tests linked and run."""

    def __init__(self, folder, root):
        self.folder, self.root = os.path.abspath(folder), root
        try:
            commands = json.load(open(os.path.join(self.folder, 'compile_commands.json')))
        except OSError as e:
            die(f'{e}; build it first')
        self.compile = {}
        for c in commands:
            words = shlex.split(c['command'])
            if os.path.basename(words[0]) == 'ccache':
                words = words[1:]
            self.compile.setdefault(os.path.relpath(c['file'], root), []).append(words)
        for name, all_ in self.compile.items():  # a test may compile the file for itself, with the same symbols
            own = [w for w in all_ if w[w.index('-o') + 1].startswith(name.split('/')[0] + '/')]
            self.compile[name] = own or all_
        shown = subprocess.run(['ctest', '--show-only=json-v1'], cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout
        self.tests = {t['name']: t for t in json.loads(shown)['tests'] if t.get('command')}
        self.sanitized = any('-fsanitize=' in c['command'] for c in commands)
        self.links, self.times, self.forks, self.lock = {}, {}, {}, threading.Lock()
        self.end = None  # time.monotonic() at which all work stops
        self.costs, self.built, self.running = self.costs_read(), {}, {}

    def costs_read(self):
        """Test -> seconds that it took so far, as ctest keeps them."""
        try:
            rows = [line.split() for line in open(os.path.join(self.folder, 'Testing/Temporary/CTestCostData.txt'))]
        except OSError:
            return {}
        return {row[0]: float(row[2]) for row in rows if len(row) == 3}

    def cost(self, test):
        try:
            return float(open(self.cache_of(test)).read().split()[2])
        except (OSError, ValueError, IndexError):
            return self.costs.get(test) or UNKNOWN_S

    def cache_of(self, test):
        return os.path.join(self.folder, 'mutants.cache', test)

    def left(self):
        """Seconds until the end, None: for ever."""
        if self.end is None:
            return None
        if time.monotonic() >= self.end:
            raise Late
        return self.end - time.monotonic()

    def call(self, words, **options):
        """subprocess.run() that stops at the end."""
        try:
            return subprocess.run(words, cwd=self.folder, timeout=self.left(), check=False, **options)
        except subprocess.TimeoutExpired:
            raise Late from None

    def baseline(self, test):
        """How long the test takes that is built, in seconds: once, and from the cache while the program is the same."""
        with self.lock:
            mine = self.running.setdefault(test, threading.Lock())
        with mine:
            if test not in self.built:
                self.built[test] = self.baseline_cached(test)
            return self.built[test]

    def baseline_cached(self, test):
        program = self.tests[test]['command'][0]
        cache, at = self.cache_of(test), os.stat(program)
        try:
            mtime, size, seconds, fork = open(cache).read().split()
            if (int(mtime), int(size)) == (at.st_mtime_ns, at.st_size):
                self.forks[test] = fork
                return float(seconds)
        except (OSError, ValueError):
            pass
        folder = tempfile.mkdtemp()
        try:
            seconds = self.run_whole(test, program, folder, 'as it is built')
        finally:
            shutil.rmtree(folder)
        os.makedirs(os.path.dirname(cache), exist_ok=True)
        with open(f'{cache}.{os.getpid()}', 'w') as f:
            f.write(f'{at.st_mtime_ns} {at.st_size} {seconds} {self.forks[test]}\n')
        os.replace(f'{cache}.{os.getpid()}', cache)
        return seconds

    def run_whole(self, test, program, folder, what):
        """Seconds. Check runs the tests in one process, which is quick and can be ended, where they pass so, too."""
        for fork in 'no', 'yes':
            self.forks.setdefault(test, fork)
            begin = time.monotonic()
            if self.run(test, program, folder, 600) == 'passed':
                return time.monotonic() - begin
            if self.forks[test] == 'no':
                del self.forks[test]
        die(f'{test} fails {what}')

    def objects(self, name, text, folder):
        """Compiles @text as the file @name, once for each library it is part of: paths, None if it cannot be compiled."""
        paths = []
        for n, words in enumerate(self.compile[name]):
            path = os.path.join(folder, f'{n}.o')
            words = list(words)
            words[words.index('-o') + 1] = path
            source = os.path.join(self.root, name)
            words = [w for w in words if w != source and os.path.join(self.folder, w) != source]
            # From standard input, under the file's own name: the same text gives the same object, byte for byte. -g0: lines
            # of debug information are no behaviour.
            words += ['-g0', '-w', '-iquote', os.path.dirname(source), '-x', 'c', '-']
            marked = f'# 1 "{source}"\n{text}'.encode()
            if self.call(words, input=marked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                return None
            paths.append(path)
        return paths

    def link_command(self, program):
        with self.lock:
            if program not in self.links:
                target = os.path.relpath(program, self.folder)
                out = subprocess.run(['ninja', '-t', 'commands', target], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                     check=False).stdout
                words = shlex.split(out.strip().split('\n')[-1])
                self.links[program] = [w for w in words if w not in (':', '&&', 'ccache')]
            return self.links[program]

    def link(self, program, objects, out):
        words = list(self.link_command(program))
        words[words.index('-o') + 1] = out
        words[1:1] = objects  # in front of the libraries, which keep theirs; with debug information, which tests may read
        r = self.call(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return r.stdout if r.returncode else None

    def run(self, test, program, folder, limit_s):
        """passed, failed or time"""
        env, t = dict(os.environ), self.tests[test]
        for p in t.get('properties', []):
            if p['name'] == 'ENVIRONMENT':
                env.update(v.split('=', 1) for v in p['value'])
            elif p['name'] == 'ENVIRONMENT_MODIFICATION':
                env.update(v.split('=set:', 1) for v in p['value'] if '=set:' in v)
        env['CK_FORK'] = self.forks.get(test, 'no')
        left = self.left()
        wait_s = limit_s if left is None else min(limit_s, left)
        process = subprocess.Popen([program] + t['command'][1:], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=lambda: limits(int(limit_s) + 1, self.sanitized))
        try:
            return 'failed' if process.wait(wait_s) else 'passed'
        except subprocess.TimeoutExpired:
            if wait_s < limit_s:
                raise Late from None
            return 'time'
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and its children; those that Check makes leave the group: limits()
            except ProcessLookupError:
                pass
            process.wait()


def limits(cpu_s, sanitized):
    """In the child: a mutant may loop or allocate without end; AddressSanitizer's shadow is larger than any memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Judge:
    """Judges mutants of some files by the tests of the table."""

    def __init__(self, build, units, limit):
        self.build, self.units, self.limit, self.texts, self.whole = build, units, limit, {}, {}
        self.preparing = threading.Lock()

    def tests_of(self, name):
        return next((tests for prefix, tests in self.units if name.startswith(prefix)), [])

    def tests_built(self, name):
        """The tests of a file, cheapest first."""
        return sorted((t for t in self.tests_of(name) if t in self.build.tests), key=lambda t: (self.build.cost(t), t))

    def cost(self, name):
        """What a mutant of this file costs if it lives."""
        return sum(self.build.cost(t) for t in self.tests_built(name))

    def prepare_quickly(self, name):
        """The file's object code. How long its tests take is measured when the first mutant asks (Build.baseline)."""
        with self.preparing:
            if name not in self.whole:
                self.texts[name] = open(os.path.join(self.build.root, name)).read()
                folder = tempfile.mkdtemp()
                try:
                    objects = self.build.objects(name, self.texts[name], folder)
                    if not objects:
                        die(f'{name} cannot be compiled as it is')
                    self.whole[name] = [open(o, 'rb').read() for o in objects]
                finally:
                    shutil.rmtree(folder)

    def prepare(self, name):
        """The file as it is: its object code, and how long its tests take. They must pass."""
        if name not in self.build.compile:
            die(f'{name} is not compiled in {self.build.folder}')
        tests = [t for t in self.tests_of(name) if t in self.build.tests]
        if not tests:
            die(f'no test of {name} in units.txt is built')
        self.texts[name] = open(os.path.join(self.build.root, name)).read()
        folder = tempfile.mkdtemp()
        try:
            objects = self.build.objects(name, self.texts[name], folder)
            if not objects:
                die(f'{name} cannot be compiled as it is')
            self.whole[name] = [open(o, 'rb').read() for o in objects]
            for test in tests:
                program = os.path.join(folder, test)
                error = self.build.link(self.build.tests[test]['command'][0], objects, program)
                if error:
                    die(f'{test} cannot be linked:\n{error}')
                self.build.times[name, test] = self.build.run_whole(test, program, folder, f'with {name} as it is')
        finally:
            shutil.rmtree(folder)

    def judge(self, mutant):
        """killed, time, survived, uncompiled or equivalent; '' if the time is over"""
        folder = tempfile.mkdtemp()
        try:
            self.prepare_quickly(mutant.file)
            objects = self.build.objects(mutant.file, operators.apply(mutant, self.texts[mutant.file]), folder)
            if not objects:
                return 'uncompiled'
            if [open(o, 'rb').read() for o in objects] == self.whole[mutant.file]:
                return 'equivalent'
            known = {test: t for (name, test), t in self.build.times.items() if name == mutant.file}
            for test in sorted(known, key=known.get) or self.tests_built(mutant.file):
                seconds = known[test] if known else self.build.baseline(test)
                program = os.path.join(folder, test)
                if self.build.link(self.build.tests[test]['command'][0], objects, program):
                    return 'uncompiled'  # a symbol that the libraries have as well is the tool's fault, not a dead mutant
                result = self.build.run(test, program, folder, self.limit + 10 * seconds)
                if result != 'passed':
                    return 'killed' if result == 'failed' else 'time'
            return 'survived'
        except Late:
            return ''
        finally:
            shutil.rmtree(folder)


# --- which mutants -----------------------------------------------------------------------------------------------------------

def git(root, *args):
    r = subprocess.run(['git', '-C', root, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return r.stdout if r.returncode == 0 else None


def changed_lines(root, folder):
    """File -> lines that differ from where this branch left main; on main itself, from ten commits ago."""
    head, base = git(root, 'rev-parse', 'HEAD'), git(root, 'merge-base', 'HEAD', 'main')
    if not head:
        return None
    if not base or base == head:
        base = (git(root, 'rev-list', '--max-count=11', '--first-parent', 'HEAD') or head).strip().split('\n')[-1]
    lines, name = {}, ''
    for line in (git(root, 'diff', '-U0', '--no-ext-diff', base.strip(), '--', folder) or '').split('\n'):
        hunk = re.match(r'^@@ -\S+ \+(\d+)(?:,(\d+))? @@', line)
        if line.startswith('+++ '):
            name = line[6:] if line.startswith('+++ b/') else ''
        elif hunk and name.endswith('.c'):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(name, set()).update(range(first, first + count))
    return {name: at for name, at in lines.items() if at}


def sample(mutants, seed, count):
    """By a hash of each mutant's own text, so that a change elsewhere does not draw others."""
    seen, order = {}, []
    for m in mutants:
        n = seen[key(m)] = seen.get(key(m), 0) + 1
        order.append((hashlib.sha256(repr((seed, key(m), n)).encode()).digest(), m))
    return [m for _, m in sorted(order, key=lambda o: o[0])[:count]]


def files_of(root, names):
    """Names below the root; of a folder its C files."""
    for name in names:
        path = os.path.join(root, name)
        if os.path.isdir(path):
            for folder, _, files in sorted(os.walk(path)):
                yield from (os.path.relpath(os.path.join(folder, f), root) for f in sorted(files) if f.endswith('.c'))
        else:
            yield os.path.relpath(path, root)


# --- the report --------------------------------------------------------------------------------------------------------------

def run_all(judge, chosen, jobs):
    """(mutant, result) in the order chosen; what has not ended in time has the result ''."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(zip(chosen, pool.map(judge.judge, chosen)))


def report(results, extra, survivors, options):
    """Prints; returns the exit status."""
    count = {r: sum(1 for _, x in results if x == r) for r in ('killed', 'time', 'survived', 'uncompiled', 'equivalent', '')}
    dead, judged = count['killed'] + count['time'], count['killed'] + count['time'] + count['survived']
    score = 100 * dead / judged if judged else 100.0
    unlisted, errors = 0, [f'no such mutant: {" ".join(k[:3])}: {k[4]}' for k in survivors.stale]
    for m, result in sorted(results + extra, key=lambda r: r[0][:4]):
        if result == 'survived' and not survivors.has(m):
            unlisted += 1
            print(stanza(m) if options.stanzas else f'{m.file}:{m.line}: survived: {m.operator} in {m.function}()\n'
                  f'    - {m.before}\n    + {m.after}')
        elif result in ('killed', 'time', 'equivalent', 'uncompiled') and survivors.has(m):
            errors.append(f'{m.file}:{m.line}: {m.operator}: {result}, its entry is not needed: {m.after}')
    print(f'mutate: {len(results) - count[""]} of {options.found} mutants: {dead} killed ({count["time"]} by the time limit), '
          f'{count["survived"]} survived ({unlisted} not in the list), {count["uncompiled"]} not compiled, '
          f'{count["equivalent"]} with the same object code: score {score:.1f} %')
    for e in errors:
        print('mutate: ' + e)
    if judged >= FEW and score < options.min_score:
        print(f'mutate: the score is below {options.min_score} %')
        return 1
    return 1 if errors or (options.listed and unlisted) else 0


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--build', required=True, help='folder of a build with ninja, up to date')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=100, help='mutants of the sample (100)')
    p.add_argument('--jobs', type=int, default=2)
    p.add_argument('--seconds', type=float, default=0, help='stop after that time; what has not ended does not count')
    p.add_argument('--limit', type=float, default=20, metavar='SECONDS', help='a test may take that, and ten times what it takes')
    p.add_argument('--changed', action='store_true', help='only lines that the last commits changed')
    p.add_argument('--min-score', type=float, default=0, metavar='PERCENT', help=f'fail below (of {FEW} judged mutants at least)')
    p.add_argument('--survivors', metavar='LIST', help='mutants that may live, with reasons')
    p.add_argument('--listed', action='store_true', help='fail if one lives that is not in the list')
    p.add_argument('--again', metavar='LIST', help='only the mutants of a list: entries as --stanzas prints them')
    p.add_argument('--stanzas', action='store_true', help='print survivors as entries of the list')
    p.add_argument('--units', default=os.path.join(HERE, 'units.txt'), help='which tests belong to which files')
    p.add_argument('--root', default=os.path.dirname(os.path.dirname(HERE)), help='folder that names are relative to')
    p.add_argument('names', nargs='+', metavar='FILE', help='C file or folder, relative to the root')
    return p.parse_args()


def main():
    o, begin = arguments(), time.monotonic()
    root = os.path.abspath(o.root)
    build, lines = Build(o.build, root), None
    judge = Judge(build, units_read(o.units), o.limit)
    names = sorted(set(files_of(root, o.names)))
    if o.changed:
        lines = changed_lines(root, '.')
        if lines is None:
            print('mutate: no git here: what changed is not known')
            return 77
        names = [n for n in names if n in lines and judge.tests_of(n)]
    mutants = []
    for n in names:
        if n in build.compile and judge.tests_of(n):
            mutants += [m for m in operators.mutants(n, open(os.path.join(root, n)).read()) if not lines or m.line in lines[n]]
    survivors = Survivors(o.survivors)
    o.found, there = len(mutants), {key(m) for m in mutants}
    survivors.stale = [k for k in survivors.reasons if k[0] in names and k not in there and not lines]
    again = Survivors(o.again) if o.again else None
    chosen = [m for m in mutants if again.has(m)] if again else sample(mutants, o.seed, o.count)
    rest = [] if lines or again else [m for m in mutants if survivors.has(m) and m not in chosen]
    if o.seconds:  # cheapest first, so that many are judged; expensive ones in what is left
        chosen.sort(key=lambda m: (judge.cost(m.file), m.file))
        build.end = begin + o.seconds
    else:
        for n in sorted({m.file for m in chosen + rest}):
            judge.prepare(n)
    results = run_all(judge, chosen, o.jobs)
    return report(results, run_all(judge, rest, o.jobs), survivors, o)


if __name__ == '__main__':
    sys.exit(main())
