// SPDX-License-Identifier: MIT
// The sentence beside a step's arrow: what the hardware did and which rule says so. Values and notes are the model's; the
// sentences explain them (docs/memory-model.md, docs/litmus.md).
'use strict';

const NOTE_21 = 'CUDA for Tegra, 2.1', TABLE_1 = 'CUDA for Tegra, Table 1', ARM = 'Arm ARM, B2', PTX = 'PTX ISA, memory consistency model';

const portRule = b => b.soc.coherent ? 'The port looks into the CPU caches first (I/O coherency), then into DRAM.' : 'The port sees DRAM alone: this SoC has no I/O coherency.';
const portWrite = b => b.soc.coherent ? 'The write goes through the port to DRAM, and the CPU caches drop their line (I/O coherency).'
    : 'The write goes through the port to DRAM. A line in the CPU caches stays as it is, and is now old.';

// [what the model's note has, sentence, source]; the first that fits counts.
const LOADS = [
    [/store buffer/, (b, who) => who + ' reads its own store, which is still in the store buffer.', ARM],
    [/CPU cache hit/, (b, who) => who + ' finds the line in the CPU cache. After a hit nothing else is asked, however old the line is.', ARM],
    [/CPU cache filled/, (b, who) => 'A miss: the CPU cache fetches the whole line of 64 bytes.' + (b.soc.bothWays ? ' On Thor it finds the iGPU’s bytes, too.' : ' It asks DRAM and not the iGPU’s L2: coherency is one way.'), NOTE_21],
    [/uncached, DRAM|memory/, (b, who) => who + ' reads DRAM: this memory is not cached by the CPU.', TABLE_1],
    [/store queue of the SM/, () => 'The SM answers from its own store queue: its stores are not out yet.', PTX],
    [/store queue of the iGPU/, () => 'The store queue of the iGPU answers: the store has left the SM, but not the iGPU.', PTX],
    [/L1 hit/, (b, who) => who + ' finds the sector in the L1 of its SM. No L1 sees what other SMs store.', 'PTX ISA, ld.ca'],
    [/L1 filled through the port/, b => 'The L1 of the SM is filled through the port. ' + portRule(b), NOTE_21],
    [/L1 filled, L2 hit/, () => 'A miss in the L1: it is filled from the L2, and the value stays in the L1.', 'PTX ISA, ld.ca'],
    [/L1 filled, L2 filled/, b => 'A miss in L1 and L2: both are filled. ' + portRule(b), NOTE_21],
    [/uncached, through the port/, b => 'The iGPU does not cache this memory. ' + portRule(b), TABLE_1],
    [/through the L2/, () => 'The copy engine goes through the iGPU’s L2, as the SMs do.', NOTE_21],
    [/through the port/, b => portRule(b), NOTE_21],
    [/L2 hit/, () => 'The L2 has the sector. After a hit nothing else is asked, also where DRAM or the CPU has newer bytes.', NOTE_21],
    [/L2 filled/, b => 'A miss: the L2 fetches a sector of 32 bytes. ' + portRule(b), NOTE_21],
    [/the CPU can come in between/, () => 'The port has read the value and not written it yet: a CPU can come in between.', 'CUDA for Tegra, 3.2'],
];

const DRIVER = [
    [/another job runs/, 'Another kernel is still running, so the driver does no maintenance yet, and managed memory stays closed.', 'CUDA for Tegra, 3.6'],
    [/closed to CPUs/, 'The driver launches the kernel: it empties the L2, and closes managed memory to the CPU until the synchronisation.', 'CUDA for Tegra, 3.6'],
    [/open to CPUs/, 'The driver waits for the kernel, cleans the L2, and opens managed memory to the CPU again.', 'CUDA for Tegra, 3.6'],
    [/L2 cleaned and invalidated/, 'The driver cleans and invalidates the L2, then starts the kernel.', NOTE_21],
    [/L2 cleaned/, 'The driver waits for the kernel and cleans the L2: dirty bytes go to DRAM.', NOTE_21],
    [/no barrier, no maintenance/, 'A bare store to the doorbell: it is no barrier, and no cache is cleaned.', ARM],
    [/a barrier, no maintenance/, 'The job is submitted. What the CPU did before is ordered, but no cache is cleaned.', NOTE_21],
    [/complete, no maintenance/, 'The job is complete. Waiting moves no bytes: what was in a cache still is.', NOTE_21],
    [/no maintenance/, 'The driver has nothing to maintain for this kind of memory on this SoC.', TABLE_1],
    [/uncached: nothing to do/, 'This memory is not in the CPU caches: there is nothing to maintain.', TABLE_1],
    [/written back, the whole line/, 'A clean writes the whole line of 64 bytes to DRAM.', 'Arm ARM, DC CVAC'],
    [/dirty bytes written back/, 'The dirty bytes of the L2 go to DRAM.', NOTE_21],
    [/thrown away/, 'An invalidate drops the line. Its dirty bytes are lost.', 'Arm ARM, DC IVAC'],
    [/nothing dirty/, 'There is nothing to write back.', ARM],
];

const CACHE_STEPS = {
    'cpu evict': ['A cache may give up a line at any time. A dirty line is written back as a whole.', ARM],
    'cpu fill': ['A CPU may fetch a line at any time, asked or not (speculation).', ARM],
    'l2 evict': ['The L2 may give up a line at any time; its dirty bytes go to DRAM.', NOTE_21],
    'l1 evict': ['The L1 may give up a sector at any time. It has no dirty bytes: stores go to the L2.', 'PTX ISA, ld.ca'],
};

function storeRule(b, unit, note, who, cell) {
    if (unit === 'igpu') return ['The store waits in the store queue of the SM. Only that SM sees it so far.', PTX];
    if (/into the L2/.test(note)) return ['The copy engine writes into the iGPU’s L2. DRAM keeps the old bytes.', NOTE_21];
    if (unit !== 'cpu') return [portWrite(b), NOTE_21];
    if (cell && cell.state === 'not cached') return [who + ' stores to DRAM: this memory is not cached by the CPU.', TABLE_1];
    return ['The store makes the line dirty. DRAM keeps the old value until the line is cleaned or evicted.', ARM];
}

function drainRule(b, step, cell) {
    const cached = cell && cell.state !== 'not cached' && cell.state !== 'no access';
    if (b.moves.some(m => m.to && m.to.at === 'gpuQueue')) return ['The store leaves the SM: all of the iGPU sees it, the CPU not yet.', PTX];
    if (cached && !b.soc.bothWays) return ['The store reaches the L2 and makes it dirty there. DRAM keeps the old value.', NOTE_21];
    return [portWrite(b), NOTE_21];
}

function barrierRule(step) {
    if (/^\S+\s+ISB/.test(step.step)) return ['An ISB refetches what follows. With a branch before it, later loads wait for that branch.', ARM];
    return ['A barrier orders; it moves no bytes. ' + step.step.slice(40).trim().replace(/^./, c => c.toUpperCase()) + '.', ARM];
}

function otherRule(b, unit, op, note) {
    const found = DRIVER.find(d => d[0].test(note));
    if (found) return found.slice(1);
    if (/^job /.test(op)) return ['The job starts. ' + (unit === 'igpu' ? 'A kernel begins with an empty L1.' : 'The engine has no cache of its own in this picture: it reads each byte for the first time.'), 'docs/memory-model.md'];
    if (/^signal/.test(op)) return ['An event or syncpoint is signalled: what came before is done.', 'docs/litmus.md'];
    if (/^await/.test(op)) return ['The agent has waited for the event: what follows comes later.', 'docs/litmus.md'];
    if (unit === 'igpu') return ['A fence orders: ' + (note || 'earlier accesses come before later ones') + '. A fence of the iGPU or wider also empties the L1 of its SM.', PTX];
    return ['It orders; no bytes move.', ARM];
}

// What a load got, from where, and whether a newer value was elsewhere.
function gotWords(b, r, step) {
    const value = /^= (\d+)/.exec(step.note || ''), loc = r.locations[step.loc];
    if (!value || !loc) return '';
    const newest = b.dram.concat(b.cpu, b.l2, ...b.l1).filter((c, i) => i % r.locations.length === step.loc && c.state === 'dirty').map(c => c.value);
    return ` It gets ${loc.name} = ${value[1]}` + (newest.length && !newest.includes(value[1]) ? `, an old value: ${newest[0]} is dirty elsewhere.` : '.');
}

// Return: { sentence, source }
function ruleOf(b, r, step) {
    const [agent, event] = stepOwner(step), a = b.agents[agent], note = step.note || '', cell = step.loc >= 0 && a ? b[a.unit === 'cpu' ? 'cpu' : 'l2'][step.loc] : null;
    const named = rule => ({ sentence: rule[0], source: rule[1] });
    if (step.step === 'the beginning') return named(['The beginning: DRAM has the first values, and every cache is empty.', 'docs/litmus.md']);
    if (/^fault: /.test(note)) return named([a.name + ' faults: ' + note.slice(7).replace(/ \(.*/, '') + '. On the board this ends the program.', 'CUDA for Tegra, ' + (/\((.*)\)/.exec(note) || ['', ''])[1]]);
    if (CACHE_STEPS[step.kind]) return named(CACHE_STEPS[step.kind]);
    if (/drain/.test(step.kind || '')) return named(drainRule(b, step, cell));
    if (!step.kind) return named(barrierRule(step));
    const loads = LOADS.find(l => step.op && step.op !== 'store' && l[0].test(note));
    if (loads) return named([loads[1](b, a.name) + gotWords(b, r, step), loads[2]]);
    if (step.op === 'store') return named(storeRule(b, a.unit, note, a.name, cell));
    if (step.op) return named(['An atomic: read and written in one step, so no other access comes in between.', a.unit === 'igpu' ? PTX : ARM]);
    return named(otherRule(b, a.unit, event >= 0 ? r.threads[agent].events[event] : '', note));
}
