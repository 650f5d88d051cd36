#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The vectors of matrix.txt: one for each cell. ./cases.py FOLDER writes FOLDER/vectors/<operation>.vec and FOLDER/matrix.txt;
./cases.py pack writes vectors.tar.xz, which the build unpacks: 26,000 lines that nobody reads; ./cases.py check compares it with what it would write."""
import os
import re
import sys
import tarfile
import tempfile

import reference
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


EDGES = {0: [-128, 127, -127, -1, 0, 1, 64, -64, 3, 100],
         1: [-32768, 32767, -32767, -1, 0, 1, 16384, -16384, 255, 300],
         # infinities, NaNs, largest, smallest normal, denormals, zeros, one, a third
         2: [0x7c00, 0xfc00, 0x7e00, 0xfd01, 0x7bff, 0xfbff, 0x0400, 0x8400, 0x03ff, 0x8001, 0, 0x8000, 0x3c00, 0x3555]}


def edges(v, p, cube, values=None):
    """the numbers where formats end, in an order that meets itself nowhere"""
    e, data = values or EDGES[p], bytearray(cube.size)
    for c in range(cube.c):
        for y in range(cube.h):
            for x in range(cube.w):
                n = e[(x * 5 + y * 3 + c + c // 7 + x * y) % len(e)] & 2**(8 * BPE[p]) - 1
                at = cube.where(x, y, c) - cube.at
                data[at:at + BPE[p]] = n.to_bytes(BPE[p], 'little')
    v.mem.put(cube.at, data)


def bits_of(v, cube):
    """every number of a cube"""
    return [v.mem.get(cube.where(x, y, c), cube.p) for c in range(cube.c) for y in range(cube.h) for x in range(cube.w)]


def counts(bits):
    return sum(map(is_nan, bits)), sum(map(is_inf, bits))


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
            v = mem.get(src.where(x, y, c) + b, p)
            return num(flush(v, d.get('nan_to_zero')) if p == 2 else v, p)
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


def conv_edges(v, p, nan_to_zero=0):
    """the ends of the format, through the MAC; NaN spreads to every sum it is in"""
    w, h, c, K = 4, 3, 16, 6
    d = conv_base(p, w, h, c, K, 2, 2, pad_left=1, pad_bottom=1, pad_value=sat_wrap({0: 0x80, 1: 0x8000, 2: 0x8001}[p], 16),
                  nan_to_zero=nan_to_zero, clip_truncate=0)
    src = Cube(SRC, w, h, c, p)
    e = EDGES[p]
    # one NaN in the data, in a corner, and one in the weights of kernel 2: elsewhere numbers must stay numbers
    edges(v, p, src, e if p != 2 else [b for b in e if not is_nan(b)] + [0x3c00, 0xbc00])
    order = list(weight_order(K, 2, 2, c, p))
    data = bytearray()
    for i, pos in enumerate(order):
        n = e[(i * 3 + i // 5) % len(e)]
        data += ((0x2c00 if p == 2 and is_nan(n) else n) & 2**(8 * BPE[p]) - 1).to_bytes(BPE[p], 'little')
    if p == 2:
        v.mem.put(src.where(3, 2, 5), b'\x01\x7e')
        at = 2 * order.index((2, 1, 0, 7))
        data[at:at + 2] = b'\x00\xfe'
    v.mem.put(WT, data)
    raw = [v.mem.get(WT + i * BPE[p], p) for i in range(len(order))]
    wt = {pos: num(flush(b, nan_to_zero) if p == 2 else b, p) for pos, b in zip(order, raw)}
    v.op('conv', {**d, **src.fields('src')})
    acc = convolve(padded(src, v.mem, d, p), wt, K, 2, 2, c, d['out_width'], d['out_height'], d, p)
    after_conv(v, d, p, acc)
    if p == 2:
        for what, b in (('data', bits_of(v, src)), ('weights', raw)):
            nans, infs = counts(b)
            v.stat(**{'nan_' + what: nans, 'inf_' + what: infs})


def conv_nan_to_zero(v, p):
    conv_edges(v, p, 1)


def winograd_weights(K, C, kernel):
    """G g GT of integer kernels that are multiples of 4, so that nothing is lost"""
    G = [[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]]
    return {(k, y, x, c): sum(G[y][i] * kernel[k, i, j, c] * G[x][j] for i in range(3) for j in range(3)) // 4
            for k in range(K) for c in range(C) for y in range(4) for x in range(4)}


def winograd_put(v, p, K, C, t):
    data = b''.join((encode(of_int(t[pos]), 16) if p == 2 else t[pos] & 2**(8 * BPE[p]) - 1).to_bytes(BPE[p], 'little')
                    for pos in winograd_order(K, C, p))
    v.mem.put(WT, data)


def small_data(v, p, cube, low, high):
    """integers of low .. high, in every precision"""
    g, data = lcg(seed()), bytearray(cube.size)
    for c in range(cube.c):
        for y in range(cube.h):
            for x in range(cube.w):
                n = low + next(g) % (high - low + 1)
                at = cube.where(x, y, c) - cube.at
                data[at:at + BPE[p]] = (encode(of_int(n), 16) if p == 2 else n & 2**(8 * BPE[p]) - 1).to_bytes(BPE[p], 'little')
    v.mem.put(cube.at, data)


def conv_winograd_is_direct(v, p):
    """where neither transformation loses anything, winograd is the direct convolution"""
    C, K, w, h = 2 * 32 // BPE[p], 35, 6, 4
    d = conv_base(p, w, h, C, K, 4, 4, winograd=1, pad_left=1, pad_right=1, pad_top=1, pad_bottom=1, pra_truncate=0,
                  clip_truncate=0)
    d['out_width'], d['out_height'] = w, h
    src = Cube(SRC, w, h, C, p, 32)
    small_data(v, p, src, -15, 15)
    g = lcg(seed())
    kernel = {(k, y, x, c): 4 * (next(g) % 7 - 3) for k in range(K) for y in range(3) for x in range(3) for c in range(C)}
    winograd_put(v, p, K, C, winograd_weights(K, C, kernel))
    v.op('conv', {**d, **src.fields('src')})
    direct = {**d, 'stride_x': 1, 'stride_y': 1}
    after_conv(v, d, p, convolve(padded(src, v.mem, d, p), kernel, K, 3, 3, C, w, h, direct, p))


def conv_winograd_stride(v, p):
    """a stride of 2 x 2 in winograd: the phases of data and kernel become channels (format.rst, "Weight for Winograd"); the
    result is the direct convolution of a 6 x 5 kernel with that stride"""
    run = 32 // BPE[p]
    C, K, ow, oh, kw, kh = run, 3, 4, 2, 6, 5
    w, h = 2 * (ow - 1) + 6 - 2, 2 * (oh - 1) + 6 - 1
    d = conv_base(p, w, h, C, K, 4, 4, winograd=1, stride_x=2, stride_y=2, pad_left=1, pad_right=1, pad_top=1, pad_bottom=0,
                  pra_truncate=0, clip_truncate=0)
    d['kernel_channels'], d['out_width'], d['out_height'] = 4 * C, ow, oh
    src = Cube(SRC, w, h, C, p)
    small_data(v, p, src, -15, 15)
    g = lcg(seed())
    kernel = {(k, y, x, c): 4 * (next(g) % 7 - 3) for k in range(K) for y in range(kh) for x in range(kw) for c in range(C)}
    phases = {(k, y, x, (sy * 2 + sx) * run + c): kernel.get((k, 2 * y + sy, 2 * x + sx, c), 0) for k in range(K)
              for y in range(3) for x in range(3) for sy in (0, 1) for sx in (0, 1) for c in range(C)}
    winograd_put(v, p, K, 4 * C, winograd_weights(K, 4 * C, phases))
    v.op('conv', {**d, **src.fields('src')})
    after_conv(v, d, p, convolve(padded(src, v.mem, d, p), kernel, K, kh, kw, C, ow, oh, d, p))


def conv_batch_operands(v, p):
    """three batches, an element-wise operand of each, strides between them of their own"""
    d = conv_base(p, 3, 2, 9, 5, 2, 1, batches=3, batch_stride=0x1800)
    src = Cube(SRC, 3, 2, 9, p)
    for b in range(3):
        v.mem.data(p, SRC + b * 0x1800, src.size, seed())
    order = list(weight_order(5, 1, 2, 9, p))
    wt = weights(v, p, order, len(order))
    e = Cube(X1, 2, 2, 5, p)
    for b in range(3):
        v.mem.data(p, X1 + b * 0x800, e.size, seed())
    v.op('conv', {**d, **src.fields('src')})
    c, s = sdp_cvt(p), {'alu': 1, 'algo': 2, 'alu_shift': 4}
    out = flow(v, 'sdp', 5, p, 2, 2, flying=1, **{
        'cvt.offset': c[0], 'cvt.scale': c[1], 'cvt.truncate': c[2], 'batches': 3, 'dst_batch_stride': 0x1000,
        'x1.enable': 1, 'x1.use': 1, 'x1.bytes': BPE[p], 'x1.per_element': 1, 'x1.alu_from_memory': 1,
        'x1.batch_stride': 0x800, **e.fields('x1.operand'), **{f'x1.{k}': q for k, q in s.items()}})
    for b in range(3):
        acc = convolve(padded(src, v.mem, d, p, b * 0x1800), wt, 5, 1, 2, 9, 2, 2, d, p)
        at = lambda x, y, k: v.mem.get(e.where(x, y, k) + b * 0x800, p)
        if b:
            v.mem.put(DST + b * 0x1000, bytes(out.size))
        out.at = DST + b * 0x1000
        v.cube(out, lambda x, y, k: sdp_out(stage_x(s, acc[x, y, k], at(x, y, k), 0, p), p, p, c))


# The names of format.rst, "Pixel formats and valid setting", in the order of their numbers.
PIXELS = """R8 R10 R12 R16 R16_I R16_F A16B16G16R16 X16B16G16R16 A16B16G16R16_F A16Y16U16V16 V16U16Y16A16 A16Y16U16V16_F
    A8B8G8R8 A8R8G8B8 B8G8R8A8 R8G8B8A8 X8B8G8R8 X8R8G8B8 B8G8R8X8 R8G8B8X8 A2B10G10R10 A2R10G10B10 B10G10R10A2 R10G10B10A2
    A2Y10U10V10 V10U10Y10A2 A8Y8U8V8 V8U8Y8A8 Y8___U8V8_N444 Y8___V8U8_N444 Y10___U10V10_N444 Y10___V10U10_N444
    Y12___U12V12_N444 Y12___V12U12_N444 Y16___U16V16_N444 Y16___V16U16_N444""".split()


def pixel_parts(name):
    """From the name alone: each plane's components from its highest bits down. -> bytes of a pixel, {channel: (plane, lowest
    bit, bits)}. Components of 10 and 12 bits that do not share a word of 32 have 16 each."""
    planes, where, sizes = name.replace('_N444', '').replace('_I', '').replace('_F', '').split('___'), {}, []
    for n, plane in enumerate(planes):
        parts = re.findall(r'([A-Z])(\d+)', plane)
        shared = sum(int(b) for _, b in parts) == 32
        step = (lambda b: b) if shared else (lambda b: 8 if b == 8 else 16)
        at = 0
        for letter, b in reversed(parts):
            channel = {'R': 0, 'Y': 0, 'G': 1, 'U': 1, 'B': 2, 'V': 2, 'A': 3, 'X': 3}[letter]
            where[channel] = (n, at, int(b))
            at += step(int(b))
        sizes.append(at // 8)
    return sizes, where


def conv_pixel(name):
    number = PIXELS.index(name)

    def case(v, p):
        """one image format; every second one with a mean a channel, every third signed, every fourth begins in its line"""
        floating, sizes_where = name.endswith('_F'), pixel_parts(name)
        sizes, where = sizes_where
        C, w, h, K, kw, kh, skip, ls = len(where), 5, 3, 4, 2, 2, 3 if number % 4 == 3 else 0, 128
        override = number % 3 == 0 and not floating
        signed = override or name.endswith('_I')
        mean = [7, -20, 33, 5] if number % 2 and not floating else None
        if floating and number % 2:
            mean = [0x3c00, 0xb800, 0x4000, 0x3400]
        offset, scale, shift = 11, 5, {8: 3, 10: 5, 12: 7, 16: 11, 2: 0}[max(b for _, _, b in where.values())]
        d = conv_base(p, w, h, C, K, kw, kh, image=1, pixel_format=number, pixel_x_offset=skip, pixel_signed=override)
        d.update({'kernel_width': 1, 'kernel_channels': kw * C, 'convert': not floating, 'subtract_mean': mean is not None,
                  'mean': [sat_wrap(m, 16) for m in mean or [0] * 4], 'cvt.offset': offset, 'cvt.scale': scale,
                  'cvt.truncate': shift})
        uv = SRC + 0x1000
        for n, size in enumerate(sizes):
            if floating:
                v.mem.fill16(SRC, ls * h // 2, seed(), 12, 18)
            else:
                v.mem.fill((SRC, uv)[n], ls * h, seed())
        pos = list(weight_order(K, kh, 1, kw * C, p))
        flat = weights(v, p, pos, len(pos))
        v.op('conv', {**d, 'src.iova': SRC, 'src.line_stride': ls, 'src_uv': uv, 'uv_line_stride': ls})

        def raw(x, y, c):
            plane, low, bits = where[c]
            at = (SRC, uv)[plane] + y * ls + (x + skip) * sizes[plane]
            word = sum(v.mem.m[at + i] << 8 * i for i in range(sizes[plane]))
            n = word >> low & 2**bits - 1
            return sat_wrap(n, bits) if signed else n

        def inp(x, y, c):
            if floating:
                f = wide(raw(x, y, c), 17)
                if mean:
                    f = add(f, minus(wide(mean[c] & 0xffff, 17)), 17)
                return decode(encode(f, 16, True), 16).signed()
            return image_convert(p, raw(x, y, c), mean[c] if mean else offset, scale, shift)
        wt = {(k, y, c // C, c % C): flat[k, y, 0, c] for k, y, _, c in pos}
        if floating and p != 2:  # "Floating point images can only be converted to fp16"
            after_conv(v, d, p, {(x, y, k): 0 for x in range(4) for y in range(2) for k in range(K)})
            v.refuse('pixel_format')
            return
        after_conv(v, d, p, convolve(inp, wt, K, kh, kw, C, d['out_width'], d['out_height'], d, p))
    case.__name__ = 'conv_' + name.lower()
    return case


# --- configurations -------------------------------------------------------------------------------
def on(hw, mode, lacks=None):
    """@mode with the hardware @hw. Of int16 and fp16, which only nv_full has, it must say so; of int8 too, if it @lacks the
    whole thing"""
    def case(v, p):
        choose(hw)
        v.hw = hw
        mode(v, 0)
        if p or lacks:
            for kind, f in v.steps[-1].ops:
                for k in ('precision', 'in_precision', 'in', 'out'):
                    if k in f:
                        f[k] = p
            v.refuse(lacks if not p or mode.__name__.startswith(('bdma', 'rubik')) else 'precision')
        choose('nv_full')
    op, rest = mode.__name__.split('_', 1)
    case.__name__ = f'{op}_{hw}_{rest}'
    return case


def conv_layers(v, p):
    conv_case(v, p, 5, 4, 70, 37, 3, 2, pad_left=1, pad_top=1, pad_value=-9)


def conv_pixels(v, p):
    conv_image_case(v, p, 12, 4)


def sdp_channels(v, p):
    sdp_channel(v, p)


def sdp_y(v, p):
    sdp_element(v, p)


def sdp_lut(v, p):
    sdp_lut_linear(v, p)


# --- SDP ------------------------------------------------------------------------------------------
def sdp_case(v, p, run, fields, w=3, h=4, c=21, out_p=None, src_p=None, low=12, high=17, cv=None, values=None):
    sp = p if src_p is None else src_p
    src = Cube(SRC, w, h, c, sp)
    if values:
        edges(v, sp, src, values)
    else:
        v.mem.data(sp, SRC, src.size, seed(), low, high)
    cv = cv or ((0, 1, 0) if p == 2 else (2, 3, 1))
    op = out_p if out_p is not None else p
    out = flow(v, 'sdp', c, p, w, h, op, **{**src.fields('src'), 'cvt.offset': cv[0], 'cvt.scale': cv[1],
                                            'cvt.truncate': cv[2], 'in': sp, **fields})

    def value(x, y, k):
        n = v.mem.get(src.where(x, y, k), sp)
        n = wide(flush(n, fields.get('nan_to_zero')), 32) if p == 2 else n
        return sdp_out(run(x, y, k, n), p, op, cv)
    v.cube(out, value)
    return src, value


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


def sdp_lut_unfed(v, p):
    """the table alone: that its operands would come from memory is said of parts that are off"""
    global SEED
    before = SEED
    L = make_lut(p, 0, [-64, -20] if p != 2 else [-4, -1], [64, 44] if p != 2 else [4, 1], 0, {0: [1, -2], 1: [1, -2], 2: [-3, -6]}[p], 1)
    sdp_case(v, p, lambda x, y, k, n: stage_y({'lut': 1}, n, 0, 0, p, lut_run(L, p)),
             {'y.enable': 1, 'y.lut': 1, 'y.alu_from_memory': 1, 'y.mul_from_memory': 1, **lut_fields(L)},
             w=6, h=5, cv=None if p == 2 else (5, 7, 9))
    SEED = before  # the vectors behind it stay as they are


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
    """of int8 that is an "Invalid case" (format.rst, precision conversion for SDP layer)"""
    sdp_case(v, p, lambda x, y, k, n: n, {}, out_p=2, cv={0: (3, 77, 1), 1: (-9, 3, 1), 2: (0, 1, 0)}[p])
    if p == 0:
        v.refuse('precision')


def sdp_edges(v, p, nan_to_zero=0):
    """through sum, product and ReLU of both X, operands at the ends of the format as well"""
    a, m = (0x7bff, 0xbc00) if p == 2 else (32767, -32768)
    s1 = {'alu': 1, 'mul': 1, 'algo': 2, 'alu_shift': 16, 'truncate': 14, 'flush': nan_to_zero}
    e = Cube(X2, 3, 4, 21, p)
    edges(v, p, e, EDGES[p][3:] + EDGES[p][:3])
    s2 = {'alu': 1, 'algo': 2, 'relu': 1, 'truncate': 1, 'flush': nan_to_zero}
    get = lambda x, y, k: v.mem.get(e.where(x, y, k), p)
    src, value = sdp_case(
        v, p, lambda x, y, k, n: stage_x(s2, stage_x(s1, n, a, m, p), get(x, y, k), 0, p),
        {'nan_to_zero': nan_to_zero, 'x1.enable': 1, 'x1.alu_value': a, 'x1.mul_value': m, 'x1.relu': 0,
         'x2.enable': 1, 'x2.use': 1, 'x2.bytes': BPE[p], 'x2.per_element': 1, 'x2.alu_from_memory': 1,
         **e.fields('x2.operand'),
         **{f'x1.{k}': q for k, q in s1.items() if k != 'flush'}, **{f'x2.{k}': q for k, q in s2.items() if k != 'flush'}},
        c=32 // BPE[p], values=EDGES[p], cv=(0, 1, 0) if p == 2 else (-5, 7, 3))
    if p == 2:
        nans, infs = counts(bits_of(v, src))
        v.stat(nan_in=nans, inf_in=infs,
               nan_out=sum(value(x, y, k) is None for x in range(3) for y in range(4) for k in range(16)))


def sdp_nan_to_zero(v, p):
    sdp_edges(v, p, 1)


def sdp_denormals(v, p):
    """fp16 from the smallest denormal on; integers: shifts so large that nothing is left but the rounding"""
    s = {'mul': 1, 'truncate': 7 if p == 0 else 15}
    m = 0x1c01 if p == 2 else 64 if p == 0 else 0x3fff
    sdp_case(v, p, lambda x, y, k, n: stage_x(s, n, 0, m, p),
             {'x1.enable': 1, 'x1.mul_value': m, **{f'x1.{k}': q for k, q in s.items()}}, low=0, high=9,
             cv=(0, 1, 0) if p == 2 else (0, 1, 0))


def sdp_y_prelu(v, p):
    b = BPE[p]
    v.mem.data(p, Y, 32 * b, seed())
    s = {'mul': 1, 'prelu': 1, 'truncate': 0 if p == 2 else 3}
    sdp_case(v, p, lambda x, y, k, n: stage_y(s, n, 0, v.mem.get(Y + k * b, p), p, None),
             {'y.enable': 1, 'y.use': 0, 'y.bytes': b, 'y.mul_from_memory': 1, 'y.operand.iova': Y,
              **{f'y.{k}': q for k, q in s.items()}})


def sdp_compare(v, p):
    """EQL: nothing is written; one bit says whether all were equal"""
    src, e = Cube(SRC, 3, 2, 20, p), Cube(Y, 3, 2, 20, p)
    v.mem.data(p, SRC, src.size, 77)
    v.mem.data(p, Y, e.size, 77)
    at = e.where(2, 1, 19)
    keep = bytes([0xa5] * src.size)
    v.mem.put(DST, keep)
    last = v.mem.m[at]
    for equal in (1, 0):
        if not equal:
            v.step()
        f = {'in': p, 'precision': p, 'out': p, 'width': 3, 'height': 2, 'channels': 20, 'batches': 1, 'cvt.scale': 1,
             'y.enable': 1, 'y.alu': 1, 'y.algo': 3, 'y.use': 1, 'y.bytes': BPE[p], 'y.per_element': 1,
             'y.alu_from_memory': 1, **src.fields('src'), **e.fields('y.operand'),
             'dst.iova': DST, 'dst.line_stride': src.ls, 'dst.surf_stride': src.ss}
        if not equal:
            v.steps[-1].bytes.append((at, bytes([last ^ 1])))
        v.op('sdp', f)
        v.put(DST, keep)
        v.stat(unequal=1 - equal)


def sdp_lut_priorities(v, p):
    """every number of int8 (of int16 and fp16: 256 around the tables' ends), with each of the eight priorities"""
    if p == 2:
        values = [encode(Fp(n < 0, Fr(abs(n), 16)), 16) for n in range(-128, 128)]
    else:
        values = [n * (1 if p == 0 else 129) for n in range(-128, 128)]
    src, data = Cube(SRC, 8, 32 * BPE[p] // 32, 32, p), bytearray()
    g = 1 if p == 0 else 129
    L = make_lut(p, 0, [-100 * g, -50 * g] if p != 2 else [-6, -3], [-36 * g, 14 * g] if p != 2 else [-2, 1],
                 0, {0: [0, -2], 1: [7, 5], 2: [-4, -6]}[p], 0)
    if p == 1:
        L['end'] = [-100 * g + 64 * 128, -50 * g + 256 * 32]
    src = Cube(SRC, 16, 1, 16, p)
    data = bytearray(src.size)
    for i, n in enumerate(values):
        at = src.where(i // 16, 0, i % 16) - SRC
        data[at:at + BPE[p]] = (n & 2**(8 * BPE[p]) - 1).to_bytes(BPE[p], 'little')
    v.mem.put(SRC, data)
    for n in range(8):
        if n:
            v.step()
        L = {**L, 'uflow_lo': n & 1, 'oflow_lo': n >> 1 & 1, 'hybrid_lo': n >> 2}
        out = Cube(DST + 0x1000 * n, 16, 1, 16, p)
        v.mem.put(out.at, bytes(out.size))
        cv = (0, 1, 0) if p == 2 else (3, 5, 9 if p == 0 else 2)
        v.op('sdp', {'in': p, 'precision': p, 'out': p, 'width': 16, 'height': 1, 'channels': 16, 'batches': 1,
                     'cvt.offset': cv[0], 'cvt.scale': cv[1], 'cvt.truncate': cv[2], 'y.enable': 1, 'y.lut': 1,
                     **src.fields('src'), **out.fields('dst'), **lut_fields(L)})
        R = lut_run(L, p)

        def value(x, y, k):
            b = v.mem.get(src.where(x, y, k), p)
            return sdp_out(stage_y({'lut': 1}, wide(b, 32) if p == 2 else b, 0, 0, p, R), p, p, cv)
        v.cube(out, value)


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
                if any(b is None or is_nan(b) for b in vals):
                    return None
                key = lambda b: (decode(b, 16).signed(), not b >> 15)  # infinity: above all
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
                e = wide(get(i, j, c), 17)
                line = e if line is None else add(line, e, 17)
            total = line if total is None else add(line, total, 17)
        total = mul(mul(total, decode(f['recip_width'], 17), 17), decode(f['recip_height'], 17), 17)
        return encode(total, 16, True)
    return value


def pdp_case(v, p, method, w, h, c, kw, kh, sx, sy, pad=(0, 0, 0, 0), value=0, extra=None, flying=False, values=None):
    ow = (w + pad[0] + pad[1] - kw) // sx + 1
    oh = (h + pad[2] + pad[3] - kh) // sy + 1
    src, out = Cube(SRC, w, h, c, p), Cube(DST, ow, oh, c, p, 64)
    if values:
        edges(v, p, src, values)
    else:
        v.mem.data(p, SRC, src.size, seed())
    v.mem.put(out.at, bytes(out.size))
    f = {'precision': p, 'method': method, 'width': w, 'height': h, 'channels': c, 'out_width': ow,
         'out_height': oh, 'kernel_width': kw, 'kernel_height': kh, 'stride_x': sx, 'stride_y': sy,
         'pad_left': pad[0], 'pad_right': pad[1], 'pad_top': pad[2], 'pad_bottom': pad[3],
         'pad_value': [value * i for i in range(8)], 'recip_width': RECIP[p](kw),
         'recip_height': RECIP[p](kh), 'splits': 1, **(extra or {})}
    get = lambda x, y, k: v.mem.get(src.where(x, y, k), p)
    if p == 2 and f.get('nan_to_zero'):
        plain = get
        get = lambda x, y, k: flush(plain(x, y, k), 1)
    if flying:
        cv = (0, 1, 0) if p == 2 else (4, 3, 2)
        v.op('sdp', {'in': p, 'precision': p, 'out': p, 'width': w, 'height': h, 'channels': c, 'batches': 1,
                     'to_pdp': 1, 'cvt.offset': cv[0], 'cvt.scale': cv[1], 'cvt.truncate': cv[2],
                     **src.fields('src')})
        raw = get
        get = lambda x, y, k: sdp_out(wide(raw(x, y, k), 32) if p == 2 else raw(x, y, k), p, p, cv)
        f['flying'] = 1
    v.op('pdp', {**f, **({} if flying else src.fields('src')), **out.fields('dst')})
    value = pool(get, f, p)
    v.cube(out, value)
    return src, out, value


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


def pdp_max_padded(v, p):
    pdp_case(v, p, 1, 5, 4, 17, 4, 3, 3, 2, (3, 2, 2, 1))


def pdp_largest_window(v, p):
    pdp_case(v, p, 0, 17, 9, 5, 8, 8, 16, 16, (7, 7, 7, 7), {0: 100, 1: 30000, 2: 0}[p])


def pdp_split_average(v, p):
    """windows that overlap and padding at both ends, cut into four parts"""
    pdp_case(v, p, 0, 13, 4, 10, 5, 2, 2, 2, (2, 2, 0, 0), {0: -13, 1: 999, 2: 0}[p],
             extra={'splits': 4, 'in_first': 5, 'in_mid': 4, 'in_last': 0, 'out_first': 2, 'out_mid': 2, 'out_last': 1})


def pdp_split_two(v, p):
    pdp_case(v, p, 2, 9, 3, 33, 3, 3, 3, 1, extra={'splits': 2, 'in_first': 3, 'in_mid': 0, 'in_last': 6, 'out_first': 1,
                                                    'out_mid': 0, 'out_last': 2})


def pdp_split_wrong(v, p):
    """parts that do not add up are refused"""
    pdp_case(v, p, 1, 12, 3, 16, 3, 2, 1, 1, extra={'splits': 3, 'in_first': 5, 'in_mid': 4, 'in_last': 3,
                                                    'out_first': 3, 'out_mid': 4, 'out_last': 4})
    v.refuse('out_width')


def pdp_edges(method):
    name = ['average', 'max', 'min'][method]

    def case(v, p):
        _pdp_edges(v, p, method, 0)
    case.__name__ = f'pdp_edges_{name}'
    return case


def _pdp_edges(v, p, method, nan_to_zero):
    src, out, value = pdp_case(v, p, method, 6, 4, 32 // BPE[p], 2, 2, 1, 2, values=EDGES[p],
                               extra={'nan_to_zero': nan_to_zero})
    if p == 2:
        nans, infs = counts(bits_of(v, src))
        v.stat(pool_nan_in=nans, pool_inf_in=infs, pool_nan_out=sum(value(x, y, k) is None for x in range(out.w)
                                                                   for y in range(out.h) for k in range(out.c)))


def pdp_flying_edges(v, p):
    """the SDP makes its input's infinities the largest number, so that the PDP sees none; NaNs pass both"""
    src, out, value = pdp_case(v, p, 1, 6, 4, 32 // BPE[p], 2, 2, 1, 2, flying=True, values=EDGES[p])
    if p == 2:
        nans, infs = counts(bits_of(v, src))
        v.stat(nan_in=nans, inf_in=infs, nan_out=nans, pool_nan_in=nans, pool_inf_in=0,
               pool_nan_out=sum(value(x, y, k) is None for x in range(out.w) for y in range(out.h) for k in range(out.c)))


def pdp_nan_to_zero(v, p):
    _pdp_edges(v, p, 0, 1)


# --- CDP ------------------------------------------------------------------------------------------
def cdp_case(v, p, length, L, bypass=(0, 0), c=22, values=None, more=None):
    w, h = 3, 2
    src, out = Cube(SRC, w, h, c, p), Cube(DST, w, h, c, p)
    more = more or {}
    if values:
        edges(v, p, src, values)
    else:
        v.mem.data(p, SRC, src.size, seed())
    v.mem.put(out.at, bytes(out.size))
    ic, oc = ((0, 1, 0),) * 2 if p == 2 else ((3, 2, 0), (100, 3, 12 if p == 0 else 20))
    v.op('cdp', {'precision': p, 'width': w, 'height': h, 'channels': c, 'length': length,
                 'sqsum_bypass': bypass[0], 'mul_bypass': bypass[1], 'in_cvt.offset': ic[0],
                 'in_cvt.scale': ic[1], 'in_cvt.truncate': ic[2], 'out_cvt.offset': oc[0],
                 'out_cvt.scale': oc[1], 'out_cvt.truncate': oc[2], **src.fields('src'),
                 **out.fields('dst'), **lut_fields(L), **more})
    R, half = lut_run(L, p), length // 2

    def value(x, y, k):
        raw = [v.mem.get(src.where(x, y, i), p) for i in range(c)]
        if p == 2:
            e = [wide(flush(i, more.get('nan_to_zero')), 17) for i in raw]
            q = [to(i, 32) if bypass[0] else mul(to(i, 32), to(i, 32), 32) for i in e]
            z = Fp(False, Fr(0))
            at = lambda i: q[i] if 0 <= i < c else z
            s = q[k] if bypass[0] else add(add(at(k - 1), at(k + 1), 32), at(k), 32)
            for d in range(2, 0 if bypass[0] else half + 1):
                s = add(s, add(at(k - d), at(k + d), 32), 32)
            r = lut_fp(R, s, True)
            r = NAN if bypass[1] and e[k].nan else r
            return encode(r if bypass[1] else mul(e[k], r, 17), 16, True)
        e = [cvt(ic, i, 9 if p == 0 else 17) for i in raw]
        s = e[k] if bypass[0] else sum(e[i]**2 for i in range(max(0, k - half), min(c, k + half + 1)))
        r = lut_int(R, s, 16, 16, True)
        return cvt(oc, r if bypass[1] else r * e[k], 8 if p == 0 else 16)
    v.cube(out, value, c)
    return src, value


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


def cdp_edges(v, p, nan_to_zero=0):
    src, value = cdp_case(v, p, 5, cdp_lut(p, 0, 1), values=EDGES[p], c=32 // BPE[p], more={'nan_to_zero': nan_to_zero})
    if p == 2:
        nans, infs = counts(bits_of(v, src))
        v.stat(nan_in=nans, inf_in=infs, nan_out=sum(value(x, y, k) is None for x in range(3) for y in range(2) for k in range(16)))


def cdp_nan_to_zero(v, p):
    cdp_edges(v, p, 1)


def cdp_no_product(v, p):
    cdp_case(v, p, 3, cdp_lut(p, 0, 0), (0, 1))


def cdp_no_squares(v, p):
    cdp_case(v, p, 7, cdp_lut(p, 0, 0), (1, 0))


def cdp_wide_table(v, p):
    """int16: sums beyond 32 bits, and tables that end there (their registers have 38 bits)"""
    L = cdp_lut(p, 0, 0)
    if p == 1:
        L.update(start=[0, 1 << 33], end=[7 << 32, (1 << 33) + (1 << 28)], select=[28, 20], oflow_scale=[1, 1],
                 oflow_shift=[15, 15])
    cdp_case(v, p, 9, L, values=[-32768, 32767, -32767, 9, 32766] if p == 1 else EDGES[p], c=32 // BPE[p])


def cdp_few_channels(v, p):
    """neighbours on both sides that are not there"""
    cdp_case(v, p, 9, cdp_lut(p, 1, 1), c=2)


# --- BDMA, RUBIK ----------------------------------------------------------------------------------
def bdma_copy(v, p):
    v.mem.fill(SRC, 0x600, seed())
    v.mem.put(DST, bytes(0x800))
    v.op('bdma', {'src': SRC + 32, 'dst': DST, 'line_bytes': 64, 'lines': 3, 'surfaces': 2, 'src_line': 96,
                  'dst_line': 64, 'src_surf': 0x200, 'dst_surf': 0x300})
    for s in range(2):
        for l in range(3):
            a = SRC + 32 + s * 0x200 + l * 96
            v.put(DST + s * 0x300 + l * 64, bytes(v.mem.m[a + i] for i in range(64)))


def bdma_memories(v, p):
    """a packed cube from one memory into the other: DRAM (0) and CVSRAM (1)"""
    src_ram, dst_ram = ((0, 1), (1, 0), (1, 1))[p]
    n = 3 * 32 * 4
    (v.mem.fill_cv if src_ram else v.mem.fill)(SRC, n, seed())
    v.mem.put_cv(DST, bytes(n)) if dst_ram else v.mem.put(DST, bytes(n))
    v.op('bdma', {'src': SRC, 'dst': DST, 'src_ram': src_ram, 'dst_ram': dst_ram, 'line_bytes': 32 * 4, 'lines': 3,
                  'surfaces': 1, 'src_line': 32 * 4, 'dst_line': 32 * 4, 'src_surf': 0, 'dst_surf': 0})
    v.put(DST | dst_ram * CV, bytes(v.mem.m[(SRC | src_ram * CV) + i] for i in range(n)))


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
            v.put(DST + c * 128 + y * 32, b''.join(data))


def rubik_merge(v, p):
    out = Cube(DST, 5, 3, 19, p)
    v.mem.data(p, SRC, 0xa00, seed())
    v.mem.put(DST, bytes(out.size))
    v.op('rubik', {'mode': 2, 'precision': p, 'width': 5, 'height': 3, 'channels': 19, 'out_channels': 19,
                   'src.iova': SRC, 'src.line_stride': 32, 'src_planar_stride': 128, **out.fields('dst')})
    v.cube(out, lambda x, y, c: v.mem.get(SRC + c * 128 + y * 32 + x * BPE[p], p))


OTHERS = [h for h in HARDWARE if h != 'nv_full']  # int8 alone, no winograd, batches, compression, BDMA, RUBIK
# nvdla/hw, spec/defs/*.spec, branch master: SDP_EW_ENABLE, and each of them has SDP_LUT_ENABLE
EW = ('nv_small_256_full', 'nv_medium_1024_full', 'nv_large')


def each(*modes):
    return [on(h, m, lack) for h in OTHERS for m, lack in modes]


MATRIX = {
    'conv': [conv_direct, conv_stride, conv_dilation, conv_padding, conv_batch, conv_compressed,
             conv_winograd, conv_image, conv_post_extension, conv_edges, conv_nan_to_zero, conv_winograd_is_direct,
             conv_winograd_stride, conv_batch_operands]
    + [conv_pixel(n) for n in PIXELS]
    + each((conv_layers, None), (conv_pixels, None), (conv_batch, 'batches'), (conv_compressed, 'compressed'),
           (conv_winograd, 'winograd')),
    'sdp': [sdp_pass, sdp_layer, sdp_bypassed_multiplier_shifts, sdp_minmax, sdp_channel, sdp_prelu,
            sdp_element, sdp_y_both, sdp_element_product, sdp_lut_linear, sdp_lut_exponential, sdp_convert, sdp_to_fp16,
            sdp_edges, sdp_nan_to_zero, sdp_denormals, sdp_y_prelu, sdp_compare, sdp_lut_priorities]
    + each((sdp_channels, None)) + [on(h, sdp_y, None if h in EW else 'EW') for h in OTHERS]
    + [on(h, sdp_lut, None if h in EW else 'EW') for h in OTHERS] + [sdp_lut_unfed],
    'pdp': [pdp_max, pdp_min_padded, pdp_average, pdp_average_padded, pdp_window_wider_than_cube, pdp_split,
            pdp_flying, pdp_max_padded, pdp_largest_window, pdp_split_average, pdp_split_two, pdp_split_wrong,
            pdp_edges(0), pdp_edges(1), pdp_edges(2), pdp_flying_edges, pdp_nan_to_zero] + each((pdp_average_padded, None)),
    'cdp': [cdp_lrn3, cdp_lrn5, cdp_lrn7, cdp_lrn9, cdp_bypass, cdp_edges, cdp_nan_to_zero, cdp_no_product, cdp_no_squares, cdp_wide_table, cdp_few_channels]
    + each((cdp_lrn5, None)),
    'bdma': [bdma_copy, bdma_memories] + each((bdma_copy, 'op')),
    'rubik': [rubik_contract, rubik_split, rubik_merge] + each((rubik_contract, 'mode')),
}

PACKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'vectors.tar.xz')


def write(folder):
    os.makedirs(f'{folder}/vectors', exist_ok=True)
    rows = ['# Each cell: the vector that tests this operation in this precision (vectors/<operation>.vec).',
            '# operation mode int8 int16 fp16']
    for op, modes in MATRIX.items():
        with open(f'{folder}/vectors/{op}.vec', 'w') as f:
            f.write('# Made by cases.py from reference.py; do not edit.\n')
            for mode in modes:
                names = []
                for p in (0, 1, 2):
                    v = Vector(f'{mode.__name__}_{NAMES[p]}')
                    mode(v, p)
                    f.write(v.text())
                    names.append(v.name)
                rows.append(' '.join([op, mode.__name__[len(op) + 1:], *names]))
    with open(f'{folder}/matrix.txt', 'w') as f:
        f.write('\n'.join(rows) + '\n')


def nobody(info):
    """The same bytes whoever packs, and when."""
    info.mtime, info.uid, info.gid, info.uname, info.gname, info.mode = 0, 0, 0, '', '', 0o644 if info.isfile() else 0o755
    return info


def contents(tar):
    return {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}


def main(what):
    with tempfile.TemporaryDirectory() as folder:
        if what not in ('pack', 'check'):
            write(what)
            return 0
        write(folder)
        with tarfile.open(PACKED if what == 'pack' else f'{folder}/made', 'w:xz', preset=9) as tar:
            for name in ('matrix.txt', 'vectors'):
                tar.add(f'{folder}/{name}', name, filter=nobody)
        if what == 'check':
            with tarfile.open(PACKED) as packed, tarfile.open(f'{folder}/made') as made:
                if contents(packed) != contents(made):
                    print('vectors.tar.xz is not what cases.py writes: ./cases.py pack')
                    return 1
        return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else 'usage: cases.py FOLDER|pack|check')
