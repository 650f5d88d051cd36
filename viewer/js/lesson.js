// SPDX-License-Identifier: MIT
// One lesson on the page: the picture, a prediction for each SoC, the steps, and an answer that the model checks.
'use strict';

// What this browser remembers of a lesson: { guesses: SoC -> allowed or never, solved }
const Progress = {
    of(name) { try { return JSON.parse(Saved.get('lesson.' + name)) || { guesses: {} }; } catch (e) { return { guesses: {} }; } },
    put(name, change) { Saved.set('lesson.' + name, JSON.stringify({ ...Progress.of(name), ...change })); },
};

const progressMark = name => { const p = Progress.of(name); return p.solved ? 'solved' : Object.keys(p.guesses || {}).length ? 'begun' : ''; };

function lessonPart(into, title, text, id) {
    const s = el('section');
    if (id) s.id = id;
    s.append(el('h3', '', title));
    if (text) s.append(el('p', '', text));
    into.append(s);
    return s;
}

const guessWord = guess => guess === 'allowed' ? 'it can happen' : 'it cannot';

// Buttons for each SoC; calls @all when each has been answered, also from what was remembered.
function predictShow(into, lesson, condition, changed, all) {
    const s = lessonPart(into, 'Predict', 'Can this happen? Choose for each SoC. The steps come after that.', 'predict'), open = new Set(lesson.predicts.map(p => p[0])), before = Progress.of(lesson.name).guesses || {};
    s.append(el('p', 'condition mono', condition));
    const rows = lesson.predicts.map(([soc]) => {
        const bar = el('div', 'bar'), say = el('span', 'verdict');
        say.setAttribute('role', 'status');
        bar.setAttribute('role', 'group');
        bar.setAttribute('aria-label', socOf(soc).title);
        const check = async guess => {
            const r = await litmus(DATA.tests[lesson.test], soc), right = happens(r) === (guess === 'allowed');
            say.className = 'verdict ' + (right ? 'good' : 'error');
            say.textContent = (right ? '✓ Right: ' : '✗ No: ') + verdictLine(r, soc);
            [yes, no].forEach(b => b.setAttribute('aria-pressed', b.dataset.predict.endsWith(guess)));
            if (lesson.name !== 'plant') Progress.put(lesson.name, { guesses: { ...Progress.of(lesson.name).guesses, [soc]: guess } });
            changed();
            open.delete(soc);
            if (open.size === 0) all();
        };
        const choice = guess => {
            const b = button(guessWord(guess), () => check(guess));
            b.dataset.predict = soc + ' ' + guess;
            b.setAttribute('aria-pressed', 'false');
            return b;
        };
        const yes = choice('allowed'), no = choice('never');
        bar.append(el('b', '', soc), yes, no, say);
        s.append(bar);
        return () => before[soc] ? check(before[soc]) : null;
    });
    rows.forEach(again => again());
    return s;
}

const atMatch = r => ({ outcome: Math.max(0, r.outcomes.findIndex(o => o.matches)), step: 0 });

// The picture; before the predictions at its beginning only.
async function stepShow(section, lesson, query, locked) {
    const steps = section.querySelector('.steps-here');
    const r = await litmus(lessonText(lesson), lesson.soc);
    if (r.error) return steps.replaceChildren(el('p', 'error', r.error));
    if (section.dataset.open && locked) return undefined; // the predictions were faster
    const at = query.has('step') ? { outcome: +query.get('outcome') || 0, step: +query.get('step') || 0 } : atMatch(r);
    return Stepper(steps, r, at, () => { if (!locked) hashSet('lesson', { name: lesson.name, outcome: at.outcome, step: at.step }); },
        { cuda: lesson.cuda, label: lesson.label, explain: /^01_/.test(lesson.name), locked: locked && 'Predict below, then step' });
}

function changeShow(into, lesson, solved) {
    const s = lessonPart(into, 'Change', lesson.change, 'change'), text = el('textarea'), label = el('label', '', 'Your program'), say = el('p'), bar = el('div', 'bar'), attempt = el('div');
    const put = value => { text.value = value; forget(); };
    const forget = () => { say.textContent = ''; say.className = ''; attempt.replaceChildren(); };
    text.id = 'answer';
    label.htmlFor = 'answer';
    text.spellcheck = false;
    text.value = lessonText(lesson);
    text.rows = Math.min(16, text.value.split('\n').length + 1);
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
        if (!wrong && solved) solved();
        if (wrong && wrong.result && wrong.result.outcomes.length) {
            attempt.append(button('Step what you wrote', () => Stepper(attempt, wrong.result, atMatch(wrong.result), () => {})));
        }
    });
    check.id = 'check';
    say.id = 'checked';
    say.setAttribute('role', 'status');
    attempt.id = 'attempt';
    bar.append(check, button('Start again', () => put(lessonText(lesson))), button('Show a solution', () => put(lessonSolution(lesson))));
    s.append(label, text, bar, say, attempt);
    return s;
}

function takeShow(into, lesson) {
    const s = lessonPart(into, 'What you take away', lesson.learned, 'take');
    s.hidden = !Progress.of(lesson.name).solved;
    return s;
}

// The steps and the answer come when the pupil has predicted, or asks for them. @changed: what is remembered has changed.
async function lessonShow(body, lesson, query, changed) {
    const stage = el('section', 'stagepart'), rest = el('div', 'parts'), heading = el('h2', '', lesson.title);
    const skip = button('Show the steps without predicting', () => open(new URLSearchParams()));
    const again = button('Predict again', () => { Progress.put(lesson.name, { guesses: {} }); changed(); lessonShow(body, lesson, new URLSearchParams(), changed); });
    let shown;
    stage.id = 'step';
    stage.append(el('h3', 'hidden', 'Step'), el('p', 'steptext', ''), el('div', 'steps-here'));
    heading.tabIndex = -1;
    skip.id = 'skip';
    again.hidden = true;
    const title = el('div', 'titlerow');
    title.append(heading, el('p', 'dim', 'Level ' + lesson.level + ' of 3, drawn for ' + socOf(lesson.soc).title));
    body.replaceChildren(title, el('p', 'question', lesson.question), stage, rest);
    function open(at) {
        if (shown) return shown;
        stage.dataset.open = '1';
        skip.remove();
        again.hidden = false;
        stage.querySelector('.steptext').textContent = lesson.step;
        shown = stepShow(stage, lesson, at, false);
        const take = el('div'), change = changeShow(rest, lesson, () => { Progress.put(lesson.name, { solved: true }); take.firstChild.hidden = false; changed(); });
        takeShow(take, lesson);
        change.after(take);
        return shown;
    }
    const first = await litmus(lessonText(lesson), lesson.soc);
    if (!heading.isConnected) return;
    predictShow(rest, lesson, first.condition || '', changed, () => { open(query); if (!query.has('step')) body.scrollIntoView(); }).append(skip, again);
    await (query.has('step') ? open(query) : shown || stepShow(stage, lesson, query, true));
}
