// SPDX-License-Identifier: MIT
// Run: a trace or a JSON report opens at its first finding, with the timeline and the life of the line.
'use strict';

const DATA_MAX = 256 * 1024 * 1024;

// The finding's event in the timeline: by rule, place and text.
function eventOf(t, finding) {
    const has = (e, name, value) => e.args.some(a => a[0] === name && a[1] === value);
    return t && t.events.find(e => e.category === 'finding' && e.name === finding.rule && has(e, 'what', finding.text) &&
        (!finding.where || has(e, 'where', finding.where)));
}

function lifeOf(t, finding) {
    const event = eventOf(t, finding);
    return !event ? [] : event.ends.length ? t.flows.get(event.ends[0]) : [event];
}

function factsTable(pairs) {
    const table = el('table', 'state');
    pairs.filter(p => p[1] !== null && p[1] !== undefined && p[1] !== '').forEach(([name, value]) => {
        const tr = el('tr');
        tr.append(el('th', '', name), el('td', '', String(value)));
        table.append(tr);
    });
    return table;
}

function findingShow(into, t, report, finding) {
    const life = lifeOf(t, finding), buffer = report.buffers.find(b => b.number === finding.buffer);
    const picture = el('div'), detail = el('div'), bar = el('div', 'bar'), where = el('span', 'dim where');
    let now = life.length ? life.length - 1 : 0, whole = !life.length;
    const back = button('◀ back', () => go(now - 1)), on = button('forward ▶', () => go(now + 1));
    back.dataset.step = 'back';
    on.dataset.step = 'forward';
    bar.append(back, on, button('Whole run / finding', () => { whole = !whole; draw(); }), where);
    into.replaceChildren(el('h3', '', finding.severity + ': ' + finding.rule), el('p', '', finding.text),
        factsTable([['where', finding.where], ['against', finding.other], ['what to do', finding.todo], ['rule', finding.section + ' (' + finding.standing + ')'],
            ['buffer', buffer && '#' + buffer.number + ' ' + buffer.kind + ', ' + buffer.api + ' at ' + buffer.where], ['times', finding.times], ['seen with', finding.run]]));
    if (!t) return;
    into.append(el('h3', '', 'The life of the line'), bar, picture, detail);
    if (life.length < 2) {
        into.append(el('p', 'dim', 'This trace has no single accesses, so there is no way from a store to this access. Record them: VTEGRA_TRACE_CLASSES=all vtegra run --trace FILE -- PROGRAM'));
    }
    function go(step) {
        now = Math.min(Math.max(step, 0), life.length - 1);
        draw();
    }
    function draw() {
        const times = [...t.tracks.values()].flatMap(k => k.slices.flatMap(s => [s.time, s.end]).concat(k.events.map(e => e.time)));
        const all = times.reduce((m, v) => [Math.min(m[0], v), Math.max(m[1], v)], [Infinity, 0]);
        const wide = life.length ? [life[0].time, life[life.length - 1].time] : all, margin = (wide[1] - wide[0]) / 5 + 20;
        const [from, to] = whole ? all : [Math.max(0, Math.floor(wide[0] - margin)), Math.ceil(wide[1] + margin)];
        picture.replaceChildren(timelineDraw(t, from, to, life, now));
        const e = life[now];
        where.textContent = life.length ? 'step ' + (now + 1) + ' of ' + life.length : 'no step';
        back.disabled = now <= 0;
        on.disabled = now >= life.length - 1;
        detail.replaceChildren(...(e ? [factsTable([['agent', e.track.name], ['what', e.name], ['time', e.time + ' ns'], ...e.args.filter(a => e.category !== 'finding' || a[0] === 'where')])] : []));
    }
    draw();
}

function reportShow(into, t, report) {
    const list = el('div'), items = el('ul', 'findings'), body = el('article'), two = el('div', 'withside'), filter = el('select'), label = el('label', '', 'Buffer');
    const findings = report.findings.concat(report.advice);
    let chosen = findings[0];
    filter.append(new Option('all buffers', ''), ...report.buffers.map(b => new Option('#' + b.number + ' ' + b.kind + ' at ' + b.where, b.number)));
    filter.onchange = draw;
    filter.id = 'buffer';
    label.htmlFor = 'buffer';
    list.append(el('h3', '', 'Findings'), label, filter, items);
    body.id = 'finding';
    two.append(list, body);
    const r = report.run;
    into.append(el('p', '', r.program + ' on ' + r.module + ' (' + r.soc + '), ' + r.os + ', policy ' + r.policy), two);

    function draw() {
        const shown = findings.filter(f => !filter.value || f.buffer === +filter.value);
        if (!shown.includes(chosen)) chosen = shown[0];
        items.replaceChildren(...shown.map(f => {
            const item = el('li'), b = button(f.severity + ': ' + f.rule + (f.where ? ' at ' + f.where : '') + (f.times > 1 ? ' (' + f.times + ' times)' : ''), () => { chosen = f; draw(); });
            b.className = 'pick' + (f === chosen ? ' on' : '');
            if (f === chosen) b.setAttribute('aria-current', 'true');
            item.append(b);
            return item;
        }));
        if (chosen) findingShow(body, t, report, chosen);
        else body.replaceChildren(el('p', 'good', 'No findings.'), ...(t ? [el('h3', '', 'Timeline'), timelineDraw(t, 0, r.virtual_time_ns, [], 0)] : []));
    }
    draw();
}

const refuse = (into, text) => into.replaceChildren(el('p', 'error', text));

async function reading(into, bytes) {
    into.replaceChildren(el('p', 'dim', 'Reading ' + (bytes < 1e6 ? bytes + ' bytes' : (bytes / 1e6).toFixed(1) + ' MB') + ' ...'));
    await drawn();
}

// A file that the user has chosen; one that is too large is not read.
async function runFile(into, file) {
    if (file.size > DATA_MAX) {
        return refuse(into, 'This file has ' + file.size + ' bytes, the page takes up to ' + DATA_MAX + '. Use `vtegra report --perfetto` and ui.perfetto.dev, or record a shorter run.');
    }
    await reading(into, file.size);
    try {
        return await runBytes(into, new Uint8Array(await file.arrayBuffer()));
    } catch (e) {
        return refuse(into, 'This file cannot be read: ' + e.message);
    }
}

async function runBytes(into, bytes) {
    await reading(into, bytes.length);
    if (String(bytes.subarray(0, 4)) === '40,181,47,253') { // zstd's magic
        return refuse(into, 'This is a compact trace. `vtegra view FILE` makes a page of it; `vtegra report --text FILE` its text, which can be opened here.');
    }
    if (bytes[0] === 123) { // "{": a JSON report
        try {
            const report = JSON.parse(new TextDecoder().decode(bytes));
            if (report.version !== 1 || !report.findings) throw new Error('it is no report of `vtegra run --json`, version 1');
            into.replaceChildren();
            return reportShow(into, null, report);
        } catch (e) {
            return refuse(into, 'This JSON cannot be shown: ' + e.message);
        }
    }
    const answer = await ask({ trace: bytes });
    if (answer.error) return refuse(into, answer.error);
    const timeline = timelineRead(answer.timeline);
    into.replaceChildren();
    if (answer.cut) into.append(el('p', 'error', 'The trace ends before the run did: it was cut off. This is what is there.'));
    reportShow(into, timeline, answer.report);
}

async function runOpen(into) {
    const file = el('input'), out = el('div'), label = el('label', '', 'A trace of `vtegra run --trace FILE`, or a report of `--json FILE`: '), line = el('p');
    file.type = 'file';
    file.id = 'file';
    label.htmlFor = 'file';
    line.append(label, file);
    file.onchange = () => file.files[0] && runFile(out, file.files[0]);
    out.id = 'runbody';
    into.replaceChildren(el('h2', '', 'Run'), line, out);
    const built = $('data').textContent.trim();
    if (!built) return;
    await reading(out, built.length * 3 / 4);
    return runBytes(out, Uint8Array.from(atob(built), c => c.charCodeAt(0)));
}
