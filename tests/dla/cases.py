#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The vectors of matrix.txt: one for each cell. ./cases.py writes vectors/<operation>.vec and matrix.txt."""
import os
import sys

from reference import *

SRC, WT, WMB, WGS, X1, X2, Y, DST, MID = [0x10000 * i for i in range(1, 10)]
SEED = 1


def seed():
    global SEED
    SEED += 1
    return SEED


def flow(v, op_name, kernels_or_channels, p, w, h, out_p=None, **more):
    """an SDP layer that writes a cube at DST"""
    out = Cube(DST, w, h, kernels_or_channels, p if out_p is None else out_p)
    v.mem.put(out.at, bytes(out.size))
    f = {'in': p, 'precision': p, 'out': out.p, 'width': w, 'height': h,
         'channels': kernels_or_channels, 'batches': 1, 'cvt.scale': 1, **out.fields('dst'), **more}
    v.op(op_name, f)
    return out


def conv_base(p, w, h, c, K, kw, kh, **o):
    d = {'precision': p, 'in_precision': p, 'width': w, 'height': h, 'channels': c, 'batches': 1,
         'kernels': K, 'kernel_width': kw, 'kernel_height': kh, 'kernel_channels': c, 'weights': WT,
         'post_extension': 1, 'stride_x': 1, 'stride_y': 1, 'dilation_x': 1, 'dilation_y': 1,
         'pad_left': 0, 'pad_right': 0, 'pad_top': 0, 'pad_bottom': 0, 'pad_value': 0,
         'clip_truncate': {0: 6, 1: 18, 2: 0}[p]}
    d.update(o)
    d['out_width'] = (w + d['pad_left'] + d['pad_right'] - (kw - 1) * d['dilation_x'] - 1) // d['stride_x'] + 1
    d['out_height'] = (h + d['pad_top'] + d['pad_bottom'] - (kh - 1) * d['dilation_y'] - 1) // d['stride_y'] + 1
    return d


def sdp_cvt(p):
    """how the output of a convolution becomes p"""
    return {0: (3, 2, 8), 1: (-5, 3, 12), 2: (0, 1, 0)}[p]


def after_conv(v, d, p, acc, batch=0, batches=1):
    c = sdp_cvt(p)
    out = flow(v, 'sdp', d['kernels'], p, d['out_width'], d['out_height'], flying=1,
               **{'cvt.offset': c[0], 'cvt.scale': c[1], 'cvt.truncate': c[2], 'batches': batches,
                  'dst_batch_stride': 0x1000})
    v.cube(out, lambda x, y, k: sdp_out(acc[x, y, k], p, p, c))
    return out


def padded(src, mem, d, p, b=0):
    def at(x, y, c):
        x, y = x - d['pad_left'], y - d['pad_top']
        if 0 <= x < src.w and 0 <= y < src.h:
            return num(mem.get(src.where(x, y, c) + b, p), p)
        pad = d['pad_value']
        return num(pad & 0xffff, p) if p == 2 else sat_wrap(pad, 8 if p == 0 else 16)
    return at


def sat_wrap(v, bits):
    v &= 2**bits - 1
    return v - 2**bits if v >> bits - 1 else v


def weights(v, p, order, n):
    v.mem.data(p, WT, n * BPE[p], seed(), 10, 15)
    return {pos: num(v.mem.get(WT + i * BPE[p], p), p) for i, pos in enumerate(order)}


def conv_case(v, p, w, h, c, K, kw, kh, **o):
    d = conv_base(p, w, h, c, K, kw, kh, **o)
    src = Cube(SRC, w, h, c, p, 32)
    v.mem.data(p, SRC, src.size, seed())
    order = list(weight_order(K, kh, kw, c, p))
    wt = weights(v, p, order, len(order))
    v.op('conv', {**d, **src.fields('src')})
    acc = convolve(padded(src, v.mem, d, p), wt, K, kh, kw, c, d['out_width'], d['out_height'], d, p)
    after_conv(v, d, p, acc)


def conv_direct(v, p):
    conv_case(v, p, 6, 5, 70, 18, 3, 2)


def conv_stride(v, p):
    conv_case(v, p, 9, 8, 20, 33, 3, 3, stride_x=2, stride_y=3)


def conv_dilation(v, p):
    conv_case(v, p, 9, 9, 17, 5, 3, 2, dilation_x=3, dilation_y=2)


def conv_padding(v, p):
    value = {0: -77, 1: -12345, 2: 0xb955}[p]
    conv_case(v, p, 5, 4, 12, 8, 4, 3, pad_left=2, pad_right=3, pad_top=1, pad_bottom=2,
              pad_value=sat_wrap(value, 16))


def conv_batch(v, p):
    d = conv_base(p, 3, 3, 10, 7, 2, 2, batches=2, batch_stride=0x2000)
    src = Cube(SRC, 3, 3, 10, p)
    v.mem.data(p, SRC, src.size, seed())
    v.mem.data(p, SRC + 0x2000, src.size, seed())
    order = list(weight_order(7, 2, 2, 10, p))
    wt = weights(v, p, order, len(order))
    v.op('conv', {**d, **src.fields('src')})
    one = [convolve(padded(src, v.mem, d, p, b * 0x2000), wt, 7, 2, 2, 10, 2, 2, d, p) for b in (0, 1)]
    out = after_conv(v, d, p, one[0], batches=2)
    v.mem.put(DST + 0x1000, bytes(out.size))
    c = sdp_cvt(p)
    out.at += 0x1000
    v.cube(out, lambda x, y, k: sdp_out(one[1][x, y, k], p, p, c))


def conv_compressed(v, p):
    K, kw, kh, c = 35, 2, 2, 20
    d = conv_base(p, 4, 4, c, K, kw, kh, compressed=1, wmb=WMB, wgs=WGS)
    src = Cube(SRC, 4, 4, c, p)
    v.mem.data(p, SRC, src.size, seed())
    g, wt, bits, packed, sizes, last = lcg(seed()), {}, [], bytearray(), [], None
    group = 32 if p == 0 else 16
    for pos in weight_order(K, kh, kw, c, p):
        if pos[0] // group != last:
            last = pos[0] // group
            sizes.append(0)
        a, b, keep = next(g), next(g), next(g) % 3 == 0
        raw = (a | 1, (0x30 | a & 0x8b) if p == 2 else b)[:BPE[p]]
        bits.append(keep)
        if keep:
            packed += bytes(raw)
            sizes[-1] += BPE[p]
        value = raw[0] | (raw[1] << 8 if p else 0)
        wt[pos] = num(value if p == 2 else sat_wrap(value, 8 * BPE[p]), p) if keep else 0
    v.mem.put(WT, packed + bytes(-len(packed) % 128))
    mask = bytearray((len(bits) + 7) // 8)
    for i, keep in enumerate(bits):
        mask[i // 8] |= keep << (i % 8)
    v.mem.put(WMB, mask)
    v.mem.put(WGS, b''.join(s.to_bytes(4, 'little') for s in sizes))
    v.op('conv', {**d, **src.fields('src')})
    after_conv(v, d, p, convolve(padded(src, v.mem, d, p), wt, K, kh, kw, c, 3, 3, d, p))


def conv_winograd(v, p):
    w, h, c, K = 4, 4, 32 // BPE[p], 5
    d = conv_base(p, w, h, c, K, 4, 4, winograd=1, pad_left=1, pad_right=1, pad_top=1, pad_bottom=1,
                  pra_truncate=0 if p == 2 else 1)
    d['out_width'] = d['out_height'] = 4
    src = Cube(SRC, w, h, c, p)
    v.mem.data(p, SRC, src.size, seed())
    order = list(winograd_order(K, c, p))
    wt = weights(v, p, order, len(order))
    v.op('conv', {**d, **src.fields('src')})
    inp = padded(src, v.mem, d, p)
    if p == 2:
        plain = inp
        inp = lambda x, y, k: Fp(plain(x, y, k) < 0, abs(plain(x, y, k)))
    after_conv(v, d, p, winograd(inp, wt, K, c, 4, 4, d['pra_truncate'], d['clip_truncate'], p))


def image_convert(p, x, mean, scale, shift):
    t = rshift((x - mean) * scale, shift, 17)
    return decode(encode(of_int(t), 16), 16).signed() if p == 2 else sat(t, 8 if p == 0 else 16)


def conv_image_case(v, p, pixel, post):
    """order: where R, G, B, A lie in memory"""
    order = {12: (0, 1, 2, 3), 13: (2, 1, 0, 3), 14: (1, 2, 3, 0), 15: (3, 2, 1, 0)}[pixel]
    w, h, K, kw, kh = 7, 6, 9, 3, 4
    mean, scale, shift = [120, 100, 90, 7], 3, 2
    d = conv_base(p, w, h, 4, K, kw, kh, image=1, pixel_format=pixel, convert=1, subtract_mean=1,
                  mean=mean, stride_x=2, post_extension=post, **{'cvt.scale': scale, 'cvt.truncate': shift})
    d['kernel_width'], d['kernel_channels'] = 1, kw * 4
    ls = 64
    v.mem.fill(SRC, ls * h, seed())
    pos = list(weight_order(K, kh, 1, kw * 4, p, post))
    flat = weights(v, p, pos, len(pos))
    wt = {(k, y, c // 4, c % 4): flat[k, y, 0, c] for k, y, _, c in pos}
    v.op('conv', {**d, 'src.iova': SRC, 'src.line_stride': ls})
    inp = lambda x, y, c: image_convert(p, v.mem.m[SRC + y * ls + 4 * x + order[c]], mean[c], scale, shift)
    after_conv(v, d, p, convolve(inp, wt, K, kh, kw, 4, d['out_width'], d['out_height'], d, p))


def conv_image(v, p):
    conv_image_case(v, p, 13, 1)


def conv_post_extension(v, p):
    conv_image_case(v, p, 14, 2)


# --- SDP ------------------------------------------------------------------------------------------
def sdp_case(v, p, run, fields, w=3, h=4, c=21, out_p=None, src_p=None, low=12, high=17, cv=None):
    sp = p if src_p is None else src_p
    src = Cube(SRC, w, h, c, sp)
    v.mem.data(sp, SRC, src.size, seed(), low, high)
    cv = cv or ((0, 1, 0) if p == 2 else (2, 3, 1))
    op = out_p if out_p is not None else p
    out = flow(v, 'sdp', c, p, w, h, op, **{**src.fields('src'), 'cvt.offset': cv[0], 'cvt.scale': cv[1],
                                            'cvt.truncate': cv[2], 'in': sp, **fields})

    def value(x, y, k):
        n = v.mem.get(src.where(x, y, k), sp)
        n = to(decode(n, 16), 32) if p == 2 else n
        return sdp_out(run(x, y, k, n), p, op, cv)
    v.cube(out, value)


def sdp_pass(v, p):
    sdp_case(v, p, lambda x, y, k, n: n, {}, cv=(0, 1, 0))


def const(p, i, f):
    """a register operand: an integer, or an fp16 number"""
    return encode(of_int(f), 16) if p == 2 else i


def sdp_layer(v, p):
    s = {'alu': 1, 'mul': 1, 'relu': 1, 'algo': 2, 'alu_shift': 2, 'truncate': 3}
    a, m = const(p, -9, -2), const(p, 21, 3)
    sdp_case(v, p, lambda x, y, k, n: stage_x(s, n, a, m, p),
             {'x1.enable': 1, 'x1.alu_value': a, 'x1.mul_value': m, **{f'x1.{k}': q for k, q in s.items()}})


def sdp_bypassed_multiplier_shifts(v, p):
    s = {'alu': 1, 'algo': 2, 'truncate': 2}
    a = const(p, 77, 5)
    sdp_case(v, p, lambda x, y, k, n: stage_x(s, n, a, 0, p),
             {'x2.enable': 1, 'x2.alu_value': a, **{f'x2.{k}': q for k, q in s.items()}})


def sdp_minmax(v, p):
    a, m = const(p, 30, 1), const(p, -40, -1)
    lo, hi = {'alu': 1, 'algo': 1}, {'alu': 1, 'algo': 0}
    sdp_case(v, p, lambda x, y, k, n: stage_x(hi, stage_x(lo, n, a, 0, p), m, 0, p),
             {'x1.enable': 1, 'x1.alu': 1, 'x1.algo': 1, 'x1.alu_value': a,
              'x2.enable': 1, 'x2.alu': 1, 'x2.algo': 0, 'x2.alu_value': m})


def sdp_channel(v, p):
    """batch normalisation: sum and product a channel, side by side in memory"""
    b = 2
    v.mem.data(2 if p == 2 else 1, X1, 32 * 2 * b, seed())
    s = {'alu': 1, 'mul': 1, 'algo': 2, 'truncate': 0 if p == 2 else 9}
    get = lambda k, i: v.mem.get(X1 + (k * 2 + i) * b, 2 if p == 2 else 1)
    sdp_case(v, p, lambda x, y, k, n: stage_x(s, n, get(k, 0), get(k, 1), p),
             {'x1.enable': 1, 'x1.use': 2, 'x1.bytes': b, 'x1.alu_from_memory': 1,
              'x1.mul_from_memory': 1, 'x1.operand.iova': X1, **{f'x1.{k}': q for k, q in s.items()}})


def sdp_prelu(v, p):
    b = BPE[p]
    v.mem.data(p, X2, 32 * b, seed())
    s = {'mul': 1, 'prelu': 1, 'truncate': 0 if p == 2 else 4}
    sdp_case(v, p, lambda x, y, k, n: stage_x(s, n, 0, v.mem.get(X2 + k * b, p), p),
             {'x2.enable': 1, 'x2.use': 0, 'x2.bytes': b, 'x2.mul_from_memory': 1,
              'x2.operand.iova': X2, **{f'x2.{k}': q for k, q in s.items()}})


def sdp_element(v, p):
    """element-wise sum in Y through its converter"""
    e = Cube(Y, 3, 4, 21, p)
    v.mem.data(p, Y, e.size, seed())
    s = {'alu': 1, 'algo': 2}
    f = {'y.enable': 1, 'y.use': 1, 'y.bytes': BPE[p], 'y.per_element': 1, 'y.alu_from_memory': 1,
         'y.alu': 1, 'y.algo': 2, **e.fields('y.operand')}
    if p != 2:
        s['alu_cvt'] = (11, -5, 2)
        f.update({'y.alu_convert': 1, 'y.alu_cvt.offset': 11, 'y.alu_cvt.scale': -5, 'y.alu_cvt.truncate': 2})
    sdp_case(v, p, lambda x, y, k, n: stage_y(s, n, v.mem.get(e.where(x, y, k), p), 0, p, None), f)


def sdp_y_both(v, p):
    """Y multiplies, then adds: a pair an element, each through its converter"""
    b = BPE[p]
    v.mem.data(p, Y, 3 * 4 * 32 * 2 * b, seed())
    per = 32 // b
    get = lambda x, y, k, i: v.mem.get(Y + (k // per * 12 + y * 3 + x) * per * 2 * b + (k % per * 2 + i) * b, p)
    s = {'alu': 1, 'mul': 1, 'algo': 2, 'truncate': 0 if p == 2 else 3}
    f = {'y.enable': 1, 'y.use': 2, 'y.bytes': b, 'y.per_element': 1, 'y.alu_from_memory': 1,
         'y.mul_from_memory': 1, 'y.operand.iova': Y, 'y.operand.line_stride': 3 * per * 2 * b,
         'y.operand.surf_stride': 12 * per * 2 * b, **{f'y.{k}': q for k, q in s.items()}}
    if p != 2:
        for part, c in (('alu', (-3, 9, 1)), ('mul', (5, 3, 2))):
            s[part + '_cvt'] = c
            f.update({f'y.{part}_convert': 1, f'y.{part}_cvt.offset': c[0], f'y.{part}_cvt.scale': c[1],
                      f'y.{part}_cvt.truncate': c[2]})
    sdp_case(v, p, lambda x, y, k, n: stage_y(s, n, get(x, y, k, 0), get(x, y, k, 1), p, None), f)


def sdp_element_product(v, p):
    """X2 multiplies by a cube of its own"""
    e = Cube(X2, 3, 4, 21, p)
    v.mem.data(p, X2, e.size, seed())
    s = {'mul': 1, 'truncate': 0 if p == 2 else 5, 'relu': 1}
    sdp_case(v, p, lambda x, y, k, n: stage_x(s, n, 0, v.mem.get(e.where(x, y, k), p), p),
             {'x2.enable': 1, 'x2.use': 0, 'x2.bytes': BPE[p], 'x2.per_element': 1,
              'x2.mul_from_memory': 1, **e.fields('x2.operand'), **{f'x2.{k}': q for k, q in s.items()}})


def table(p, seed_value, low, high):
    g = lcg(seed_value)
    r = [next(g) << 8 | next(g) for _ in range(65 + 257)]
    if p == 2:
        r = [(x & 0x83ff) | (low + (x >> 10 & 31) % (high - low + 1)) << 10 for x in r]
    r = [sat_wrap(x, 16) for x in r]
    return r[:65], r[65:]


def bits32(f):
    return encode(Fp(f < 0, abs(Fr(f))), 32)


def lut_fields(L):
    return {'lut.' + k: v for k, v in L.items()}


def make_lut(p, exponential, start, end, offset, select, wide):
    le, lo = table(p, seed(), 10, 16)
    conv = (lambda a: [sat_wrap(bits32(x), 32) for x in a]) if p == 2 else list
    slope = (lambda i: sat_wrap(encode(of_int(i), 16), 16)) if p == 2 else (lambda i: i * 100)
    shift = [0, 0] if p == 2 else [3, -2]
    L = {'le': le, 'lo': lo, 'exponential': exponential, 'uflow_lo': 1, 'oflow_lo': 0, 'hybrid_lo': wide,
         'index_offset': offset, 'select': select, 'start': conv(start), 'end': conv(end),
         'uflow_scale': [slope(3), slope(-2)], 'oflow_scale': [slope(-1), slope(4)],
         'uflow_shift': shift, 'oflow_shift': shift}
    return L


def lut_run(L, p):
    return {**L, 'start': [x & 2**32 - 1 for x in L['start']], 'end': [x & 2**32 - 1 for x in L['end']]} if p == 2 else L


def sdp_lut_linear(v, p):
    big = 100 if p == 1 else 1
    L = make_lut(p, 0, [-64 * big, -20] if p != 2 else [-4, -1], [64 * big, 44] if p != 2 else [4, 1], 0,
                 {0: [1, -2], 1: [8, 4], 2: [-3, -6]}[p], 1)
    sdp_case(v, p, lambda x, y, k, n: stage_y({'lut': 1}, n, 0, 0, p, lut_run(L, p)),
             {'y.enable': 1, 'y.lut': 1, **lut_fields(L)}, w=6, h=5, cv=None if p == 2 else (5, 7, 9))


def sdp_lut_exponential(v, p):
    L = make_lut(p, 1, [-100, 10] if p != 2 else [-3, 0.25], [100000, 300] if p != 2 else [100, 1.25],
                 {0: 2, 1: 4, 2: -3}[p], {0: [0, -1], 1: [0, 3], 2: [0, -8]}[p], 0)
    sdp_case(v, p, lambda x, y, k, n: stage_y({'lut': 1}, n, 0, 0, p, lut_run(L, p)),
             {'y.enable': 1, 'y.lut': 1, **lut_fields(L)}, w=6, h=5, cv=None if p == 2 else (5, 7, 9))


def sdp_convert(v, p):
    """int8 -> int16, int16 -> int8, fp16 -> int16"""
    out = {0: 1, 1: 0, 2: 1}[p]
    sdp_case(v, p, lambda x, y, k, n: n, {}, out_p=out, low=18, high=30,
             cv={0: (7, 300, 2), 1: (-100, 5, 9), 2: (0, 1, 0)}[p])


def sdp_to_fp16(v, p):
    sdp_case(v, p, lambda x, y, k, n: n, {}, out_p=2, cv={0: (3, 77, 1), 1: (-9, 3, 1), 2: (0, 1, 0)}[p])


# --- PDP ------------------------------------------------------------------------------------------
RECIP = {0: lambda n: 65536 // n, 1: lambda n: 65536 // n, 2: lambda n: encode(Fp(False, Fr(1, n)), 17)}


def pool(get, f, p):
    W, H = f['width'], f['height']

    def value(x, y, c):
        xs = [x * f['stride_x'] - f['pad_left'] + i for i in range(f['kernel_width'])]
        ys = [y * f['stride_y'] - f['pad_top'] + i for i in range(f['kernel_height'])]
        inx, iny = [i for i in xs if 0 <= i < W], [i for i in ys if 0 <= i < H]
        nx, ny = len(xs) - len(inx), len(ys) - len(iny)
        if f['method']:
            vals = [get(i, j, c) for j in iny for i in inx]
            if p == 2:
                key = lambda b: (decode(b, 16).signed(), not b >> 15)
                return max(vals, key=key) if f['method'] == 1 else min(vals, key=key)
            return max(vals) if f['method'] == 1 else min(vals)
        pad = f['pad_value']
        if p != 2:
            s = sum(sum(get(i, j, c) for i in inx) + (pad[nx] if nx else 0) for j in iny)
            s += len(xs) * pad[ny] if ny else 0
            return rshift(rshift(s * f['recip_width'], 16, 32) * f['recip_height'], 16, 8 if p == 0 else 16)
        total = None
        for j in iny:
            line = None
            for i in inx:
                e = to(decode(get(i, j, c), 16), 17)
                line = e if line is None else add(line, e, 17)
            total = line if total is None else add(line, total, 17)
        total = mul(mul(total, decode(f['recip_width'], 17), 17), decode(f['recip_height'], 17), 17)
        return encode(total, 16, True)
    return value


def pdp_case(v, p, method, w, h, c, kw, kh, sx, sy, pad=(0, 0, 0, 0), value=0, extra=None, flying=False):
    ow = (w + pad[0] + pad[1] - kw) // sx + 1
    oh = (h + pad[2] + pad[3] - kh) // sy + 1
    src, out = Cube(SRC, w, h, c, p), Cube(DST, ow, oh, c, p, 64)
    v.mem.data(p, SRC, src.size, seed())
    v.mem.put(out.at, bytes(out.size))
    f = {'precision': p, 'method': method, 'width': w, 'height': h, 'channels': c, 'out_width': ow,
         'out_height': oh, 'kernel_width': kw, 'kernel_height': kh, 'stride_x': sx, 'stride_y': sy,
         'pad_left': pad[0], 'pad_right': pad[1], 'pad_top': pad[2], 'pad_bottom': pad[3],
         'pad_value': [value * i for i in range(8)], 'recip_width': RECIP[p](kw),
         'recip_height': RECIP[p](kh), 'splits': 1, **(extra or {})}
    get = lambda x, y, k: v.mem.get(src.where(x, y, k), p)
    if flying:
        cv = (0, 1, 0) if p == 2 else (4, 3, 2)
        v.op('sdp', {'in': p, 'precision': p, 'out': p, 'width': w, 'height': h, 'channels': c, 'batches': 1,
                     'to_pdp': 1, 'cvt.offset': cv[0], 'cvt.scale': cv[1], 'cvt.truncate': cv[2],
                     **src.fields('src')})
        raw = get
        get = lambda x, y, k: sdp_out(to(decode(raw(x, y, k), 16), 32) if p == 2 else raw(x, y, k), p, p, cv)
        f['flying'] = 1
    v.op('pdp', {**f, **({} if flying else src.fields('src')), **out.fields('dst')})
    v.cube(out, pool(get, f, p))


def pdp_max(v, p):
    pdp_case(v, p, 1, 7, 6, 34, 3, 2, 2, 2)


def pdp_min_padded(v, p):
    pdp_case(v, p, 2, 6, 5, 18, 3, 3, 2, 2, (1, 1, 1, 1))


def pdp_average(v, p):
    pdp_case(v, p, 0, 8, 6, 20, 3, 2, 2, 1)


def pdp_average_padded(v, p):
    pdp_case(v, p, 0, 5, 5, 9, 3, 3, 2, 2, (1, 2, 2, 1), {0: 23, 1: -1111, 2: 0}[p])


def pdp_window_wider_than_cube(v, p):
    pdp_case(v, p, 0, 2, 2, 9, 4, 5, 1, 1, (2, 2, 3, 2), {0: -31, 1: 777, 2: 0}[p])


def pdp_split(v, p):
    pdp_case(v, p, 1, 12, 3, 16, 3, 2, 1, 1, extra={'splits': 3, 'in_first': 5, 'in_mid': 4, 'in_last': 3,
                                                 'out_first': 3, 'out_mid': 4, 'out_last': 3})


def pdp_flying(v, p):
    pdp_case(v, p, 0, 6, 6, 16, 2, 3, 2, 1, flying=True)


# --- CDP ------------------------------------------------------------------------------------------
def cdp_case(v, p, length, L, bypass=(0, 0), c=22):
    w, h = 3, 2
    src, out = Cube(SRC, w, h, c, p), Cube(DST, w, h, c, p)
    v.mem.data(p, SRC, src.size, seed())
    v.mem.put(out.at, bytes(out.size))
    ic, oc = ((0, 1, 0),) * 2 if p == 2 else ((3, 2, 0), (100, 3, 12 if p == 0 else 20))
    v.op('cdp', {'precision': p, 'width': w, 'height': h, 'channels': c, 'length': length,
                 'sqsum_bypass': bypass[0], 'mul_bypass': bypass[1], 'in_cvt.offset': ic[0],
                 'in_cvt.scale': ic[1], 'in_cvt.truncate': ic[2], 'out_cvt.offset': oc[0],
                 'out_cvt.scale': oc[1], 'out_cvt.truncate': oc[2], **src.fields('src'),
                 **out.fields('dst'), **lut_fields(L)})
    R, half = lut_run(L, p), length // 2

    def value(x, y, k):
        raw = [v.mem.get(src.where(x, y, i), p) for i in range(c)]
        if p == 2:
            e = [to(decode(i, 16), 17) for i in raw]
            q = [to(i, 32) if bypass[0] else mul(to(i, 32), to(i, 32), 32) for i in e]
            z = Fp(False, Fr(0))
            at = lambda i: q[i] if 0 <= i < c else z
            s = q[k] if bypass[0] else add(add(at(k - 1), at(k + 1), 32), at(k), 32)
            for d in range(2, 0 if bypass[0] else half + 1):
                s = add(s, add(at(k - d), at(k + d), 32), 32)
            r = lut_fp(R, s, True)
            return encode(r if bypass[1] else mul(e[k], r, 17), 16, True)
        e = [cvt(ic, i, 9 if p == 0 else 17) for i in raw]
        s = e[k] if bypass[0] else sum(e[i]**2 for i in range(max(0, k - half), min(c, k + half + 1)))
        r = lut_int(R, s, 16, 16, True)
        return cvt(oc, r if bypass[1] else r * e[k], 8 if p == 0 else 16)
    v.cube(out, value, c)


def cdp_lut(p, exponential, hybrid):
    if p == 2:
        return make_lut(p, exponential, [0, 0.5], [64, 16.5], -6, [0, -4], hybrid)
    big = 1 if p == 0 else 1 << 14
    return make_lut(p, exponential, [0, 5000 * big], [1 << 20, 70536 * big], 4, [8 if p == 0 else 20, 8 if p == 0 else 22], hybrid)


def cdp_lrn3(v, p):
    cdp_case(v, p, 3, cdp_lut(p, 1, 0))


def cdp_lrn5(v, p):
    cdp_case(v, p, 5, cdp_lut(p, 0, 1))


def cdp_lrn7(v, p):
    cdp_case(v, p, 7, cdp_lut(p, 1, 1))


def cdp_lrn9(v, p):
    cdp_case(v, p, 9, cdp_lut(p, 0, 0))


def cdp_bypass(v, p):
    L = make_lut(p, 0, [-200, -30] if p != 2 else [-4, -1], [200, 34] if p != 2 else [4, 1], 0,
                 {0: [2, -2], 1: [9, 5], 2: [-3, -6]}[p], 1)
    cdp_case(v, p, 3, L, (1, 1))


# --- BDMA, RUBIK ----------------------------------------------------------------------------------
def bdma_copy(v, p):
    v.mem.fill(SRC, 0x600, seed())
    v.mem.put(DST, bytes(0x800))
    v.op('bdma', {'src': SRC + 32, 'dst': DST, 'line_bytes': 64, 'lines': 3, 'surfaces': 2, 'src_line': 96,
                  'dst_line': 64, 'src_surf': 0x200, 'dst_surf': 0x300})
    for s in range(2):
        for l in range(3):
            a = SRC + 32 + s * 0x200 + l * 96
            v.expect.append((DST + s * 0x300 + l * 64, bytes(v.mem.m[a + i] for i in range(64))))


def rubik_contract(v, p):
    run = 32 // BPE[p]
    src, out = Cube(SRC, 3, 2, run * 6, p), Cube(DST, 9, 4, run - 3, p)
    v.mem.data(p, SRC, src.size, seed())
    v.mem.put(out.at, bytes(out.size))
    v.op('rubik', {'mode': 0, 'precision': p, 'width': 3, 'height': 2, 'channels': run * 6,
                   'out_channels': run - 3, 'stride_x': 3, 'stride_y': 2, **src.fields('src'), **out.fields('dst')})
    v.cube(out, lambda x, y, c: v.mem.get(src.where(x // 3, y // 2, (y % 2 * 3 + x % 3) * run + c), p))


def rubik_split(v, p):
    src = Cube(SRC, 5, 3, 19, p)
    v.mem.data(p, SRC, src.size, seed())
    v.mem.put(DST, bytes(0x2000))
    v.op('rubik', {'mode': 1, 'precision': p, 'width': 5, 'height': 3, 'channels': 19, 'out_channels': 19,
                   'dst.iova': DST, 'dst.line_stride': 32, 'dst_planar_stride': 128, **src.fields('src')})
    for c in range(19):
        for y in range(3):
            data = [(v.mem.get(src.where(x, y, c), p) & 2**(8 * BPE[p]) - 1).to_bytes(BPE[p], 'little') for x in range(5)]
            v.expect.append((DST + c * 128 + y * 32, b''.join(data)))


def rubik_merge(v, p):
    out = Cube(DST, 5, 3, 19, p)
    v.mem.data(p, SRC, 0xa00, seed())
    v.mem.put(DST, bytes(out.size))
    v.op('rubik', {'mode': 2, 'precision': p, 'width': 5, 'height': 3, 'channels': 19, 'out_channels': 19,
                   'src.iova': SRC, 'src.line_stride': 32, 'src_planar_stride': 128, **out.fields('dst')})
    v.cube(out, lambda x, y, c: v.mem.get(SRC + c * 128 + y * 32 + x * BPE[p], p))


MATRIX = {
    'conv': [conv_direct, conv_stride, conv_dilation, conv_padding, conv_batch, conv_compressed,
             conv_winograd, conv_image, conv_post_extension],
    'sdp': [sdp_pass, sdp_layer, sdp_bypassed_multiplier_shifts, sdp_minmax, sdp_channel, sdp_prelu,
            sdp_element, sdp_y_both, sdp_element_product, sdp_lut_linear, sdp_lut_exponential, sdp_convert, sdp_to_fp16],
    'pdp': [pdp_max, pdp_min_padded, pdp_average, pdp_average_padded, pdp_window_wider_than_cube, pdp_split,
            pdp_flying],
    'cdp': [cdp_lrn3, cdp_lrn5, cdp_lrn7, cdp_lrn9, cdp_bypass],
    'bdma': [bdma_copy],
    'rubik': [rubik_contract, rubik_split, rubik_merge],
}

if __name__ == '__main__':
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    os.makedirs('vectors', exist_ok=True)
    rows = ['# Each cell: the vector that tests this operation in this precision (vectors/<operation>.vec).',
            '# operation mode int8 int16 fp16']
    for op, modes in MATRIX.items():
        with open(f'vectors/{op}.vec', 'w') as f:
            f.write('# Made by cases.py from reference.py; do not edit.\n')
            for mode in modes:
                names = []
                for p in (0, 1, 2):
                    v = Vector(f'{mode.__name__}_{NAMES[p]}')
                    mode(v, p)
                    f.write(v.text())
                    names.append(v.name)
                rows.append(' '.join([op, mode.__name__[len(op) + 1:], *names]))
    with open('matrix.txt', 'w') as f:
        f.write('\n'.join(rows) + '\n')
