// SPDX-License-Identifier: MIT
// The list of lessons, what is solved, and the way from one to the next.
'use strict';

const lessonsAll = () => Object.entries(DATA.lessons).map(([name, text]) => lessonParse(name, text));

function lessonItem(lesson, i, pick) {
    const item = el('li'), b = button('', pick), mark = el('span', 'mark');
    b.className = 'pick';
    b.dataset.lesson = lesson.name;
    b.append(el('span', 'number', i + 1 + '.'), el('span', 'name', lesson.title), mark);
    item.append(b);
    const draw = () => {
        const state = progressMark(lesson.name);
        mark.textContent = { solved: '✓', begun: '…', '': '' }[state];
        mark.setAttribute('role', 'img');
        if (state) mark.setAttribute('aria-label', state);
        mark.hidden = !state;
    };
    draw();
    return { item, b, draw };
}

function lessonsOpen(into, query) {
    const lessons = lessonsAll(), none = new URLSearchParams(), asked = query.get('name');
    const side = el('nav', 'side'), fold = el('details'), title = el('summary'), list = el('ol'), body = el('article'), two = el('div', 'withside');
    body.id = 'lessonbody'; // not 'lesson': a browser scrolls to what an address '#lesson' names
    side.setAttribute('aria-label', 'Lessons');
    fold.open = innerWidth > 900;
    fold.append(title, list);
    side.append(fold);
    two.append(side, body);
    into.replaceChildren(two);

    const items = lessons.map((l, i) => lessonItem(l, i, () => show(l, none, true)));
    const costs = lessonItem(COSTS, lessons.length, () => { mark(costs.b); hashSet('lesson', { name: COSTS.name }); return costsShow(body, drawn); });
    const plant = button('Plant a bug', () => planted(new URLSearchParams({ level: 1, bug: 1 + Math.floor(Math.random() * 1000) })));
    const tables = button('Tables 1 and 2 of the note', () => { mark(tables); hashSet('lesson', { name: 'tables' }); return tablesShow(body, none); });
    const teach = button('For teachers', () => { mark(teach); hashSet('lesson', { name: 'teach' }); return teachShow(body, lessons); });
    const more = el('ul');
    [plant, tables, teach].forEach(b => { const item = el('li'); b.className = 'pick'; item.append(b); more.append(item); });
    list.append(...items.map(i => i.item), costs.item);
    fold.append(more, wordsShow());

    function drawn() {
        items.concat(costs).forEach(i => i.draw());
        title.textContent = 'Lessons: ' + lessons.concat(COSTS).filter(l => Progress.of(l.name).solved).length + ' of ' + (lessons.length + 1) + ' solved';
    }
    function mark(picked) {
        fold.querySelectorAll('.pick').forEach(b => {
            b.classList.toggle('on', b === picked);
            if (b === picked) b.setAttribute('aria-current', 'page');
            else b.removeAttribute('aria-current');
        });
    }
    function planted(q) {
        mark(plant);
        return plantShow(body, q);
    }
    // After a pick the lesson is in view and has the focus; on a phone the list folds.
    async function show(lesson, q, picked) {
        mark(items[lessons.indexOf(lesson)].b);
        if (!q.has('step')) hashSet('lesson', { name: lesson.name });
        const done = lessonShow(body, lesson, q, drawn), next = lessons[lessons.indexOf(lesson) + 1];
        if (picked) {
            if (innerWidth <= 900) fold.open = false;
            body.querySelector('h2').focus({ preventScroll: true });
            if (innerWidth <= 900) body.scrollIntoView();
            else scrollTo(0, 0);
        }
        const b = next ? button('Next: ' + next.title, () => show(next, none, true)) : button('Next: ' + COSTS.title, () => costs.b.click());
        b.id = 'next';
        body.append(b);
        return done;
    }
    drawn();
    const lesson = asked === null ? lessons.find(l => !Progress.of(l.name).solved) || lessons[0] : lessons.find(l => l.name === asked);
    if (asked === 'plant') return planted(query);
    if (asked === COSTS.name) { mark(costs.b); return costsShow(body, drawn); }
    if (asked === 'tables') { mark(tables); return tablesShow(body, query); }
    if (asked === 'teach') { mark(teach); return teachShow(body, lessons); }
    if (!lesson) return body.replaceChildren(el('h2', '', 'No such lesson'), el('p', 'error', 'There is no lesson "' + asked + '". Choose one of the list.'));
    return show(lesson, query, false);
}
