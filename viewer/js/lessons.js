// SPDX-License-Identifier: MIT
// Lessons: a text file each. A question, something to step, something to change, an answer that the tool checks.
'use strict';

// "key: value" lines, then sections that begin with "== name".
function lessonParse(name, text) {
    const [head, ...sections] = text.split(/^== /m), lesson = { name };
    head.split('\n').forEach(line => {
        const at = line.indexOf(': ');
        if (at > 0) lesson[line.slice(0, at)] = line.slice(at + 2).trim();
    });
    sections.forEach(s => {
        const end = s.indexOf('\n');
        lesson[s.slice(0, end).trim()] = s.slice(end + 1).replace(/\n+$/, '');
    });
    const pairs = key => (lesson[key] || '').split(',').map(w => w.trim().split(' ')).filter(w => w.length === 2);
    lesson.predicts = pairs('predict');
    lesson.answers = pairs('answer');
    lesson.may = (lesson['may change'] || '').split(',').map(w => w.trim());
    return lesson;
}

// Without licence, expectation and explanation: they give the answer away.
const plainText = text => text.replace(/^\(\*.*\*\)\n/, '').split('\nexpect')[0] + '\n';
const lessonText = lesson => lesson.text || plainText(DATA.tests[lesson.test]);
const lessonSolution = lesson => lesson.solved ? lesson.solved : lesson.solution ? plainText(DATA.tests[lesson.solution]) : lessonText(lesson).replace(lesson.from, () => lesson.to);
const sameCondition = (a, b) => a.condition.replace(/\s+/g, '') === b.condition.replace(/\s+/g, '');

// Does a text meet the answer on every SoC? Return: null, or { text: what is wrong, result: of the SoC where it is }.
async function lessonCheck(lesson, text) {
    for (const [soc, want] of lesson.answers) {
        const first = await litmus(lessonText(lesson), soc), answer = await litmus(lessonSolution(lesson), soc), r = await litmus(text, soc);
        if (r.error) return { text: soc + ': ' + r.error };
        if (!sameCondition(r, first)) return { text: 'The condition must stay as it is: ' + first.condition };
        const changed = lessonKeeps(first, answer, r, lesson.may || []), stops = lessonEnds(answer, r);
        if (changed) return { text: changed, result: r };
        if (verdictOf(r) === 'unknown') return { text: soc + ': the search gave up; use fewer operations.' };
        if (happens(r) !== (want === 'allowed')) return { text: soc + ': the outcome is ' + (happens(r) ? 'still possible.' : 'not possible any more.'), result: r };
        if (stops) return { text: soc + ': ' + stops + '. An agent that does not get there is no answer.', result: r };
    }
    return null;
}
