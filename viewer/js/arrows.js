// SPDX-License-Identifier: MIT
// What a step moves: where bytes came from and where they went, read from the states before and after it.
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
