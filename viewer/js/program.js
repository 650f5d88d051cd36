// SPDX-License-Identifier: MIT
// The program beside the picture: the litmus test as columns of agents, or the same in CUDA and C, with the current line lit.
'use strict';

// Lines of a lesson's "== cuda": { text, marks: [[agent, operation, which of the same]] } from "code //@ CPU0: STR #1,[x]; iGPU0: starts".
function sourceLines(text) {
    return text.split('\n').map(line => {
        const at = line.indexOf('//@ ');
        const marks = at < 0 ? [] : line.slice(at + 4).split('; ').map(m => { const [, agent, op, nth] = /^(\w+): (.*?)(?: #(\d))?$/.exec(m.trim()) || [null, '', '', '']; return [agent, op, +(nth || 1)]; });
        return { text: at < 0 ? line : line.slice(0, at).trimEnd(), marks };
    });
}

const spaceless = text => text.replace(/\s+/g, '');

// The event of a mark, or -1: "starts" is the start of the agent's job.
function markEvent(thread, op, nth) {
    const fits = thread.events.map((e, i) => i).filter(i => op === 'starts' ? /^job .* starts$/.test(thread.events[i]) : spaceless(thread.events[i]) === spaceless(op));
    return fits.length >= nth ? fits[nth - 1] : -1;
}

function listingShow(title, lines, cls) {
    const list = el('ol', 'listing ' + cls);
    list.setAttribute('aria-label', title);
    lines.forEach(text => list.append(el('li', '', text || ' ')));
    return list;
}

// Return: { box, light(step) }: the source in CUDA and C.
function cudaShow(r, text) {
    const lines = sourceLines(text), list = listingShow('Source in CUDA and C', lines.map(l => l.text), 'cuda');
    const marks = lines.map(l => l.marks.map(([agent, op, nth]) => { const t = r.threads.findIndex(x => x.name === agent); return t < 0 ? [-1, -1] : [t, markEvent(r.threads[t], op, nth)]; }));
    return { box: list, light: step => [...list.children].forEach((li, i) => lit(li, marks[i].some(([t, e]) => t >= 0 && t === step.agent && e === step.event))) };
}

function lit(element, on) {
    element.classList.toggle('lit', on);
    if (on) element.setAttribute('aria-current', 'step');
    else element.removeAttribute('aria-current');
}

// The test as a table: an agent each column. Lines that are over have a mark, the current one is lit.
function litmusShow(r) {
    const table = el('table', 'program'), head = el('tr'), rows = Math.max(...r.threads.map(t => t.events.length)), cells = [];
    table.append(el('caption', '', r.locations.map(l => `${l.kind} ${l.name} = ${l.init}`).join('; ')));
    r.threads.forEach(t => { const th = el('th', '', t.name); th.scope = 'col'; head.append(th); });
    table.append(head);
    for (let e = 0; e < rows; e++) {
        const tr = el('tr');
        r.threads.forEach((t, i) => { const td = el('td', '', t.events[e] || ''); cells.push([td, i, e, t.events[e] !== undefined]); tr.append(td); });
        table.append(tr);
    }
    // A barrier may be done in the model before the step that shows it.
    return { box: table, light: (step, later) => {
        const done = step.state.done;
        cells.forEach(([td, t, e, there]) => {
            lit(td, there && t === step.agent && e === step.event);
            td.classList.toggle('done', there && bit(done[t], e) && !later.some(s => s.agent === t && s.event === e));
        });
    } };
}

const LITMUS_ONCE = 'The same, in short: a litmus test has a column for each agent and a line for each operation. STR #1,[x] stores 1 to x, LDR W0,[x] loads x into register W0 (a CPU); st and ld do the same in a kernel. launch K and sync K are what cudaLaunchKernel and cudaStreamSynchronize do; submit and wait leave the caches alone. The condition of the last line is what the question asks about.';

// What stands beside the picture. @explain: also what a litmus test is, in the first lesson. Return: { box, light(step, the steps behind it) }
function programShow(r, cuda, explain) {
    const box = el('div', 'programside'), parts = [], test = litmusShow(r);
    if (cuda) {
        const source = cudaShow(r, cuda), short = el('details');
        const title = el('summary', '', 'The same, in short');
        short.open = true;
        short.append(title, scrollBox('The litmus test', test.box), el('p', 'mono', r.condition));
        box.append(el('h3', '', 'The program'), scrollBox('The source', source.box), short);
        if (explain) short.append(el('p', '', LITMUS_ONCE));
        parts.push(source, test);
    } else {
        box.append(el('h3', '', 'The program'), scrollBox('The litmus test', test.box), el('p', 'mono', r.condition));
        parts.push(test);
    }
    return { box, light: (step, later) => parts.forEach(p => p.light(step, later)) };
}

// What is wider than its place scrolls in it, with the keyboard too.
function scrollBox(label, inner) {
    const box = el('div', 'scroll');
    box.tabIndex = 0;
    box.setAttribute('role', 'region');
    box.setAttribute('aria-label', label);
    box.append(inner);
    return box;
}
