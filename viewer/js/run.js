// SPDX-License-Identifier: MIT
// Run: a trace or a JSON report opens at its first finding, with the timeline and the life of the line.
'use strict';

const DATA_MAX = 256 << 20;

// @query: the finding and the step of a link.
function reportShow(into, run, query) {
    const report = run.report, list = el('div'), items = el('ul', 'findings'), body = el('article'), two = el('div', 'withside'), filter = el('select'), label = el('label', '', 'Buffer');
    const findings = report.findings.concat(report.advice), asked = query && query.has('finding') ? findings[+query.get('finding')] : null;
    let chosen = asked || findings[0], step = asked && query.has('step') ? +query.get('step') : null;
    filter.append(new Option('all buffers', ''), ...report.buffers.map(b => new Option('#' + b.number + ' ' + b.kind + ' at ' + b.where, b.number)));
    filter.onchange = draw;
    filter.id = 'buffer';
    label.htmlFor = 'buffer';
    list.append(el('h3', '', 'Findings'), label, filter, items);
    body.id = 'finding';
    two.append(list, body);
    const r = report.run;
    into.append(el('p', 'tight', r.program + ' on ' + r.module + ' (' + r.soc + '), ' + r.os + ', policy ' + r.policy), two);

    function moved(at) {
        step = at;
        if ($('data').textContent.trim()) hashSet('run', { finding: findings.indexOf(chosen), step: at }); // a link to a file on a disk would be to another page
    }
    function item(f) {
        const li = el('li'), b = button(f.severity + ': ' + f.rule + (f.where ? ' at ' + f.where : '') + (f.times > 1 ? ' (' + f.times + ' times)' : ''), () => { chosen = f; step = null; draw(); });
        b.className = 'pick' + (f === chosen ? ' on' : '');
        if (f === chosen) b.setAttribute('aria-current', 'true');
        li.append(b);
        return li;
    }
    function draw() {
        const shown = findings.filter(f => !filter.value || f.buffer === +filter.value);
        if (!shown.includes(chosen)) { chosen = shown[0]; step = null; }
        items.replaceChildren(...shown.map(item));
        if (chosen) return findingShow(body, run, chosen, step, moved);
        body.replaceChildren(el('p', 'good', 'No findings.'));
        if (run.timeline) timelineShow(body, run.timeline, [], null);
    }
    draw();
}

const refuse = (into, text) => into.replaceChildren(el('p', 'error', text));

async function reading(into, bytes) {
    into.replaceChildren(el('p', 'dim', 'Reading ' + (bytes < 1e6 ? bytes + ' bytes' : (bytes / 1e6).toFixed(1) + ' MB') + ' ...'));
    await drawn();
}

function excerptShow(into, file) {
    const progress = el('progress'), label = el('label', '', 'Reading ' + (file.size / 1e6).toFixed() + ' MB, twice: ');
    progress.id = 'reading';
    label.htmlFor = 'reading';
    into.replaceChildren(label, progress);
    progress.value = 0;
    return excerptMake(file, progress);
}

// A file that the user has chosen; one that is too large is read in part.
async function runFile(into, file) {
    await reading(into, file.size);
    try {
        const first = new Uint8Array(await file.slice(0, 1).arrayBuffer())[0], isTrace = first === 35 || first === 64; // "#" or "@": its text
        if (!isTrace && file.size > DATA_MAX) {
            return refuse(into, 'This file has ' + file.size + ' bytes and is no text of a trace; of others the page takes up to ' + DATA_MAX + '. `vtegra view FILE` makes a page of a compact trace of any size.');
        }
        return await runBytes(into, file.size > EXCERPT_MAX && isTrace ? await excerptShow(into, file) : new Uint8Array(await file.arrayBuffer()));
    } catch (e) {
        return refuse(into, 'This file cannot be read: ' + e.message);
    }
}

async function runBytes(into, bytes, query) {
    await reading(into, bytes.length);
    if (String(bytes.subarray(0, 4)) === '40,181,47,253') { // zstd's magic
        return refuse(into, 'This is a compact trace. `vtegra view FILE` makes a page of it; `vtegra report --text FILE` its text, which can be opened here.');
    }
    if (bytes[0] === 123) { // "{": a JSON report
        try {
            const report = JSON.parse(new TextDecoder().decode(bytes));
            if (report.version !== 1 || !report.findings) throw new Error('it is no report of `vtegra run --json`, version 1');
            into.replaceChildren();
            return reportShow(into, { report }, query);
        } catch (e) {
            return refuse(into, 'This JSON cannot be shown: ' + e.message);
        }
    }
    const excerpt = /\n# excerpt ([^\n]+)\n/.exec(new TextDecoder().decode(bytes.subarray(0, 4096))), answer = await ask({ trace: bytes });
    if (answer.error) return refuse(into, answer.error);
    const timeline = timelineRead(answer.timeline);
    into.replaceChildren();
    if (excerpt) into.append(el('p', 'note', 'A large trace: this page has what surrounds the findings, ' + excerpt[1] + '. Sums of bytes and hits are of these.'));
    if (answer.cut) into.append(el('p', 'error', 'The trace ends before the run did: it was cut off. This is what is there.'));
    reportShow(into, { timeline, report: answer.report, lives: answer.lives }, query);
}

async function runOpen(into, query) {
    const file = el('input'), out = el('div'), label = el('label', '', 'A trace of `vtegra run --trace FILE`, or a report of `--json FILE`: '), line = el('p');
    file.type = 'file';
    file.id = 'file';
    label.htmlFor = 'file';
    line.append(label, file);
    file.onchange = () => file.files[0] && runFile(out, file.files[0]);
    out.id = 'runbody';
    const built = $('data').textContent.trim(), other = el('details');
    other.open = !built;
    other.append(el('summary', '', 'Open a file'), line, el('p', 'dim', 'Or drop the file on the page.'));
    into.replaceChildren(el('h2', '', 'Run'), other, out);
    if (!built) return;
    await reading(out, built.length * 3 / 4);
    return runBytes(out, Uint8Array.from(atob(built), c => c.charCodeAt(0)), query);
}

// A file that is dropped anywhere on the page opens in Run.
function dropsTake() {
    addEventListener('dragover', e => { e.preventDefault(); document.body.classList.add('drop'); });
    addEventListener('dragleave', e => { if (!e.relatedTarget) document.body.classList.remove('drop'); });
    addEventListener('drop', async e => {
        e.preventDefault();
        document.body.classList.remove('drop');
        const file = e.dataTransfer && e.dataTransfer.files[0];
        if (!file) return;
        if (!$('runbody')) await partOpen('run', new URLSearchParams());
        await runFile($('runbody'), file);
    });
}
