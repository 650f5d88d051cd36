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
    head.append(el('th'));
    r.locations.forEach(l => head.append(el('td', '', l.name + ' (' + l.kind + ', ' + l.size + ' bytes)')));
    table.append(head);
    rowsOf(r, s).forEach(([title, cells], n) => {
        const tr = el('tr');
        tr.append(el('th', '', title));
        tr.dataset.row = title;
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

// Shows a result in @into. @at: {outcome, step}, kept up to date; @moved is called after each change.
function Stepper(into, r, at, moved) {
    const path = () => r.outcomes[at.outcome].path;
    const bar = el('div', 'bar'), list = el('div'), picture = el('div', 'picture'), outcomes = el('div'), where = el('span', 'dim');
    const back = button('◀ back', () => go(at.step - 1)), on = button('forward ▶', () => go(at.step + 1));
    back.dataset.step = 'back';
    on.dataset.step = 'forward';
    bar.append(back, on, where);
    into.replaceChildren(outcomes, bar, list, picture);

    function go(step) {
        at.step = Math.min(Math.max(step, 0), path().length - 1);
        draw();
    }
    function pick(outcome) {
        at.outcome = outcome;
        at.step = 0;
        draw();
    }
    function draw() {
        const steps = path(), now = steps[at.step];
        outcomes.replaceChildren(el('b', '', 'Outcomes'), ...r.outcomes.map((o, i) => {
            const d = el('div', 'outcome' + (i === at.outcome ? ' on' : ''),
                (o.matches ? '* ' : '  ') + o.text + '  (' + o.final_states + ' final state' + (o.final_states === 1 ? '' : 's') + ')');
            d.onclick = () => pick(i);
            return d;
        }));
        list.replaceChildren(...steps.map((p, i) => {
            const d = el('div', 'step' + (i === at.step ? ' on' : ''), String(i).padStart(2) + '  ' + p.step.padEnd(40) + ' ' + (p.note || ''));
            d.onclick = () => go(i);
            return d;
        }));
        const state = stateOf(now.state), old = stateOf(steps[Math.max(at.step - 1, 0)].state);
        picture.replaceChildren(stateDraw(r, state, old));
        arrowsDraw(picture, r, movesOf(r, old, state, now));
        where.textContent = 'outcome ' + (at.outcome + 1) + ' of ' + r.outcomes.length + ', step ' + at.step + ' of ' + (steps.length - 1);
        back.disabled = at.step === 0;
        on.disabled = at.step === steps.length - 1;
        moved();
    }
    at.outcome = Math.min(at.outcome, r.outcomes.length - 1);
    at.step = Math.min(at.step, path().length - 1);
    draw();
}

function verdictLine(r, soc) {
    const word = { allowed: 'allowed: some run ends so', forbidden: 'forbidden: no run ends so, and a document says none may',
        unseen: 'not seen: no run ends so; no document that the test names forbids it', holds: 'holds', fails: 'fails', unknown: 'unknown: the search gave up' }[verdictOf(r)];
    return soc + ': ' + word + '. ' + r.states + ' states.';
}
