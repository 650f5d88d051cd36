// SPDX-License-Identifier: MIT
// The timeline of a run: ticks, zoom, search, what is under the pointer, and the same by keyboard.
'use strict';

const HEIGHT = 26;
const COLOUR = { kernel: '#7aa6e8', copy: '#e8c37a', api: '#b9d7b0', dla: '#d3a6e0', nvtx: '#cccccc' };

// A length of time as a person writes it.
const timeText = (ns, step) => ns === 0 ? '0' : (step || ns) >= 1e6 ? +(ns / 1e6).toFixed(3) + ' ms' : (step || ns) >= 1e3 ? +(ns / 1e3).toFixed(3) + ' µs' : ns + ' ns';

// Round times between two, about @n of them.
function timeTicks(from, to, n) {
    const rough = Math.max((to - from) / n, 1), power = 10 ** Math.floor(Math.log10(rough)), step = power * [1, 2, 5, 10].find(k => k * power >= rough), ticks = [];
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) ticks.push(t);
    return { ticks, step };
}

const sliceWords = s => `${s.name}, ${timeText(s.time)} to ${timeText(s.end === undefined ? s.time : s.end)}${s.end === undefined ? '' : ' (' + timeText(s.end - s.time) + ')'}`;
const sliceArgs = s => s.args.map(a => a.join(': ')).join('\n');

function tickDraw(picture, view, x, height) {
    const { ticks, step } = timeTicks(view.from, view.to, Math.max(2, Math.floor((view.width - view.left) / 110)));
    ticks.forEach(t => picture.append(svg('line', { x1: x(t), x2: x(t), y1: 0, y2: height, class: 'tick' }), svg('text', { x: x(t), y: height + 14, class: 'middle' }, timeText(t, step))));
}

function sliceDraw(s, x, y, view) {
    const at = Math.max(x(s.time), view.left), w = Math.max(Math.min(x(s.end), view.width) - at, 1.5), g = svg('g', { class: 'slice' + (view.found.includes(s) ? ' found' : '') + (view.chosen === s ? ' chosen' : '') });
    g.append(svg('rect', { x: at, y, width: w, height: 18, fill: COLOUR[s.category] || '#ccc', rx: 2 }), svg('title', {}, sliceWords(s) + '\n' + sliceArgs(s)));
    if (w > 40) g.append(svg('text', { x: at + 3, y: y + 13, class: 'inslice' }, s.name.slice(0, Math.floor(w / 6.6))));
    g.onclick = () => view.choose(s);
    return g;
}

// Draws the tracks between two times; the steps of @life with their arrow, number @now marked.
function timelineDraw(t, view, life, now) {
    const tracks = [...t.tracks.values()].filter(k => !k.counter && (k.slices.length || k.events.length)), height = tracks.length * HEIGHT;
    const picture = svg('svg', { viewBox: `0 0 ${view.width} ${height + 20}`, width: view.width, height: height + 20, class: 'timeline board', role: 'img', 'aria-label': `Timeline of ${tracks.length} tracks, ${timeText(view.from)} to ${timeText(view.to)}` });
    const x = time => view.left + Math.min(Math.max((time - view.from) / Math.max(view.to - view.from, 1), -0.01), 1.01) * (view.width - view.left - 8), y = track => tracks.indexOf(track) * HEIGHT + 4;
    tickDraw(picture, view, x, height);
    tracks.forEach(k => {
        picture.append(svg('line', { x1: 0, x2: view.width, y1: y(k) + HEIGHT - 5, y2: y(k) + HEIGHT - 5, class: 'track' }));
        k.slices.filter(s => s.end >= view.from && s.time <= view.to).slice(0, 2000).forEach(s => picture.append(sliceDraw(s, x, y(k), view)));
        picture.append(svg('rect', { x: 0, y: y(k) - 3, width: view.left - 4, height: HEIGHT - 3, class: 'trackname' }), svg('text', { x: 4, y: y(k) + 13 }, k.name.slice(0, Math.floor(view.left / 7))));
    });
    const points = (life || []).map(e => [x(e.time), y(e.track) + 9]);
    if (points.length) picture.append(svg('polyline', { points: points.map(p => p.join()).join(' '), class: 'lifeline' }));
    points.forEach(([px, py], i) => picture.append(svg('circle', { cx: px, cy: py, r: i === now ? 7 : 4, class: 'lifepoint' + (i <= now ? ' reached' : '') })));
    return picture;
}

const timesOf = t => [...t.tracks.values()].flatMap(k => k.slices.flatMap(s => [s.time, s.end]).concat(k.events.map(e => e.time)));

function timelineAll(t) {
    const all = timesOf(t).reduce((m, v) => [Math.min(m[0], v), Math.max(m[1], v)], [Infinity, 0]);
    return all[0] === Infinity ? [0, 1] : all;
}

// The timeline with its controls. @near: the times of the finding, or null.
function timelineShow(into, t, life, near) {
    const all = timelineAll(t), box = el('div', 'timelinebox'), bar = el('div', 'bar'), search = el('input'), label = el('label', '', 'Search'), say = el('p', 'mono chosen'), slices = [...t.tracks.values()].flatMap(k => k.slices).sort((a, b) => a.time - b.time);
    const view = { from: all[0], to: all[1], width: 800, left: 150, found: [], chosen: null, choose };
    function range(from, to) {
        const span = Math.min(Math.max(to - from, 20), all[1] - all[0] + 1);
        view.from = Math.min(Math.max(Math.round(from), all[0]), all[1] + 1 - span);
        view.to = view.from + span;
        draw();
    }
    const zoom = k => { const middle = (view.from + view.to) / 2, half = (view.to - view.from) / 2 * k; range(middle - half, middle + half); };
    const pan = k => range(view.from + (view.to - view.from) * k, view.to + (view.to - view.from) * k);
    function choose(s) {
        view.chosen = s;
        if (s && (s.time < view.from || s.end > view.to)) { const half = Math.max((view.to - view.from) / 2, s.end - s.time); range((s.time + s.end) / 2 - half, (s.time + s.end) / 2 + half); }
        say.textContent = s ? sliceWords(s) + (s.args.length ? '; ' + sliceArgs(s).replace(/\n/g, '; ') : '') : '';
        draw();
    }
    function step(by) {
        const list = view.found.length ? view.found : slices, at = list.indexOf(view.chosen);
        if (list.length) choose(list[(at + by + list.length) % list.length]);
    }
    function find() {
        const words = search.value.trim().toLowerCase();
        view.found = words ? slices.filter(s => (s.name + ' ' + sliceArgs(s)).toLowerCase().includes(words)) : [];
        view.chosen = null;
        if (view.found.length) step(1);
        else draw();
        if (words) say.textContent = view.found.length + ' found. ' + say.textContent;
    }
    function draw() {
        view.width = Math.max(box.clientWidth, 320);
        view.left = view.width < 600 ? 90 : 170;
        box.replaceChildren(timelineDraw(t, view, life, life.length - 1));
    }
    search.type = 'search';
    search.id = 'search';
    label.htmlFor = 'search';
    search.onchange = find;
    say.setAttribute('role', 'status');
    box.tabIndex = 0;
    box.setAttribute('role', 'application');
    box.setAttribute('aria-label', 'Timeline. Plus and minus zoom, left and right move, Home shows the whole run, n and p go to the next and previous slice.');
    const keys = { '+': () => zoom(0.5), '-': () => zoom(2), ArrowLeft: () => pan(-0.25), ArrowRight: () => pan(0.25), Home: () => range(...all), n: () => step(1), p: () => step(-1) };
    box.onkeydown = e => { if (keys[e.key] && !e.ctrlKey && !e.altKey) { e.preventDefault(); e.stopPropagation(); keys[e.key](); } };
    box.onwheel = e => { if (e.ctrlKey) { e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8); } };
    bar.append(button('Zoom in', () => zoom(0.5)), button('Zoom out', () => zoom(2)), button('◀ earlier', () => pan(-0.5)), button('later ▶', () => pan(0.5)), button('Whole run', () => range(...all)));
    if (near) bar.append(button('Finding', () => range(...near)));
    bar.append(label, search, button('Next', () => step(1)), button('Previous', () => step(-1)));
    into.append(el('h3', '', 'Timeline (virtual time)'), bar, box, say);
    new ResizeObserver(() => { if (Math.abs(box.clientWidth - view.width) > 4) draw(); }).observe(box);
    if (near) range(...near);
    else draw();
}
