// SPDX-License-Identifier: MIT
// The lesson "What it costs": one program by kind of memory on three boards, from a recorded answer of `vtegra advise`
// (viewer/costs/; a test makes it again and compares).
'use strict';

const COSTS = { name: 'costs', title: 'What it costs' };
const COST_PARTS = [['kernels_ns', 'kernels'], ['cpu_ns', 'CPU'], ['copies_ns', 'copies'], ['caches_ns', 'maintenance of caches']];
const COST_GUESS = [['pinned', 'pinned memory'], ['device and copies', 'device memory and copies'], ['equal', 'about equal (within the error)']];

const costOf = (board, kind) => board.buffers[0].kinds.find(k => k.kind === kind);

// Which of the two is less, beyond the error that the answer names.
function costLess(board) {
    const pinned = costOf(board, 'pinned').ns, device = costOf(board, 'device and copies').ns, error = 1 + board.error_percent / 100;
    return pinned * error < device ? 'pinned' : device * error < pinned ? 'device and copies' : 'equal';
}

function costBar(kind, most) {
    const picture = svg('svg', { width: 300, height: 18, class: 'board costbar', 'aria-hidden': 'true' });
    let x = 0;
    COST_PARTS.forEach(([key], i) => {
        const w = 300 * kind[key] / most;
        picture.append(svg('rect', { x, y: 1, width: w, height: 16, class: 'cost' + i }));
        x += w;
    });
    return picture;
}

function costTable(board) {
    const table = el('table', 'cells'), launches = board.buffers[0].launches, most = Math.max(...board.buffers[0].kinds.map(k => k.ns));
    table.append(el('caption', '', `${socOf(board.soc).title}: a round, of ${launches}; two kinds compare within ${board.error_percent} %`), headRow(['memory', 'all', ...COST_PARTS.map(p => p[1]), 'drawn']));
    board.buffers[0].kinds.forEach(k => {
        const tr = el('tr'), th = el('th', '', k.kind);
        th.scope = 'row';
        tr.append(th);
        if (k.why_not) {
            const td = el('td', 'dim', k.why_not);
            td.colSpan = 2 + COST_PARTS.length;
            tr.append(td);
        } else {
            const drawn = el('td');
            drawn.append(costBar(k, most));
            tr.append(el('td', 'mono', timeText(Math.round(k.ns / launches))), ...COST_PARTS.map(([key]) => el('td', 'mono', k[key] ? timeText(Math.round(k[key] / launches)) : '–')), drawn);
        }
        table.append(tr);
    });
    return scrollBox('Costs on ' + board.soc, table);
}

function costsShow(body, changed) {
    const heading = el('h2', '', COSTS.title), guess = el('section'), shown = el('section'), take = el('section'), boards = DATA.costs.answer, before = Progress.of(COSTS.name).guesses || {}, open = new Set(boards.map(b => b.soc));
    heading.tabIndex = -1;
    guess.id = 'predict';
    shown.hidden = take.hidden = true;
    guess.append(el('h3', '', 'Predict'), el('p', '', 'Which costs less on each board: pinned memory that both sides share, or device memory with a copy in and a copy out?'));
    boards.forEach(board => {
        const bar = el('div', 'bar'), say = el('span', 'verdict'), want = costLess(board);
        const check = kind => {
            say.className = 'verdict ' + (kind === want ? 'good' : 'error');
            say.textContent = kind === want ? '✓ Right.' : '✗ No: ' + COST_GUESS.find(g => g[0] === want)[1] + '.';
            buttons.forEach(b => b.setAttribute('aria-pressed', b.dataset.guess === kind));
            open.delete(board.soc);
            Progress.put(COSTS.name, { guesses: { ...Progress.of(COSTS.name).guesses, [board.soc]: kind }, solved: open.size === 0 });
            changed();
            shown.hidden = take.hidden = open.size > 0;
        };
        const buttons = COST_GUESS.map(([kind, text]) => Object.assign(button(text, () => check(kind)), { className: 'guess' }));
        buttons.forEach((b, i) => { b.dataset.guess = COST_GUESS[i][0]; b.setAttribute('aria-pressed', 'false'); });
        bar.setAttribute('role', 'group');
        bar.setAttribute('aria-label', socOf(board.soc).title);
        say.setAttribute('role', 'status');
        bar.append(el('b', '', board.soc), ...buttons, say);
        guess.append(bar);
        if (before[board.soc]) check(before[board.soc]);
    });
    shown.append(el('h3', '', 'What vtegra advise says'), ...boards.map(costTable));
    take.append(el('h3', '', 'What you take away'), el('p', '', 'Below compute capability 7.2 the CPU does not cache pinned memory (CUDA for Tegra, Table 1): each of its accesses goes to DRAM. From Xavier on the CPU caches it and the port keeps it coherent, so a copy only adds time. Measure your own program: vtegra advise -- ./app.'));
    body.replaceChildren(heading, el('p', 'question', 'The CPU fills a buffer, a kernel changes it, the CPU sums it. What does a round cost, by kind of memory?'), guess, shown, take, scrollBox('The source', listingShow('The program', DATA.costs.source.split('\n').slice(2), 'cuda')));
}
