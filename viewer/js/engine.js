// SPDX-License-Identifier: MIT
// The C code of vtegra in WebAssembly: also the text of the Worker.
'use strict';

const ENOSYS = 52;
let engineModule, engine;

function engineOpen(bytes) {
    engineModule = bytes instanceof WebAssembly.Module ? bytes : new WebAssembly.Module(bytes);
    const host = { wasi_snapshot_preview1: new Proxy({}, { get: () => () => ENOSYS }) }; // nothing is read or written
    engine = new WebAssembly.Instance(engineModule, host).exports;
    if (engine._initialize) engine._initialize();
}

function enginePut(bytes) {
    const at = engine.page_room(bytes.length + 1), memory = new Uint8Array(engine.memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return at;
}

function engineTake(at) {
    const memory = new Uint8Array(engine.memory.buffer), end = memory.indexOf(0, at);
    const text = new TextDecoder().decode(memory.slice(at, end));
    engine.page_drop(at);
    return JSON.parse(text);
}

// A trap (out of memory) leaves the instance unusable: a fresh one answers the next question.
function engineTry(work) {
    try {
        return work();
    } catch (e) {
        engineOpen(engineModule);
        return { error: 'This needs more memory than a page can have (' + e.message + '). Make it smaller, or use vtegra itself.' };
    }
}

const bytesOf = digits => (digits.match(/../g) || []).map(d => parseInt(d, 16));

const encode = text => new TextEncoder().encode(text);

function engineLitmus(text, profile, soc, limit) {
    return engineTry(() => {
        const args = [enginePut(encode(text)), enginePut(encode(profile)), enginePut(encode(soc))];
        const result = engineTake(engine.page_litmus(...args, 1, limit || 0));
        args.forEach(a => engine.page_drop(a));
        return result;
    });
}

function engineRun(bytes) {
    return engineTry(() => {
        const at = enginePut(bytes), result = engineTake(engine.page_run(at, bytes.length));
        const from = engine.page_timeline();
        result.timeline = new Uint8Array(engine.memory.buffer).slice(from, from + engine.page_timeline_bytes());
        engine.page_drop(at);
        if (result.report) result.lives = livesOf(bytes, result.report);
        return result;
    });
}

if (typeof WorkerGlobalScope !== 'undefined' && self instanceof WorkerGlobalScope) {
    onmessage = message => {
        const ask = message.data;
        if (ask.module) {
            engineOpen(ask.module);
        } else {
            const answer = ask.trace ? engineRun(ask.trace) : engineLitmus(ask.text, ask.profile, ask.soc, ask.limit);
            postMessage({ number: ask.number, answer });
        }
    };
}
