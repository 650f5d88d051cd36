// SPDX-License-Identifier: MIT
// The sentence beside the arrow, and the picture in words.
'use strict';

const overlap = (a, b) => Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

// What the sentence must not cover, and how bad it is.
function sayObstacles(b, L, ways) {
    const cells = [...L.cpu, ...L.l2, ...L.dram, ...L.l1.flat()].map(r => [r, 14]), agents = L.agents.concat(L.idle).filter(Boolean).map(r => [{ ...r, h: Math.min(r.h, 52) }, 3]);
    const tokens = ways.map(w => { const [x, y] = wayAt(w.points, 0.5); return [{ x: x - 40, y: y - 13, w: 80, h: 26 }, 9]; });
    const lines = ways.flatMap(w => w.points.slice(1).map((p, i) => { const q = w.points[i]; return [{ x: Math.min(p[0], q[0]) - 5, y: Math.min(p[1], q[1]) - 5, w: Math.abs(p[0] - q[0]) + 10, h: Math.abs(p[1] - q[1]) + 10 }, 2]; }));
    const titles = [L.caches, L.l2Box, L.smmu, L.dramBox].map(r => [{ ...r, h: BOARD.title }, 4]), queue = b.gpuQueue.length ? [[L.gpuQueue, 4]] : [];
    return cells.concat(agents, tokens, lines, titles, queue, [[L.port, 1.5]]);
}

// The free place nearest to the middle of the way, or to the agent of a step that moves nothing.
function sayPlace(b, L, ways, w, h, [mx, my]) {
    const obstacles = sayObstacles(b, L, ways), places = [];
    const xs = [mx + 46, mx - w - 46, mx - w / 2, 4, L.w - w - 4, L.columns.igpu.x, L.columns.engines.x + L.columns.engines.w - w, L.w / 2 - w / 2], ys = [...L.lanes.flatMap(l => [l.y + (l.h - h) / 2, l.y, l.y + l.h - h]), my - h / 2, L.dramBox.y + BOARD.title + 2, L.caches.y - h - 2];
    for (const x of xs) for (const y of ys) if (x >= 2 && x + w <= L.w - 2 && y >= 2 && y + h <= L.h) places.push({ x, y, w, h });
    const cost = p => obstacles.reduce((sum, [r, bad]) => sum + overlap(p, r) * bad, 0) + 3 * Math.hypot(p.x + w / 2 - mx, p.y + h / 2 - my);
    return places.sort((a, c) => cost(a) - cost(c))[0];
}

function sayDraw(g, b, L, ways) {
    const active = b.agents.findIndex(a => a.active), from = ways.length ? wayAt(ways[0].points, 0.5) : active >= 0 ? [L.agents[active].x + L.agents[active].w / 2, L.agents[active].y + L.agents[active].h] : null;
    if (!from || !b.sentence) return;
    // The first sentences that fit; the whole stands below the picture.
    const first = b.sentence.split(/(?<=[.]) /).reduce((text, part) => text && (text + ' ' + part).length > 156 ? text : (text + ' ' + part).trim(), '');
    const lines = textLines(first, L.w < 620 ? 40 : 52, 3), w = Math.max(...lines.map(l => l.length)) * 6.5 + 18, h = 15 * lines.length + 9, at = sayPlace(b, L, ways, w, h, from);
    if (!at) return;
    const [x, y] = from, box = svg('g', { class: 'say' });
    const px = Math.min(Math.max(x, at.x), at.x + w), py = Math.min(Math.max(y, at.y), at.y + h);
    box.append(svg('path', { d: `M${x.toFixed(1)} ${y.toFixed(1)} L${px.toFixed(1)} ${py.toFixed(1)}`, class: 'pointer' }), svg('rect', { ...at, width: w, height: h, rx: 5 }));
    lines.forEach((t, i) => box.append(boardText(at.x + 9, at.y + 16 + i * 15, t)));
    g.append(box);
}

const placeWords = (b, p) => p.at === 'agent' ? b.agents[p.i].name : p.at === 'buffer' ? 'store buffer of ' + b.agents[p.i].name : p.at === 'smQueue' ? 'store queue of SM ' + p.i
    : { gpuQueue: 'store queue of the iGPU', l1: 'L1 of SM ' + p.sm, cpu: 'CPU cache', l2: 'iGPU L2', dram: 'DRAM' }[p.at];

const moveWords = (b, m) => (m.lost ? 'thrown away from ' + placeWords(b, m.from) : placeWords(b, m.from) + ' → ' + placeWords(b, m.to)) + ' (' + b.locations[m.loc].name + ')';

const movesWords = b => 'This step moves: ' + (b.moves.map(m => moveWords(b, m)).join(', ') || 'nothing');

function cellWords(b, name, cells) {
    return name + ': ' + cells.map((c, i) => b.locations[i].name + ' ' + (c.value === null || c.value === undefined ? c.state : [c.value, name === 'DRAM' || c.stale ? '' : c.state, c.stale ? 'stale' : ''].filter(Boolean).join(' '))).join(', ');
}

// For a reader who does not see the picture.
function boardWords(b) {
    const agents = b.agents.map(a => a.name + (a.fault ? ' faults' : '') + (a.registers && a.registers.length ? ' has ' + a.registers.join(', ') : '') + (a.buffer.length ? ', in its store buffer ' + a.buffer.join(', ') : ''));
    return [`The SoC ${b.soc.title}.`, agents.join('; ') + '.', [cellWords(b, 'CPU caches', b.cpu), ...b.l1.map((c, i) => cellWords(b, 'L1 of SM ' + i, c)), cellWords(b, 'L2', b.l2), cellWords(b, 'DRAM', b.dram)].join('; ') + '.', movesWords(b) + '.'].join(' ');
}
