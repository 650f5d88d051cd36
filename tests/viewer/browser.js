// SPDX-License-Identifier: MIT
// A headless Chromium over the DevTools protocol by a pipe: what drive.js, axe.js and shots.js share.
'use strict';
const { spawn } = require('child_process'), fs = require('fs'), os = require('os'), path = require('path');

// Return: { send, run, until, open, size, asked, errors, check, failures, checks, close }
async function browserOpen(chromium) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'vtegra-page-'));
    const browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--remote-debugging-pipe', '--user-data-dir=' + profile, 'about:blank'],
        { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const b = { asked: [], errors: [], checks: 0, failed: 0 }, waiting = new Map();
    let number = 0, rest = '', session;

    browser.stdio[4].on('data', data => {
        rest += data;
        for (let at; (at = rest.indexOf('\0')) >= 0; rest = rest.slice(at + 1)) {
            const m = JSON.parse(rest.slice(0, at));
            if (m.id) {
                waiting.get(m.id)(m);
                waiting.delete(m.id);
            } else if (m.method === 'Network.requestWillBeSent') {
                b.asked.push(m.params.request.url);
            } else if (m.method === 'Runtime.exceptionThrown') {
                b.errors.push(JSON.stringify(m.params.exceptionDetails).slice(0, 600));
            } else if (m.method === 'Log.entryAdded' && m.params.entry.level === 'error') {
                b.errors.push(m.params.entry.text);
            }
        }
    });
    b.send = (method, params) => new Promise(done => {
        waiting.set(++number, done);
        browser.stdio[3].write(JSON.stringify({ id: number, method, params: params || {}, ...(session ? { sessionId: session } : {}) }) + '\0');
    });
    b.run = async text => {
        const m = await b.send('Runtime.evaluate', { expression: text, awaitPromise: true, returnByValue: true });
        if (m.error || m.result.exceptionDetails) throw new Error(JSON.stringify(m.error || m.result.exceptionDetails).slice(0, 800) + '\nin ' + text.slice(0, 400));
        return m.result.result.value;
    };
    b.check = (what, good) => {
        b.checks++;
        if (!good) {
            b.failed++;
            console.log('FAIL ' + what);
        }
    };
    // Until an expression is true; a minute is for hangs.
    b.until = async (what, text) => {
        for (let i = 0; i < 6000; i++) {
            if (await b.run(text)) return;
            await new Promise(done => setTimeout(done, 10));
        }
        b.check('in time: ' + what, false);
    };
    b.open = async (file, hash) => {
        await b.send('Page.navigate', { url: 'about:blank' });
        await b.send('Page.navigate', { url: 'file://' + path.resolve(file) + (hash || '') });
        await b.until('the page is there', 'document.readyState === "complete" && typeof PARTS === "object"');
    };
    b.size = (width, height) => b.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    const KEY_CODES = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9, Enter: 13, ' ': 32, Home: 36, End: 35, Escape: 27, '-': 189 };
    // A key as the keyboard sends it; @modifiers: 8 is shift.
    b.key = async (key, modifiers) => {
        const code = { key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: KEY_CODES[key], modifiers: modifiers || 0, ...(key === 'Enter' ? { text: '\r' } : key === ' ' || key === '-' ? { text: key } : {}) };
        await b.send('Input.dispatchKeyEvent', { type: code.text ? 'keyDown' : 'rawKeyDown', ...code });
        await b.send('Input.dispatchKeyEvent', { type: 'keyUp', ...code });
    };
    b.shot = async file => fs.writeFileSync(file, Buffer.from((await b.send('Page.captureScreenshot', { format: 'png' })).result.data, 'base64'));
    b.close = () => new Promise(done => {
        browser.on('exit', () => {
            // Its children may still write while they end.
            fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
            done();
        });
        browser.kill();
        setTimeout(() => browser.kill('SIGKILL'), 5000).unref(); // one that does not listen
    });

    const { result } = await b.send('Target.createTarget', { url: 'about:blank' });
    session = (await b.send('Target.attachToTarget', { targetId: result.targetId, flatten: true })).result.sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await b.send(domain + '.enable');
    return b;
}

module.exports = { browserOpen };
