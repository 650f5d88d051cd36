// SPDX-License-Identifier: MIT
// The boards of a recorded run: what the caches held of one line after each record of its life (life.js). Values of the
// program are not in a trace: each store makes a new version, v1, v2, ...
'use strict';

const LIFE_UNIT = { cpu: 'cpu', host: 'cpu', igpu: 'igpu', ce: 'ce', dla0: 'dla', dla1: 'dla', dla: 'dla' };
const lifeAgent = s => s.agent === 'igpu' ? 'iGPU' + (s.by === '0' ? '' : ' ch. ' + s.by) : s.agent === 'cpu' || s.agent === 'host' ? 'CPU' + (s.agent === 'host' ? ': driver' : ' thread ' + s.by) : s.agent.toUpperCase();

// [event, what it does to m = { cpu, l2, dram: versions or null; cpuDirty, l2Dirty }, sentence]. m.make(): a new version; m.move(from, to).
const LIFE_RULES = {
    CPU_FILL: [(m, s) => { m.move('dram', 'cpu'); m.cpu = m.soc.bothWays && m.l2Dirty ? m.l2 : m.dram; m.cpuDirty = false; }, 'A miss: the CPU cache fetches the whole line.'],
    CPU_LOAD: [(m, s) => { m.move(m.cpu !== null ? 'cpu' : 'dram', 'agent'); }, m => m.cpu === null ? 'The CPU reads DRAM.' : 'The CPU reads what its cache has' + (m.cpu === m.newest ? '.' : ', which is not the newest: v' + m.newest + ' is.')],
    CPU_STORE: [(m, s) => { const v = m.make(); m.move('agent', m.cached ? 'cpu' : 'dram'); if (m.cached) { m.cpu = v; m.cpuDirty = true; } else m.dram = v; }, m => m.cached ? 'The store makes the line dirty. DRAM keeps the old bytes.' : 'The memory is not cached by the CPU: the store goes to DRAM.'],
    CPU_EVICT: [m => { if (m.cpuDirty) { m.move('cpu', 'dram'); m.dram = m.cpu; } m.cpu = null; m.cpuDirty = false; }, 'The CPU cache gives up the line; dirty bytes are written back.'],
    CPU_WRITEBACK: [m => { m.move('cpu', 'dram'); m.dram = m.cpu; m.cpuDirty = false; }, 'Maintenance writes the dirty line to DRAM.'],
    CPU_DROP: [m => { m.lose('cpu'); m.cpu = null; m.cpuDirty = false; }, 'Maintenance drops the line of the CPU.'],
    CPU_SNOOP: [(m, s) => { if (s.fields.write === '1') { m.cpu = null; m.cpuDirty = false; } else m.move('cpu', 'agent'); }, (m, s) => s.fields.write === '1' ? 'The port finds the line in the CPU cache, and the write drops it.' : 'The port finds the line in the CPU cache (I/O coherency).'],
    CPU_STALE: [() => {}, 'The CPU has read a line that is older than DRAM or the L2.'],
    PORT_READ_STALE: [m => { m.move('dram', 'agent'); }, 'The port has no I/O coherency: it reads DRAM, and a dirty line of the CPU is newer.'],
    PORT_WRITE_UNSEEN: [() => {}, 'DRAM has changed under a line that the CPU holds.'],
    L2_FILL: [m => { const from = m.soc.coherent && m.cpuDirty ? 'cpu' : 'dram'; m.move(from, 'l2'); m.l2 = m[from]; m.l2Dirty = false; }, m => m.soc.coherent ? 'The L2 is filled through the port, which looks into the CPU caches first.' : 'The L2 is filled from DRAM.'],
    L2_WRITEBACK: [m => { m.move('l2', 'dram'); m.dram = m.l2; m.l2Dirty = false; }, 'Dirty bytes of the L2 go to DRAM.'],
    L2_EVICT: [m => { m.l2 = null; m.l2Dirty = false; }, 'The L2 gives up the line.'],
    L2_CLEAN: [() => {}, 'The driver cleans the L2: dirty bytes go to DRAM.'],
    L2_INVALIDATE: [m => { m.l2 = null; m.l2Dirty = false; }, 'The driver invalidates the L2.'],
    '@finding': [() => {}, 'Here the finding is.'],
};

function engineAccess(m, s) {
    const cached = s.fields.cached === '1', v = /STORE|ATOMIC/.test(s.event);
    if (v) {
        const n = m.make();
        m.move('agent', cached ? 'l2' : 'dram');
        if (cached) { m.l2 = n; m.l2Dirty = true; } else m.dram = n;
        return cached ? 'The store reaches the L2 and makes it dirty there. DRAM keeps the old bytes.' : 'The store goes through the port to DRAM.';
    }
    const from = cached && m.l2 !== null ? 'l2' : m.soc.coherent && m.cpuDirty ? 'cpu' : 'dram';
    m.move(from, 'agent');
    return cached ? 'The load is answered by the L2' + (m.l2 !== null && m.l2 !== m.newest ? ', which has an old version.' : '.') : 'The load goes through the port.';
}

const stepWords = s => s.event === '@finding' ? 'the finding' : s.event[0] === '@' ? s.fields.what : ({ CPU_LOAD: 'load', CPU_STORE: 'store', CPU_ATOMIC: 'atomic', GPU_LOAD: 'load', GPU_STORE: 'store', GPU_ATOMIC: 'atomic', DLA_LOAD: 'load', DLA_STORE: 'store' }[s.event] || s.event) + (s.times > 1 ? ', ' + s.times + ' times' : '');

function lifeMachine(soc, cached) {
    return { soc, cached, cpu: null, l2: null, dram: 0, cpuDirty: false, l2Dirty: false, newest: 0, moves: [],
        make() { this.newest++; return this.newest; }, move(from, to) { this.moves.push([from, to]); }, lose(from) { this.moves.push([from, null]); } };
}

function lifeCells(m, before) {
    const cell = (v, dirty, old) => ({ value: v === null ? null : 'v' + v, state: v === null ? 'absent' : dirty ? 'dirty' : 'valid', stale: v !== null && v !== m.newest, changed: old !== v });
    return { cpu: [m.cached ? cell(m.cpu, m.cpuDirty, before.cpu) : { value: null, state: 'not cached' }], l2: [cell(m.l2, m.l2Dirty, before.l2)], dram: [cell(m.dram, false, before.dram)] };
}

// Return: a board for each step of a life, the first one before all of them.
function boardsOfLife(life, report, finding) {
    const soc = { ...socOf(report.run.soc), title: report.run.module }, m = lifeMachine(soc, life.cpuCached), buffer = report.buffers.find(b => b.number === finding.buffer);
    const own = life.steps.filter(s => s.agent && s.event[0] !== '@' && !/^(L2|CPU_(FILL|EVICT|STALE))/.test(s.event) || s.event[0] === '@' && s.agent), names = [...new Set(own.map(lifeAgent))];
    const unit = name => LIFE_UNIT[own.find(s => lifeAgent(s) === name).agent] || 'dma', sms = names.some(n => unit(n) === 'igpu') ? 1 : 0;
    const board = (s, before, sentence) => {
        const active = s ? names.indexOf(lifeAgent(s)) : -1, kernel = s && s.kernel;
        const last = names.findIndex(n => unit(n) !== 'cpu'), place = p => p === null ? null : p === 'agent' ? PLACE.agent(active >= 0 ? active : Math.max(last, 0)) : { at: p, i: 0 };
        return { soc, locations: [{ name: '#' + buffer.number, kind: buffer.kind, line: 0, l2: 0 }], ...lifeCells(m, before), l1: Array.from({ length: sms }, () => [{ value: null, state: 'not recorded' }]),
            agents: names.map((name, i) => ({ name, unit: unit(name), sm: unit(name) === 'igpu' ? 0 : -1, job: null, label: unit(name) === 'igpu' && kernel && i === active ? kernel : '', op: i === active ? stepWords(s) : '', ops: own.filter(o => lifeAgent(o) === name).map(stepWords), registers: null, buffer: [], active: i === active, fault: false })),
            smQueue: Array.from({ length: sms }, () => []), gpuQueue: [], closed: false, moves: m.moves.filter(([f, t]) => (f !== 'agent' && t !== 'agent') || names.length).map(([f, t]) => ({ from: place(f), to: place(t), loc: 0, lost: t === null, value: lifeValue(m, before, f, t) })),
            title: s ? stepWords(s) : 'before', sentence, source: 'recorded run' };
    };
    const boards = [board(null, { ...m }, life.cut ? 'The line lived before this; only its last records are kept.' : 'Before the first access of the line: DRAM has version v0.')];
    life.steps.forEach((s, i) => {
        const before = { cpu: m.cpu, l2: m.l2, dram: m.dram }, rule = LIFE_RULES[s.event];
        if (s.event !== '@finding') m.moves = []; // a finding shows the access that it is about
        if (s.event === 'CPU_LOAD' && s.fields.hit === '1' && m.cpu === null && m.cached) m.cpu = m.dram; // filled before the records began
        const words = rule ? (rule[0](m, s), typeof rule[1] === 'string' ? rule[1] : rule[1](m, s)) : /^(CPU|GPU|DLA)_(ATOMIC|STORE|LOAD)$/.test(s.event) ? engineAccess(m, s) : s.event[0] === '@' ? 'A call of the program: ' + s.fields.what + (s.fields.where ? ' at ' + s.fields.where : '') + '.' : s.event + '.';
        boards.push(board(s.event === '@finding' && i ? life.steps[i - 1] : s, before, s.event === '@finding' ? 'Here: ' + finding.text : words));
    });
    return boards;
}

const lifeValue = (m, before, from, to) => 'v' + (to && to !== 'agent' ? m[to] : from === 'agent' ? m.newest : before[from] !== null ? before[from] : m[from]);

const lifeLabel = s => (s.time === null ? '' : s.time + ' ns  ') + (s.agent ? lifeAgent(s) + (s.kernel ? ' (' + s.kernel + ')' : '') + '  ' : '') + stepWords(s);
