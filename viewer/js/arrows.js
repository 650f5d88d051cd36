// SPDX-License-Identifier: MIT
// The step's arrows: where bytes came from and where they went, read from the states before and after it.
'use strict';

const THREAD = 'thread', QUEUE = 'queue';

// What lines did besides the access itself: fills, write-backs. Return: moves { from, to, loc } between rows of the picture.
function lineMoves(r, old, now) {
    const was = rowsOf(r, old), rows = rowsOf(r, now), l2 = rows.length - 2, dram = rows.length - 1, moves = [];
    r.locations.forEach((l, loc) => {
        const before = n => was[n][1][loc], after = n => rows[n][1][loc];
        const came = n => before(n).cls === 'absent' && after(n).cls !== 'absent', cleaned = n => before(n).cls === 'dirty' && after(n).cls !== 'dirty';
        const move = (from, to) => moves.push({ from: rows[from][0], to: rows[to][0], loc });
        if (came(0)) move(dram, 0);
        if (came(l2) && after(l2).cls === 'valid') move(r.io_coherent && before(0).cls === 'dirty' ? 0 : dram, l2);
        for (let n = 1; n < l2; n++) if (came(n)) move(l2, n);
        for (const n of [0, l2]) if (cleaned(n) && after(dram).value === before(n).value) move(n, dram);
    });
    return moves;
}

const queuesOf = s => s.sm.reduce((n, u) => n + u.queue.length, s.gpu_queue.length);

// Where an access finds or leaves its bytes.
function placeOf(r, old, now, step) {
    const rows = rowsOf(r, now), was = rowsOf(r, old), l2 = rows.length - 2, dram = rows.length - 1, loc = r.locations[step.loc];
    const thread = r.threads[step.thread], note = step.note || '';
    if (thread && thread.cpu) return bit(r.view, loc.byte) ? rows[0][0] : rows[dram][0];
    if (step.op === 'load') {
        const port = r.io_coherent && was[0][1][step.loc].cls === 'dirty' ? 0 : dram;
        return /queue/.test(note) ? QUEUE : /L1/.test(note) ? 'L1 of SM ' + thread.sm : rows[/L2/.test(note) ? l2 : port][0];
    }
    return queuesOf(now) > queuesOf(old) ? QUEUE : rows[bytesSame(was[l2][1][step.loc], rows[l2][1][step.loc]) ? dram : l2][0];
}

const bytesSame = (a, b) => a.text === b.text && String(a.strip) === String(b.strip);

function movesOf(r, old, now, step) {
    const moves = lineMoves(r, old, now);
    if (!step.op || step.loc < 0 || (step.thread >= 0 && bit(now.fault, step.thread))) return moves;
    const place = placeOf(r, old, now, step), agent = step.thread >= 0 ? THREAD : QUEUE, by = { loc: step.loc, thread: step.thread };
    if (step.op !== 'load') moves.push({ from: agent, to: place, ...by });
    if (step.op !== 'store' && agent === THREAD) moves.push({ from: place, to: agent, ...by });
    return moves;
}

function placeBox(picture, r, move, place) {
    const cell = place === THREAD ? picture.querySelectorAll('td.thread')[move.thread]
        : place === QUEUE ? picture.querySelector('.way') : [...picture.querySelectorAll('tr')].find(tr => tr.dataset.row === place).cells[1 + move.loc];
    const box = cell.getBoundingClientRect(), origin = picture.getBoundingClientRect();
    return { x: place === QUEUE ? 60 : box.left - origin.left + box.width / 2, top: box.top - origin.top, bottom: box.bottom - origin.top };
}

const placeName = (r, move, place) => place === THREAD ? r.threads[move.thread].name : place === QUEUE ? 'store queue' : place;

// Over the picture, which is in the page already, and once more as a line of text.
function arrowsDraw(picture, r, moves) {
    const over = svg('svg', { class: 'arrows', width: picture.clientWidth, height: picture.clientHeight });
    moves.forEach((move, i) => {
        const a = placeBox(picture, r, move, move.from), b = placeBox(picture, r, move, move.to), down = a.top < b.top, shift = 14 * (i % 3);
        const [x1, y1, x2, y2] = [a.x + shift, down ? a.bottom : a.top, b.x + shift, down ? b.top : b.bottom], sign = down ? 1 : -1;
        over.append(svg('line', { x1, y1, x2, y2: y2 - sign * 5 }), svg('path', { d: `M${x2} ${y2} l-5 ${-sign * 9} h10 z` }));
    });
    picture.append(over, el('p', 'mono moves', 'This step moves: ' + (moves.map(m => placeName(r, m, m.from) + ' → ' + placeName(r, m, m.to) + ' (' + r.locations[m.loc].name + ')').join(', ') || 'nothing')));
}
