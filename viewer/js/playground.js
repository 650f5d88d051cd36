// SPDX-License-Identifier: MIT
// Playground: a CUDA program, typed here, runs on a board. The page has it only where `vtegra playground` serves it.
'use strict';

const PLAY_FIRST = String.raw`#include <cstdio>

__global__ void scale(int *a)
{
    a[threadIdx.x] *= 2;
}

int main()
{
    int *a;

    cudaMallocManaged(&a, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) {
        a[i] = i;
    }
    scale<<<1, 64>>>(a);
    printf("%d\n", a[21]); // what is missing before this line?
}
`;

const playHere = () => $('playground').textContent.trim() === 'here';
let playToken = '';

// The token comes with the address, once; the address that stays in the browser's history has none.
function playTokenTake(query) {
    if (query.has('token')) playToken = query.get('token');
    try {
        if (playToken) sessionStorage.setItem('vtegra-token', playToken);
        else playToken = sessionStorage.getItem('vtegra-token') || '';
    } catch (e) { /* a browser that keeps nothing */ }
    hashSet('playground', {});
}

function playgroundShow() {
    document.querySelector('nav button[data-part=playground]').hidden = !playHere();
}

function field(id, text, e) {
    const label = el('label', '', text);
    e.id = id;
    label.htmlFor = id;
    return [label, e];
}

async function playRun(source, soc, policy, seed, out) {
    out.replaceChildren(el('p', 'dim', 'Building and running on ' + soc + ' ...'));
    let answer;
    try {
        const r = await fetch('/run', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Vtegra-Token': playToken }, body: JSON.stringify({ source, soc, policy, seed }) });
        answer = await r.json();
    } catch (e) {
        return refuse(out, 'vtegra playground does not answer: ' + e.message + '. Is it still running?');
    }
    if (answer.error) return refuse(out, 'Not run: ' + answer.error + '.');
    const head = el('div'), body = el('div'), signal = { 134: 'SIGABRT', 136: 'SIGFPE', 137: 'SIGKILL', 139: 'SIGSEGV' }[answer.status];
    const how = answer.over ? answer.over : signal ? 'was ended by ' + signal + ', as on the board' : 'ended with ' + answer.status;
    head.append(el('h3', '', answer.built ? 'It ' + (/^stopped/.test(how) ? 'was ' : '') + how : 'It does not build'));
    if (answer.said) head.append(el('pre', 'said', answer.said));
    out.replaceChildren(head, body);
    head.tabIndex = -1;
    head.focus();
    if (!answer.data) return;
    $('sources').textContent = JSON.stringify({ 'play.cu': source });
    return runBytes(body, Uint8Array.from(atob(answer.data), c => c.charCodeAt(0)));
}

function playgroundOpen(into, query) {
    if (!playHere()) return into.replaceChildren(el('h2', '', 'Playground'), el('p', '', 'This page is a file. `vtegra playground` serves it with a field for a program.'));
    playTokenTake(query);
    const source = el('textarea', 'program'), soc = el('select'), policy = el('select'), seed = el('input'), out = el('div'), line = el('p', 'choices');
    try { source.value = localStorage.getItem('vtegra-play') || PLAY_FIRST; } catch (e) { source.value = PLAY_FIRST; }
    source.rows = 22;
    source.spellcheck = false;
    soc.append(...Object.keys(DATA.profiles).map(name => new Option(socOf(name).title, name, false, name === 'orin')));
    policy.append(...[['lazy', 'lazy: queued work runs as late as it may'], ['eager', 'eager: at once'], ['seeded', 'seeded: as a seed decides']].map(([name, text]) => new Option(text, name)));
    seed.type = 'number';
    seed.min = 1;
    seed.value = 1;
    seed.disabled = true;
    policy.onchange = () => { seed.disabled = policy.value !== 'seeded'; };
    out.setAttribute('aria-live', 'polite');
    const run = button('Run', async () => {
        try { localStorage.setItem('vtegra-play', source.value); } catch (e) { /* it is not kept */ }
        run.disabled = true;
        await playRun(source.value, soc.value, policy.value, +seed.value || 1, out);
        run.disabled = false;
    });
    line.append(...field('playsoc', 'SoC ', soc), ' ', ...field('playpolicy', 'Policy ', policy), ' ', ...field('playseed', 'Seed ', seed), ' ', run);
    source.onkeydown = e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) run.click(); };
    into.replaceChildren(el('h2', '', 'Playground'), el('p', '', 'Type a CUDA program: it is built and run on a virtual board, and each mistake with its memory is shown, with the life of the line. Ctrl+Enter runs it.'), ...field('playsource', 'The program, in CUDA C++', source), line, out);
}
