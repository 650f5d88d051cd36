// SPDX-License-Identifier: MIT
// A result of a litmus test: outcomes, and the steps of a witness with every state at once.
'use strict';

// A state with its bytes, which come as hexadecimal digits. Only what is drawn is read: a result has thousands of states.
const stateOf = s => ({ ...s, dram: bytesOf(s.dram), view: bytesOf(s.view), l2: bytesOf(s.l2), gpu_queue: bytesOf(s.gpu_queue),
    sm: s.sm.map(u => ({ ...u, l1: bytesOf(u.l1), queue: bytesOf(u.queue) })) });

const bit = (mask, i) => Math.floor(mask / 2 ** i) % 2 === 1;

function valueOf(image, loc) {
    let v = 0n;
    for (let i = loc.size; i-- > 0;) v = v << 8n | BigInt(image[loc.byte + i]);
    return v.toString();
}

// Cells of a cache with a valid and a dirty bit for each byte.
function bytesCell(image, valid, dirty, loc) {
    const strip = [];
    for (let i = 0; i < loc.size; i++) {
        strip.push(bit(dirty, loc.byte + i) ? 'd' : bit(valid, loc.byte + i) ? 'v' : '');
    }
    const cls = strip.includes('d') ? 'dirty' : strip.includes('v') ? 'valid' : 'absent';
    return { text: cls === 'absent' ? 'absent' : valueOf(image, loc) + ' ' + cls, cls, strip, value: cls === 'absent' ? null : valueOf(image, loc) };
}

function cpuCell(r, s, loc) {
    if (!bit(r.view, loc.byte)) return { text: 'not cached', cls: 'absent', value: null };
    const line = bytesOf(r.cpu_line)[loc.byte], valid = bit(s.cpu_valid, line), dirty = bit(s.cpu_dirty, line);
    const cls = dirty ? 'dirty' : valid ? 'valid' : 'absent';
    return { text: (valid ? valueOf(s.view, loc) + ' ' + cls : 'absent') + '  (line ' + line + ')', cls, value: valid ? valueOf(s.view, loc) : null };
}

// Rows of the picture: a title, and a cell for each location.
function rowsOf(r, s) {
    const rows = [['CPU cache', r.locations.map(l => cpuCell(r, s, l))]];
    s.sm.forEach((sm, n) => rows.push(['L1 of SM ' + n, r.locations.map(l => bytesCell(sm.l1, sm.l1_valid, 0, l))]));
    rows.push(['iGPU L2', r.locations.map(l => bit(r.cached, l.byte) ? bytesCell(s.l2, s.l2_valid, s.l2_dirty, l)
        : { text: 'not cached', cls: 'absent', value: null })]);
    rows.push(['DRAM', r.locations.map(l => ({ text: valueOf(s.dram, l), cls: 'valid', value: valueOf(s.dram, l) }))]);
    staleMark(r, s, rows);
    return rows;
}

// A clean copy beside a dirty one of another value is stale, and so is DRAM; a clean copy that differs from DRAM, too.
function staleMark(r, s, rows) {
    r.locations.forEach((l, i) => {
        const cells = rows.map(row => row[1][i]), dirty = cells.filter(c => c.cls === 'dirty').map(c => c.value);
        const newest = dirty.length ? dirty : [cells[cells.length - 1].value];
        cells.forEach(c => { c.stale = c.value !== null && c.cls !== 'dirty' && !newest.includes(c.value); });
    });
}

function queued(r, code) {
    const thread = r.threads[Math.floor(code / r.events_of_thread)];
    return thread.name + ': ' + thread.events[code % r.events_of_thread];
}

// Accesses of a CPU that later ones of the same CPU have passed: stores are in its store buffer.
function overtaken(r, s) {
    return r.threads.flatMap((t, i) => !t.cpu ? [] : t.events.filter((_, e) => t.ops[e] && !bit(s.done[i], e) &&
        t.ops.some((op, later) => op && later > e && bit(s.done[i], later))).map(text =>
        (/^ST/.test(text) ? 'in the store buffer of ' + t.name : 'not yet performed by ' + t.name) + ': ' + text));
}

function stateDraw(r, s, old) {
    const box = el('div'), table = el('table', 'state'), head = el('tr'), before = rowsOf(r, old);
    head.append(el('td'));
    r.locations.forEach(l => { const th = el('th', '', l.name + ' (' + l.kind + ', ' + l.size + ' bytes)'); th.scope = 'col'; head.append(th); });
    table.append(head);
    rowsOf(r, s).forEach(([title, cells], n) => {
        const tr = el('tr');
        const th = el('th', '', title);
        th.scope = 'row';
        tr.append(th);
        cells.forEach((c, i) => {
            const td = el('td', 'box ' + c.cls + (c.stale ? ' stale' : ''), c.text);
            if (c.text !== before[n][1][i].text) td.classList.add('changed');
            if (c.strip) {
                td.append(el('br'));
                c.strip.forEach(x => td.append(el('span', 'byte ' + x)));
            }
            tr.append(td);
        });
        table.append(tr);
    });
    const regs = el('table', 'state'), row = el('tr');
    r.threads.forEach((t, i) => {
        const td = el('td', 'box thread' + (bit(s.fault, i) ? ' dirty' : ''), t.name + ': ' + (s.registers[i].join('  ') || 'no register loaded') + (bit(s.fault, i) ? '  FAULT' : ''));
        if (s.registers[i].join() !== old.registers[i].join() || s.fault !== old.fault && bit(s.fault, i)) td.classList.add('changed');
        row.append(td);
    });
    regs.append(row);
    const way = overtaken(r, s).concat(s.sm.flatMap((sm, n) => sm.queue.map(q => 'seen by SM ' + n + ' only: ' + queued(r, q)))
        .concat(s.gpu_queue.map(q => 'seen by the iGPU only: ' + queued(r, q))));
    box.append(regs, table, el('p', 'mono way', 'On its way: ' + (way.join('; ') || 'nothing')));
    return box;
}

// A result's outcomes: a list of buttons.
function outcomesShow(r, pick) {
    const box = el('div', 'outcomes'), list = el('ul');
    box.append(el('h3', '', 'Outcomes'), list);
    r.outcomes.forEach((o, i) => {
        const item = el('li'), b = button((o.matches ? '* ' : '') + o.text, () => pick(i));
        b.className = 'outcome';
        b.title = o.final_states + ' final state' + (o.final_states === 1 ? '' : 's') + (o.matches ? '; meets the condition' : '');
        item.append(b);
        list.append(item);
    });
    return { box, mark: at => [...list.querySelectorAll('button')].forEach((b, i) => { b.classList.toggle('on', i === at); b.setAttribute('aria-pressed', i === at); }) };
}

function stepsShow(path, go) {
    const list = el('ol', 'steps');
    list.start = 0;
    path.forEach((p, i) => {
        const item = el('li'), b = button(p.step.replace(/ {2,}/g, '  '), () => go(i));
        b.className = 'step';
        if (p.note) b.append(el('span', 'dim', p.note));
        item.append(b);
        list.append(item);
    });
    return { box: list, mark: at => [...list.querySelectorAll('button')].forEach((b, i) => { b.classList.toggle('on', i === at); if (i === at) b.setAttribute('aria-current', 'step'); else b.removeAttribute('aria-current'); }) };
}

// Shows a result in @into. @at: {outcome, step}, kept up to date; @moved is called after each change. @extra: { cuda: the source;
// locked: why there are no steps yet; label: what an agent stands for; explain: what litmus is }
function Stepper(into, r, at, moved, extra = {}) {
    const path = () => r.outcomes[at.outcome].path, top = el('div'), stage = el('div'), outcomes = outcomesShow(r, pick);
    into.replaceChildren(top, stage);
    if (!extra.locked) top.append(outcomes.box);

    function pick(outcome) {
        at.outcome = outcome;
        at.step = 0;
        show();
    }
    function show() {
        const steps = path(), program = programShow(r, extra.cuda, extra.explain), list = stepsShow(steps, i => shown.go(i)), n = extra.locked ? 1 : steps.length;
        const state = i => stateOf(steps[i].state);
        if (!extra.locked) program.box.append(el('h3', '', 'Steps'), list.box);
        const shown = Stage(stage, { length: n, locked: extra.locked, side: program.box, board: i => boardOfLitmus(r, r.soc, steps, i, extra.label),
            label: i => steps[i].step.replace(/ {2,}/g, '  ') + (steps[i].note ? ': ' + steps[i].note : ''), table: i => stateDraw(r, state(i), state(Math.max(i - 1, 0))),
            where: i => 'outcome ' + (at.outcome + 1) + ' of ' + r.outcomes.length + ', step ' + i + ' of ' + (n - 1) }, at, () => {
            outcomes.mark(at.outcome);
            list.mark(at.step);
            program.light(steps[at.step], steps.slice(at.step + 1));
            moved();
        });
    }
    at.outcome = Math.min(at.outcome, r.outcomes.length - 1);
    at.step = extra.locked ? 0 : Math.min(at.step, path().length - 1);
    show();
}

function verdictLine(r, soc) {
    const word = { allowed: 'allowed: some run ends so', forbidden: 'forbidden: no run ends so, and a document says none may',
        unseen: 'not seen: no run ends so; no document that the test names forbids it', holds: 'holds', fails: 'fails', unknown: 'unknown: the search gave up' }[verdictOf(r)];
    return soc + ': ' + word + '. ' + r.states + ' states.';
}
