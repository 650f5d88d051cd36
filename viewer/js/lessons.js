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
    return lesson;
}

// Without licence, expectation and explanation: they give the answer away.
const plainText = text => text.replace(/^\(\*.*\*\)\n/, '').split('\nexpect')[0] + '\n';
const lessonText = lesson => lesson.text || plainText(DATA.tests[lesson.test]);
const lessonSolution = lesson => lesson.solved ? lesson.solved : lesson.solution ? plainText(DATA.tests[lesson.solution]) : lessonText(lesson).replace(lesson.from, () => lesson.to);
const sameCondition = (a, b) => a.condition.replace(/\s+/g, '') === b.condition.replace(/\s+/g, '');

// Does a text meet the answer on every SoC? Return: null, or what is wrong.
async function lessonCheck(lesson, text) {
    const original = await litmus(lessonText(lesson), lesson.soc);
    for (const [soc, want] of lesson.answers) {
        const r = await litmus(text, soc);
        if (r.error) return soc + ': ' + r.error;
        if (!sameCondition(r, original)) return 'The condition must stay as it is: ' + original.condition;
        if (verdictOf(r) === 'unknown') return soc + ': the search gave up; use fewer operations.';
        if (happens(r) !== (want === 'allowed')) return soc + ': the outcome is ' + (happens(r) ? 'still possible.' : 'not possible any more.');
    }
    return null;
}

function lessonPart(into, title, text) {
    const s = el('section');
    s.append(el('h3', '', title), el('p', '', text));
    into.append(s);
    return s;
}

function predictShow(into, lesson) {
    const s = lessonPart(into, 'Predict', 'Can the outcome happen? Choose, then let the tool check.');
    lesson.predicts.forEach(([soc]) => {
        const bar = el('div', 'bar'), say = el('span');
        const check = async guess => {
            const r = await litmus(DATA.tests[lesson.test], soc), right = happens(r) === guess;
            say.className = right ? 'good' : 'error';
            say.textContent = (right ? 'Right: ' : 'No: ') + verdictLine(r, soc);
        };
        const yes = button('it can happen', () => check(true)), no = button('it cannot', () => check(false));
        yes.dataset.predict = soc + ' allowed';
        no.dataset.predict = soc + ' never';
        bar.append(el('b', '', soc), yes, no, say);
        s.append(bar);
    });
}

async function stepShow(into, lesson) {
    const s = lessonPart(into, 'Step', lesson.step), steps = el('div');
    s.append(el('pre', '', lessonText(lesson)), steps);
    const r = await litmus(lessonText(lesson), lesson.soc);
    if (r.error) return steps.append(el('p', 'error', r.error));
    const at = { outcome: Math.max(0, r.outcomes.findIndex(o => o.matches)), step: 0 };
    Stepper(steps, r, at, () => hashSet('lesson', { name: lesson.name, outcome: at.outcome, step: at.step }));
}

function changeShow(into, lesson) {
    const s = lessonPart(into, 'Change', lesson.change), text = el('textarea'), say = el('p'), bar = el('div', 'bar');
    text.id = 'answer';
    text.spellcheck = false;
    text.value = lessonText(lesson);
    const check = button('Check', async () => {
        say.className = 'dim';
        say.textContent = 'Checking ...';
        const wrong = await lessonCheck(lesson, text.value);
        say.className = wrong ? 'error' : 'good';
        say.textContent = wrong || 'Solved. ' + lesson.learned;
    });
    check.id = 'check';
    say.id = 'checked';
    bar.append(check, button('Start again', () => { text.value = lessonText(lesson); }),
        button('Show a solution', () => { text.value = lessonSolution(lesson); }));
    s.append(text, bar, say);
}

function lessonsOpen(into, query) {
    const lessons = Object.entries(DATA.lessons).map(([name, text]) => lessonParse(name, text));
    const list = el('div'), body = el('div'), two = el('div', 'two');
    body.id = 'lesson';
    two.append(list, body);
    into.replaceChildren(two);

    const plant = el('div', 'pick', 'Plant a bug');
    plant.onclick = () => planted(new URLSearchParams({ bug: 1 + Math.floor(Math.random() * 1000) }));
    function planted(query) {
        list.querySelectorAll('.pick').forEach(d => d.classList.toggle('on', d === plant));
        return plantShow(body, query);
    }
    function show(lesson) {
        list.replaceChildren(el('b', '', 'Lessons'), ...lessons.map((l, i) => {
            const d = el('div', 'pick' + (l === lesson ? ' on' : ''), (i + 1) + '. ' + l.title);
            d.onclick = () => show(l);
            return d;
        }), plant);
        plant.classList.remove('on');
        body.replaceChildren(el('h2', '', lesson.title), el('p', '', lesson.question));
        predictShow(body, lesson);
        const done = stepShow(body, lesson);
        changeShow(body, lesson);
        const next = lessons[lessons.indexOf(lesson) + 1];
        if (next) body.append(button('Next: ' + next.title, () => { show(next); scrollTo(0, 0); }));
        return done;
    }
    const shown = show(lessons.find(l => l.name === query.get('name')) || lessons[0]);
    return query.get('name') === 'plant' ? planted(query) : shown;
}
