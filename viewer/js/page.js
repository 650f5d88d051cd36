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

// A pause in which the browser draws what has changed.
const drawn = () => new Promise(done => setTimeout(done, 30));

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
    waiting.forEach(done => done({ stopped: true, error: why || 'Stopped. A test with fewer operations or agents has fewer states.' }));
}

// What was asked before is not searched again: a lesson asks the same of each answer.
const Known = new Map();

async function litmus(text, soc) {
    const key = soc + '\n' + text;
    if (!Known.has(key)) {
        if (Known.size > 60) Known.clear();
        const r = await ask({ text, soc, profile: DATA.profiles[soc], limit: 2000000 });
        if (r.stopped) return r;
        r.soc = soc;
        Known.set(key, r);
    }
    return Known.get(key);
}

// A search that gave up has no verdict.
const verdictOf = r => r.error ? (r.absent ? 'absent' : 'error') : r.verdict || 'unknown';
const happens = r => verdictOf(r) === 'allowed' || verdictOf(r) === 'fails';

// The address carries text, SoC, outcome and step: a link shows what the page shows. Browsers refuse an address that changes
// hundreds of times in seconds, as steps do while a key is held: the last one of a tenth of a second counts.
let hashTimer;

function hashSet(part, values) {
    const query = new URLSearchParams(values);
    clearTimeout(hashTimer);
    hashTimer = setTimeout(() => history.replaceState(null, '', '#' + part + '&' + query), 100);
}

function hashGet(url) {
    clearTimeout(hashTimer);
    const [part, ...rest] = new URL(url).hash.slice(1).split('&');
    return [part, new URLSearchParams(rest.join('&'))];
}
