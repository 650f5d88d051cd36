// SPDX-License-Identifier: MIT
// A trace that is larger than the page takes, read from the disk piece by piece: what surrounds its findings. As tools/trace/view_excerpt.c
// chooses: all notes, the records of each finding's line of 64 bytes and those before it, and work as long as there is room.
'use strict';

const EXCERPT_MAX = 20 << 20, EXCERPT_PIECE = 16 << 20, EXCERPT_BEFORE = 2000;
const EXCERPT_WORK = [' REGION_', ' GRID_', ' DLA_TASK']; // a search of the whole file each

// Whole lines of the file, in turn: take(text, offset of its first byte). Traces are ASCII but for names, which keep their bytes.
async function excerptPieces(file, progress, take) {
    const latin = new TextDecoder('latin1');
    let rest = '';
    for (let at = 0; at < file.size; at += EXCERPT_PIECE) {
        const text = rest + latin.decode(await file.slice(at, at + EXCERPT_PIECE).arrayBuffer()), end = text.lastIndexOf('\n') + 1;
        take(text.slice(0, end));
        rest = text.slice(end);
        progress.value += Math.min(EXCERPT_PIECE, file.size - at);
        await new Promise(done => setTimeout(done, 0)); // the page stays alive
    }
    if (rest) take(rest + '\n');
}

const excerptNumber = (line, key) => { const m = new RegExp(' ' + key + '=(0x[0-9a-f]+|[0-9]+)').exec(line); return m ? BigInt(m[1]) : 0n; };

// Where lines begin that have @word, from @from: [first, behind the last].
function excerptLines(text, word, found) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        const from = text.lastIndexOf('\n', at) + 1, to = text.indexOf('\n', at) + 1;
        found.push([from, to]);
        at = to - 1;
    }
}

// [first, behind the last] of each note.
function excerptNotes(text) {
    const found = [];
    for (let at = text[0] === '@' ? 0 : text.indexOf('\n@') + 1; at > 0 || (found.length === 0 && text[0] === '@'); at = text.indexOf('\n@', found.at(-1)[1] - 1) + 1) {
        found.push([at, text.indexOf('\n', at) + 1]);
    }
    return found;
}

// Return: the bytes of an excerpt, as the page takes them.
async function excerptMake(file, progress) {
    const bases = new Map(), lines = new Set(), out = [];
    let bytes = 0, accesses = 0, work = 0, records = 0;
    progress.max = 2 * file.size;
    await excerptPieces(file, progress, text => {
        for (const [from, to] of excerptNotes(text)) {
            const line = text.slice(from, to);
            if (line.startsWith('@region ')) bases.set(excerptNumber(line, 'id'), excerptNumber(line, 'va'));
            if (line.startsWith('@finding ')) lines.add((bases.get(excerptNumber(line, 'region')) || 0n) + excerptNumber(line, 'offset') & ~63n);
        }
    });
    // Addresses of a line share all but two digits; others that do are left out below.
    const words = [...new Set([...lines].map(a => ' va=0x' + (a >> 8n).toString(16)))];
    await excerptPieces(file, progress, text => {
        const picked = new Map(excerptNotes(text).map(([from, to]) => [from, [to, 'note']])), notes = [...picked.keys()];
        for (const word of words) {
            const near = [];
            excerptLines(text, word, near);
            near.forEach(([from, to]) => lines.has(excerptNumber(text.slice(from, to), 'va') & ~63n) && !picked.has(from) && picked.set(from, [to, 'access']));
        }
        for (const word of EXCERPT_WORK) {
            const near = [];
            if (work < EXCERPT_MAX / 4) excerptLines(text, word, near);
            near.forEach(([from, to]) => !picked.has(from) && !text.slice(from, to).includes(' va=') && picked.set(from, [to, 'work']));
        }
        for (const at of notes.filter(n => text.startsWith('@finding ', n))) {
            for (let n = 0, from = at; n < EXCERPT_BEFORE && from > 0; n++) {
                const to = from;
                from = text.lastIndexOf('\n', to - 2) + 1;
                if (!picked.has(from)) picked.set(from, [to, 'access']);
            }
        }
        for (const [from, [to, kind]] of [...picked].sort((a, b) => a[0] - b[0])) {
            const n = to - from;
            if (kind === 'access' && (accesses += n) > EXCERPT_MAX / 2) continue;
            if (kind === 'work' && (work += n) > EXCERPT_MAX / 4) continue;
            if ((bytes += n) > EXCERPT_MAX) return;
            records += kind !== 'note';
            out.push(text.slice(from, to));
        }
    });
    return Uint8Array.from('# vtegra trace 1\n# excerpt ' + records + ' records of ' + (file.size / 1e6).toFixed() + ' MB\n' + out.join(''), c => c.charCodeAt(0));
}
