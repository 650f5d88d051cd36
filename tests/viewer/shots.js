// SPDX-License-Identifier: MIT
// node shots.js CHROMIUM PAGE OUT_DIR [RUN-PAGE]: screenshots of the views at three sizes, light and dark, for a person to look at.
'use strict';
const fs = require('fs'), { browserOpen } = require('./browser.js');
const [chromium, page, out, runPage] = process.argv.slice(2);

const SIZES = [[1400, 900], [800, 600], [390, 800]];
// [name, address, what is waited for, what is done then]
const VIEWS = [
    ['first', '#lesson', 'document.querySelector("svg.board")', '0'],
    ['lesson03', '#lesson&name=03_wait_is_no_clean&outcome=0&step=6', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['lesson07', '#lesson&name=07_missing_clean&outcome=0&step=6', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['lesson18', '#lesson&name=18_store_buffer&outcome=0&step=2', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['lesson11', '#lesson&name=11_dla_past_l2&outcome=0&step=8', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['litmus', '#litmus&test=mp_interop_running&soc=orin&outcome=0&step=4', 'document.querySelector("#result button[data-step=back]:not(:disabled)")', '0'],
    ['litmus_big', '#litmus&test=iriw_device_none&soc=orin&outcome=0&step=8', 'document.querySelector("#result button[data-step=back]:not(:disabled)")', '0'],
    ['tables', '#lesson&name=tables', 'document.querySelector("#lessonbody table.cells td button")', '0'],
    ['lesson04', '#lesson&name=04_read_before_sync&outcome=0&step=2', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['lesson24', '#lesson&name=24_spin_in_l1&outcome=0&step=4', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['lesson27', '#lesson&name=27_igpu_to_dgpu&outcome=0&step=8', 'document.querySelector("#step button[data-step=back]:not(:disabled)")', '0'],
    ['costs', '#lesson&name=costs', 'document.querySelector("#predict .guess")', 'document.querySelectorAll("#predict [data-guess=pinned]").forEach(b => b.click())'],
    ['teach', '#lesson&name=teach', 'document.querySelector("#lessonbody h2")', '0'],
    ...(runPage ? [['run', '#run', 'document.querySelector("#finding svg")', '0']] : []),
];

async function main() {
    const b = await browserOpen(chromium), only = process.env.ONLY && new RegExp(process.env.ONLY);
    fs.mkdirSync(out, { recursive: true });
    for (const theme of process.env.THEMES ? process.env.THEMES.split(',') : ['light', 'dark']) {
        await b.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }] });
        for (const [w, h] of SIZES) {
            await b.size(w, h);
            for (const [name, hash, ready, then] of VIEWS) {
                if (only && !only.test(name + '_' + w)) continue;
                await b.open(name === 'run' ? runPage : page, hash);
                await b.until(name, ready + ' !== null');
                await b.run(then);
                await new Promise(done => setTimeout(done, 150));
                await b.shot(`${out}/${name}_${w}x${h}_${theme}.png`);
            }
        }
    }
    if (b.errors.length) console.log(b.errors.join('\n'));
    await b.close();
    console.log('screenshots in ' + out);
    process.exit(0); // its pipes may stay open
}

main().catch(e => { console.log('FAIL ' + e.message); process.exit(1); });
