// SPDX-License-Identifier: MIT
// Tables 1 and 2 of CUDA for Tegra as tables of buttons: each cell is a small test that the model runs when the table is made,
// and a click steps it in the picture.
'use strict';

const KINDS = [['device', 'device', 'cudaMalloc', ['02_table1_device', '24_spin_in_l1']], ['pageable', 'pageable host', 'malloc', ['01_table1_pageable']], ['pinned', 'pinned host', 'cudaMallocHost', ['13_flag_pinned_data_interop']],
    ['managed', 'unified (managed)', 'cudaMallocManaged', ['04_read_before_sync', '05_attachment', '06_two_streams']], ['interop', 'shared (not in the note’s table)', 'EGL, NvSci', ['03_wait_is_no_clean', '12_one_way_coherency', '27_igpu_to_dgpu']]];

const SIDES = {
    CPU: kind => `tegra TABLE1+${kind}+cpu\n"a CPU loads from ${kind} memory"\n{\n ${kind} x = 1;\n}\n CPU0       ;\n LDR W0,[x] ;\n LDR W1,[x] ;\nexists (CPU0:W0=1)\n`,
    iGPU: kind => `tegra TABLE1+${kind}+igpu\n"a kernel loads from ${kind} memory"\n{\n ${kind} x = 1;\n}\n CPU0     | iGPU0@sm0 job=K    ;\n launch K | ld.volatile r0,[x] ;\n sync K   | ld.volatile r1,[x] ;\nexists (iGPU0:r0=1)\n`,
};

// What a side does with a kind, read from the machine that the test made.
function cachingOf(r, side) {
    if (r.error) return r.error;
    const byte = r.locations[0].byte;
    if (r.outcomes.some(o => o.fault.length)) return 'no access';
    if (side === 'CPU') return bit(r.view, byte) ? 'cached' : 'uncached';
    return !bit(r.cached, byte) ? 'uncached' : bit(r.snooped, byte) ? 'cached, coherent both ways' : 'cached in the L2';
}

const TABLE_2 = [
    ['Global or Single', 'Host', 'prefetch to the CPU: the L2 is cleaned, lines of the CPU are invalidated',
        'tegra TABLE2+host\n"what an attach to the host does, step by step"\n{\n interop x;\n}\n CPU0        | iGPU0@sm0 job=K ;\n submit K    | st.weak [x],1   ;\n wait K      |                 ;\n l2 clean    |                 ;\n DC CIVAC,[x] |                ;\n DSB SY      |                 ;\n LDR W0,[x]  |                 ;\nexists (CPU0:W0=0)\n'],
    ['Host', 'Global or Single', 'prefetch to the GPU: dirty lines of the CPU are cleaned',
        'tegra TABLE2+global\n"what an attach to the GPU does, step by step"\n{\n interop x;\n}\n CPU0        | iGPU0@sm0 job=K ;\n STR #1,[x]  | ld.weak r0,[x]  ;\n DC CVAC,[x] |                 ;\n DSB SY      |                 ;\n submit K    |                 ;\nexists (iGPU0:r0=0)\n'],
    ['Global', 'Single', 'no prefetch: the launch does what is needed', null],
    ['Single', 'Global', 'no prefetch: the launch does what is needed', null],
];
const AT_LAUNCH = 'tegra TABLE2+none\n"without a prefetch the launch cleans, and the synchronisation invalidates"\n{\n managed x;\n}\n CPU0       | iGPU0@sm0 job=K ;\n STR #1,[x] | ld.weak r0,[x]  ;\n launch K   |                 ;\n sync K     |                 ;\nexists (iGPU0:r0=0)\n';

function tableCell(text, label, click) {
    const td = el('td'), b = button(text, click);
    b.setAttribute('aria-label', label + ': ' + text);
    td.append(b);
    return td;
}

function headRow(words) {
    const tr = el('tr');
    words.forEach(w => { const th = el('th', '', w); th.scope = 'col'; tr.append(th); });
    return tr;
}

// Calls @step with a test's text, its title, and lessons about it.
async function table1Show(table, soc, step) {
    table.replaceChildren(el('caption', '', 'Table 1: who caches which memory, on ' + socOf(soc).title), headRow(['memory', 'from', 'CPU', 'iGPU']));
    for (const [kind, title, api, lessons] of KINDS) {
        const tr = el('tr'), th = el('th', '', title);
        th.scope = 'row';
        tr.append(th, el('td', 'mono', api));
        for (const side of Object.keys(SIDES)) {
            const text = SIDES[side](kind), r = await litmus(text, soc);
            tr.append(tableCell(cachingOf(r, side), title + ', ' + side, () => step(text, `${title} memory, ${side}, on ${soc}: ${cachingOf(r, side)}`, lessons)));
        }
        table.append(tr);
    }
}

function table2Show(table, step) {
    table.replaceChildren(el('caption', '', 'Table 2: what a change of the attachment flag prefetches (cudaStreamAttachMemAsync)'), headRow(['flag before', 'flag now', 'what the driver does']));
    TABLE_2.forEach(([before, now, what, text]) => {
        const tr = el('tr');
        tr.append(el('td', 'mono', 'cudaMemAttach ' + before), el('td', 'mono', 'cudaMemAttach ' + now), tableCell(what, before + ' to ' + now, () => step(text || AT_LAUNCH, `From ${before} to ${now}: ${what}`, ['05_attachment', '06_two_streams'])));
        table.append(tr);
    });
}

async function tablesShow(body, query) {
    const heading = el('h2', '', 'Tables 1 and 2 of CUDA for Tegra'), bar = el('div', 'bar'), first = el('table', 'cells'), second = el('table', 'cells'), out = el('section');
    let soc = DATA.profiles[query.get('soc')] ? query.get('soc') : 'orin';
    heading.tabIndex = -1;
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', 'SoC');
    out.hidden = true;
    body.replaceChildren(heading, el('p', '', 'Click a cell: a small test of that cell is stepped below. What the cells of Table 1 say is what the model did when it ran that test.'), bar, scrollBox('Table 1', first), scrollBox('Table 2', second), out);
    async function step(text, title, names) {
        const r = await litmus(text, soc), steps = el('div'), links = el('p', '', 'Lessons: ');
        names.filter(n => DATA.lessons[n]).forEach((n, i) => {
            const link = el('a', '', lessonParse(n, DATA.lessons[n]).title);
            link.href = '#lesson&name=' + n;
            links.append(i ? ', ' : '', link);
        });
        out.hidden = false;
        out.replaceChildren(el('h3', '', title), ...(r.error ? [el('p', 'error', r.error)] : [steps]), links);
        if (!r.error) Stepper(steps, r, atMatch(r), () => {});
        out.scrollIntoView({ block: 'nearest' });
    }
    function pick(name) {
        soc = name;
        bar.querySelectorAll('button').forEach(b => b.setAttribute('aria-pressed', b.dataset.soc === soc));
        out.hidden = true;
        hashSet('lesson', { name: 'tables', soc });
        return table1Show(first, soc, step);
    }
    Object.keys(DATA.profiles).filter(s => s !== 'desktop').forEach(name => {
        const b = button(name, () => pick(name));
        b.dataset.soc = name;
        bar.append(b);
    });
    table2Show(second, step);
    return pick(soc);
}
