// SPDX-License-Identifier: MIT
'use strict';

const PARTS = { litmus: litmusOpen, run: runOpen, lesson: lessonsOpen };

function partOpen(part, query) {
    document.querySelectorAll('nav button[data-part]').forEach(b => b.classList.toggle('on', b.dataset.part === part));
    return PARTS[part]($('main'), query);
}

engineOpen(Uint8Array.from(atob($('wasm').textContent.trim()), c => c.charCodeAt(0)));
document.querySelectorAll('nav button[data-part]').forEach(b => {
    b.onclick = () => { hashSet(b.dataset.part, {}); partOpen(b.dataset.part, new URLSearchParams()); };
});
$('stop').onclick = () => askStop();
addEventListener('keydown', e => {
    const which = { ArrowLeft: 'back', ArrowRight: 'forward' }[e.key];
    const b = which && e.target.tagName !== 'TEXTAREA' && document.querySelector('button[data-step=' + which + ']');
    if (b) b.click();
});
function hashOpen(url) {
    const [first, query] = hashGet(url);
    return partOpen(PARTS[first] ? first : $('data').textContent.trim() ? 'run' : 'lesson', query);
}

addEventListener('hashchange', e => hashOpen(e.newURL)); // the user's: the page itself replaces the address, which is no such event
hashOpen(location.href);
