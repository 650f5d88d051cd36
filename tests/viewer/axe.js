// SPDX-License-Identifier: MIT
// node axe.js CHROMIUM AXE PAGE RUN-PAGE: axe-core finds nothing serious or critical on any view, light and dark, wide and narrow.
'use strict';
const fs = require('fs'), { browserOpen } = require('./browser.js');
const [chromium, axe, page, runPage] = process.argv.slice(2);

const ready = 'document.querySelector("svg.board") !== null', stepped = 'document.querySelector("#step button[data-step=back]:not(:disabled)") !== null';
// [file, address, what is waited for, what is done then]
const VIEWS = [
    [page, '#lesson', ready, '0'],
    [page, '#lesson&name=03_wait_is_no_clean&outcome=0&step=6', stepped, 'document.querySelectorAll("details").forEach(d => { d.open = true; })'],
    [page, '#lesson&name=18_store_buffer&outcome=0&step=2', stepped, 'document.querySelector("#check").click()'],
    [page, '#lesson&name=plant&level=2&bug=1', stepped.replace('back', 'forward'), '0'],
    [page, '#lesson&name=tables', 'document.querySelectorAll("#lessonbody td button").length > 12', 'document.querySelector("#lessonbody td button").click()'],
    [page, '#lesson&name=costs', 'document.querySelector("#predict .guess") !== null', 'document.querySelectorAll("#predict [data-guess=pinned]").forEach(b => b.click())'],
    [page, '#lesson&name=teach', 'document.querySelector("#lessonbody h2") !== null', 'document.querySelectorAll("details").forEach(d => { d.open = true; })'],
    [page, '#litmus&test=mp_interop_running&soc=orin&outcome=0&step=4', ready, '0'],
    [page, '#litmus&test=take_managed_no_sync&soc=orin&outcome=0&step=2', ready, '0'],
    [page, '#run', '$("runbody") !== null', '0'],
    [runPage, '#run', 'document.querySelector("#finding h3") !== null', '0'],
];

async function main() {
    const b = await browserOpen(chromium), source = fs.readFileSync(axe, 'utf8');
    let views = 0;
    for (const [theme, width, height] of [['light', 1400, 900], ['dark', 1400, 900], ['light', 390, 800]]) {
        await b.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
        await b.size(width, height);
        for (const [file, hash, wait, then] of VIEWS) {
            await b.open(file, hash);
            await b.until(hash, wait);
            await b.run(then);
            await b.run(source + '; 0');
            const found = JSON.parse(await b.run('axe.run(document, { resultTypes: ["violations"] }).then(r => JSON.stringify(r.violations.map(v => [v.impact, v.id, v.help, v.nodes.length, v.nodes[0].html.slice(0, 160), (v.nodes[0].any[0] || {}).message])))'));
            const serious = found.filter(f => f[0] === 'serious' || f[0] === 'critical');
            serious.forEach(f => console.log(`FAIL ${hash} ${theme} ${width}: ${f.join(' | ')}`));
            if (process.env.ALL) found.forEach(f => console.log(`${hash} ${theme} ${width}: ${f.join(' | ')}`));
            b.failed += serious.length;
            views++;
        }
    }
    console.log(`${views} views without a serious finding: ${b.failed === 0}`);
    await b.close();
    process.exit(b.failed ? 1 : 0);
}

main().catch(e => { console.log('FAIL ' + e.message); process.exit(1); });
