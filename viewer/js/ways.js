// SPDX-License-Identifier: MIT
// The way of a value through the picture: from an agent through queues, caches, SMMU and port to DRAM, or back.
'use strict';

function wayRect(L, p) {
    if (p.at === 'agent') return L.agents[p.i];
    if (p.at === 'buffer') return { ...L.agents[p.i], y: L.agents[p.i].y + L.agents[p.i].h - 20, h: 20 };
    if (p.at === 'smQueue') return L.queues[p.i];
    if (p.at === 'gpuQueue') return L.gpuQueue;
    return p.at === 'l1' ? L.l1[p.sm][p.i] : L[p.at][p.i];
}

const WAY_RANK = { agent: 0, buffer: 0, smQueue: 1, l1: 2, gpuQueue: 3, cpu: 4, l2: 4, dram: 5 };

function wayColumn(b, p) {
    if (p.at === 'agent' || p.at === 'buffer') return columnOf(b.agents[p.i]);
    return p.at === 'cpu' ? 'cpu' : p.at === 'dram' ? 'dram' : 'igpu';
}

// From a place of the upper row down to the lane above the caches, beside what lies below it.
function wayExit(b, L, p, r, lane, x) {
    const middle = Math.min(Math.max(x, r.x + 14), r.x + r.w - 14), column = wayColumn(b, p);
    if (column === 'igpu' && (p.at === 'agent' || p.at === 'smQueue')) {
        const sm = L.sms[p.at === 'agent' ? b.agents[p.i].sm : p.i], side = sm.x - 3;
        return [[r.x, r.y + r.h / 2], [side, r.y + r.h / 2], [side, lane]];
    }
    const below = L.agents.concat(L.idle).some(o => o && o.y > r.y + r.h && o.y < lane && o.x < middle && o.x + o.w > middle);
    const side = r.x + r.w + 3;
    return below ? [[r.x + r.w, r.y + r.h / 2], [side, r.y + r.h / 2], [side, lane]] : [[middle, r.y + r.h], [middle, lane]];
}

// From the lane above the caches to DRAM or to the port.
function wayGutter(L, column) {
    const c = L.columns;
    return column === 'cpu' ? c.cpu.x + c.cpu.w + BOARD.gap / 2 : column === 'igpu' ? c.igpu.x + c.igpu.w + BOARD.gap / 2 : c.engines.x + c.engines.w / 2;
}

// Points of the way between two places; @shift keeps two ways apart.
function wayPoints(b, L, from, to, shift) {
    if (WAY_RANK[from.at] > WAY_RANK[to.at]) return wayPoints(b, L, to, from, shift).reverse();
    const a = wayRect(L, from), e = wayRect(L, to), x = e.x + e.w / 2 + shift, lane = L.lanes[0].y + L.lanes[0].h / 2 + shift / 2;
    const low = L.lanes[1].y + Math.min(L.lanes[1].h - 8, 12 + Math.abs(shift)), port = L.port.y + L.port.h / 2, ca = wayColumn(b, from), ce = wayColumn(b, to);
    const ax = a.x + a.w / 2 + shift, down = a.y + a.h;
    if (from.at === 'agent' && to.at === 'l1' || from.at === 'agent' && to.at === 'smQueue') return [[x, down], [x, e.y]];
    if (from.at === 'cpu' && to.at === 'dram') return [[ax, down], [ax, low], [x, low], [x, e.y]];
    if (from.at === 'l2' && to.at === 'dram') return [[ax, down], [ax, low], [x, low], [x, e.y]];
    if (from.at === 'l2' && to.at === 'cpu' || from.at === 'cpu' && to.at === 'l2') return [[ax, down], [ax, port], [x, port], [x, e.y + e.h]];
    if (from.at === 'l1' && to.at === 'l2') return [[ax, down], [ax, lane], [x, lane], [x, e.y]];
    const exit = from.at === 'gpuQueue' ? [[ax, down]] : from.at === 'l1' ? [[ax, down], [ax, lane]] : wayExit(b, L, from, a, lane, ca === 'engines' ? a.x + a.w / 2 + shift : x);
    if (from.at === 'smQueue' && to.at === 'gpuQueue') return exit.slice(0, 2).concat([[exit[1][0], e.y + e.h / 2], [e.x + 24, e.y + e.h / 2]]);
    if (to.at === 'cpu' && ca === 'cpu' || to.at === 'l2') return exit.concat([[x, lane], [x, e.y]]);
    const g = wayGutter(L, ca) + shift / 2;
    if (to.at === 'cpu') return exit.concat([[g, lane], [g, port], [x, port], [x, e.y + e.h]]);
    return exit.concat([[g, lane], [g, ca === 'cpu' ? low : port], [g, low], [x, low], [x, e.y]]);
}

// Without points on top of each other.
const wayClean = points => points.filter((p, i) => i === 0 || Math.hypot(p[0] - points[i - 1][0], p[1] - points[i - 1][1]) > 1);

function wayLength(points) {
    return points.reduce((sum, p, i) => i ? sum + Math.hypot(p[0] - points[i - 1][0], p[1] - points[i - 1][1]) : 0, 0);
}

// The point at a part (0 to 1) of the way.
function wayAt(points, part) {
    let left = wayLength(points) * part;
    for (let i = 1; i < points.length; i++) {
        const [a, b] = [points[i - 1], points[i]], l = Math.hypot(b[0] - a[0], b[1] - a[1]);
        if (left <= l || i === points.length - 1) return [a[0] + (b[0] - a[0]) * Math.min(left / (l || 1), 1), a[1] + (b[1] - a[1]) * Math.min(left / (l || 1), 1)];
        left -= l;
    }
    return points[0];
}

// A path with round corners.
function wayPath(points) {
    let d = `M${points[0].map(Math.round).join(' ')}`;
    for (let i = 1; i < points.length - 1; i++) {
        const [p, c, n] = [points[i - 1], points[i], points[i + 1]], la = Math.hypot(c[0] - p[0], c[1] - p[1]), lb = Math.hypot(n[0] - c[0], n[1] - c[1]), r = Math.min(9, la / 2, lb / 2);
        const to = (q, l) => [(c[0] + (q[0] - c[0]) * r / l).toFixed(1), (c[1] + (q[1] - c[1]) * r / l).toFixed(1)].join(' ');
        d += ` L${to(p, la)} Q${c.map(v => v.toFixed(1)).join(' ')} ${to(n, lb)}`;
    }
    return d + ` L${points[points.length - 1].map(v => v.toFixed(1)).join(' ')}`;
}

// An arrow head at the end of the way.
function wayHead(points) {
    const [a, b] = points.slice(-2), l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, [dx, dy] = [(b[0] - a[0]) / l, (b[1] - a[1]) / l];
    const at = (along, side) => `${(b[0] - dx * along - dy * side).toFixed(1)} ${(b[1] - dy * along + dx * side).toFixed(1)}`;
    return `M${b[0].toFixed(1)} ${b[1].toFixed(1)} L${at(11, 6)} L${at(11, -6)} Z`;
}
