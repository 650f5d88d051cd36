#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a description of layers (docs/dla-build.md) computes, on plain arrays.

Written from docs/dla-build.md and the NVDLA documents (see reference.py); it knows no loadable and no
engine. network.py DESCRIPTION.json FOLDER writes FOLDER/input0.npy ... (pseudo-random) and
FOLDER/<layer>.npy for every layer.
"""
import json
import math
import os
import struct
import sys

sys.dont_write_bytecode = True
from reference import (Fp, Fr, add, alu, cvt, decode, encode, fp32_sum, lut_fp, lut_int, mul, rshift, sat,
                       sdp_out, stage_x, stage_y, to, winograd)
from cases import RECIP, pool

PRECISION = {'int8': 0, 'int16': 1, 'fp16': 2}
NPY = {0: '|i1', 1: '<i2', 2: '<f2', 'u8': '|u1'}
PACK = {0: 'b', 1: 'h', 2: 'H', 'u8': 'B'}
IMAGES = {'R8': 1, 'A8B8G8R8': 4, 'X8R8G8B8': 4, 'A8R8G8B8': 4, 'B8G8R8A8': 4, 'R8G8B8A8': 4}


class Tensor:
    """v[c][y][x]; fp16 as its bits"""

    def __init__(self, p, c, h, w, v=None):
        self.p, self.c, self.h, self.w = p, c, h, w
        self.v = v or [[[0] * w for _ in range(h)] for _ in range(c)]

    def fill(self, f):
        self.v = [[[f(c, y, x) for x in range(self.w)] for y in range(self.h)] for c in range(self.c)]
        return self

    def save(self, path, kind=None):
        kind = self.p if kind is None else kind
        head = (f"{{'descr': '{NPY[kind]}', 'fortran_order': False, "
                f"'shape': ({self.c}, {self.h}, {self.w}), }}")
        pad = -(10 + len(head) + 1) % 64
        flat = [e for plane in self.v for line in plane for e in line]
        with open(path, 'wb') as f:
            f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head) + pad + 1))
            f.write(head.encode() + b' ' * pad + b'\n' + struct.pack(f'<{len(flat)}{PACK[kind]}', *flat))


def half(x):
    f = Fr(x)
    return encode(Fp(math.copysign(1, x) < 0, abs(f)), 16, True)


def numbers(spec, n, p):
    """a data specification"""
    if 'values' in spec:
        v = spec['values']
        assert len(v) == n
        return [half(x) if p == 2 else x for x in v]
    if 'fill' in spec:
        return [half(spec['fill']) if p == 2 else spec['fill']] * n
    if 'file' in spec:
        with open(os.path.join(FOLDER, spec['file']), 'rb') as f:
            return list(struct.unpack(f'<{n}{PACK[p]}', f.read()))
    low = spec.get('min', -128 if p == 0 else -1024)
    high = spec.get('max', 127 if p == 0 else 1023)
    out, x = [], spec['seed']
    for _ in range(n):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        v = low + (x >> 33) % (high - low + 1)
        out.append(half(v / 64) if p == 2 else v)
    return out


def pair(v):
    return [v, v] if isinstance(v, int) else v


def pads(v):
    v = [v] * 4 if isinstance(v, int) else v
    return [v[0], v[0], v[1], v[1]] if len(v) == 2 else v


# --- what an SDP does behind a layer ---------------------------------------------------------------
def table(p, f, start, select, le_select, in_frac, out_frac):
    def entry(x):
        v = f(x / 2**in_frac)
        if p == 2:
            return half(v)
        v *= 2**out_frac
        return max(-32768, min(32767, math.floor(abs(v) + 0.5) * (1 if v >= 0 else -1)))
    fine = le_select < select
    bits = lambda x: struct.unpack('<I', struct.pack('<f', x))[0] if p == 2 else int(x)
    return {'le': [entry(start + i * 2.0**le_select) for i in range(65)],
            'lo': [entry(start + i * 2.0**select) for i in range(257)],
            'start': [bits(start)] * 2,
            'end': [bits(start + 64 * 2.0**le_select), bits(start + 256 * 2.0**select)],
            'exponential': 0, 'index_offset': 0, 'select': [le_select, select],
            'uflow_scale': [0, 0], 'oflow_scale': [0, 0], 'uflow_shift': [0, 0], 'oflow_shift': [0, 0],
            'hybrid_lo': not fine, 'uflow_lo': not fine, 'oflow_lo': 1}


def point(layer, acc, shape, src_p):
    """acc(c, y, x): fp32 as Fp, or an integer of 32 bits. The steps take stages of the SDP in turn."""
    c, h, w = shape
    out = layer.get('output', {})
    out_p = PRECISION[out['precision']] if 'precision' in out else src_p
    p = 2 if src_p == 2 else 0 if 0 in (src_p, out_p) else 1
    wide = 2 if p == 2 else 1
    steps, used = [], 0
    if 'bias' in layer:
        b = numbers(layer['bias'], c, wide)
        s = {'alu': 1, 'algo': 2, 'alu_shift': layer['bias'].get('shift', 0)}
        steps.append(lambda v, k, y, x, s=s, b=b: stage_x(s, v, b[k], 0, p))
        used += 1
    if 'batch_norm' in layer:
        n = layer['batch_norm']
        a, m = numbers(n['offset'], c, wide), numbers(n['scale'], c, wide)
        s = {'alu': 1, 'mul': 1, 'algo': 2, 'truncate': n.get('shift', 0)}
        steps.append(lambda v, k, y, x, s=s, a=a, m=m: stage_x(s, v, a[k], m[k], p))
        used += 1
    if 'eltwise' in layer:
        e = layer['eltwise']
        t = TENSORS[e['input']].v
        algo = {'max': 0, 'min': 1, 'add': 2, 'mul': 3}[e.get('op', 'add')]
        s = {'mul': 1, 'truncate': e.get('shift', 0)} if algo == 3 else {'alu': 1, 'algo': algo}
        if 'convert' in e or used >= 2:
            k = e.get('convert', {})
            if k:
                s['mul_cvt' if algo == 3 else 'alu_cvt'] = (k.get('offset', 0), k.get('scale', 1), k.get('shift', 0))
            steps.append(lambda v, k, y, x, s=s, t=t: stage_y(s, v, t[k][y][x], t[k][y][x], p, None))
        else:
            if algo != 3:
                s['alu_shift'] = e.get('shift', 0)
            steps.append(lambda v, k, y, x, s=s, t=t: stage_x(s, v, t[k][y][x], t[k][y][x], p))
    a = layer.get('activation', 'none')
    a = {'type': a} if isinstance(a, str) else a
    if a['type'] == 'relu':
        steps.append(lambda v, k, y, x: stage_x({'relu': 1}, v, 0, 0, p))
    elif a['type'] == 'prelu':
        m = numbers(a['slope'], c, wide)
        s = {'mul': 1, 'prelu': 1, 'truncate': a.get('shift', 0)}
        steps.append(lambda v, k, y, x, s=s, m=m: stage_x(s, v, 0, m[k], p))
    elif a['type'] in ('sigmoid', 'tanh'):
        f = math.tanh if a['type'] == 'tanh' else lambda x: 1 / (1 + math.exp(-x))
        r = a['range']
        L = table(p, f, -2.0**r, r - 7, r - 5, 0 if p == 2 else a.get('input_frac', 0),
                  0 if p == 2 else a.get('output_frac', 0))
        steps.append(lambda v, k, y, x, L=L: stage_y({'lut': 1}, v, 0, 0, p, L))
    last = (out.get('offset', 0), out.get('scale', 1), out.get('shift', 0))

    def value(k, y, x):
        v = acc(k, y, x)
        for s in steps:
            v = s(v, k, y, x)
        return sdp_out(v, p, out_p, last)
    return Tensor(out_p, c, h, w).fill(value)


# --- layers ----------------------------------------------------------------------------------------
def window(layer, t, size):
    s, d, pad = pair(layer.get('stride', 1)), pair(layer.get('dilation', 1)), pads(layer.get('pad', 0))
    oh = (t.h + pad[0] + pad[1] - (size[0] - 1) * d[0] - 1) // s[0] + 1
    ow = (t.w + pad[2] + pad[3] - (size[1] - 1) * d[1] - 1) // s[1] + 1
    return s, d, pad, oh, ow


def conv_sum(t, K, size, weights, s, d, pad, pad_value):
    """weights[k][c][y][x]; numbers, not bits"""
    num = (lambda v: decode(v, 16).signed()) if t.p == 2 else (lambda v: v)
    data = [[[num(v) for v in line] for line in plane] for plane in t.v]
    wt = [num(v) for v in weights]
    per = t.c * size[0] * size[1]

    def acc(k, y, x):
        total, base = 0, k * per
        for c in range(t.c):
            for i in range(size[0]):
                yy = y * s[0] - pad[0] + i * d[0]
                for j in range(size[1]):
                    xx = x * s[1] - pad[2] + j * d[1]
                    v = data[c][yy][xx] if 0 <= yy < t.h and 0 <= xx < t.w else pad_value
                    total += v * wt[base + (c * size[0] + i) * size[1] + j]
        return fp32_sum(Fr(total)) if t.p == 2 else sat(total, 32)
    return acc


def conv_winograd(layer, t, K, wt, pad, oh, ow):
    """as the hardware does it: G w GT in the file, CT d C of the data, both cut (format.rst, unit_description.rst)"""
    how = layer['winograd'] if isinstance(layer['winograd'], dict) else {}
    G = [[1, 0, 0], [Fr(1, 2)] * 3, [Fr(1, 2), Fr(-1, 2), Fr(1, 2)], [0, 0, 1]]
    num = (lambda v: decode(v, 16).signed()) if t.p == 2 else (lambda v: v)
    value = layer.get('pad_value', 0)

    def weight(k, y, x, c):
        g = wt[(k * t.c + c) * 9:][:9]
        u = sum(G[y][i] * num(g[3 * i + j]) * G[x][j] for i in range(3) for j in range(3))
        if t.p == 2:
            return decode(encode(Fp(u < 0, abs(Fr(u))), 16, True), 16).signed()
        return rshift(int(4 * u), how.get('weight_shift', 2), 8 if t.p == 0 else 16)

    def inp(x, y, c):
        x, y = x - pad[2], y - pad[0]
        v = num(t.v[c][y][x]) if 0 <= x < t.w and 0 <= y < t.h else value
        return Fp(v < 0, abs(Fr(v))) if t.p == 2 else v
    w = {(k, y, x, c): weight(k, y, x, c) for k in range(K) for y in range(4) for x in range(4) for c in range(t.c)}
    acc = winograd(inp, w, K, t.c, ow, oh, how.get('data_shift', 0), 0, t.p)
    return lambda k, y, x: acc[x, y, k]


def conv(layer, t):
    size = [t.h, t.w] if layer['type'] == 'fully_connected' else pair(layer.get('size', 1))
    s, d, pad, oh, ow = window(layer, t, size)
    K, groups = layer['kernels'], layer.get('groups', 1)
    wt = numbers(layer['weights'], K * t.c // groups * size[0] * size[1], t.p)
    if layer.get('winograd'):
        return point(layer, conv_winograd(layer, t, K, wt, pad, oh, ow), (K, oh, ow), t.p)
    if groups > 1:  # each group is a convolution of its own
        c, k = t.c // groups, K // groups
        n = k * c * size[0] * size[1]
        parts = [conv_sum(Tensor(t.p, c, t.h, t.w, t.v[g * c:g * c + c]), k, size, wt[g * n:g * n + n], s, d, pad,
                          layer.get('pad_value', 0)) for g in range(groups)]
        return point(layer, lambda o, y, x: parts[o // k](o % k, y, x), (K, oh, ow), t.p)
    return point(layer, conv_sum(t, K, size, wt, s, d, pad, layer.get('pad_value', 0)), (K, oh, ow), t.p)


def deconv(layer, t):
    """every input adds its product with the kernel to the output, stride apart"""
    K, size, s = layer['kernels'], pair(layer.get('size', 1)), pair(layer.get('stride', 1))
    wt = numbers(layer['weights'], K * t.c * size[0] * size[1], t.p)
    h, w = (t.h - 1) * s[0] + size[0], (t.w - 1) * s[1] + size[1]
    total = [[[0] * w for _ in range(h)] for _ in range(K)]
    for k in range(K):
        for c in range(t.c):
            for y in range(t.h):
                for x in range(t.w):
                    for i in range(size[0]):
                        for j in range(size[1]):
                            at = ((k * t.c + c) * size[0] + i) * size[1] + j
                            total[k][y * s[0] + i][x * s[1] + j] += t.v[c][y][x] * wt[at]
    assert t.p != 2
    return point(layer, lambda k, y, x: sat(total[k][y][x], 32), (K, h, w), t.p)


def pooling(layer, t):
    size = pair(layer.get('size', 1))
    s, _, pad, oh, ow = window(layer, t, size)
    f = {'width': t.w, 'height': t.h, 'stride_x': s[1], 'stride_y': s[0], 'pad_left': pad[2], 'pad_top': pad[0],
         'kernel_width': size[1], 'kernel_height': size[0],
         'method': {'average': 0, 'max': 1, 'min': 2}[layer['method']],
         'pad_value': [i * layer.get('pad_value', 0) for i in range(8)],
         'recip_width': RECIP[t.p](size[1]), 'recip_height': RECIP[t.p](size[0])}
    value = pool(lambda x, y, c: t.v[c][y][x], f, t.p)
    return Tensor(t.p, t.c, oh, ow).fill(lambda c, y, x: value(x, y, c))


def lrn(layer, t):
    n, g, f = layer.get('size', 5), layer.get('frac', 14), layer.get('input_frac', 0)
    k, alpha, beta = layer.get('k', 1), layer.get('alpha', 1e-4) / n, layer.get('beta', 0.75)
    r = {0: 18, 1: 34, 2: layer.get('range', 10)}[t.p]
    g, f = (0, 0) if t.p == 2 else (g, f)
    L = table(t.p, lambda s: math.pow(k + alpha * s, -beta), 0.0, r - 8, r - 12, 2 * f, g)

    def value(c, y, x):
        line = [t.v[i][y][x] for i in range(t.c)]
        around = range(max(0, c - n // 2), min(t.c, c + n // 2 + 1))
        if t.p != 2:
            v = lut_int(L, sum(line[i]**2 for i in around), 16, 16, True)
            return cvt((0, 1, g), v * line[c], 8 if t.p == 0 else 16)
        e = [to(decode(i, 16), 17) for i in line]
        q = lambda i: mul(to(e[i], 32), to(e[i], 32), 32) if 0 <= i < t.c else Fp(False, Fr(0))
        total = add(add(q(c - 1), q(c + 1), 32), q(c), 32)
        for i in range(2, n // 2 + 1):
            total = add(total, add(q(c - i), q(c + i), 32), 32)
        return encode(mul(e[c], lut_fp(L, total, True), 17), 16, True)
    return Tensor(t.p, t.c, t.h, t.w).fill(value)


def pointwise(layer, t):
    take = (lambda v: to(decode(v, 16), 32)) if t.p == 2 else (lambda v: v)
    return point(layer, lambda c, y, x: take(t.v[c][y][x]), (t.c, t.h, t.w), t.p)


LAYERS = {'conv': conv, 'fully_connected': conv, 'deconv': deconv, 'pool': pooling, 'lrn': lrn,
          'pointwise': pointwise}


def image(i, t, p):
    """bytes as the convolution sees them"""
    c = i.get('convert', {})
    mean = c.get('mean')
    mean = [mean] * 4 if isinstance(mean, int) else mean

    def value(k, y, x):
        off = mean[k] if mean else c.get('offset', 128)
        v = rshift((t.v[k][y][x] - off) * c.get('scale', 1), c.get('shift', 0), 17)
        return encode(Fp(v < 0, Fr(abs(v))), 16) if p == 2 else sat(v, 8 if p == 0 else 16)
    return Tensor(p, t.c, t.h, t.w).fill(value)


def input_make(i, n, folder, default):
    p = PRECISION[i.get('precision', default)]
    shape = i['shape'][-3:]  # a first of four is N, which is 1
    is_image = i.get('format', 'FEATURE') != 'FEATURE'
    spec = {'seed': 1000 + n}
    if is_image:
        spec.update(min=0, max=255)
    flat = iter(numbers(spec, shape[0] * shape[1] * shape[2], 1 if is_image else p))
    t = Tensor(p, *shape).fill(lambda c, y, x: next(flat))
    t.save(f'{folder}/input{n}.npy', 'u8' if is_image else None)
    TENSORS[i['name']] = image(i, t, p) if is_image else t
    return i['name']


def main(path, folder):
    global FOLDER
    FOLDER = os.path.dirname(path) or '.'
    with open(path) as f:
        net = json.load(f)
    for n, i in enumerate(net.get('inputs') or [net['input']]):
        last = input_make(i, n, folder, net.get('precision', 'int8'))
    for layer in net['layers']:
        if layer['type'] == 'split':
            t, at = TENSORS[layer.get('input', last)], 0
            for name, c in zip(layer['outputs'], layer['channels']):
                TENSORS[name] = Tensor(t.p, c, t.h, t.w, t.v[at:at + c])
                at, last = at + c, name
            continue
        if layer['type'] == 'concat':
            parts = [TENSORS[i] for i in layer['inputs']]
            t = Tensor(parts[0].p, sum(i.c for i in parts), parts[0].h, parts[0].w,
                       [plane for i in parts for plane in i.v])
        else:
            t = LAYERS[layer['type']](layer, TENSORS[layer.get('input', last)])
        last = layer['name']
        TENSORS[last] = t
        t.save(f'{folder}/{last}.npy')


TENSORS, FOLDER = {}, '.'
if __name__ == '__main__':
    main(*sys.argv[1:])
