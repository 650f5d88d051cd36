// SPDX-License-Identifier: MIT
'use strict';

const PARTS = { litmus: litmusOpen, run: runOpen, lesson: lessonsOpen, playground: playgroundOpen };
const TITLES = { litmus: 'Litmus', run: 'Run', lesson: 'Lessons', playground: 'Playground' };

function partOpen(part, query) {
    document.querySelectorAll('nav button[data-part]').forEach(b => {
        if (b.dataset.part === part) b.setAttribute('aria-current', 'page');
        else b.removeAttribute('aria-current');
    });
    document.title = TITLES[part] + ' - vtegra';
    return PARTS[part]($('main'), query);
}

engineOpen(Uint8Array.from(atob($('wasm').textContent.trim()), c => c.charCodeAt(0)));
switchesShow();
dropsTake();
playgroundShow();
document.querySelectorAll('nav button[data-part]').forEach(b => {
    b.onclick = () => { hashSet(b.dataset.part, {}); partOpen(b.dataset.part, new URLSearchParams()); };
});
$('stop').onclick = () => askStop();
$('skipnav').onclick = () => {
    const h = $('main').querySelector('article h2, h2');
    h.tabIndex = -1;
    h.focus();
};

// The arrow keys step the picture that has the focus in it, else the first one. Fields keep their keys.
const KEYS = { ArrowLeft: 'back', ArrowRight: 'forward' };

addEventListener('keydown', e => {
    if (!KEYS[e.key] || e.altKey || e.ctrlKey || e.metaKey || /^(TEXTAREA|INPUT|SELECT)$/.test(e.target.tagName)) return;
    const near = e.target.closest && e.target.closest('.stage'), b = (near || document).querySelector('button[data-step=' + KEYS[e.key] + ']');
    if (!b) return;
    e.preventDefault(); // the page does not scroll sideways
    b.click();
});
function hashOpen(url) {
    const [first, query] = hashGet(url);
    return partOpen(PARTS[first] ? first : $('data').textContent.trim() ? 'run' : 'lesson', query);
}

addEventListener('hashchange', e => hashOpen(e.newURL)); // the user's: the page itself replaces the address, which is no such event
hashOpen(location.href);
