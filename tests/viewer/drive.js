// SPDX-License-Identifier: MIT
// node drive.js CHROMIUM PAGE|--only-run RUN-PAGE RULE: drives the page in a real browser (DevTools protocol over a pipe): every
// lesson is predicted, stepped to its end forward and back, answered wrongly and rightly; Litmus and Run likewise.
'use strict';
const { spawn } = require('child_process'), fs = require('fs'), os = require('os'), path = require('path');
const [chromium, page, tracePage, rule] = process.argv.slice(2);
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'vtegra-page-'));
const browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe', '--user-data-dir=' + profile, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
let number = 0, rest = '', session, failed = 0, checks = 0;
const waiting = new Map(), asked = [], errors = [];

browser.stdio[4].on('data', data => {
    rest += data;
    for (let at; (at = rest.indexOf('\0')) >= 0; rest = rest.slice(at + 1)) {
        const m = JSON.parse(rest.slice(0, at));
        if (m.id) {
            waiting.get(m.id)(m);
            waiting.delete(m.id);
        } else if (m.method === 'Network.requestWillBeSent') {
            asked.push(m.params.request.url);
        } else if (m.method === 'Runtime.exceptionThrown') {
            errors.push(JSON.stringify(m.params.exceptionDetails).slice(0, 600));
        } else if (m.method === 'Log.entryAdded' && m.params.entry.level === 'error') {
            errors.push(m.params.entry.text);
        }
    }
});

const send = (method, params) => new Promise(done => {
    waiting.set(++number, done);
    browser.stdio[3].write(JSON.stringify({ id: number, method, params: params || {}, ...(session ? { sessionId: session } : {}) }) + '\0');
});

async function run(text) {
    const m = await send('Runtime.evaluate', { expression: text, awaitPromise: true, returnByValue: true });
    if (m.error || m.result.exceptionDetails) throw new Error(JSON.stringify(m.error || m.result.exceptionDetails).slice(0, 800) + '\nin ' + text);
    return m.result.result.value;
}

function check(what, good) {
    checks++;
    if (!good) {
        failed++;
        console.log('FAIL ' + what);
    }
}

// Until an expression is true; a minute is for hangs.
async function until(what, text) {
    for (let i = 0; i < 6000; i++) {
        if (await run(text)) return;
        await new Promise(done => setTimeout(done, 10));
    }
    check('in time: ' + what, false);
}

async function open(file, hash) {
    await send('Page.navigate', { url: 'about:blank' });
    await send('Page.navigate', { url: 'file://' + path.resolve(file) + (hash || '') });
    await until('the page is there', 'document.readyState === "complete" && typeof PARTS === "object"');
}

// Clicks a step button to its end. Return: [clicks, texts of the picture on the way].
const walk = (which, scope) => run(`(() => {
    const seen = [], b = () => document.querySelector('${scope} button[data-step=${which}]');
    while (b() && !b().disabled && seen.length < 1000) { b().click(); seen.push(document.querySelector('${scope}').textContent.length + ' ' + document.querySelector('${scope} .bar .dim').textContent); }
    return seen;
})()`);

const click = text => `[...document.querySelectorAll('button')].find(b => b.textContent === '${text}').click()`;
const checked = cls => `document.querySelector("#checked").className === "${cls}"`;

// Writes an answer, checks it, and waits for the verdict.
async function answer(what, value, cls) {
    await run(`document.querySelector('#answer').value = ${value}; document.querySelector("#answer").oninput(); document.querySelector("#check").click()`);
    await until(what, checked(cls));
    return run('document.querySelector("#checked").textContent');
}

// Both guesses for each SoC: the right one is told so. The steps come with the last SoC, not before.
async function predict(name, predicts) {
    const there = () => run('document.querySelector("#step") !== null || document.querySelector("#answer") !== null');
    check(name + ': no steps before the predictions', !(await there()));
    for (const [soc, want] of predicts) {
        for (const guess of ['allowed', 'never']) {
            check(name + ': no steps before ' + soc, guess === 'never' || !(await there()));
            const row = `document.querySelector('[data-predict="${soc} ${guess}"]')`;
            await run(row + '.click()');
            await until(name + ': ' + soc + ' ' + guess, `${row}.parentNode.lastChild.textContent.startsWith('${guess === want ? 'Right' : 'No'}')`);
        }
    }
    await until(name + ': steps', 'document.querySelector("#step button[data-step=forward]") !== null');
}

async function lessons() {
    await open(page, '#lesson');
    const names = await run('Object.keys(DATA.lessons)');
    check('20 lessons', names.length >= 20);
    for (const name of names) {
        await run(`location.hash = '#lesson&name=${name}'`); // the page is open and follows the address
        const lesson = `lessonParse('${name}', DATA.lessons['${name}'])`;
        await until(name + ': there', `document.querySelector("#lesson h2") !== null && document.querySelector("#lesson h2").textContent === ${lesson}.title`);
        check(name + ': the question and its buttons fit', /\bcan\b[^.?]*\?$/i.test(await run(lesson + '.question')));
        await predict(name, await run(lesson + '.predicts'));
        const forward = await walk('forward', '#step'), back = await walk('back', '#step');
        check(name + ': steps forward', forward.length > 0);
        check(name + ': as many back', forward.length === back.length);
        check(name + ': at the beginning again', /step 0 of/.test(back[back.length - 1] || ''));
        check(name + ': the text does not give the answer away', !(await run('/expect|teach/.test(document.querySelector("#answer").value)')));
        await run('document.querySelector("#check").click()');
        await until(name + ': checked', checked('error'));
        await run(click('Step what you wrote'));
        check(name + ': the answer that failed is stepped', (await walk('forward', '#attempt')).length > 0);
        await run(click('Show a solution'));
        check(name + ': no stale verdict', (await run('document.querySelector("#checked").textContent + document.querySelector("#attempt").textContent')) === '');
        await answer(name + ': solved', `lessonSolution(${lesson})`, 'good');
    }
}

// What is no answer: a load, a store or a start left out, another value, other memory, an agent that faults.
async function cheats() {
    const cheat = async (name, edit, message) => {
        await run(`partOpen('lesson', new URLSearchParams({ name: '${name}' })); 0`);
        await run('document.querySelector("#skip").click()');
        const lesson = `lessonParse('${name}', DATA.lessons['${name}'])`;
        const text = await answer(name + ' ' + edit, `lessonText(${lesson})${edit}`, 'error');
        check(name + ' ' + edit + ': ' + text, message.test(text));
    };
    await cheat('09_invalidate_too_early', '.replace("LDR W1,[x]", "          ")', /^CPU0: the lesson has "LDR W1,\[x\]"/);
    await cheat('17_stores_overtake', '.replace("STR #1,[x]", "          ")', /^CPU0: the lesson has "STR #1,\[x\]"/);
    await cheat('17_stores_overtake', '.replace("STR #1,[x]", "STR #0,[x]")', /^CPU0: the lesson has "STR #1,\[x\]"/);
    await cheat('17_stores_overtake', '.replace("pageable x", "pageable x = 1")', /^x must stay with 0 in it/);
    await cheat('17_stores_overtake', '.replace("STR #1,[x]", "STR #1,[z]").replace("STR #1,[y]", "STR #1,[x]").replace("[z]", "[y]")', /^CPU0: loads, stores and starts of jobs must stay in their order/);
    await cheat('20_doorbell', '.replace("doorbell K", "submit K  ")', /^CPU0: the lesson has "doorbell K"/);
    await cheat('12_one_way_coherency', '.replace(/interop/g, "managed")', /^x must stay interop memory/);
    await cheat('23_scopes', '.replace("iGPU1@sm1", "iGPU1@sm0")', /^iGPU1 must stay on its SM/);
    // "may change: kind", but the CPU cannot reach device memory at all.
    await cheat('03_wait_is_no_clean', '.replace("interop x", "device x")', /CPU0 faults/);
    await cheat('15_neighbour_sector', '.replace("same sector x y;", "")', /^y must stay where it is/);
    await run('location.hash = "#lesson&name=nonesuch"');
    await until('an unknown lesson', '/There is no lesson "nonesuch"/.test($("lesson").textContent)');
    await open(page, '#lesson&name=17_stores_overtake&outcome=0&step=2');
    await until('a link to a step', 'document.querySelector("#step .bar .dim") !== null');
    check('it opens at the step', /outcome 1 of .* step 2 of/.test(await run('document.querySelector("#step .bar .dim").textContent')));
    check('words are explained', await run('document.querySelectorAll("#main details dt").length > 15'));
}

// The page leaves an operation out: the text as it is is refused, the whole one taken; the next bug is another one.
async function plant() {
    await open(page, '#lesson&name=plant&bug=1');
    const text = 'document.querySelector("#answer").value';
    const there = async before => { await until('a planted bug', `document.querySelector("#answer") && document.querySelector("#lesson h2").textContent === "Plant a bug" && ${text} !== ${JSON.stringify(before)}`); return run(text); };
    const first = await there('');
    await run('document.querySelector("#check").click()');
    await until('the planted bug is refused', 'document.querySelector("#checked").className === "error"');
    await run(click('Show a solution') + '; document.querySelector("#check").click()');
    await until('the planted bug is found', 'document.querySelector("#checked").className === "good"');
    check('it says what was left out', /Left out was: (DC|DSB|DMB|l2|fence|membar)/.test(await run('document.querySelector("#checked").textContent')));
    await run(click('Another bug'));
    check('another bug', await there(first) !== first);
}

async function litmus() {
    await open(page, '#litmus&test=mp_pinned_none&soc=orin&outcome=1&step=2');
    await until('litmus', 'document.querySelector("#result .bar .dim") !== null');
    check('a link opens its step', /outcome 2 of .* step 2 of/.test(await run('document.querySelector("#result .bar .dim").textContent')));
    // Arm ARM, write-allocate: a store to a line that the cache does not hold fills it first.
    await open(page, '#litmus&test=mp_pinned_none&soc=orin&outcome=1&step=3');
    await until('arrows', 'document.querySelector(".moves") !== null');
    check('arrows of a store', (await run('document.querySelector(".moves").textContent')) === 'This step moves: DRAM → CPU cache (y), CPU0 → CPU cache (y)');
    check('arrows are drawn', (await run('document.querySelectorAll("svg.arrows line").length')) === 2);
    // A dirty line and DRAM with equal bytes: DC IVAC throws the line away (Arm ARM), whatever is in it; DC CIVAC writes it back.
    for (const [dc, moves] of [['DC IVAC', 'thrown away from CPU cache (h), thrown away from CPU cache (x)'], ['DC CIVAC', 'CPU cache → DRAM (h), CPU cache → DRAM (x)']]) {
        const dirty = encodeURIComponent('tegra T\n{ interop h = 1; interop x; same line h x; }\n CPU0 ;\n STR #1,[h] ;\n ' + dc + ',[x] ;\n DSB SY ;\n LDR W0,[x] ;\nexists (0:W0=0)\n');
        await open(page, '#litmus&soc=tx2&outcome=0&step=2&text=' + dirty);
        await until(dc, 'document.querySelector(".step.on") !== null && document.querySelector(".step.on").textContent.includes("' + dc + '")');
        check(dc + ': ' + await run('document.querySelector(".moves").textContent'), (await run('document.querySelector(".moves").textContent')) === 'This step moves: ' + moves);
    }
    check('a barrier is a step', /3  CPU0     DSB SY +all before it is done/.test(await run('document.querySelectorAll(".step")[3].textContent')));
    // Both loads come before both stores: the stores are still on their way.
    await open(page, '#litmus&test=sb_pageable_none&soc=orin&outcome=0&step=2');
    await until('a store buffer', '/in the store buffer of CPU0: STR/.test((document.querySelector(".way") || {}).textContent)');
    await run('$("text").value = "tegra T\\n{ pinned x; }\\n CPU0 ;\\n STR #1,[y] ;\\nexists (x=1)\\n"; $("text").oninput(); document.querySelector("#main .bar button").click()');
    await until('an error has line and column', '/test:4:\\d+: /.test($("result").textContent)');
    await run('$("text").value = "<img src=x onerror=alert(1)>"; document.querySelector("#main .bar button").click()');
    await until('markup is text', '/test:1:1: /.test($("result").textContent) && !document.querySelector("#result img")');
    // A search that explodes: the page lives on, and stop ends it.
    const rows = [...Array(7)].map((_, i) => ' STR #1,[a] | LDR W' + i + ',[b] | STR #2,[b] | LDR W' + i + ',[a] | STR #3,[a] | LDR W' + i + ',[b] ;').join('\\n');
    await run(`$("text").value = "tegra BIG\\n{ pageable a; pageable b; }\\n CPU0 | CPU1 | CPU2 | CPU3 | CPU4 | CPU5 ;\\n${rows}\\nexists (a=1)\\n"; document.querySelector("#main .bar button").click()`);
    await until('a stop button', '!$("stop").hidden');
    await run('$("stop").click()');
    await until('stopped', '/Stopped/.test($("result").textContent)');
    await run('$("test").value = "sb_pageable_none"; $("test").onchange()');
    await until('the page lives on', '/allowed/.test($("result").textContent)');
}

async function finding() {
    await open(tracePage);
    await until('the run is there', 'document.querySelector("#finding h3") !== null');
    check('it opens at its finding', (await run('document.querySelector("#finding h3").textContent')).includes(rule));
}

async function trace() {
    const back = await walk('back', '#finding'), forward = await walk('forward', '#finding');
    check('the life of the line has steps', back.length > 0 && back.length === forward.length);
    check('the timeline has tracks', await run('document.querySelectorAll("#finding svg rect").length > 0'));
    await open(page, '#run');
    await run('runBytes($("run"), new TextEncoder().encode("# vtegra trace 1\\n@run soc=tx2 program=\\"<b>x\\"\\n12 cpu NONE\\n"))');
    await until('a bad line', '/line 3: not a line/.test($("run").textContent)');
    await run('runBytes($("run"), new TextEncoder().encode("# vtegra trace 1\\n@run soc=tx2 program=\\"<b>x\\"\\n"))');
    await until('a cut trace', '/cut off/.test($("run").textContent) && /<b>x/.test($("run").textContent) && !document.querySelector("#run p b")');
    await run('runFile($("run"), { size: 2 ** 31, arrayBuffer: () => { throw new Error("it must not be read"); } })');
    await until('a trace of 2 GB', '/has 2147483648 bytes, the page takes up to/.test($("run").textContent)');
    await run('runFile($("run"), { size: 12345678, name: "t", arrayBuffer: () => new Promise(() => 0) }); 0');
    check('it says that it reads', (await run('$("run").textContent')) === 'Reading 12.3 MB ...');
    await run('runFile($("run"), { size: 9, arrayBuffer: () => { throw new Error("gone"); } })');
    await until('a file that cannot be read', '/cannot be read: gone/.test($("run").textContent)');
    await run('runBytes($("run"), Uint8Array.of(40, 181, 47, 253, 0))');
    await until('a compact trace', '/compact trace/.test($("run").textContent)');
    await run('runBytes($("run"), new TextEncoder().encode("# vtegra trace 9\\n@run soc=tx2\\n"))');
    await until('another version', '/another version/.test($("run").textContent)');
    await run('runBytes($("run"), new TextEncoder().encode("{\\"version\\": 7}"))');
    await until('a report of another version', '/cannot be shown/.test($("run").textContent)');
}

async function main() {
    const { result } = await send('Target.createTarget', { url: 'about:blank' });
    session = (await send('Target.attachToTarget', { targetId: result.targetId, flatten: true })).result.sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await send(domain + '.enable');
    await finding();
    if (page !== '--only-run') {
        await trace();
        await lessons();
        await cheats();
        await plant();
        await litmus();
    }
    const outside = asked.filter(u => !/^(file|blob|about|data):/.test(u));
    check('nothing is asked of the network: ' + outside, outside.length === 0);
    check('no error in the page: ' + errors.join('\n'), errors.length === 0);
    console.log(checks - failed + ' of ' + checks + ' checks as expected');
}

main().catch(e => { failed++; console.log('FAIL ' + e.message); }).finally(() => {
    browser.on('exit', () => {
        // Its children may still write while they end.
        fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
        process.exit(failed ? 1 : 0);
    });
    browser.kill();
});
