// SPDX-License-Identifier: MIT
// Draws the SoC from one state (boardstate.js): the same picture in lessons, litmus and runs.
'use strict';

const Board = { number: 0 };

function boardText(x, y, text, cls) {
    return svg('text', { x: Math.round(x), y: Math.round(y), class: cls || '' }, text);
}

function boardBox(g, r, cls, title, anchor) {
    g.append(svg('rect', { x: r.x, y: r.y, width: Math.max(r.w, 1), height: r.h, rx: 6, class: cls }));
    if (title) g.append(boardText(anchor === 'middle' ? r.x + r.w / 2 : r.x + 7, r.y + 14, title, 'unit' + (anchor === 'middle' ? ' middle' : '')));
}

// Names that do not fit are cut to what does.
const fits = (w, ...texts) => texts.find(t => t.length * 7.4 <= w - 10) || texts[texts.length - 1];

const STATE_LETTER = { valid: 'V', dirty: 'D', absent: '–', 'not cached': '×', 'not recorded': '?', 'no access': '×', closed: 'C' };

// A cell of a cache or of DRAM. Pattern, border and word say the state, not the colour alone.
function cellDraw(g, rect, loc, cell, id, memory) {
    const state = cell.state, cls = ['cell', state.replace(' ', '-'), cell.stale ? 'stale' : '', cell.changed ? 'changed' : '', memory ? 'memory' : ''].join(' ');
    const box = svg('g', { class: cls }), middle = rect.x + rect.w / 2, wide = rect.w >= 62, has = cell.value !== null && cell.value !== undefined;
    box.append(svg('rect', { x: rect.x + 1, y: rect.y + 1, width: rect.w - 2, height: rect.h - 2, rx: 4, class: 'ground' }));
    if (cell.stale || state === 'dirty' || state === 'closed') {
        box.append(svg('rect', { x: rect.x + 1, y: rect.y + 1, width: rect.w - 2, height: rect.h - 2, rx: 4, fill: `url(#${id}-${cell.stale ? 'stale' : state})` }));
    }
    const word = cell.stale ? 'stale' : memory && state === 'valid' ? '' : state, text = has ? `${loc.name} = ${cell.value}` : loc.name;
    box.append(boardText(middle, rect.y + (word ? 18 : 26), wide || text.length * 8 < rect.w ? text : has ? `${loc.name}=${cell.value}` : loc.name, 'value middle'));
    if (word) box.append(boardText(middle, rect.y + 34, word.length * 6.4 <= rect.w - 4 ? word : cell.stale ? 'S' : STATE_LETTER[state], 'word middle'));
    box.append(svg('title', {}, `${text}: ${word || 'in DRAM'}${cell.stale ? ', an older value than another copy' : ''}`));
    g.append(box);
}

// A frame around locations that share a line: maintenance takes them all.
function linesDraw(g, b, rects, by) {
    rects.forEach((r, i) => {
        if (i && b.locations[i][by] === b.locations[i - 1][by]) {
            const p = rects[i - 1];
            g.append(svg('rect', { x: p.x - 1, y: p.y - 1, width: r.x + r.w - p.x + 2, height: r.h + 2, rx: 5, class: 'line' }, undefined));
        }
    });
}

const cellsDraw = (g, b, rects, cells, by, id, memory) => {
    rects.forEach((r, i) => cells[i] && cellDraw(g, r, b.locations[i], cells[i], id, memory));
    linesDraw(g, b, rects, by);
};

const UNIT_NAME = { ce: 'copy engine', dla: 'DLA', dma: 'engine (camera, VIC, ...)', dgpu: 'dGPU (PCIe)' };

function agentDraw(g, a, r) {
    const box = svg('g', { class: ['agent', a.active ? 'active' : '', a.fault ? 'fault' : ''].join(' ') });
    box.append(svg('rect', { x: r.x, y: r.y, width: r.w, height: r.h, rx: 6 }));
    const name = (a.label || a.name) + (a.label ? '' : UNIT_NAME[a.unit] ? ': ' + UNIT_NAME[a.unit] : '') + (a.job ? ', job ' + a.job : '') + (a.fault ? ': FAULT' : '');
    box.append(boardText(r.x + BOARD.pad, r.y + 15, fits(r.w, name, (a.label || a.name).split(',')[0] + (a.job ? ', job ' + a.job : ''), a.name + (a.fault ? ': FAULT' : a.job ? ', job ' + a.job : ''), a.name), 'name'));
    let y = r.y + 15 + BOARD.line;
    if (r.text.op.length) box.append(svg('rect', { x: r.x + 3, y: y - 12, width: r.w - 6, height: BOARD.line * r.text.op.length + 2, rx: 3, class: 'lit' }));
    r.text.op.forEach((t, i) => box.append(boardText(r.x + BOARD.pad, y + i * BOARD.line, t, 'mono')));
    y += r.text.opRoom * BOARD.line + 1;
    r.text.registers.forEach(t => { box.append(boardText(r.x + BOARD.pad, y, t, 'mono registers' + (a.changed ? ' changed' : ''))); y += BOARD.line; });
    if (a.unit === 'cpu' && a.registers) { // a trace has neither
        const lines = r.text.buffer.length ? r.text.buffer : [r.w > 150 ? 'store buffer: empty' : 'buffer: empty'], h = 4 + BOARD.line * lines.length;
        box.append(svg('rect', { x: r.x + 4, y: r.y + r.h - h - 4, width: r.w - 8, height: h, rx: 3, class: 'queue' + (r.text.buffer.length ? ' full' : '') }));
        lines.forEach((t, i) => box.append(boardText(r.x + BOARD.pad + 2, r.y + r.h - h + 8 + i * BOARD.line, t, 'mono small')));
    }
    g.append(box);
}

function smDraw(g, b, L, sm, id) {
    const r = L.sms[sm], q = L.queues[sm];
    boardBox(g, r, 'sm', b.agents.some(a => a.registers) ? 'SM ' + sm : 'SMs');
    b.agents.forEach((a, i) => { if (a.unit === 'igpu' && a.sm === sm) agentDraw(g, a, L.agents[i]); });
    g.append(svg('rect', { x: q.x, y: q.y, width: q.w, height: q.h, rx: 3, class: 'queue' + (q.text.length ? ' full' : '') }));
    (q.text.length ? q.text : !b.agents.some(a => a.registers) ? [] : [q.w > 150 ? 'store queue: empty' : 'queue: empty']).forEach((t, i) => g.append(boardText(q.x + 5, q.y + 12 + i * BOARD.line, t, 'mono small')));
    g.append(boardText(r.x + 7, L.l1[sm][0].y - 5, 'L1', 'unit'));
    cellsDraw(g, b, L.l1[sm], b.l1[sm], 'l2', id);
}

function portDraw(g, b, L) {
    const p = L.port, c = L.caches, x = c.x + c.w - 18, y = c.y + c.h;
    boardBox(g, p, 'port');
    const long = b.soc.coherent ? 'port: looks into the CPU caches first (I/O coherency)' : 'port: sees DRAM only (no I/O coherency)';
    g.append(boardText(p.x + p.w / 2, p.y + 17, fits(p.w, long, b.soc.coherent ? 'port: I/O coherent' : 'port: DRAM only', 'port'), 'unit middle'));
    // The look of the port into the CPU caches: a way where the SoC has one, else a broken one.
    g.append(svg('path', { d: `M${p.x} ${p.y + 13} H${x} V${y}`, class: 'look' + (b.soc.coherent ? '' : ' none') }));
    if (b.soc.coherent) g.append(svg('path', { d: `M${x} ${y} l-4 8 h8 Z`, class: 'lookhead' }));
    else g.append(boardText(x, p.y + 18, '✕', 'cross middle'));
    if (b.soc.bothWays) {
        const at = L.caches.x + L.caches.w, my = c.y + c.h / 2;
        g.append(svg('path', { d: `M${at} ${my} H${L.l2Box.x}`, class: 'look' }), svg('path', { d: `M${L.l2Box.x} ${my} l-8 -4 v8 Z`, class: 'lookhead' }));
    }
}

function unitsDraw(g, b, L, id) {
    const c = L.columns;
    g.append(boardText(c.cpu.x + 2, 12, fits(c.cpu.w, 'CPU cores, with store buffers', 'CPU cores', 'CPU'), 'head'), boardText(c.igpu.x + 2, 12, fits(c.igpu.w, 'iGPU, with SMs', 'iGPU'), 'head'),
        boardText(c.engines.x + 2, 12, fits(c.engines.w, 'other engines', 'engines'), 'head'));
    L.idle.forEach(r => {
        g.append(svg('rect', { x: r.x, y: r.y, width: r.w, height: r.h, rx: 6, class: 'idle' }), boardText(r.x + 7, r.y + 15, fits(r.w, r.name, r.name.split(/[ ,]/)[0]), 'unit'));
        if (r.idle) g.append(boardText(r.x + 7, r.y + 32, fits(r.w, r.idle, ''), 'unit'));
    });
    b.agents.forEach((a, i) => { if (a.unit !== 'igpu') agentDraw(g, a, L.agents[i]); });
    L.sms.forEach((r, sm) => smDraw(g, b, L, sm, id));
    if (b.gpuQueue.length || b.moves.some(m => [m.from, m.to].some(p => p && p.at === 'gpuQueue'))) {
        boardBox(g, L.gpuQueue, 'queue full');
        g.append(boardText(L.gpuQueue.x + 7, L.gpuQueue.y + 15, fits(L.gpuQueue.w, 'store queue of the iGPU: ' + (b.gpuQueue.join('; ') || 'empty'), b.gpuQueue.join('; ') || 'queue'), 'mono small'));
    }
    boardBox(g, L.caches, 'unitbox', fits(L.caches.w, 'CPU caches (all cores, coherent)', 'CPU caches'));
    boardBox(g, L.l2Box, 'unitbox', fits(L.l2Box.w, 'L2 of the iGPU', 'L2'));
    boardBox(g, L.smmu, 'unitbox', 'SMMU');
    if (L.smmu.w > 140) g.append(boardText(L.smmu.x + 7, L.smmu.y + 34, 'translates addresses,', 'note'), boardText(L.smmu.x + 7, L.smmu.y + 49, 'holds no bytes', 'note'));
    boardBox(g, L.dramBox, 'unitbox', fits(L.dramBox.w / 3, 'DRAM: one for all', 'DRAM'));
    cellsDraw(g, b, L.cpu, b.closed ? b.cpu.map((cell, i) => b.locations[i].kind === 'managed' ? { ...cell, state: 'closed', stale: false } : cell) : b.cpu, 'line', id);
    cellsDraw(g, b, L.l2, b.l2, 'l2', id);
    cellsDraw(g, b, L.dram, b.dram, 'line', id, true);
    portDraw(g, b, L);
}

const PATTERNS = { dirty: 'M-2 8 L8 -2 M0 12 L12 0', stale: 'M0 0 L10 10 M10 0 L0 10', closed: 'M0 5 H10' };

function defsDraw(id) {
    const defs = svg('defs', {});
    Object.entries(PATTERNS).forEach(([name, d]) => {
        const p = svg('pattern', { id: `${id}-${name}`, width: 10, height: 10, patternUnits: 'userSpaceOnUse' });
        p.append(svg('path', { d, class: 'hatch ' + name }));
        defs.append(p);
    });
    return defs;
}

// A token with the value, that a step moves along its way.
function tokenDraw(m, b) {
    const text = (m.lost ? '✕ ' : '') + b.locations[m.loc].name + (m.value === '' ? '' : ' = ' + m.value), w = text.length * 8 + 14, g = svg('g', { class: 'token' + (m.lost ? ' lost' : '') });
    g.append(svg('rect', { x: -w / 2, y: -11, width: w, height: 22, rx: 11 }), boardText(0, 5, text, 'middle'));
    g.size = [w, 22];
    return g;
}

// Ways that a step draws: [{ points, token, lost }]; a thrown away line has no way, its token stands on the cell.
function waysDraw(g, b, L) {
    return b.moves.map((m, i) => {
        const r = wayRect(L, m.from);
        if (m.lost) return { points: [[r.x + r.w / 2, r.y + r.h + 2], [r.x + r.w / 2, r.y + r.h + 14]], token: tokenDraw(m, b), lost: true };
        const points = wayClean(wayPoints(b, L, m.from, m.to, b.moves.length > 1 ? (i - (b.moves.length - 1) / 2) * 12 : 0)), d = wayPath(points);
        g.append(svg('path', { d, class: 'halo' }), svg('path', { d, class: 'way' }), svg('path', { d: wayHead(points), class: 'head' }));
        return { points, token: tokenDraw(m, b) };
    });
}

// Return: the picture, { svg, ways } with what is to be moved.
function boardDraw(b, width) {
    const W = Math.max(320, Math.floor(width)), L = boardLayout(b, W), id = 'b' + ++Board.number;
    const picture = svg('svg', { class: 'board', viewBox: `0 0 ${W} ${L.h}`, width: W, height: L.h, role: 'img', 'aria-label': boardWords(b) });
    const units = svg('g', {}), over = svg('g', { class: 'over' });
    picture.append(defsDraw(id), units, over);
    unitsDraw(units, b, L, id);
    const ways = waysDraw(over, b, L);
    sayDraw(over, b, L, ways);
    ways.forEach(w => over.append(w.token));
    return { svg: picture, ways };
}
