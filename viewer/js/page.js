// SPDX-License-Identifier: MIT
// What all parts of the page share: elements, the Worker, the address.
'use strict';

const $ = id => document.getElementById(id);

// An element with text: text is never markup.
function el(tag, cls, text) {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined && text !== null) e.textContent = text;
    return e;
}

function button(text, click) {
    const b = el('button', '', text);
    b.onclick = click;
    return b;
}

const Ask = { worker: null, number: 0, waiting: new Map(), busy: 0 };

function workerStart() {
    const source = new Blob([$('engine').textContent], { type: 'text/javascript' });
    Ask.worker = new Worker(URL.createObjectURL(source));
    Ask.worker.onmessage = m => {
        const done = Ask.waiting.get(m.data.number);
        Ask.waiting.delete(m.data.number);
        askShow();
        if (done) done(m.data.answer);
    };
    Ask.worker.onerror = e => askStop('The search ended: ' + e.message);
    Ask.worker.postMessage({ module: engineModule });
}

// A question to the Worker; the page stays alive, and its stop button ends a long search.
function ask(question) {
    if (!Ask.worker) workerStart();
    return new Promise(done => {
        const number = ++Ask.number;
        Ask.waiting.set(number, done);
        Ask.worker.postMessage({ ...question, number });
        setTimeout(askShow, 300);
    });
}

function askShow() {
    $('stop').hidden = Ask.waiting.size === 0;
}

function askStop(why) {
    const waiting = [...Ask.waiting.values()];
    Ask.worker.terminate();
    Ask.worker = null;
    Ask.waiting.clear();
    askShow();
    waiting.forEach(done => done({ error: why || 'Stopped. A test with fewer operations or agents has fewer states.' }));
}

const litmus = (text, soc) => ask({ text, soc, profile: DATA.profiles[soc], limit: 2000000 });

// A search that gave up has no verdict.
const verdictOf = r => r.error ? (r.absent ? 'absent' : 'error') : r.verdict || 'unknown';
const happens = r => verdictOf(r) === 'allowed' || verdictOf(r) === 'fails';

// The address carries text, SoC, outcome and step: a link shows what the page shows.
function hashSet(part, values) {
    const query = new URLSearchParams(values);
    history.replaceState(null, '', '#' + part + '&' + query);
}

function hashGet() {
    const [part, ...rest] = location.hash.slice(1).split('&');
    return [part, new URLSearchParams(rest.join('&'))];
}
