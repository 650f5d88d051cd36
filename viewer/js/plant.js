// SPDX-License-Identifier: MIT
// Plant a bug: one maintenance operation or barrier of a correct test is left out; the pupil finds which.
'use strict';

const MAINTENANCE = /\b(DC (?:CVAC|CIVAC|IVAC),\[\w+\]|l2 (?:clean|invalidate|flush)|D[MS]B \w+|fence\.[\w.]+|membar\.\w+)/g;

// Its name would say what it is about.
const plantText = test => plainText(DATA.tests[test]).replace(/^tegra[^]*?\n\{/, 'tegra PLANTED\n{');

// Every operation that could be left out, on one SoC of each generation.
const plantAll = () => Object.keys(DATA.tests).flatMap(test => ['tx2', 'orin', 'thor'].flatMap(soc =>
    [...plantText(test).matchAll(MAINTENANCE)].map(m => ({ test, soc, at: m.index, operation: m[0] }))));

// Bug number @n: the next one from there that makes an impossible outcome possible.
async function plantFind(n) {
    const all = plantAll();
    for (let k = 0; k < all.length; k++) {
        const bug = all[(n * 389 + k) % all.length], whole = plantText(bug.test);
        const text = whole.slice(0, bug.at) + ' '.repeat(bug.operation.length) + whole.slice(bug.at + bug.operation.length);
        const right = await litmus(whole, bug.soc);
        if (right.error || verdictOf(right) === 'unknown' || happens(right)) continue;
        const wrong = await litmus(text, bug.soc);
        if (!wrong.error && happens(wrong)) return { ...bug, whole, text, result: wrong };
    }
    return null;
}

async function plantShow(into, query) {
    const n = +query.get('bug') || 1, body = el('div');
    const another = button('Another bug', () => plantShow(into, new URLSearchParams({ bug: n + 1 })));
    into.replaceChildren(el('h2', '', 'Plant a bug'), el('p', '', 'One operation has been left out of a correct test: a clean, an invalidate, a barrier or a fence. Step to the bad outcome, then put the operation back.'), another, body);
    hashSet('lesson', { name: 'plant', bug: n });
    const bug = await plantFind(n);
    if (!bug) return body.replaceChildren(el('p', 'error', 'No test is left in which an operation can be left out.'));
    const at = { outcome: Math.max(0, bug.result.outcomes.findIndex(o => o.matches)), step: 0 };
    const lesson = { name: 'plant', soc: bug.soc, text: bug.text, solved: bug.whole, answers: [[bug.soc, 'never']], step: 'On ' + bug.soc + ' this can end badly. The outcome with the asterisk must not happen.',
        change: 'Make that outcome impossible on ' + bug.soc + '. Keep the condition.', learned: 'Left out was: ' + bug.operation + ' (test ' + bug.test + ').' };
    const s = lessonPart(body, 'Step', lesson.step), steps = el('div');
    s.id = 'step';
    s.append(el('pre', '', bug.text), steps);
    Stepper(steps, bug.result, at, () => hashSet('lesson', { name: 'plant', bug: n, outcome: at.outcome, step: at.step }));
    changeShow(body, lesson);
}
