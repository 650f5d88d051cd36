// SPDX-License-Identifier: MIT
// What an answer to a lesson keeps: loads, stores and starts of jobs with their values, and what memory they are in.
// Orders, scopes, dependencies, barriers, maintenance, waits and edges are the pupil's.
'use strict';

const KEEPS = { kind: l => l.kind + ' memory', init: l => 'with ' + l.init + ' in it at the beginning', size: l => l.size + ' bytes', place: l => 'where it is (same sector, line, l2)' };
const placeKey = l => l.line + '+' + l.offset;
const keepKey = (l, what) => what === 'place' ? placeKey(l) : l[what];

// Operations that must stay: [what is compared, what the pupil wrote].
const kept = t => t.memory.map((m, i) => [m, t.events[i]]).filter(([m]) => m !== null);
const sameKept = (a, b) => b !== undefined && String(kept(a).map(k => k[0])) === String(kept(b).map(k => k[0]));

function without(a, b) {
    const left = b.map(k => k[0]);
    return a.filter(([m]) => !left.includes(m) || !left.splice(left.indexOf(m), 1));
}

function threadKeeps(first, answer, mine) {
    if (sameKept(mine, first) || sameKept(mine, answer)) return null;
    const [missing] = without(kept(first), kept(mine)), [extra] = without(kept(mine), kept(first));
    const text = missing ? 'the lesson has "' + missing[1] + '", which your text does not have' : extra ? 'your text has "' + extra[1] + '", which the lesson does not have' : 'loads, stores and starts of jobs must stay in their order';
    return mine.name + ': ' + text + '. Loads, stores and starts of jobs must stay as they are, with their values.';
}

// @first: the lesson's text, @answer: its solution, @mine: the pupil's, as results; @may: what else may change. Return: null, or what does not fit.
function lessonKeeps(first, answer, mine, may) {
    const named = (r, list, name) => r[list].find(x => x.name === name), names = (r, list) => r[list].map(x => x.name);
    for (const list of ['locations', 'threads']) {
        const gone = names(first, list).find(n => !named(mine, list, n)), come = names(mine, list).find(n => !named(first, list, n) && !named(answer, list, n));
        if (gone || come) return (gone ? 'Your text does not have ' + gone : 'The lesson does not have ' + come) + ': memory and agents must stay.';
    }
    for (const l of mine.locations) {
        const wanted = [first, answer].map(r => named(r, 'locations', l.name)).filter(Boolean);
        const wrong = Object.keys(KEEPS).find(what => !may.includes(what) && !wanted.some(w => keepKey(w, what) === keepKey(l, what)));
        if (wrong) return l.name + ' must stay ' + KEEPS[wrong](wanted[0]) + '.';
    }
    for (const t of mine.threads) {
        const wanted = [first, answer].map(r => named(r, 'threads', t.name));
        if (wanted[0] && (wanted[0].sm !== t.sm || wanted[0].job !== t.job)) return t.name + ' must stay on its SM and in its job.';
        const wrong = wanted[0] && threadKeeps(wanted[0], wanted[1], t);
        if (wrong) return wrong;
    }
    return null;
}

// An agent that faults or waits for ever does not reach the outcome either: that is no answer, unless the solution's does it.
function lessonEnds(answer, mine) {
    const bad = r => r.outcomes.flatMap(o => o.fault.map(t => t + ' faults').concat(o.never_end.map(t => t + ' never ends')));
    const known = bad(answer);
    return bad(mine).find(b => !known.includes(b)) || null;
}
