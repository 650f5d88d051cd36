// SPDX-License-Identifier: MIT
// node page.js CHROMIUM ADDRESS: the program of the page runs, and its finding is shown with the program's text.
'use strict';
const { browserOpen } = require('../viewer/browser.js');
const [chromium, address] = process.argv.slice(2);

async function main() {
    const b = await browserOpen(chromium);
    await b.send('Page.navigate', { url: address });
    await b.until('the page is there', 'document.readyState === "complete" && typeof PARTS === "object"');
    await b.until('the field', 'document.querySelector("#playsource") !== null');
    await b.run('document.querySelector(".choices button").click()');
    await b.until('a finding', 'document.querySelector("#finding h3") !== null');
    const rule = await b.run('document.querySelector("#finding h3").textContent'), text = await b.run('document.querySelector("#finding").textContent');
    if (!/error|managed|race/.test(rule) || !text.includes('what is missing before this line')) throw new Error(rule + ': ' + text.slice(0, 400));
    if ((await b.run('location.href')).includes('token')) throw new Error('the token stays in the address');
    if (b.errors.length) throw new Error(b.errors.join('\n'));
    await b.close();
    process.exit(0);
}

main().catch(e => { console.log('FAIL ' + e.message); process.exit(1); });
