// SPDX-License-Identifier: MIT
// Plant a bug: one maintenance operation or barrier of a correct test is left out; the pupil finds which.
'use strict';

const MAINTENANCE = /\b(DC (?:CVAC|CIVAC|IVAC),\[\w+\]|l2 (?:clean|invalidate|flush)|D[MS]B \w+|fence\.[\w.]+|membar\.\w+)/g;

// What is left out at each level: maintenance of a cache, a barrier of a CPU, a fence of a kernel.
const PLANT_LEVELS = [[1, 'a clean or an invalidate of a cache', /^(DC|l2)/], [2, 'a barrier of a CPU', /^D[MS]B/], [3, 'a fence of a kernel', /^(fence|membar)/]];

// Its name would say what it is about.
const plantText = test => plainText(DATA.tests[test]).replace(/^tegra[^]*?\n\{/, 'tegra PLANTED\n{');

// Every operation of a level that could be left out, on one SoC of each generation; none of them has a discrete GPU.
const plantAll = level => Object.keys(DATA.tests).filter(test => !/\bd(GPU|CE)\d/.test(DATA.tests[test])).flatMap(test => ['tx2', 'orin', 'thor'].flatMap(soc =>
    [...plantText(test).matchAll(MAINTENANCE)].filter(m => PLANT_LEVELS[level - 1][2].test(m[0])).map(m => ({ test, soc, at: m.index, operation: m[0] }))));

// Bug number @n of a level: the next one from there that makes an impossible outcome possible.
async function plantFind(n, level) {
    const all = plantAll(level);
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
    const n = +query.get('bug') || 1, level = Math.min(Math.max(+query.get('level') || 1, 1), 3), body = el('div'), bar = el('div', 'bar'), heading = el('h2', '', 'Plant a bug');
    const again = (bug, l) => plantShow(into, new URLSearchParams({ bug, level: l }));
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', 'Level');
    PLANT_LEVELS.forEach(([l, text]) => {
        const b = button('Level ' + l + ': ' + text, () => again(n, l));
        b.setAttribute('aria-pressed', l === level);
        b.classList.toggle('on', l === level);
        bar.append(b);
    });
    heading.tabIndex = -1;
    into.replaceChildren(heading, el('p', '', 'One operation has been left out of a correct test: ' + PLANT_LEVELS[level - 1][1] + '. Step to the bad outcome, then put the operation back.'), bar,
        button('Another bug', () => again(n + 1, level)), body);
    body.append(el('p', 'dim', 'Searching ...'));
    hashSet('lesson', { name: 'plant', level, bug: n });
    const bug = await plantFind(n, level);
    if (!bug) return body.replaceChildren(el('p', 'error', 'No test is left in which an operation can be left out.'));
    const at = { outcome: Math.max(0, bug.result.outcomes.findIndex(o => o.matches)), step: 0 };
    const lesson = { name: 'plant', soc: bug.soc, text: bug.text, solved: bug.whole, answers: [[bug.soc, 'never']], step: 'On ' + bug.soc + ' this can end badly. The outcome with the asterisk must not happen.',
        change: 'Make that outcome impossible on ' + bug.soc + '. Keep the condition.', learned: 'Left out was: ' + bug.operation + ' (test ' + bug.test + ').' };
    body.replaceChildren();
    const s = lessonPart(body, 'Step', lesson.step, 'step'), steps = el('div'), parts = el('div', 'parts');
    s.className = 'stagepart';
    s.append(steps);
    body.append(parts);
    Stepper(steps, bug.result, at, () => hashSet('lesson', { name: 'plant', level, bug: n, outcome: at.outcome, step: at.step }));
    changeShow(parts, lesson);
}
