// SPDX-License-Identifier: MIT
// node firefox.js FIREFOX PAGE RUN-PAGE [SHOT.png]: the page in Firefox (Marionette, its own protocol over TCP): a lesson is drawn and
// stepped, a litmus test is searched in the Worker, a run opens at its finding.
'use strict';
const { spawn } = require('child_process'), fs = require('fs'), net = require('net'), os = require('os'), path = require('path');
const [firefox, page, runPage, shot] = process.argv.slice(2);
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'vtegra-firefox-')), PORT = 20000 + process.pid % 20000;

fs.writeFileSync(profile + '/user.js', `user_pref("marionette.port", ${PORT});\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\nuser_pref("app.update.enabled", false);\nuser_pref("network.proxy.type", 0);\n`);
const browser = spawn(firefox, ['--headless', '--no-remote', '--marionette', '--profile', profile, 'about:blank'], { stdio: 'ignore' });
let socket, number = 0, rest = Buffer.alloc(0), failed = 0, checks = 0;
const waiting = new Map();

// A message is "LENGTH:JSON".
function received(data) {
    rest = Buffer.concat([rest, data]);
    for (;;) {
        const colon = rest.indexOf(58), length = colon < 0 ? 0 : +rest.subarray(0, colon);
        if (colon < 0 || rest.length < colon + 1 + length) return;
        const m = JSON.parse(rest.subarray(colon + 1, colon + 1 + length));
        rest = rest.subarray(colon + 1 + length);
        if (Array.isArray(m) && waiting.has(m[1])) waiting.get(m[1])(m);
    }
}

async function send(command, params) {
    const id = ++number, answer = new Promise(done => waiting.set(id, done)), text = JSON.stringify([0, id, command, params || {}]);
    socket.write(Buffer.byteLength(text) + ':' + text);
    const [, , error, result] = await answer;
    if (error) throw new Error(command + ': ' + JSON.stringify(error).slice(0, 400));
    return result;
}

const run = async text => (await send('WebDriver:ExecuteScript', { script: 'return ' + text, args: [] })).value;

async function connect() {
    for (let i = 0; i < 300; i++) {
        const s = await new Promise(done => { const c = net.connect(PORT, '127.0.0.1', () => done(c)); c.on('error', () => done(null)); });
        if (s) return s;
        await new Promise(done => setTimeout(done, 100));
    }
    throw new Error('Firefox does not answer');
}

async function until(what, text) {
    checks++;
    for (let i = 0; i < 600; i++) {
        if (await run(text)) return;
        await new Promise(done => setTimeout(done, 50));
    }
    failed++;
    console.log('FAIL in time: ' + what);
}

function check(what, good) {
    checks++;
    if (!good) {
        failed++;
        console.log('FAIL ' + what);
    }
}

async function main() {
    const open = (file, hash) => send('WebDriver:Navigate', { url: 'file://' + path.resolve(file) + hash });
    socket = await connect();
    socket.on('data', received);
    await send('WebDriver:NewSession', {});
    await open(page, '#lesson&name=11_dla_past_l2&outcome=0&step=7');
    await until('a lesson at its step', 'document.querySelector("#step .where") !== null && /step 7 of 8/.test(document.querySelector("#step .where").textContent)');
    await run('document.querySelector("#step button[data-step=forward]").click()');
    check('a step forward moves x = 0 to the DLA', (await run('document.querySelector("#step .moves").textContent')) === 'This step moves: DRAM → DLA0 (x)' && (await run('document.querySelectorAll("#step .picture path.way").length')) === 1);
    check('no horizontal scrolling', await run('document.documentElement.scrollWidth <= innerWidth'));
    await send('WebDriver:Navigate', { url: 'about:blank' });
    await open(page, '#litmus&test=mp_interop_running&soc=orin');
    await until('litmus', 'document.querySelector("#result svg.board") !== null');
    await send('WebDriver:Navigate', { url: 'about:blank' });
    await open(runPage, '#run&finding=0&step=2');
    await until('a run at its step', 'document.querySelector("#finding .where") !== null && /step 2 of/.test(document.querySelector("#finding .where").textContent)');
    check('the timeline is drawn', await run('document.querySelectorAll("#finding svg.timeline .slice").length > 0'));
    if (shot) fs.writeFileSync(shot, Buffer.from((await send('WebDriver:TakeScreenshot', { full: false })).value, 'base64'));
    console.log(checks - failed + ' of ' + checks + ' in Firefox as expected');
}

main().catch(e => { failed++; console.log('FAIL ' + e.message); }).finally(() => {
    browser.on('exit', () => {
        fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
        process.exit(failed ? 1 : 0);
    });
    browser.kill();
});
