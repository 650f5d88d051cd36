// SPDX-License-Identifier: MIT
// node drive.js CHROMIUM PAGE|--only-run|--only-life|--only-threads RUN-PAGE RULE: drives the page in a real browser (DevTools protocol over a pipe): every
// lesson is predicted, stepped to its end forward and back, answered wrongly and rightly; Litmus and Run likewise.
'use strict';
const { browserOpen } = require('./browser.js');
const [chromium, page, tracePage, rule] = process.argv.slice(2);
let b, run, check, until, open;

// Clicks a step button to its end. Return: [clicks, texts of the picture on the way].
const walk = (which, scope) => run(`(() => {
    const seen = [], b = () => document.querySelector('${scope} button[data-step=${which}]');
    while (b() && !b().disabled && seen.length < 1000) { b().click(); seen.push(document.querySelector('${scope}').textContent.length + ' ' + document.querySelector('${scope} .where').textContent); }
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
    const there = () => run('document.querySelector("#step button[data-step=forward]:not(:disabled)") !== null || document.querySelector("#answer") !== null');
    check(name + ': the picture is there before the predictions', await run('document.querySelector("#step svg.board .cell") !== null'));
    check(name + ': no steps before the predictions', !(await there()));
    for (const [soc, want] of predicts) {
        for (const guess of ['allowed', 'never']) {
            check(name + ': no steps before ' + soc, guess === 'never' || !(await there()));
            const row = `document.querySelector('[data-predict="${soc} ${guess}"]')`;
            await run(row + '.click()');
            await until(name + ': ' + soc + ' ' + guess, `/^. ${guess === want ? 'Right' : 'No'}/.test(${row}.parentNode.lastChild.textContent)`);
        }
    }
    await until(name + ': steps', 'document.querySelector("#step button[data-step=forward]:not(:disabled)") !== null');
}

async function lessons() {
    await open(page, '#lesson');
    const names = await run('Object.keys(DATA.lessons)');
    check('27 lessons', names.length >= 27);
    for (const name of names) {
        await run(`location.hash = '#lesson&name=${name}'`); // the page is open and follows the address
        const lesson = `lessonParse('${name}', DATA.lessons['${name}'])`;
        await until(name + ': there', `document.querySelector("#lessonbody h2") !== null && document.querySelector("#lessonbody h2").textContent === ${lesson}.title && document.querySelector("#predict") !== null && document.querySelector("#step svg.board") !== null`);
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
        check(name + ': it is not marked as solved yet', !(await run(`Progress.of('${name}').solved`)));
        await run(click('Show a solution'));
        check(name + ': no stale verdict', (await run('document.querySelector("#checked").textContent + document.querySelector("#attempt").textContent')) === '');
        await answer(name + ': solved', `lessonSolution(${lesson})`, 'good');
        check(name + ': solved stays marked', await run(`Progress.of('${name}').solved && document.querySelector('[data-lesson="${name}"] .mark').textContent === '✓' && !document.querySelector('#take').hidden`));
    }
    // What was predicted is there again, and the steps with it.
    await open(page, '#lesson&name=' + names[0]);
    await until('predictions are remembered', 'document.querySelector("#step button[data-step=forward]:not(:disabled)") !== null');
    await run(click('Predict again'));
    await until('and can be made again', 'document.querySelector("#step svg.board") !== null && document.querySelector("#skip") !== null && document.querySelector("#answer") === null');
    await run('localStorage.clear()');
}

// A lesson with the keyboard alone: to a guess by Tab and Enter, then every step forward and back by arrow keys.
async function keyboard() {
    for (const name of await run('Object.keys(DATA.lessons)')) {
        await open(page, '#lesson&name=' + name);
        await until(name + ': there', 'document.querySelector("#predict") !== null && document.querySelector("#step svg.board") !== null');
        const tabTo = async (what, test) => {
            for (let i = 0; i < 200; i++) {
                if (await run(test)) return true;
                await b.key('Tab');
            }
            check(name + ': Tab reaches ' + what, false);
            return false;
        };
        await tabTo('the steps', 'document.activeElement.id === "skip"');
        await b.key('Enter');
        await until(name + ': steps', 'document.querySelector("#step button[data-step=forward]:not(:disabled)") !== null');
        const n = await run('+document.querySelector("#step input[type=range]").max'), at = () => run('+document.querySelector("#step input[type=range]").value');
        for (let i = 0; i < n; i++) await b.key('ArrowRight');
        check(name + ': forward by key', n > 0 && await at() === n);
        for (let i = 0; i < n; i++) await b.key('ArrowLeft');
        check(name + ': back by key', await at() === 0);
    }
}

// The picture: every unit of the SoC, values on their way, the scrubber, both switches, small windows.
async function picture() {
    await open(page, '#lesson&name=11_dla_past_l2&outcome=0&step=8');
    await until('the DLA reads', '/read r0/.test((document.querySelector("#step .sentence") || {}).textContent)');
    const words = await run('document.querySelector("#step svg.board").textContent');
    for (const unit of ['CPU', 'store buffer', 'CPU caches', 'port', 'SMMU', 'iGPU', 'SM 0', 'L1', 'L2', 'copy engine', 'DLA', 'camera', 'DRAM']) check('the picture has: ' + unit, words.includes(unit));
    check('the DLA gets the old value over a way', (await run('document.querySelectorAll("#step .picture path.way").length')) === 1 && /x = 0/.test(await run('document.querySelector("#step .token").textContent')));
    check('the dirty line is in the L2, DRAM is stale', await run('document.querySelectorAll("#step .picture .cell.dirty").length === 1 && document.querySelectorAll("#step .picture .cell.memory.stale").length === 1'));
    check('a reader of the screen has it in words', /L2: x 1 dirty; DRAM: x 0 stale/.test(await run('document.querySelector("#step svg.board").getAttribute("aria-label")')));
    await run('const s = document.querySelector("#step input[type=range]"); s.value = 3; s.oninput()');
    check('the scrubber steps', /step 3 of 8/.test(await run('document.querySelector("#step .where").textContent')) && (await run('document.querySelector("td.lit").textContent')) === 'st.weak [x],1');
    for (const [id, off, on] of [['dark', 'light', 'dark'], ['motion', 'on', 'off']]) {
        const is = key => run(`document.documentElement.dataset.${id === 'dark' ? 'theme' : 'motion'} === '${key}'`);
        check(id + ' as the system has it', await is(off));
        await run(`$('${id}').click()`);
        check(id + ' switched', await is(on));
    }
    await run('document.querySelector("#step button[data-step=forward]").click()');
    check('without motion the value stands on its way at once', await run('document.querySelectorAll("#step .token.wait").length === 0'));
    await run('localStorage.clear()');
    for (const [width, height] of [[1400, 900], [800, 600], [390, 800]]) {
        await b.size(width, height);
        for (const hash of ['#lesson&name=05_attachment&outcome=0&step=3', '#lesson', '#litmus&test=iriw_device_none&soc=orin&outcome=3&step=9', '#lesson&name=plant&bug=3', '#run']) {
            await open(page, hash);
            await until('a picture', hash === '#run' || hash.includes('plant') ? '$("main").children.length > 0' : 'document.querySelector("svg.board") !== null');
            check(`${width}x${height} ${hash}: no horizontal scrolling`, await run('document.documentElement.scrollWidth <= innerWidth'));
        }
    }
    await open(page, '#lesson');
    await until('the list', 'document.querySelector("[data-lesson]") !== null');
    await run('document.querySelector(".side details").open = true; document.querySelector(\'[data-lesson="14_false_sharing"]\').click()');
    await until('the lesson', '/False sharing/.test(document.querySelector("#lessonbody h2").textContent) && document.querySelector("#step svg.board") !== null');
    check('390x800: the lesson is in view after a pick', await run('(() => { const r = document.querySelector("#lessonbody h2").getBoundingClientRect(); return r.top >= 0 && r.bottom < 200 && document.activeElement.tagName === "H2"; })()'));
    await b.size(1400, 900);
}

// What is no answer: a load, a store or a start left out, another value, other memory, an agent that faults.
async function cheats() {
    const cheat = async (name, edit, message) => {
        await run(`localStorage.clear(); partOpen('lesson', new URLSearchParams({ name: '${name}' })).then(() => document.querySelector('#skip').click())`);
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
    await until('an unknown lesson', '/There is no lesson "nonesuch"/.test($("lessonbody").textContent)');
    await open(page, '#lesson&name=17_stores_overtake&outcome=0&step=2');
    await until('a link to a step', 'document.querySelector("#step button[data-step=back]:not(:disabled)") !== null');
    check('it opens at the step', /outcome 1 of .* step 2 of/.test(await run('document.querySelector("#step .where").textContent')));
    check('words are explained', await run('document.querySelectorAll("#main details dt").length > 15'));
}

// Table 1 on three boards, against the table of docs/memory-model.md, which is the note's; a cell steps its test.
async function tables() {
    const want = { tx2: ['no access', 'cached in the L2', 'cached', 'no access', 'uncached', 'uncached', 'cached', 'cached in the L2', 'cached', 'cached in the L2'],
        orin: ['no access', 'cached in the L2', 'cached', 'no access', 'cached', 'uncached', 'cached', 'cached in the L2', 'cached', 'cached in the L2'],
        thor: ['no access', 'cached in the L2', 'cached', 'cached, coherent both ways', 'cached', 'uncached', 'cached', 'uncached', 'cached', 'cached, coherent both ways'] };
    const cells = '[...document.querySelectorAll("#lessonbody table.cells")[0].querySelectorAll("td button")].map(b => b.textContent)';
    for (const soc of Object.keys(want)) {
        await open(page, '#lesson&name=tables&soc=' + soc);
        await until('table 1 of ' + soc, cells + '.length === 10');
        const got = await run(cells);
        check(`table 1 of ${soc}: ${got}`, got.join() === want[soc].join());
    }
    for (const nth of [0, 1]) {
        await run(`document.querySelectorAll("#lessonbody table.cells")[${nth}].querySelectorAll("td button")[1].click()`);
        await until('a cell is stepped', 'document.querySelector("#lessonbody section:not([hidden]) button[data-step=forward]:not(:disabled)") !== null');
        check('its steps', (await walk('forward', '#lessonbody section')).length > 1);
    }
}

// Every step of every outcome of the shipped tests is drawn: each value that moves has a way inside the picture, and no text
// of a cell is wider than its cell.
async function all() {
    await open(page, '#run');
    const names = await run('Object.keys(DATA.tests)');
    let boards = 0;
    for (const soc of ['tx2', 'orin', 'thor']) {
        for (let i = 0; i < names.length; i += 40) {
            const found = JSON.parse(await run(`(async () => {
                const bad = [];
                let n = 0;
                for (const name of ${JSON.stringify(names.slice(i, i + 40))}) {
                    const r = await litmus(DATA.tests[name], '${soc}');
                    if (r.error) continue;
                    for (const o of r.outcomes.filter((o, i) => i < 1 || o.matches)) {
                        for (let at = 0; at < o.path.length; at++, n++) {
                            const width = n % 3 ? 760 : 374, b = boardOfLitmus(r, '${soc}', o.path, at), d = boardDraw(b, width), L = boardLayout(b, width);
                            const out = d.ways.filter(w => w.points.some(([x, y]) => !(x >= -4 && x <= width + 4 && y >= -4 && y <= L.h + 22))).length;
                            if (out || d.ways.length !== b.moves.length || !b.sentence || /undefined|NaN|null/.test(d.svg.outerHTML)) bad.push(name + ' ' + o.text + ' step ' + at + ': ' + o.path[at].step + ' | ' + b.sentence + ' ' + out);
                        }
                    }
                }
                return JSON.stringify([n, bad]);
            })()`));
            boards += found[0];
            check(soc + ': pictures: ' + found[1].slice(0, 3).join('; '), found[1].length === 0);
        }
    }
    check('pictures were drawn: ' + boards, boards > 2000);
    console.log(boards + ' pictures');
}

// Sources in CUDA and C: each step of an agent whose line there is lights it.
async function sources() {
    for (const name of (await run('Object.keys(DATA.lessons)')).slice(0, 5)) {
        await open(page, `#lesson&name=${name}&outcome=0&step=1`);
        await until(name, 'document.querySelector("#step button[data-step=back]:not(:disabled)") !== null');
        const dark = await run(`(() => {
            const none = [], on = () => document.querySelector('#step button[data-step=forward]');
            for (;;) {
                const short = document.querySelector('table.program td.lit'), long = document.querySelectorAll('.listing li.lit');
                if (short && long.length !== 1) none.push(short.textContent + ' ' + long.length);
                if (on().disabled) return none;
                on().click();
            }
        })()`);
        check(name + ': a line of the source is lit with each operation: ' + dark, dark.length === 0);
    }
    check('litmus is explained in the first lesson', await run('lessonParse("01_table1_pageable", DATA.lessons["01_table1_pageable"]).cuda.includes("malloc")'));
}

// What it costs. Table 1: the CPU does not cache pinned memory below cc 7.2, so there device memory and copies cost less; above it
// the port is coherent, and no copy is needed.
async function costs() {
    await run('localStorage.clear()');
    await open(page, '#lesson&name=costs');
    await until('the lesson', 'document.querySelectorAll("#predict .guess").length === 9');
    check('no figures before the predictions', await run('document.querySelector("#lessonbody table.cells").closest("section").hidden'));
    await run('document.querySelectorAll("#predict [data-guess=\'device and copies\']").forEach(b => b.click())');
    const said = await run('[...document.querySelectorAll("#predict .verdict")].map(v => v.textContent)');
    check('TX2: device and copies; Orin and Thor not: ' + said, /Right/.test(said[0]) && /No/.test(said[1]) && /No/.test(said[2]));
    check('three tables, and the lesson is marked', await run('document.querySelectorAll("#lessonbody section:not([hidden]) table.cells").length === 3 && Progress.of("costs").solved'));
    await run('localStorage.clear()');
}

// The page leaves an operation out: the text as it is is refused, the whole one taken; the next bug is another one.
async function plant() {
    await open(page, '#lesson&name=plant&bug=1');
    const text = 'document.querySelector("#answer").value';
    const there = async before => { await until('a planted bug', `document.querySelector("#answer") && document.querySelector("#lessonbody h2").textContent === "Plant a bug" && ${text} !== ${JSON.stringify(before)}`); return run(text); };
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
    await until('litmus', 'document.querySelector("#result .where") !== null');
    check('a link opens its step', /outcome 2 of .* step 2 of/.test(await run('document.querySelector("#result .where").textContent')));
    // Arm ARM, write-allocate: a store to a line that the cache does not hold fills it first.
    await open(page, '#litmus&test=mp_pinned_none&soc=orin&outcome=1&step=3');
    await until('arrows', 'document.querySelector(".moves") !== null');
    check('arrows of a store', (await run('document.querySelector(".moves").textContent')) === 'This step moves: DRAM → CPU cache (y), CPU0 → CPU cache (y)');
    check('arrows are drawn', (await run('document.querySelectorAll(".picture path.way").length')) === 2);
    // A dirty line and DRAM with equal bytes: DC IVAC throws the line away (Arm ARM), whatever is in it; DC CIVAC writes it back.
    for (const [dc, moves] of [['DC IVAC', 'thrown away from CPU cache (h), thrown away from CPU cache (x)'], ['DC CIVAC', 'CPU cache → DRAM (h), CPU cache → DRAM (x)']]) {
        const dirty = encodeURIComponent('tegra T\n{ interop h = 1; interop x; same line h x; }\n CPU0 ;\n STR #1,[h] ;\n ' + dc + ',[x] ;\n DSB SY ;\n LDR W0,[x] ;\nexists (0:W0=0)\n');
        await open(page, '#litmus&soc=tx2&outcome=0&step=2&text=' + dirty);
        await until(dc, 'document.querySelector(".step.on") !== null && document.querySelector(".step.on").textContent.includes("' + dc + '")');
        check(dc + ': ' + await run('document.querySelector(".moves").textContent'), (await run('document.querySelector(".moves").textContent')) === 'This step moves: ' + moves);
    }
    check('a barrier is a step', /^CPU0  DSB SY  all before it is done/.test(await run('document.querySelectorAll(".step")[3].textContent')));
    // Both loads come before both stores: the stores are still on their way.
    await open(page, '#litmus&test=sb_pageable_none&soc=orin&outcome=0&step=2');
    await until('a store buffer', '/STR #1,.x./.test((document.querySelector(".agent .queue.full + text") || {}).textContent)');
    await run('$("text").value = "tegra T\\n{ pinned x; }\\n CPU0 ;\\n STR #1,[y] ;\\nexists (x=1)\\n"; $("text").oninput(); [...document.querySelectorAll("#main .bar button")].find(b => b.textContent === "Run").click()');
    await until('an error has line and column', '/test:4:\\d+: /.test($("result").textContent)');
    await run('$("text").value = "<img src=x onerror=alert(1)>"; [...document.querySelectorAll("#main .bar button")].find(b => b.textContent === "Run").click()');
    await until('markup is text', '/test:1:1: /.test($("result").textContent) && !document.querySelector("#result img")');
    // A search that explodes: the page lives on, and stop ends it.
    const rows = [...Array(7)].map((_, i) => ' STR #1,[a] | LDR W' + i + ',[b] | STR #2,[b] | LDR W' + i + ',[a] | STR #3,[a] | LDR W' + i + ',[b] ;').join('\\n');
    await run(`$("text").value = "tegra BIG\\n{ pageable a; pageable b; }\\n CPU0 | CPU1 | CPU2 | CPU3 | CPU4 | CPU5 ;\\n${rows}\\nexists (a=1)\\n"; [...document.querySelectorAll("#main .bar button")].find(b => b.textContent === "Run").click()`);
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

// A race inside a kernel: both threads, their accesses, what is missing, and the sources of both.
async function threads() {
    await until('the lives of two threads', 'document.querySelectorAll("#finding svg.threads .threadlife").length === 2');
    const texts = await run('[...document.querySelectorAll("#finding svg.threads text")].map(t => t.textContent)');
    check('the two threads: ' + texts, /^thread \d+ of block 0$/.test(texts[0]) && /^thread \d+ of block 0$/.test(texts[3]) && texts[0] !== texts[3] &&
        [texts[1], texts[4]].sort().join() === 'load,store' && [texts[2], texts[5]].every(t => /^kernel_races.cu:\d+$/.test(t)) && texts[6] === 'no __syncthreads() between the two');
    check('both sources', (await run('document.querySelectorAll("#finding figure.source figcaption").length')) === 2);
}

// Ticks, zoom, search, and the same by keyboard.
async function timeline() {
    const ticks = () => run('[...document.querySelectorAll("#finding svg.timeline .tick + text")].map(t => t.textContent)'), first = await ticks();
    check('the timeline has ticks: ' + first, first.length >= 2 && first.every(t => /^[\d.]+ (ns|µs|ms)$|^0$/.test(t)));
    const span = 'document.querySelector("#finding svg.timeline").getAttribute("aria-label")', before = await run(span);
    await run(click('Zoom in'));
    check('it zooms', (await run(span)) !== before);
    await run('document.querySelector("#finding .timelinebox").focus()');
    await b.key('-');
    check('and back by key', (await ticks()).length === first.length && (await run('document.querySelector("#finding .where").textContent')) === 'step 6 of 7');
    await b.key('Home');
    await run('const q = document.querySelector("#search"); q.value = "SCALE"; q.onchange()');
    check('it finds the kernel', /^1 found\. scale, 243/.test(await run('document.querySelector("#finding p.chosen").textContent')) && (await run('document.querySelectorAll("#finding .slice.found").length')) === 1);
    check('under the pointer', /^scale, 243.471 µs to 244.098 µs/.test(await run('document.querySelector("#finding .slice.found title").textContent')));
}

async function trace() {
    const back = await walk('back', '#finding'), forward = await walk('forward', '#finding');
    check('the life of the line has steps', back.length > 0 && back.length === forward.length);
    check('the timeline has tracks', await run('document.querySelectorAll("#finding svg.timeline .slice rect").length > 0'));
    // attach_other_stream.cu: main() reads out[i] in line 35, the kernel has written it in line 11, launched in line 32.
    const lit = await run('[...document.querySelectorAll("#finding figure.source li.lit")].map(li => li.textContent.trim())');
    check('the source of both places: ' + lit, /^sum \+= out\[i\];/.test(lit[0]) && /^out\[i\] = in\[i\] \* factor;$/.test(lit[1]) && /^scale<<</.test(lit[2]));
    // 2.1: the store of the kernel is dirty in the L2; the CPU finds its own older line and does not look there.
    await run('document.querySelector("#finding button[data-step=back]").click()');
    const cells = () => run('[...document.querySelectorAll("#finding .picture .cell title")].map(t => t.textContent)');
    check('the line when it is read: ' + await cells(), JSON.stringify((await cells()).filter(c => !/not recorded/.test(c))) === JSON.stringify(['#2 = v1: stale, an older value than another copy', '#2 = v2: dirty', '#2 = v0: stale, an older value than another copy']));
    check('the CPU gets the old version', (await run('document.querySelector("#finding .token").textContent')) === '#2 = v1');
    await timeline();
    const step = await run('new Promise(done => setTimeout(() => done(location.hash), 200))');
    check('the address has finding and step: ' + step, step === '#run&finding=0&step=6');
    await open(tracePage, '#run&finding=0&step=2');
    await until('a link opens the step', 'document.querySelector("#finding .where") !== null && /step 2 of 7/.test(document.querySelector("#finding .where").textContent)');
    await open(page, '#lesson');
    await until('a lesson', 'document.querySelector("svg.board") !== null');
    await run('(() => { const d = new DataTransfer(); d.items.add(new File(["# vtegra trace 1\\n@run soc=tx2 program=dropped\\n@end time_ns=5 status=0\\n"], "t")); dispatchEvent(new DragEvent("drop", { dataTransfer: d, cancelable: true })); })()');
    await until('a dropped trace', '$("runbody") !== null && /dropped on/.test($("runbody").textContent) && /No findings/.test($("runbody").textContent)');
    await open(page, '#run');
    await run('runBytes($("runbody"), new TextEncoder().encode("# vtegra trace 1\\n@run soc=tx2 program=\\"<b>x\\"\\n12 cpu NONE\\n"))');
    await until('a bad line', '/line 3: not a line/.test($("runbody").textContent)');
    await run('runBytes($("runbody"), new TextEncoder().encode("# vtegra trace 1\\n@run soc=tx2 program=\\"<b>x\\"\\n"))');
    await until('a cut trace', '/cut off/.test($("runbody").textContent) && /<b>x/.test($("runbody").textContent) && !document.querySelector("#run p b")');
    await run('runFile($("runbody"), { size: 2 ** 31, slice: () => new Blob(["{"]), arrayBuffer: () => { throw new Error("it must not be read"); } })');
    await until('a trace of 2 GB', '/has 2147483648 bytes and is no text of a trace; of others the page takes up to/.test($("runbody").textContent)');
    await run('runFile($("runbody"), { size: 12345678, name: "t", slice: () => new Blob(["#"]), arrayBuffer: () => new Promise(() => 0) }); 0');
    check('it says that it reads', (await run('$("runbody").textContent')) === 'Reading 12.3 MB ...');
    await run('runFile($("runbody"), { size: 9, slice: () => new Blob(["#"]), arrayBuffer: () => { throw new Error("gone"); } })');
    await until('a file that cannot be read', '/cannot be read: gone/.test($("runbody").textContent)');
    await run('runBytes($("runbody"), Uint8Array.of(40, 181, 47, 253, 0))');
    await until('a compact trace', '/compact trace/.test($("runbody").textContent)');
    await run('runBytes($("runbody"), new TextEncoder().encode("# vtegra trace 9\\n@run soc=tx2\\n"))');
    await until('another version', '/another version/.test($("runbody").textContent)');
    await run('runBytes($("runbody"), new TextEncoder().encode("{\\"version\\": 7}"))');
    await until('a report of another version', '/cannot be shown/.test($("runbody").textContent)');
}

async function main() {
    b = await browserOpen(chromium);
    ({ run, check, until, open } = b);
    await b.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'light' }, { name: 'prefers-reduced-motion', value: 'no-preference' }] });
    await b.size(1400, 900);
    await finding();
    if (page === '--only-life') await until('the life of the line', 'document.querySelector("#finding .picture svg.board") !== null && /of 7/.test(document.querySelector("#finding .where").textContent)');
    if (page === '--only-threads') await threads();
    if (!/^--only/.test(page)) {
        for (const part of [trace, lessons, keyboard, picture, all, sources, tables, costs, cheats, plant, litmus]) await part();
    }
    const outside = b.asked.filter(u => !/^(file|blob|about|data):/.test(u));
    check('nothing is asked of the network: ' + outside, outside.length === 0);
    check('no error in the page: ' + b.errors.join('\n'), b.errors.length === 0);
    console.log(b.checks - b.failed + ' of ' + b.checks + ' checks as expected');
}

main().catch(e => { b.failed++; console.log('FAIL ' + e.message); }).finally(() => b.close().then(() => process.exit(b.failed ? 1 : 0)));
