// SPDX-License-Identifier: MIT
// One finding: what is wrong and what to do, its source at both places, the life of its line in the picture, the timeline.
'use strict';

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
    const table = el('table', 'state facts');
    pairs.filter(p => p[1] !== null && p[1] !== undefined && p[1] !== '').forEach(([name, value]) => {
        const tr = el('tr'), th = el('th', '', name);
        th.scope = 'row';
        tr.append(th, el('td', '', String(value)));
        table.append(tr);
    });
    return table;
}

// Sources that `vtegra view` has put into the page: name -> text.
function sourcesOf() {
    try { return JSON.parse($('sources').textContent || '{}'); } catch (e) { return {}; }
}

const PLACE_OF = /([^\s:,()]+\.\w+):(\d+)/; // "file.cu:32"

// Lines around a place, the place itself lit; null without its text.
function sourceShow(title, words) {
    const place = PLACE_OF.exec(words || ''), text = place && sourcesOf()[place[1]], figure = el('figure', 'source');
    if (!place) return null;
    const caption = el('figcaption', '', title + ': ' + place[0].replace(/^.*\//, ''));
    caption.title = place[0];
    figure.append(caption);
    if (text === undefined || text === null) return figure;
    const lines = text.split('\n'), at = +place[2], from = Math.max(0, at - 4), list = listingShow(title, lines.slice(from, at + 2), 'cuda');
    list.start = from + 1;
    [...list.children].forEach((li, i) => lit(li, from + i + 1 === at));
    figure.append(scrollBox(title, list));
    return figure;
}

// Both places: of the access and of the one against it; where that was launched, too.
function sourcesShow(finding) {
    const box = el('div', 'sources'), launched = /launched at (\S+)/.exec(finding.other || '');
    [sourceShow('here', finding.where), sourceShow('against', finding.other), launched && sourceShow('launched', launched[1])].filter(Boolean).forEach(f => box.append(f));
    return box;
}

// The picture comes first; the sources stand beside it, above the records.
function lifeShow(into, life, report, finding, step, moved) {
    const boards = boardsOfLife(life, report, finding), stage = el('div'), at = { step: step === null ? boards.length - 1 : step };
    into.append(el('h3', '', 'The life of the line'), el('p', 'dim tight', `64 bytes of buffer #${finding.buffer}, from offset ${finding.offset - finding.offset % 64}. v0, v1, ... are versions: each store makes a new one.`), stage);
    const side = el('div', 'programside'), list = stepsShow([{ step: 'before' }, ...life.steps.map(s => ({ step: lifeLabel(s) }))], i => shown.go(i));
    side.append(sourcesShow(finding), el('h3', '', 'Records'), list.box);
    const shown = Stage(stage, { length: boards.length, board: i => boards[i], side, label: i => i ? lifeLabel(life.steps[i - 1]) : 'before', where: i => 'step ' + i + ' of ' + (boards.length - 1) }, at, () => { list.mark(at.step); moved(at.step); });
}

// @run: { timeline or null, report, lives }; @step: of the life, null: its end; @moved is called with each step.
function findingShow(into, run, finding, step, moved) {
    const { timeline, report } = run, buffer = report.buffers.find(b => b.number === finding.buffer), index = report.findings.concat(report.advice).indexOf(finding);
    const life = run.lives && run.lives[index], arrow = lifeOf(timeline, finding), threads = threadsShow(finding);
    into.replaceChildren(el('h3', '', finding.severity + ': ' + finding.rule), el('p', 'question', finding.text), el('p', '', finding.todo ? 'What to do: ' + finding.todo : ''));
    if (threads) into.append(threads);
    else if (!life) into.append(sourcesShow(finding));
    if (threads) { /* what a line of memory held says nothing of two threads of one kernel */ } else if (life) lifeShow(into, life, report, finding, step, moved);
    else if (timeline) into.append(el('p', 'dim', 'This trace has no single accesses of the line, so its life cannot be drawn. Record them: vtegra view -- PROGRAM'));
    if (timeline) {
        const margin = arrow.length ? (arrow[arrow.length - 1].time - arrow[0].time) / 5 + 20 : 0;
        timelineShow(into, timeline, arrow, arrow.length ? [arrow[0].time - margin, arrow[arrow.length - 1].time + margin] : null);
    }
    into.append(el('h3', '', 'Facts'), factsTable([['where', finding.where], ['against', finding.other], ['rule', finding.section + ' (' + finding.standing + ')'],
        ['buffer', buffer && '#' + buffer.number + ' ' + buffer.kind + ', ' + buffer.api + ' at ' + buffer.where], ['times', finding.times], ['seen with', finding.run]]));
}
