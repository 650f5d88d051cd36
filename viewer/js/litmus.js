// SPDX-License-Identifier: MIT
// Litmus: a text, a SoC, its outcomes, step by step.
'use strict';

const Litmus = { at: { outcome: 0, step: 0 }, result: null };

function litmusOpen(into, query) {
    const name = el('select'), soc = el('select'), text = el('textarea'), left = el('section'), out = el('div');
    name.id = 'test';
    soc.id = 'soc';
    text.id = 'text';
    text.spellcheck = false;
    out.id = 'result';
    name.append(new Option('own text', ''));
    Object.keys(DATA.tests).forEach(t => name.append(new Option(t)));
    Object.keys(DATA.profiles).forEach(s => soc.append(new Option(s)));
    const bar = el('div', 'bar'), labels = [['Test', name], ['SoC', soc], ['The test as text', text]].map(([words, field]) => Object.assign(el('label', '', words), { htmlFor: field.id }));
    text.rows = 15;
    bar.append(labels[0], name, labels[1], soc, button('Run', () => run(true)));
    left.append(labels[2], text, el('p', 'dim', 'The format: docs/litmus.md. The link in the address bar carries text, SoC and step.'), wordsShow());
    const two = el('div', 'parts');
    two.append(left);
    out.append(el('p', 'dim', ''));
    into.replaceChildren(el('h2', '', 'Litmus: every outcome of a small program'), bar, out, two);

    function shown() {
        hashSet('litmus', { soc: soc.value, outcome: Litmus.at.outcome, step: Litmus.at.step, ...(name.value ? { test: name.value } : { text: text.value }) });
    }
    async function run(first) {
        const asked = text.value;
        out.replaceChildren(el('p', 'dim', 'Searching ...'));
        const r = await litmus(asked, soc.value);
        if (asked !== text.value) return;
        Litmus.result = r;
        if (r.error) {
            out.replaceChildren(el('p', 'error', r.error));
            return shown();
        }
        if (first) Litmus.at = { outcome: Math.max(0, r.outcomes.findIndex(o => o.matches)), step: 0 };
        const steps = el('div');
        out.replaceChildren(el('h3', '', r.test + (r.doc ? ': ' + r.doc : '')), el('p', happens(r) ? 'error' : 'good', verdictLine(r, soc.value)), steps);
        if (r.teach) out.append(el('p', '', r.teach));
        if (r.outcomes.length) Stepper(steps, r, Litmus.at, shown);
    }
    name.onchange = () => { if (name.value) { text.value = DATA.tests[name.value]; run(true); } };
    soc.onchange = () => run(true);
    text.oninput = () => { name.value = ''; };
    soc.value = query.get('soc') || 'orin';
    name.value = query.has('text') ? '' : query.get('test') || 'mp_pageable_none';
    text.value = query.get('text') || DATA.tests[name.value] || '';
    Litmus.at = { outcome: +query.get('outcome') || 0, step: +query.get('step') || 0 };
    if (!query.has('text') && query.has('test') && !(query.get('test') in DATA.tests)) {
        return out.replaceChildren(el('p', 'error', 'There is no test "' + query.get('test') + '". Choose one of the list.'));
    }
    return run(!query.has('step'));
}
