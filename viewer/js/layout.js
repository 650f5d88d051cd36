// SPDX-License-Identifier: MIT
// Where everything of the picture lies, in CSS pixels for a given width: text keeps its size on a phone, boxes move instead.
'use strict';

const BOARD = { gap: 10, title: 18, line: 15, cell: 42, pad: 7, mono: 7.3 };

// Words of a text in lines of at most @chars characters, at most @lines of them.
function textLines(text, chars, lines) {
    const out = [''];
    for (const word of text.split(/(?<=[ ,])/)) {
        if ((out[out.length - 1] + word).trimEnd().length > chars && out[out.length - 1]) out.push('');
        out[out.length - 1] += word;
    }
    const cut = out.slice(0, lines).map(l => l.trimEnd());
    if (out.length > lines) cut[lines - 1] = cut[lines - 1].slice(0, Math.max(chars - 1, 1)) + '…';
    return cut.map(l => l.length > chars + 2 ? l.slice(0, Math.max(chars - 1, 1)) + '…' : l);
}

// Cells of all locations side by side; locations of one cache line touch, others have a gap.
function layoutCells(b, x, y, w, by, h) {
    const n = b.locations.length, gaps = b.locations.filter((l, i) => i && l[by] !== b.locations[i - 1][by]).length, gap = n > 5 ? 4 : 8;
    const each = Math.min((w - gaps * gap) / Math.max(n, 1), 150), rects = [];
    let at = x + Math.max(0, (w - each * n - gaps * gap) / 2);
    b.locations.forEach((l, i) => {
        if (i && l[by] !== b.locations[i - 1][by]) at += gap;
        rects.push({ x: at, y, w: each, h });
        at += each;
    });
    return rects;
}

const columnOf = a => a.unit === 'cpu' ? 'cpu' : a.unit === 'igpu' ? 'igpu' : 'engines';

// The three columns of the SoC. One without an agent of the test is narrow.
function layoutColumns(b, W) {
    const small = W < 620, counts = { cpu: 0, igpu: 0, engines: 0 }, n = b.locations.length;
    b.agents.forEach(a => counts[columnOf(a)]++);
    const least = { cpu: small ? 90 : 150, igpu: small ? 90 : 150, engines: small ? 62 : 130 };
    const want = c => counts[c] ? (c === 'engines' ? 0.6 : 1) + 0.45 * (counts[c] - 1) : 0;
    const total = want('cpu') + want('igpu') + want('engines') || 1, spare = W - 2 * BOARD.gap - least.cpu - least.igpu - least.engines;
    let x = 0;
    const columns = {};
    for (const c of ['cpu', 'igpu', 'engines']) {
        const w = least[c] + spare * (total ? want(c) / total : 1 / 3);
        columns[c] = { x, w, count: counts[c], small: w < 40 + 46 * n };
        x += w + BOARD.gap;
    }
    return columns;
}

// Boxes side by side where each gets @least, else in rows. Return: [{x, w, row}], rows
function layoutRow(x, w, n, least) {
    const each = Math.max(1, Math.min(n, Math.floor((w + 6) / (least + 6))));
    return { rows: Math.ceil(n / each), boxes: Array.from({ length: n }, (_, i) => ({ x: x + (i % each) * ((w + 6) / each), w: (w + 6) / each - 6, row: Math.floor(i / each) })) };
}

// Lines of text of an agent: the name, its operation, its registers.
function layoutAgent(a, w) {
    const chars = Math.floor((w - 2 * BOARD.pad) / BOARD.mono);
    // Room for the longest operation, so that the picture does not jump from step to step.
    return { op: a.op ? textLines(a.op, chars, 2) : [], opRoom: Math.max(1, ...(a.ops || []).map(o => textLines(o, chars, 2).length)), registers: a.registers ? textLines(a.registers.join('  ') || 'registers: –', chars, 2) : [], buffer: a.buffer.length ? textLines(a.buffer.join('; '), chars - 2, 2) : [], chars };
}

const agentHeight = (t, unit) => BOARD.pad + BOARD.line * (1 + t.opRoom + t.registers.length) + (unit === 'cpu' ? 27 + BOARD.line * Math.max(t.buffer.length - 1, 0) : 5);

function layoutCores(b, L, column, top) {
    const cpus = b.agents.map((a, i) => [a, i]).filter(([a]) => a.unit === 'cpu'), row = layoutRow(column.x, column.w, Math.max(cpus.length, 1), 132);
    const texts = cpus.map(([a], k) => layoutAgent(a, row.boxes[k].w)), h = Math.max(60, ...texts.map(t => agentHeight(t, 'cpu')));
    cpus.forEach(([, i], k) => { L.agents[i] = { ...row.boxes[k], y: top + row.boxes[k].row * (h + 6), h, text: texts[k] }; });
    if (!cpus.length) L.idle.push({ ...row.boxes[0], y: top, h, name: 'CPU cores', idle: 'no part in this test' });
    return row.rows * (h + 6) - 6;
}

// An SM: its threads, its store queue and its L1.
function layoutSms(b, L, column, top) {
    const n = Math.max(b.l1.length, 1), row = layoutRow(column.x, column.w, n, 140), used = b.l1.length > 0;
    if (!used) {
        L.idle.push({ x: column.x, w: column.w, y: top, h: 60, name: 'SMs and L1', idle: 'no kernel' });
        return 60;
    }
    const threads = row.boxes.map((box, sm) => b.agents.map((a, i) => [a, i]).filter(([a]) => a.unit === 'igpu' && a.sm === sm).map(([a, i]) => [i, layoutAgent(a, box.w - 8)]));
    const queue = row.boxes.map((box, sm) => b.smQueue[sm] && b.smQueue[sm].length ? textLines(b.smQueue[sm].join('; '), Math.floor((box.w - 20) / BOARD.mono), 2) : []);
    const inner = Math.max(...threads.map(list => list.reduce((sum, [, t]) => sum + agentHeight(t, 'igpu') + 4, 0))), lines = Math.max(1, ...queue.map(q => q.length));
    const h = BOARD.title + inner + 4 + lines * BOARD.line + BOARD.title + BOARD.cell + 4;
    row.boxes.forEach((box, sm) => {
        const y = top + box.row * (h + 6);
        let at = y + BOARD.title;
        L.sms[sm] = { ...box, y, h };
        threads[sm].forEach(([i, text]) => {
            L.agents[i] = { x: box.x + 4, w: box.w - 8, y: at, h: agentHeight(text, 'igpu'), text };
            at += agentHeight(text, 'igpu') + 4;
        });
        L.queues[sm] = { x: box.x + 4, w: box.w - 8, y: y + BOARD.title + inner, h: 3 + lines * BOARD.line, text: queue[sm] };
        L.l1[sm] = layoutCells(b, box.x + 5, y + h - BOARD.cell - 4, box.w - 10, 'l2', BOARD.cell);
    });
    return row.rows * (h + 6) - 6;
}

// The engines without a part in the test come first, so that the way down from those that have one is free.
function layoutEngines(b, L, column, top) {
    const list = b.agents.map((a, i) => [a, i]).filter(([a]) => columnOf(a) === 'engines'), row = layoutRow(column.x, column.w, Math.max(list.length, 1), 120);
    const others = [['ce', 'copy engine'], ...(b.soc.dla ? [['dla', 'DLA']] : []), ['dma', 'camera, VIC']].filter(([u]) => !list.some(([a]) => a.unit === u)), each = 25, from = top + others.length * (each + 4);
    const texts = list.map(([a], k) => layoutAgent(a, row.boxes[k].w)), h = Math.max(60, ...texts.map(t => agentHeight(t, 'dma')));
    others.forEach(([, name], k) => L.idle.push({ x: column.x, w: column.w, y: top + k * (each + 4), h: each, name, idle: '' }));
    list.forEach(([, i], k) => { L.agents[i] = { ...row.boxes[k], y: from + row.boxes[k].row * (h + 6), h, text: texts[k] }; });
    return from - top - 4 + (list.length ? 4 + row.rows * (h + 6) - 6 : 0);
}

// Return: every rectangle of the picture: { w, h, agents, sms, queues, idle, cpu, l1, l2, dram, smmu, port, gpuQueue, frames }
function boardLayout(b, W) {
    const L = { w: W, agents: [], sms: [], queues: [], idle: [], l1: [] }, columns = layoutColumns(b, W), { cpu, igpu, engines } = columns;
    const top = BOARD.title, lane = W < 620 ? 44 : 40;
    const high = Math.max(layoutCores(b, L, cpu, top), layoutSms(b, L, igpu, top), layoutEngines(b, L, engines, top));
    const agentsEnd = top + high, cachesTop = agentsEnd + lane, cacheHeight = BOARD.title + BOARD.cell + 8;
    L.caches = { x: cpu.x, y: cachesTop, w: cpu.w, h: cacheHeight };
    L.cpu = layoutCells(b, cpu.x + 6, cachesTop + BOARD.title + 2, cpu.w - 12, 'line', BOARD.cell);
    L.l2Box = { x: igpu.x, y: cachesTop, w: igpu.w, h: cacheHeight };
    L.l2 = layoutCells(b, igpu.x + 6, cachesTop + BOARD.title + 2, igpu.w - 12, 'l2', BOARD.cell);
    L.gpuQueue = { x: igpu.x, y: agentsEnd + 4, w: igpu.w, h: 22 };
    L.smmu = { x: engines.x, y: cachesTop, w: engines.w, h: cacheHeight };
    L.port = { x: igpu.x, y: cachesTop + cacheHeight + 10, w: W - igpu.x, h: 26 };
    const dramTop = L.port.y + L.port.h + (W < 620 ? 58 : 46);
    L.dramBox = { x: 0, y: dramTop, w: W, h: cacheHeight };
    L.dram = layoutCells(b, 12, dramTop + BOARD.title + 2, W - 24, 'line', BOARD.cell);
    L.h = dramTop + cacheHeight + 1;
    L.columns = columns;
    L.lanes = [{ y: agentsEnd, h: lane }, { y: L.port.y + L.port.h, h: dramTop - L.port.y - L.port.h }];
    return L;
}
