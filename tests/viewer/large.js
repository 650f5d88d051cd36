// SPDX-License-Identifier: MIT
// node large.js CHROMIUM LARGE.html PAGE LARGE.txt: the page that `vtegra view` has made, and the page that reads the trace itself.
'use strict';
const { browserOpen } = require('./browser.js'), path = require('path');
const [chromium, made, page, trace] = process.argv.slice(2);

async function shown(b, what) {
    await b.until(what, 'document.querySelector("#finding h3") !== null || document.querySelector("#runbody .error") !== null');
    const text = await b.run('document.querySelector("#runbody").innerText');
    b.check(what + ': its finding: ' + text.slice(0, 300), /error: [a-z-]+ at .*read_before_sync/.test(text));
    b.check(what + ': how much of it is there', text.includes('this page has what surrounds the findings'));
    b.check(what + ': the life of the line', await b.run('document.querySelector("#finding svg.board") !== null'));
}

async function main() {
    const b = await browserOpen(chromium), begun = Date.now();
    await b.open(made, '#run');
    await shown(b, 'vtegra view');
    const second = Date.now();
    await b.open(page, '#run');
    await b.until('the field for a file', 'document.querySelector("#file") !== null');
    const field = await b.send('Runtime.evaluate', { expression: 'document.querySelector("#file")' });
    await b.send('DOM.setFileInputFiles', { files: [path.resolve(trace)], objectId: field.result.result.objectId });
    await shown(b, 'the page');
    if (b.errors.length) b.check(b.errors.join('\n'), false);
    console.log(`${second - begun} ms by vtegra view, ${Date.now() - second} ms by the page`);
    await b.close();
    process.exit(b.failed ? 1 : 0);
}

main().catch(e => { console.log('FAIL ' + e.message); process.exit(1); });
