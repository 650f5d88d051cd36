// SPDX-License-Identifier: MIT
// The step's arrows: where bytes came from and where they went, read from the states before and after it.
'use strict';

const THREAD = 'thread', QUEUE = 'queue';

// Where the port finds a location's bytes: a dirty line of the CPU caches, where it looks there, else DRAM.
const portOf = (r, was, loc) => r.io_coherent && was[0][1][loc].cls === 'dirty' ? 0 : was.length - 1;
// Does the iGPU keep a location in its L2 alone? Where the CPU sees the L2 (Thor), no copy is drawn there.
const inL2 = (r, l) => bit(r.cached, l.byte) && !bit(r.snooped, l.byte);

// What lines did besides the access itself: fills, write-backs, dirty lines thrown away. Return: moves { from, to, loc } between
// rows of the picture; without @to: thrown away.
function lineMoves(r, old, now, step) {
    const was = rowsOf(r, old), rows = rowsOf(r, now), l2 = rows.length - 2, dram = rows.length - 1, moves = [];
    r.locations.forEach((l, loc) => {
        const before = n => was[n][1][loc], after = n => rows[n][1][loc];
        const came = n => before(n).cls === 'absent' && after(n).cls !== 'absent', cleaned = n => before(n).cls === 'dirty' && after(n).cls !== 'dirty';
        const move = (from, to) => moves.push({ from: rows[from][0], to: to < 0 ? null : rows[to][0], loc });
        if (came(0)) move(dram, 0);
        if (came(l2) && after(l2).cls === 'valid') move(portOf(r, was, loc), l2);
        for (let n = 1; n < l2; n++) if (came(n)) move(inL2(r, l) ? l2 : portOf(r, was, loc), n);
        for (const [n, cache] of [[0, 'cpu'], [l2, 'l2']]) if (cleaned(n)) move(n, step.drops === cache ? -1 : dram);
    });
    return moves;
}

// Where an access finds its bytes, or leaves them: by the kind of the step, never by comparing values.
function placeOf(r, old, now, step) {
    const rows = rowsOf(r, now), was = rowsOf(r, old), l2 = rows.length - 2, dram = rows.length - 1, loc = r.locations[step.loc];
    const thread = r.threads[step.thread], note = step.note || '';
    if (thread && thread.cpu) return /store buffer/.test(note) ? QUEUE : bit(r.view, loc.byte) ? rows[0][0] : rows[dram][0];
    if (step.op === 'load') {
        return /queue/.test(note) ? QUEUE : /L1/.test(note) ? 'L1 of SM ' + thread.sm : rows[/L2/.test(note) ? l2 : portOf(r, was, step.loc)][0];
    }
    if (step.op === 'store' && step.kind === 'event') return thread.igpu ? QUEUE : rows[/L2/.test(note) ? l2 : dram][0];
    if (step.kind === 'sm drain' && now.gpu_queue.length > old.gpu_queue.length) return QUEUE;
    return rows[inL2(r, loc) ? l2 : step.op === 'atomic read' ? portOf(r, was, step.loc) : dram][0];
}

const READS = ['load', 'atomic', 'atomic read'], WRITES = ['store', 'atomic', 'atomic write'];

function movesOf(r, old, now, step) {
    const moves = lineMoves(r, old, now, step);
    if (!step.op || step.loc < 0 || (step.thread >= 0 && bit(now.fault, step.thread))) return moves;
    const place = placeOf(r, old, now, step), agent = step.thread >= 0 ? THREAD : QUEUE, by = { loc: step.loc, thread: step.thread };
    if (READS.includes(step.op) && agent === THREAD) moves.push({ from: place, to: agent, ...by });
    if (WRITES.includes(step.op) && agent !== place) moves.push({ from: agent, to: place, ...by });
    return moves;
}

function placeBox(picture, r, move, place) {
    const cell = place === THREAD ? picture.querySelectorAll('td.thread')[move.thread]
        : place === QUEUE ? picture.querySelector('.way') : [...picture.querySelectorAll('tr')].find(tr => tr.dataset.row === place).cells[1 + move.loc];
    const box = cell.getBoundingClientRect(), origin = picture.getBoundingClientRect();
    return { x: place === QUEUE ? 60 : box.left - origin.left + box.width / 2, top: box.top - origin.top, bottom: box.bottom - origin.top };
}

const placeName = (r, move, place) => place === THREAD ? r.threads[move.thread].name : place === QUEUE ? ((r.threads[move.thread] || {}).cpu ? 'store buffer' : 'store queue') : place;

const moveText = (r, m) => (m.to === null ? 'thrown away from ' + m.from : placeName(r, m, m.from) + ' → ' + placeName(r, m, m.to)) + ' (' + r.locations[m.loc].name + ')';

// Over the picture, which is in the page already, and once more as a line of text.
function arrowsDraw(picture, r, moves) {
    const over = svg('svg', { class: 'arrows', width: picture.clientWidth, height: picture.clientHeight });
    moves.filter(m => m.to !== null).forEach((move, i) => {
        const a = placeBox(picture, r, move, move.from), b = placeBox(picture, r, move, move.to), down = a.top < b.top, shift = 14 * (i % 3);
        const [x1, y1, x2, y2] = [a.x + shift, down ? a.bottom : a.top, b.x + shift, down ? b.top : b.bottom], sign = down ? 1 : -1;
        over.append(svg('line', { x1, y1, x2, y2: y2 - sign * 5 }), svg('path', { d: `M${x2} ${y2} l-5 ${-sign * 9} h10 z` }));
    });
    picture.append(over, el('p', 'mono moves', 'This step moves: ' + (moves.map(m => moveText(r, m)).join(', ') || 'nothing')));
}
