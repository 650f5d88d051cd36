// SPDX-License-Identifier: MIT
// The picture with its controls: back, forward, a scrubber, the sentence of the step, the legend; and the switches for theme and motion.
'use strict';

const Saved = {
    // A page from disk may have no storage (private window): then nothing is kept, and all else works.
    get(key) { try { return localStorage.getItem('vtegra.' + key); } catch (e) { return null; } },
    set(key, value) { try { localStorage.setItem('vtegra.' + key, value); } catch (e) { /* not kept */ } },
};

const motionOff = () => Saved.get('motion') === 'off' || (Saved.get('motion') !== 'on' && matchMedia('(prefers-reduced-motion: reduce)').matches);
const darkOn = () => Saved.get('theme') === 'dark' || (Saved.get('theme') !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);

function switchesShow() {
    const dark = $('dark'), motion = $('motion');
    const draw = () => {
        document.documentElement.dataset.theme = darkOn() ? 'dark' : 'light';
        document.documentElement.dataset.motion = motionOff() ? 'off' : 'on';
        dark.setAttribute('aria-pressed', darkOn());
        motion.setAttribute('aria-pressed', !motionOff());
    };
    dark.onclick = () => { Saved.set('theme', darkOn() ? 'light' : 'dark'); draw(); };
    motion.onclick = () => { Saved.set('motion', motionOff() ? 'on' : 'off'); draw(); };
    draw();
}

const tokenPut = (way, part) => {
    const [x, y] = way.lost ? [way.points[0][0], way.points[0][1] + 12] : wayAt(way.points, part);
    way.token.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
};

// Moves the values along their ways, one after the other, and leaves each in the middle of its arrow.
function tokensRun(ways, alive) {
    const each = 650, began = performance.now();
    const frame = now => {
        if (!alive()) return;
        ways.forEach((way, i) => {
            const part = (now - began) / each - i;
            way.token.classList.toggle('wait', part < 0);
            tokenPut(way, part >= 1 ? 0.5 : Math.max(part, 0) ** 0.8);
        });
        if (now - began < each * ways.length) requestAnimationFrame(frame);
    };
    frame(began);
}

const LEGEND = [['valid', '1', 'valid: the cache has the bytes'], ['dirty', '1', 'dirty: newer than DRAM'], ['stale', '0', 'stale: older than another copy'], ['absent', '', 'absent: not in this cache'],
    ['not cached', '', 'not cached, or no access'], ['closed', '0', 'closed to the CPU by the driver']];

function legendShow() {
    const list = el('ul', 'legend');
    list.setAttribute('aria-label', 'Legend');
    LEGEND.forEach(([state, value, text]) => {
        const item = el('li'), picture = svg('svg', { width: 34, height: 24, class: 'board', 'aria-hidden': 'true' }), id = 'b' + ++Board.number, cell = svg('g', { class: 'cell ' + state.replace(' ', '-') });
        cell.append(svg('rect', { x: 1, y: 1, width: 32, height: 22, rx: 4, class: 'ground' }));
        if (PATTERNS[state]) cell.append(svg('rect', { x: 1, y: 1, width: 32, height: 22, rx: 4, fill: `url(#${id}-${state})` }));
        cell.append(boardText(17, 17, value, 'value middle'));
        picture.append(defsDraw(id), cell);
        item.append(picture, document.createTextNode(text));
        list.append(item);
    });
    const way = el('li'), picture = svg('svg', { width: 44, height: 24, class: 'board', 'aria-hidden': 'true' });
    picture.append(svg('path', { d: 'M2 12 H34', class: 'way' }), svg('path', { d: 'M44 12 l-11 -6 v12 Z', class: 'head' }));
    way.append(picture, document.createTextNode('a value on its way in this step'));
    list.append(way);
    return list;
}

// @source: { length, board(i), label(i), table(i) or undefined, side: element or undefined, locked: text or undefined }
// @at: { step }, kept up to date; @moved is called after each change. Return: { go }
function Stage(into, source, at, moved) {
    const stage = el('div', 'stage'), left = el('div', 'pictureside'), box = el('div', 'picture'), bar = el('div', 'bar controls'), scrub = el('input'), where = el('span', 'dim where'), say = el('p', 'sentence');
    const back = button('◀ back', () => go(at.step - 1)), on = button('forward ▶', () => go(at.step + 1)), words = el('details', 'astable'), table = el('div');
    let turn = 0, width = 0;
    back.dataset.step = 'back';
    on.dataset.step = 'forward';
    bar.setAttribute('role', 'group');
    bar.setAttribute('aria-label', 'Steps');
    Object.assign(scrub, { type: 'range', min: 0, max: Math.max(source.length - 1, 0), step: 1, oninput: () => go(+scrub.value) });
    scrub.setAttribute('aria-label', 'Step');
    say.setAttribute('aria-live', 'polite');
    words.append(el('summary', '', 'The same as a table'), table);
    words.ontoggle = () => tableDraw();
    bar.append(back, scrub, on, where);
    left.append(box, bar, say, legendShow(), words);
    stage.append(left);
    if (source.side) stage.append(source.side);
    into.replaceChildren(stage);

    function go(step) {
        const next = Math.min(Math.max(step, 0), source.length - 1), forward = next > at.step;
        at.step = next;
        draw(forward);
    }
    function tableDraw() {
        if (words.open && source.table) table.replaceChildren(source.table(at.step));
    }
    function draw(forward) {
        const b = source.board(at.step), picture = boardDraw(b, box.clientWidth || 800), mine = ++turn;
        width = box.clientWidth;
        box.replaceChildren(picture.svg, el('p', 'moves', movesWords(b)));
        picture.ways.forEach(w => tokenPut(w, 0.5));
        if (forward && !motionOff()) tokensRun(picture.ways, () => mine === turn && picture.svg.isConnected);
        say.replaceChildren(el('b', 'mono', source.label(at.step)), document.createTextNode(' '), el('span', '', b.sentence), document.createTextNode(' '), el('cite', 'dim', b.source ? '(' + b.source + ')' : ''));
        where.textContent = source.locked || source.where(at.step);
        back.disabled = at.step <= 0;
        on.disabled = at.step >= source.length - 1;
        scrub.value = at.step;
        scrub.disabled = source.length < 2;
        scrub.setAttribute('aria-valuetext', source.label(at.step));
        words.hidden = !source.table;
        tableDraw();
        moved(b);
    }
    // Another width is another layout: on a phone that is turned, in a window that grows.
    new ResizeObserver(() => { if (box.clientWidth && Math.abs(box.clientWidth - width) > 4) draw(false); }).observe(box);
    draw(false);
    return { go };
}
