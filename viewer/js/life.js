// SPDX-License-Identifier: MIT
// The life of a finding's line, read from the text of a trace: every record of the line up to the finding. A part of the Worker.
'use strict';

const LIFE_STEPS = 60; // the last of them; a line that lives longer has had its mistake long before

const lifeFields = words => Object.fromEntries(words.map(w => { const at = w.indexOf('='); return [w.slice(0, at), w.slice(at + 1)]; }));

// "name="of what" rest" of a note.
const noteField = (line, name) => { const m = new RegExp(' ' + name + '=("((?:[^"\\\\]|\\\\.)*)"|\\S+)').exec(line); return m ? m[2] === undefined ? m[1] : m[2] : ''; };

const plainName = name => { const m = /^_Z(\d+)(.*)/.exec(name); return m ? m[2].slice(0, +m[1]) : name; };

// Does a record concern the 64 bytes at @line? Masks of the iGPU and of DLAs are of 128 bytes.
function lifeConcerns(event, f, line) {
    const pa = Number(f.pa), half = line % 128 === 0 ? 'low' : 'high';
    if (/^(GPU|DLA)_(LOAD|STORE)$/.test(event) || event === 'L2_WRITEBACK') return pa - pa % 128 === line - line % 128 && !/^(0x)?0*$/.test(f[half]);
    if (event === 'L2_FILL') return pa - pa % 128 === line - line % 128 && (Number(f.sectors) & (half === 'low' ? 3 : 12)) !== 0;
    if (event === 'L2_EVICT') return pa - pa % 128 === line - line % 128;
    if (f.len !== undefined && /^CPU_(CLEAN|INVALIDATE)/.test(event)) return pa < line + 64 && pa + Number(f.len) > line;
    return pa - pa % 64 === line;
}

const LIFE_WHOLE = /^(L2_CLEAN|L2_INVALIDATE)$/; // maintenance of a whole cache

class Lives {
    constructor(report) {
        this.findings = report.findings.concat(report.advice);
        this.lives = this.findings.map(() => null);
        this.kernels = new Map();
        this.running = new Map();
        this.watched = [];
        this.regions = new Map();
        this.findings.forEach((f, i) => {
            const buffer = report.buffers.find(b => b.number === f.buffer);
            if (buffer && f.offset !== null && f.offset !== undefined) this.regions.set(String(buffer.region), (this.regions.get(String(buffer.region)) || []).concat(i));
        });
    }
    add(i, step) {
        const steps = this.lives[i].steps, last = steps[steps.length - 1];
        if (last && last.event === step.event && last.agent === step.agent && last.by === step.by && step.event[0] !== '@') last.times++;
        else steps.push({ ...step, times: 1 });
        if (steps.length > LIFE_STEPS) { steps.shift(); this.lives[i].cut = true; }
    }
    record(line) {
        const words = line.split(' '), [time, agent, event] = words, f = lifeFields(words.slice(3));
        if (event === 'REGION_ADD' && this.regions.has(f.region)) {
            this.regions.get(f.region).forEach(i => {
                const pa = Number(f.pa) + this.findings[i].offset;
                this.lives[i] = { line: pa - pa % 64, steps: [], cpuCached: f.cpu_cached === '1' };
                this.watched = this.watched.filter(w => w !== i).concat(i);
            });
        }
        if (event === 'GRID_BEGIN') this.running.set(f.by, this.kernels.get(f.grid_id) || '');
        if (!this.watched.length || (f.pa === undefined && !LIFE_WHOLE.test(event)) || event === 'REGION_ADD') return;
        const step = () => ({ time: +time, agent, by: f.by || '0', event, fields: f, kernel: agent === 'igpu' ? this.running.get(f.by) || '' : '' });
        this.watched.forEach(i => {
            const life = this.lives[i];
            if (LIFE_WHOLE.test(event) ? life.steps.length : lifeConcerns(event, f, life.line)) this.add(i, step());
        });
    }
    note(line) {
        const kind = line.slice(1, line.indexOf(' '));
        if (kind === 'kernel') this.kernels.set(noteField(line, 'id'), plainName(noteField(line, 'name')));
        if (kind === 'finding') {
            this.watched = this.watched.filter(i => {
                const f = this.findings[i], it = noteField(line, 'rule') === f.rule && (!f.where || line.includes(f.where)) && this.lives[i].steps.length;
                if (it) this.add(i, { time: null, agent: '', by: '', event: '@finding', fields: {}, kernel: '' });
                return !it;
            });
        } else if (kind === 'kernel' || kind === 'sync' || kind === 'attach') {
            const what = kind === 'kernel' ? 'launch of ' + plainName(noteField(line, 'name')) : noteField(line, 'api');
            this.watched.filter(i => this.lives[i].steps.length).forEach(i => this.add(i, { time: null, agent: 'cpu', by: '0', event: '@' + kind, fields: { what, where: noteField(line, 'where') }, kernel: '' }));
        }
    }
}

// Return: for each finding and advice of the report { line, steps, cpuCached, cut }, or null where no record is of its line.
function livesOf(bytes, report) {
    const lives = new Lives(report), text = new TextDecoder();
    if (lives.regions.size === 0) return [];
    for (let at = 0, end; (end = bytes.indexOf(10, at)) >= 0; at = end + 1) {
        if (end - at < 3 || bytes[at] === 35) continue; // '#'
        const line = text.decode(bytes.subarray(at, end));
        if (bytes[at] === 64) lives.note(line); // '@'
        else lives.record(line);
    }
    return lives.lives.map(l => l && l.steps.length ? l : null);
}
