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

function lessonPart(into, title, text) {
    const s = el('section');
    s.append(el('h3', '', title), el('p', '', text));
    into.append(s);
    return s;
}

// Calls @all when each SoC has been answered.
function predictShow(into, lesson, all) {
    const s = lessonPart(into, 'Predict', 'Can the outcome of the last line happen? Choose for each SoC; the steps come after that.'), open = new Set(lesson.predicts.map(p => p[0]));
    s.id = 'predict';
    s.append(el('pre', '', lessonText(lesson)));
    lesson.predicts.forEach(([soc]) => {
        const bar = el('div', 'bar'), say = el('span');
        const check = async guess => {
            const r = await litmus(DATA.tests[lesson.test], soc), right = happens(r) === guess;
            say.className = right ? 'good' : 'error';
            say.textContent = (right ? 'Right: ' : 'No: ') + verdictLine(r, soc);
            open.delete(soc);
            if (open.size === 0) all();
        };
        const yes = button('it can happen', () => check(true)), no = button('it cannot', () => check(false));
        yes.dataset.predict = soc + ' allowed';
        no.dataset.predict = soc + ' never';
        bar.append(el('b', '', soc), yes, no, say);
        s.append(bar);
    });
    return s;
}

const atMatch = r => ({ outcome: Math.max(0, r.outcomes.findIndex(o => o.matches)), step: 0 });

async function stepShow(into, lesson, query) {
    const s = lessonPart(into, 'Step', lesson.step), steps = el('div');
    s.id = 'step';
    s.append(steps);
    steps.append(el('p', 'dim', 'Searching ...'));
    const r = await litmus(lessonText(lesson), lesson.soc);
    if (r.error) return steps.replaceChildren(el('p', 'error', r.error));
    const at = query.has('step') ? { outcome: +query.get('outcome') || 0, step: +query.get('step') || 0 } : atMatch(r);
    Stepper(steps, r, at, () => hashSet('lesson', { name: lesson.name, outcome: at.outcome, step: at.step }));
}

function changeShow(into, lesson) {
    const s = lessonPart(into, 'Change', lesson.change), text = el('textarea'), say = el('p'), bar = el('div', 'bar'), attempt = el('div');
    const put = value => { text.value = value; forget(); };
    const forget = () => { say.textContent = ''; say.className = ''; attempt.replaceChildren(); };
    text.id = 'answer';
    text.spellcheck = false;
    text.value = lessonText(lesson);
    text.oninput = forget;
    const check = button('Check', async () => {
        const asked = text.value;
        forget();
        say.className = 'dim';
        say.textContent = 'Checking ...';
        const wrong = await lessonCheck(lesson, asked);
        if (asked !== text.value) return forget();
        say.className = wrong ? 'error' : 'good';
        say.textContent = wrong ? wrong.text : 'Solved. ' + lesson.learned;
        if (wrong && wrong.result && wrong.result.outcomes.length) {
            attempt.append(button('Step what you wrote', () => Stepper(attempt, wrong.result, atMatch(wrong.result), () => {})));
        }
    });
    check.id = 'check';
    say.id = 'checked';
    attempt.id = 'attempt';
    bar.append(check, button('Start again', () => put(lessonText(lesson))), button('Show a solution', () => put(lessonSolution(lesson))));
    s.append(text, bar, say, attempt);
}

// The steps and the answer come when the pupil has predicted, or asks for them.
function lessonShow(body, lesson, query) {
    const rest = el('div'), skip = button('Show the steps without predicting', () => open(query));
    let shown;
    const open = query => {
        if (!shown) {
            skip.remove();
            shown = stepShow(rest, lesson, query);
            changeShow(rest, lesson);
        }
        return shown;
    };
    skip.id = 'skip';
    body.replaceChildren(el('h2', '', lesson.title), el('p', 'dim', 'Level ' + lesson.level + ' of 3'), el('p', '', lesson.question));
    predictShow(body, lesson, () => open(new URLSearchParams()));
    body.append(skip, rest);
    return query.has('step') ? open(query) : null;
}

function lessonsOpen(into, query) {
    const lessons = Object.entries(DATA.lessons).map(([name, text]) => lessonParse(name, text)), none = new URLSearchParams();
    const list = el('div'), side = el('div'), body = el('div'), two = el('div', 'two'), asked = query.get('name');
    body.id = 'lesson';
    side.append(list, wordsShow());
    two.append(side, body);
    into.replaceChildren(two);

    const plant = el('div', 'pick', 'Plant a bug');
    plant.onclick = () => planted(new URLSearchParams({ bug: 1 + Math.floor(Math.random() * 1000) }));
    function mark(picked) {
        list.querySelectorAll('.pick').forEach(d => d.classList.toggle('on', d === picked));
    }
    function planted(query) {
        mark(plant);
        return plantShow(body, query);
    }
    const picks = lessons.map((l, i) => {
        const d = el('div', 'pick', (i + 1) + '. ' + l.title);
        d.onclick = () => show(l, none);
        return d;
    });
    function show(lesson, query) {
        mark(picks[lessons.indexOf(lesson)]);
        if (!query.has('step')) hashSet('lesson', { name: lesson.name });
        const done = lessonShow(body, lesson, query), next = lessons[lessons.indexOf(lesson) + 1];
        if (next) body.append(button('Next: ' + next.title, () => { show(next, none); scrollTo(0, 0); }));
        return done;
    }
    list.replaceChildren(el('b', '', 'Lessons'), ...picks, plant);
    const lesson = asked === null ? lessons[0] : lessons.find(l => l.name === asked);
    if (asked === 'plant') return planted(query);
    if (!lesson) return body.replaceChildren(el('p', 'error', 'There is no lesson "' + asked + '". Choose one of the list.'));
    return show(lesson, query);
}
