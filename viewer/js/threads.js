// SPDX-License-Identifier: MIT
// A race inside a kernel: the lives of its two threads, side by side, from the finding's own sentence (checker/rules/kernel_race.c).
'use strict';

const SIDE_OF = '(.+?) by thread (\\d+) of block (\\d+)';
const THREADS_OF = new RegExp('Here ' + SIDE_OF + '; before it ' + SIDE_OF + '; (.+?)\\. \\d+ such pairs? in this launch');
const MISSING_OF = {
    'kernel-race-block': 'no __syncthreads() between the two', 'kernel-race-warp': 'no __syncwarp() between the two', 'kernel-race-grid': 'nothing orders two blocks',
    'kernel-race-cluster': 'no cluster.sync() between the two',
    'kernel-race-scope': 'a scope leaves the other thread out', 'kernel-race-fence': 'a fence is missing', 'kernel-race-async': 'no wait for the copy',
    'kernel-race-same-value': 'nothing orders the two: one value',
};

// { later, earlier: { what, at, thread, block }, bytes }; null: the finding is no race inside a kernel.
function threadsOf(finding) {
    const m = MISSING_OF[finding.rule] && THREADS_OF.exec(finding.text);
    const side = i => { const [what, at] = m[i].split(' at '); return { what: what.replace(/^an? /, ''), at: at || '', thread: m[i + 1], block: m[i + 2] }; };
    return m ? { later: side(1), earlier: side(4), bytes: m[7] } : null;
}

const LIFE_WIDTH = 640, LIFE_BOX = { width: 250, height: 44 };

// One thread: its name, its life as a line, and its access as a box at @y.
function threadDraw(side, x, y, height) {
    const g = svg('g', { class: 'threadlife' }), left = x - LIFE_BOX.width / 2;
    g.append(svg('text', { x, y: 16, 'text-anchor': 'middle', class: 'name' }, 'thread ' + side.thread + ' of block ' + side.block),
        svg('line', { x1: x, x2: x, y1: 24, y2: height - 6, class: 'track' }),
        svg('rect', { x: left, y, width: LIFE_BOX.width, height: LIFE_BOX.height, rx: 6, class: 'access' }),
        svg('text', { x, y: y + 18, 'text-anchor': 'middle' }, side.what), svg('text', { x, y: y + 35, 'text-anchor': 'middle' }, side.at.replace(/^.*\//, '')));
    return g;
}

// The earlier one in this run is the upper one; the broken line is the order that is missing.
function threadsShow(finding) {
    const t = threadsOf(finding), height = 190, xs = [LIFE_BOX.width / 2 + 6, LIFE_WIDTH - LIFE_BOX.width / 2 - 6], ys = [34, 128];
    if (!t) return null;
    const words = MISSING_OF[finding.rule], say = t.earlier.what + ' by thread ' + t.earlier.thread + ' of block ' + t.earlier.block + ', then ' + t.later.what + ' by thread ' + t.later.thread + ' of block ' + t.later.block;
    const picture = svg('svg', { viewBox: `0 0 ${LIFE_WIDTH} ${height}`, width: LIFE_WIDTH, height, class: 'threads board', role: 'img', 'aria-label': say + ': ' + words });
    picture.append(threadDraw(t.earlier, xs[0], ys[0], height), threadDraw(t.later, xs[1], ys[1], height),
        svg('line', { x1: xs[0] + LIFE_BOX.width / 2, y1: ys[0] + LIFE_BOX.height, x2: xs[1] - LIFE_BOX.width / 2, y2: ys[1], class: 'lifeline' }),
        svg('text', { x: LIFE_WIDTH / 2, y: height / 2 + 12, 'text-anchor': 'middle', class: 'missing' }, words));
    const box = el('div', 'sources'), both = [sourceShow('here', t.later.at), sourceShow('against', t.earlier.at)].filter(Boolean), shown = el('div');
    shown.append(el('h3', '', 'The lives of the two threads'), el('p', 'dim tight', 'In this run the upper access came first: ' + t.bytes + '. Another run may have them the other way round.'), scrollBox('The lives of the two threads', picture));
    box.append(...both);
    shown.append(box);
    return shown;
}
