// SPDX-License-Identifier: MIT
// node compare.js PAGE VTEGRA: the page's outcomes equal `vtegra litmus` for all shipped tests on all SoCs, byte for byte;
// the ten slowest take at most 5 times the native time.
'use strict';
const fs = require('fs'), vm = require('vm'), { spawnSync } = require('child_process');
const [page, vtegra] = process.argv.slice(2), LIMIT = 5;
const html = fs.readFileSync(page, 'utf8');
const part = (from, to) => html.slice(html.indexOf(from) + from.length, html.indexOf(to, html.indexOf(from) + from.length));
const context = vm.createContext({ WebAssembly, TextEncoder, TextDecoder, Uint8Array });
vm.runInContext(part('<script>', '</script>') + part('<script id="engine">', '</script>') + '; globalThis.DATA = DATA; globalThis.open = engineOpen; globalThis.litmus = engineLitmus;', context);
context.open(Buffer.from(part('id="wasm">', '</script>').trim(), 'base64'));

// What both say of an outcome, in one order.
const plain = r => JSON.stringify([r.test, r.condition, r.verdict, r.expected, r.exhausted, r.states, r.steps,
    r.outcomes.map(o => [o.values, o.fault, o.never_end, o.final_states, o.matches, o.witness])]);

// The page steps through what `vtegra litmus -w` lists, barriers included. It forgets nothing, so what it says behind a step may differ.
const steps = lines => JSON.stringify(lines.map(l => l.slice(0, 40).trim()));
const stepsDiffer = (got, want) => got.outcomes.some((o, i) => steps(o.path.slice(1).map(p => p.step)) !== steps(want.outcomes[i].witness));

let pairs = 0, wrong = 0, absent = 0;
const times = [];
for (const soc of Object.keys(context.DATA.profiles)) {
    const tests = Object.keys(context.DATA.tests).map(t => process.argv[4] + '/' + t + '.litmus');
    const native = JSON.parse(spawnSync(vtegra, ['litmus', '--json', '--witness', '0', '--soc', soc, ...tests], { encoding: 'utf8', maxBuffer: 1 << 30 }).stdout);
    native.forEach((want, i) => {
        const name = Object.keys(context.DATA.tests)[i], began = process.hrtime.bigint();
        const got = context.litmus(context.DATA.tests[name], context.DATA.profiles[soc], soc);
        times.push([Number(process.hrtime.bigint() - began) / 1e6, name, soc]);
        pairs++;
        if (want.absent !== undefined) {
            absent++;
            // The page calls its text "test", the tool by its file.
            const place = s => s.replace(/^[^:]*:(?=\d)/, '').replace(/^.*\.litmus:/, '');
            if (!got.error || place(got.error) !== place(want.absent)) {
                wrong++;
                console.log('FAIL', name, soc, want.absent, '|', got.error);
            }
        } else if (got.error || plain(got) !== plain(want) || stepsDiffer(got, want)) {
            wrong++;
            if (wrong < 5) console.log('FAIL', name, soc, got.error || plain(got).slice(0, 400), '\n', plain(want).slice(0, 400));
        }
    });
}

const ms = work => {
    const began = process.hrtime.bigint();
    work();
    return Number(process.hrtime.bigint() - began) / 1e6;
};

// Native time of one: the difference between a process that reads the file 11 times and one that reads it once. Page and
// tool take turns and the best of each counts, so that other work on the machine meets both.
const TIMES = 10, ROUNDS = 4;
const slowest = times.sort((a, b) => b[0] - a[0]).slice(0, 10).map(([, name, soc]) => ({ name, soc, file: process.argv[4] + '/' + name + '.litmus', page: Infinity, one: Infinity, many: Infinity }));
function round() {
    for (const t of slowest) {
        const native = n => ms(() => spawnSync(vtegra, ['litmus', '-q', '--soc', t.soc, ...Array(n).fill(t.file)]));
        for (let i = 0; i < 3; i++) t.page = Math.min(t.page, ms(() => context.litmus(context.DATA.tests[t.name], context.DATA.profiles[t.soc], t.soc)));
        t.one = Math.min(t.one, native(1));
        t.many = Math.min(t.many, native(TIMES + 1));
    }
    return sum('page') / native_ms();
}
const sum = key => slowest.reduce((all, t) => all + t[key], 0), native_ms = () => (sum('many') - sum('one')) / TIMES;
let ratio = Infinity;
for (let i = 0; i < ROUNDS || (ratio > LIMIT && i < 3 * ROUNDS); i++) ratio = round();
console.log(`${pairs - wrong} of ${pairs} equal (${absent} absent); ten slowest: page ${sum('page').toFixed(0)} ms, native ${native_ms().toFixed(0)} ms, ${ratio.toFixed(1)} times (at most ${LIMIT})`);
if (ratio > LIMIT) console.log(`FAIL the page takes more than ${LIMIT} times as long`);
process.exit(wrong || ratio > LIMIT || pairs < 1000 ? 1 : 0);
