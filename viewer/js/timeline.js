// SPDX-License-Identifier: MIT
// The timeline of a run, read from Perfetto's track events as trace/perfetto.c writes them.
'use strict';

// Fields of a message: [number, value] with value a number, or bytes.
function* protoFields(bytes) {
    let at = 0;
    const varint = () => {
        let value = 0, factor = 1, byte;
        do {
            byte = bytes[at++];
            value += (byte & 127) * factor;
            factor *= 128;
        } while (byte > 127);
        return value;
    };
    while (at < bytes.length) {
        const key = varint(), field = Math.floor(key / 8), wire = key % 8;
        if (wire === 0) {
            yield [field, varint()];
        } else if (wire === 1) {
            yield [field, Number(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0, true))];
            at += 8;
        } else {
            const length = varint();
            yield [field, bytes.subarray(at, at + length)];
            at += length;
        }
    }
}

const protoText = bytes => new TextDecoder().decode(bytes);

function trackRead(t, bytes) {
    const track = { name: '', counter: false, slices: [], events: [] };
    let uuid;
    for (const [f, v] of protoFields(bytes)) {
        if (f === 1) uuid = v;
        if (f === 2) track.name = protoText(v);
        if (f === 8) track.counter = true;
        if (f === 3 || f === 4) for (const [g, w] of protoFields(v)) if (g === 6 || g === 5) track.name = protoText(w);
    }
    if (t.tracks.has(uuid)) t.tracks.get(uuid).name = track.name;
    else t.tracks.set(uuid, track);
}

function argsRead(bytes, event) {
    let name, value;
    for (const [f, v] of protoFields(bytes)) {
        if (f === 10) name = protoText(v);
        if (f === 6) value = protoText(v);
        if (f === 3) value = String(v);
    }
    event.args.push([name, value]);
}

function eventRead(t, bytes, time) {
    const e = { time, args: [], flows: [], ends: [] };
    for (const [f, v] of protoFields(bytes)) {
        if (f === 3) e.category = t.categories.get(v);
        if (f === 4) argsRead(v, e);
        if (f === 9) e.type = v;
        if (f === 10) e.name = t.names.get(v);
        if (f === 11) e.track = t.tracks.get(v);
        if (f === 47) e.flows.push(v);
        if (f === 48) e.ends.push(v);
    }
    if (e.type === 1) {
        (e.track.open = e.track.open || []).push(e);
    } else if (e.type === 2) {
        const begin = e.track.open && e.track.open.pop();
        if (begin) e.track.slices.push(Object.assign(begin, { end: time }));
    } else if (e.type === 3) {
        e.track.events.push(e);
        t.events.push(e);
    }
}

// Return: { tracks: Map, events, flows: id -> steps in order of time, span }
function timelineRead(bytes) {
    const t = { tracks: new Map(), names: new Map(), categories: new Map(), events: [], flows: new Map() };
    for (const [, packet] of protoFields(bytes)) {
        let time = 0, event;
        for (const [f, v] of protoFields(packet)) {
            if (f === 8) time = v;
            if (f === 60) trackRead(t, v);
            if (f === 11) event = v;
            if (f === 12) {
                for (const [kind, entry] of protoFields(v)) {
                    const pair = Object.fromEntries([...protoFields(entry)]);
                    (kind === 1 ? t.categories : t.names).set(pair[1], protoText(pair[2]));
                }
            }
        }
        if (event) eventRead(t, event, time);
    }
    t.events.forEach(e => e.flows.concat(e.ends).forEach(id => {
        if (!t.flows.has(id)) t.flows.set(id, []);
        t.flows.get(id).push(e);
    }));
    t.flows.forEach(steps => steps.sort((a, b) => a.time - b.time));
    return t;
}

const SVG = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, text) {
    const e = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
    if (text !== undefined) e.textContent = text;
    return e;
}
