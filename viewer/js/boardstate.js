// SPDX-License-Identifier: MIT
// What the picture of the SoC shows, as one plain object: made here of a step of a litmus test, in lifestate.js of a recorded run.
//
// { soc: { name, title, coherent, bothWays, dla }       what the profile says
//   locations: [{ name, kind, line, l2 }]               line, l2: locations of the same number share a line
//   agents: [{ name, unit, sm, job, op, registers, buffer, active, fault, ended }]   unit: cpu, igpu, ce, dla, dma
//   cpu, l2, dram: [cell], l1: [[cell]] of each SM      cell: { value, state, stale, changed }
//   smQueue: [[text]], gpuQueue: [text], closed
//   moves: [{ from, to, loc, value, lost }]             places: see place()
//   sentence, source, title }
'use strict';

const PLACE = { agent: i => ({ at: 'agent', i }), buffer: i => ({ at: 'buffer', i }), smQueue: sm => ({ at: 'smQueue', i: sm }), gpuQueue: () => ({ at: 'gpuQueue', i: 0 }) };

const profileHas = (soc, key, value) => new RegExp('^' + key + ' = ' + value + '\\b', 'm').test(DATA.profiles[soc] || '');

function socOf(name) {
    const title = (DATA.profiles[name] || '').match(/^marketing = ([^|]*)/m), dla = (DATA.profiles[name] || '').match(/^\[dla\]\ncores = (\d+)/m);
    return { name, title: title ? title[1].trim() : name, coherent: profileHas(name, 'io_coherent', 1), bothWays: profileHas(name, 'cpu_snoops_l2', 1), dla: dla ? +dla[1] : 0 };
}

const unitOf = t => t.cpu ? 'cpu' : t.igpu ? 'igpu' : /^CE/.test(t.name) ? 'ce' : /^DLA/.test(t.name) ? 'dla' : 'dma';

// The operation of a step, wherever it is performed: [agent, event]; a step of a cache has none.
const stepOwner = step => [step.agent === undefined ? -1 : step.agent, step.event === undefined ? -1 : step.event];

function agentOf(r, s, step, old, i) {
    const t = r.threads[i], [agent, event] = stepOwner(step), queued = t.cpu ? storesAhead(r, s, i) : [];
    return { name: t.name, unit: unitOf(t), sm: t.igpu ? t.sm : -1, job: t.job, op: agent === i && event >= 0 ? t.events[event] : '', ops: t.events, active: agent === i,
        registers: s.registers[i], buffer: queued.map(e => t.events[e]), fault: bit(s.fault, i), changed: s.registers[i].join() !== old.registers[i].join() };
}

// Stores of a CPU that later accesses of the same CPU have passed: they are in its store buffer.
function storesAhead(r, s, i) {
    const t = r.threads[i];
    return t.ops.map((op, e) => e).filter(e => t.ops[e] === 'store' && !bit(s.done[i], e) && t.ops.some((op, later) => op && later > e && bit(s.done[i], later)));
}

function boardCells(r, s, old) {
    const rows = rowsOf(r, s), before = rowsOf(r, old), n = rows.length;
    const cells = (k, without) => rows[k][1].map((c, i) => ({ value: c.value, state: c.text !== 'not cached' ? c.cls : r.locations[i].kind === without ? 'no access' : 'not cached',
        stale: c.stale, changed: c.text !== before[k][1][i].text }));
    return { cpu: cells(0, 'device'), l1: s.sm.map((sm, k) => cells(1 + k)), l2: cells(n - 2, 'pageable'), dram: cells(n - 1) }; // no access: Table 1
}

// A place of arrows.js, which names rows of the table, as a place of the picture.
function boardPlace(r, old, step, name, move) {
    const sm = /^L1 of SM (\d+)/.exec(name), [agent] = stepOwner(step);
    if (name === THREAD) return PLACE.agent(move.thread);
    if (name === QUEUE && agent >= 0 && r.threads[agent].cpu) return PLACE.buffer(agent);
    if (name === QUEUE) return step.kind === 'gpu drain' ? PLACE.gpuQueue() : PLACE.smQueue(Math.max(0, agent < 0 ? 0 : r.threads[agent].sm));
    if (sm) return { at: 'l1', i: move.loc, sm: +sm[1] };
    return { at: { 'CPU cache': 'cpu', 'iGPU L2': 'l2', DRAM: 'dram' }[name], i: move.loc };
}

// The value that a move carries: what is at its end, or was where it began. DRAM gives what it had: a store to the line that
// a cache has just fetched is a second event of the same step.
function moveValue(b, was, move) {
    const at = (x, p) => p && (p.at === 'l1' ? x.l1[p.sm][p.i] : x[p.at] && x[p.at][p.i]);
    const cell = (move.from.at === 'dram' && at(was, move.from)) || at(b, move.to) || at(was, move.from) || at(b, move.from);
    return cell && cell.value !== null && cell.value !== undefined ? cell.value : '';
}

const STORED = /(?:#|,\s*)(-?\d+)$/; // the constant of "STR #1,[x]" is before the address, that of "st.weak [x],1" behind it
const storedValue = text => { const m = /^\S+\s+#(-?\d+)/.exec(text || '') || STORED.exec(text || ''); return m ? m[1] : null; };

function boardMoves(r, s, old, step, cells, was) {
    const [agent, event] = stepOwner(step), text = agent >= 0 && event >= 0 ? r.threads[agent].events[event] : '';
    const moves = movesOf(r, old, s, step).map(m => {
        const from = boardPlace(r, old, step, m.from, m), to = m.to === null ? null : boardPlace(r, old, step, m.to, m);
        return { from, to, loc: m.loc, lost: m.to === null };
    });
    if (step.kind === 'sm drain' && s.gpu_queue.length > old.gpu_queue.length) {
        moves.push({ from: PLACE.smQueue(r.threads[agent].sm), to: PLACE.gpuQueue(), loc: step.loc });
    }
    // A store that others have passed was in the store buffer, and leaves it now.
    if (step.op === 'store' && step.kind === 'event' && r.threads[agent].cpu && storesAhead(r, old, agent).includes(event)) {
        moves.filter(m => m.from.at === 'agent').forEach(m => { m.from = PLACE.buffer(agent); });
    }
    const loaded = step.note && /^= (\d+)/.exec(step.note);
    moves.forEach(m => {
        const own = m.from.at === 'agent' || (m.to && m.to.at === 'agent') || /Queue|buffer/.test(m.from.at);
        m.value = (own && m.to && m.to.at === 'agent' && loaded && loaded[1]) || (own && step.op === 'store' && storedValue(text)) || moveValue(cells, was, m);
    });
    return moves;
}

// The board of step @at of an outcome's path. @soc: its name. @label: "AGENT words": what an agent stands for in a lesson.
function boardOfLitmus(r, soc, path, at, label) {
    const step = path[at], s = stateOf(step.state), old = stateOf(path[Math.max(at - 1, 0)].state);
    const cells = boardCells(r, s, old), was = boardCells(r, old, old), bytes = n => bytesOf(n);
    const b = { soc: socOf(soc), locations: r.locations.map(l => ({ name: l.name, kind: l.kind, line: bytes(r.cpu_line)[l.byte], l2: bytes(r.l2_line)[l.byte] })),
        agents: r.threads.map((t, i) => agentOf(r, s, step, old, i)), ...cells, closed: s.closed,
        smQueue: s.sm.map(sm => sm.queue.map(q => queuedText(r, q))), gpuQueue: s.gpu_queue.map(q => queuedText(r, q)) };
    if (label) b.agents.filter(a => label.startsWith(a.name + ' ')).forEach(a => { a.label = label.slice(a.name.length + 1); });
    b.moves = at === 0 ? [] : boardMoves(r, s, old, step, cells, was);
    b.title = step.step.replace(/ {2,}/g, '  ').trim();
    Object.assign(b, ruleOf(b, r, step));
    return b;
}

function queuedText(r, code) {
    return r.threads[Math.floor(code / r.events_of_thread)].events[code % r.events_of_thread];
}
