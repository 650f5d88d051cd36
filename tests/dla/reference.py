# SPDX-License-Identifier: MIT
"""Makes the DLA's own test vectors (vectors/*.vec) and never looks at the engine.

Written from the NVDLA documents alone: format.rst (layouts), precision.rst (rounding and widths),
lut-programming.rst, unit_description.rst. Arithmetic is exact (integers and Fractions), rounded where
the documents round. cases.py writes vectors/.
"""
import os
from fractions import Fraction as Fr

BPE = {0: 1, 1: 2, 2: 2}
NAMES = ['int8', 'int16', 'fp16']


class Hardware:
    """A published configuration: bytes of an atom, channels of a small cube of weights, kernels of a group"""

    def __init__(self, name, atom, atomic_c, int8, wide=None):
        self.name, self.atom, self.atomic_c, self.kernels = name, atom, atomic_c, {0: int8, 1: wide, 2: wide}


# nvdla/hw, spec/defs/*.spec: MEMORY_ATOMIC_SIZE, MAC_ATOMIC_C_SIZE, MAC_ATOMIC_K_SIZE; nv_full: format.rst, "Weight Format".
HARDWARE = {h.name: h for h in [
    Hardware('nv_small', 8, 8, 8), Hardware('nv_small_256', 8, 32, 8), Hardware('nv_small_256_full', 8, 32, 8),
    Hardware('nv_medium_512', 16, 32, 16), Hardware('nv_medium_1024_full', 32, 32, 32),
    Hardware('nv_large', 32, 64, 32), Hardware('nv_full', 32, 64, 32, 16)]}
HW = HARDWARE['nv_full']


def choose(name):
    global HW
    HW = HARDWARE[name]


# --- memory ---------------------------------------------------------------------------------------
def lcg(seed):
    x = seed
    while True:
        x = (x * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        yield x >> 56


CV = 1 << 63  # an address of CVSRAM, in these files


class Memory:
    """Bytes by address; what fills it becomes lines of the vector."""

    def __init__(self):
        self.m, self.lines = {}, []

    def fill(self, at, n, seed):
        g = lcg(seed)
        for i in range(n):
            self.m[at + i] = next(g)
        self.lines.append(f'fill {at:#x} {n} {seed}')

    def fill_cv(self, at, n, seed):
        """the same in CVSRAM"""
        self.fill(at | CV, n, seed)

    def put_cv(self, at, data):
        self.put(at | CV, data)

    def fill16(self, at, n, seed, low, high):
        """fp16 numbers with biased exponents low .. high."""
        g = lcg(seed)
        for i in range(n):
            a, b, c = next(g), next(g), next(g)
            v = (a & 1) << 15 | (low + b % (high - low + 1)) << 10 | (a >> 1 & 3) << 8 | c
            self.m[at + 2 * i], self.m[at + 2 * i + 1] = v & 255, v >> 8
        self.lines.append(f'fill16 {at:#x} {n} {seed} {low} {high}')

    def put(self, at, data):
        for i, b in enumerate(data):
            self.m[at + i] = b
        self.lines.append(f'bytes {at:#x} {bytes(data).hex()}' if any(data) else f'zero {at:#x} {len(data)}')

    def data(self, p, at, n, seed, low=12, high=17):
        """n bytes of numbers of precision p"""
        self.fill16(at, n // 2, seed, low, high) if p == 2 else self.fill(at, n, seed)

    def get(self, at, p):
        if p == 0:
            v = self.m[at]
            return v - 256 if v > 127 else v
        v = self.m[at] | self.m[at + 1] << 8
        return v - 65536 if p == 1 and v > 32767 else v


class Cube:
    def __init__(self, at, w, h, c, p, gap=0):
        self.at, self.w, self.h, self.c, self.p = at, w, h, c, p
        self.per = HW.atom // BPE[p]
        self.ls = w * HW.atom + gap
        self.atom = HW.atom
        self.ss = self.ls * h + gap
        self.size = -(-c // self.per) * self.ss

    def where(self, x, y, c):
        return self.at + c // self.per * self.ss + y * self.ls + x * self.atom + c % self.per * BPE[self.p]

    def fields(self, name):
        return {f'{name}.iova': self.at, f'{name}.line_stride': self.ls, f'{name}.surf_stride': self.ss}


# --- numbers --------------------------------------------------------------------------------------
def sat(v, bits):
    return max(-(1 << bits - 1), min((1 << bits - 1) - 1, v))


def rshift(v, s, bits):
    """right shift, half away from zero, saturate; s < 0 goes left"""
    if s <= 0:
        return sat(v << -s, bits)
    a = (abs(v) * 2 + (1 << s)) >> (s + 1)
    return sat(a if v >= 0 else -a, bits)


FORMATS = {16: (5, 10), 17: (6, 10), 32: (8, 23)}


class Fp:
    """A number of one of the three formats: sign and value apart, so that zeros keep their sign."""

    def __init__(self, neg, val, nan=False):
        self.neg, self.val, self.nan = neg, val, nan  # val: Fraction, |value|

    def signed(self):
        return -self.val if self.neg else self.val


def decode(bits, fmt):
    e, m = FORMATS[fmt]
    bias = 2**(e - 1) - 1
    ex, man = bits >> m & (2**e - 1), bits & (2**m - 1)
    neg = bool(bits >> (e + m) & 1)
    if ex == 0:
        return Fp(neg, Fr(man, 2**m) * Fr(2)**(1 - bias) if fmt == 16 else Fr(0))
    if ex == 2**e - 1 and man:
        return Fp(neg, Fr(0), True)
    return Fp(neg, (1 + Fr(man, 2**m)) * Fr(2)**(ex - bias))


def half_even(v):
    n = v.numerator // v.denominator
    r = v - n
    return n + (1 if r > Fr(1, 2) or (r == Fr(1, 2) and n & 1) else 0)


def encode(f, fmt, converting=False):
    """nearest even, clip at the largest; small numbers are denormal in fp16 and zero elsewhere; NaN: None, because which
    mantissa it has "is undefined" (format.rst, "FP16 Supporting")"""
    if f.nan:
        return None
    e, m = FORMATS[fmt]
    bias = 2**(e - 1) - 1
    sign = int(f.neg) << (e + m)
    if f.val == 0:
        return sign
    ex = 0
    while f.val >= Fr(2)**(ex + 1):
        ex += 1
    while f.val < Fr(2)**ex:
        ex -= 1
    grid = max(ex, 1 - bias) if fmt == 16 or converting else ex
    q = half_even(f.val / Fr(2)**(grid - m))
    if q >= 2**(m + 1):
        q, grid = q // 2, grid + 1
    if q < 2**m or grid < 1 - bias:
        return sign | (q if fmt == 16 else 0)
    if grid > bias:
        return sign | ((2**e - 1) << m) - 1
    return sign | (grid + bias) << m | q - 2**m


def rnd(f, fmt, converting=False):
    return f if f.nan else decode(encode(f, fmt, converting), fmt)


NAN = Fp(False, Fr(0), True)


def is_inf(bits):
    return bits & 0x7fff == 0x7c00


def is_nan(bits):
    return bits & 0x7fff > 0x7c00


def wide(bits, fmt):
    """fp16 as SDP (32), CDP and PDP's average (17) take it: infinity is their largest number (format.rst, table of
    INF converted values)"""
    if is_inf(bits):
        e, m = FORMATS[fmt]
        return decode((bits >> 15) << (e + m) | (((2**e - 1) << m) - 1), fmt)
    return to(decode(bits, 16), fmt)


def flush(bits, on):
    """NAN_TO_ZERO"""
    return 0 if on and is_nan(bits) else bits


def add(a, b, fmt):
    if a.nan or b.nan:
        return NAN
    s = a.signed() + b.signed()
    neg = s < 0 if s else (a.neg if a.val >= b.val else b.neg)
    return rnd(Fp(neg, abs(s)), fmt)


def minus(a):
    return Fp(not a.neg, a.val, a.nan)


def mul(a, b, fmt):
    if a.nan or b.nan:
        return NAN
    return rnd(Fp(a.neg != b.neg, a.val * b.val), fmt)


def to(f, fmt):
    return rnd(f, fmt, True)


def of_int(i):
    return Fp(i < 0, Fr(abs(i)))


# --- convolution ----------------------------------------------------------------------------------
def weight_order(K, kh, kw, kc, p, post=1):
    """positions in memory order (format.rst): groups of kernels, small cubes of atomic_c channels"""
    group, cube = HW.kernels[p], HW.atomic_c
    for g in range(0, K, group):
        for c0 in range(0, kc, cube):
            for y0 in range(0, kh, post):
                for x in range(kw):
                    for k in range(g, min(K, g + group)):
                        for y in range(y0, min(kh, y0 + post)):
                            for c in range(c0, min(kc, c0 + cube)):
                                yield k, y, x, c


def winograd_order(K, kc, p):
    group = HW.kernels[p]
    for g in range(0, K, group):
        for c0 in range(0, kc, 4):
            for k in range(g, min(K, g + group)):
                for y in range(4):
                    for x in range(4):
                        for c in range(c0, c0 + 4):
                            yield k, y, x, c


def clip(acc, p, truncate):
    return rshift(acc, truncate, 32)


def fp32_sum(s):
    return NAN if s is None else rnd(Fp(s < 0, abs(s)), 32)


def num(v, p):
    """what the MAC sees: infinity is 65536; None: NaN"""
    if p != 2:
        return v
    f = decode(v, 16)
    return None if f.nan else f.signed()


def product(a, b):
    return None if a is None or b is None else a * b


def total(s, v):
    return None if s is None or v is None else s + v


def convolve(inp, w, K, kh, kw, C, ow, oh, o, p):
    """inp(x, y, c) gives numbers, padding included"""
    out = {}
    for y in range(oh):
        for x in range(ow):
            for k in range(K):
                s = 0
                for ky in range(kh):
                    for kx in range(kw):
                        for c in range(C):
                            s = total(s, product(inp(x * o['stride_x'] + kx * o['dilation_x'],
                                                     y * o['stride_y'] + ky * o['dilation_y'], c), w[k, ky, kx, c]))
                out[x, y, k] = fp32_sum(s) if p == 2 else clip(s, p, o['clip_truncate'])
    return out


def winograd(inp, w, K, C, ow, oh, pra, truncate, p):
    CT = [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]
    AT = [[1, 1, 1, 0], [0, 1, -1, -1]]
    out = {}

    def half(rows):
        """CT * rows for fp16: fp17 sums of two"""
        r = []
        for line in CT:
            i, j = [n for n in range(4) if line[n]]
            if line[i] < 0:
                i, j = j, i
            a, b = rows[i], rows[j] if line[j] > 0 else [minus(v) for v in rows[j]]
            r.append([add(u, v, 17) for u, v in zip(a, b)])
        return r

    def transpose(m):
        return [list(t) for t in zip(*m)]

    for ty in range(0, oh, 2):
        for tx in range(0, ow, 2):
            tiles = []
            for c in range(C):
                d = [[inp(tx + x, ty + y, c) for x in range(4)] for y in range(4)]
                if p == 2:
                    t = transpose(half(transpose(half(d))))
                    t = [[to(v, 16).signed() for v in line] for line in t]
                else:
                    t = [[sum(CT[i][a] * d[a][b] * CT[j][b] for a in range(4) for b in range(4))
                          for j in range(4)] for i in range(4)]
                    t = [[rshift(v, pra, 8 if p == 0 else 16) for v in line] for line in t]
                tiles.append(t)
            for k in range(K):
                m = [[sum(tiles[c][y][x] * w[k, y, x, c] for c in range(C)) for x in range(4)]
                     for y in range(4)]
                for u in range(2):
                    for v in range(2):
                        s = sum(AT[u][y] * m[y][x] * AT[v][x] for y in range(4) for x in range(4))
                        out[tx + v, ty + u, k] = fp32_sum(s) if p == 2 else clip(s, p, truncate)
    return out


# --- look-up tables -------------------------------------------------------------------------------
def lut_int(L, x, frac, bits, cdp):
    def one(t):
        tab, n = (L['le'], 64) if t == 0 else (L['lo'], 256)
        d = x - L['start'][t]
        if d <= 0:
            return 'u', 0, 0
        if t == 0 and L['exponential']:
            lg = d.bit_length() - 1
            i, f = lg - L['index_offset'], Fr(d - 2**lg, 2**lg)
        else:
            v = Fr(d) / Fr(2)**L['select'][t]
            i, f = v.numerator // v.denominator, v - v.numerator // v.denominator
        if i < 0:
            return 'u', 0, 0
        return ('o', 0, 0) if i >= n else ('h', i, (f * 2**frac).__floor__())

    def value(t, place):
        tab, n = (L['le'], 64) if t == 0 else (L['lo'], 256)
        s, i, f = place
        if s == 'h':
            return rshift(tab[i] * (2**frac - f) + tab[i + 1] * f, frac, bits)
        if s == 'u':
            d = x - L['start'][t]
            if t == 0 and L['exponential'] and L['index_offset'] >= 0:
                d -= 2**L['index_offset']
            return sat(tab[0] + rshift(d * L['uflow_scale'][t], L['uflow_shift'][t], 56 if cdp else 32), bits)
        d = x - L['end'][t]
        return sat(tab[n] + rshift(d * L['oflow_scale'][t], L['oflow_shift'][t], 56 if cdp else 32), bits)

    a, b = one(0), one(1)
    return value(*pick(L, a, b))


def pick(L, a, b):
    if a[0] == b[0] == 'u':
        t = L['uflow_lo']
    elif a[0] == b[0] == 'o':
        t = L['oflow_lo']
    elif (a[0] == 'h') == (b[0] == 'h'):
        t = L['hybrid_lo']
    else:
        t = 0 if a[0] == 'h' else 1
    return t, (a, b)[t]


def lut_fp(L, x, cdp):
    frac = 16 if cdp else 35

    def one(t):
        n = 64 if t == 0 else 256
        d = add(x, minus(decode(L['start'][t], 32)), 32)
        if d.neg or d.val == 0:
            return 'u', 0, 0
        if t == 0 and L['exponential']:
            e = 0
            while d.val >= Fr(2)**(e + 1):
                e += 1
            while d.val < Fr(2)**e:
                e -= 1
            i, f = e - L['index_offset'], d.val / Fr(2)**e - 1
        else:
            v = d.val / Fr(2)**L['select'][t]
            i, f = v.__floor__(), v - v.__floor__()
        if i < 0:
            return 'u', 0, 0
        return ('o', 0, 0) if i >= n else ('h', i, (f * 2**frac).__floor__())

    def entry(t, i):
        return decode((L['le'] if t == 0 else L['lo'])[i] & 0xffff, 16)

    t, (s, i, f) = pick(L, one(0), one(1))
    if s == 'h':
        y0, y1 = to(entry(t, i), 17), to(entry(t, i + 1), 17)
        if cdp:
            d = to(add(to(y1, 32), minus(to(y0, 32)), 32), 17)
            return add(mul(d, rnd(Fp(False, Fr(f, 2**16)), 17), 17), y0, 17)
        a0 = rnd(Fp(False, 1 - Fr(f, 2**35)), 17)
        a1 = rnd(Fp(False, Fr(f, 2**35)), 17)
        return add(mul(a0, y0, 17), mul(a1, y1, 17), 17)
    base = decode((L['start'] if s == 'u' else L['end'])[t], 32)
    if s == 'u' and t == 0 and L['exponential']:
        base = add(base, Fp(False, Fr(2)**L['index_offset']), 32)
    d = to(add(x, minus(base), 32), 17)
    scale = to(decode((L['uflow_scale'] if s == 'u' else L['oflow_scale'])[t] & 0xffff, 16), 17)
    return add(mul(d, scale, 17), to(entry(t, 0 if s == 'u' else (64, 256)[t]), 17), 17)


# --- SDP ------------------------------------------------------------------------------------------
def relu(v, p):
    if p == 2:
        return Fp(False, Fr(0)) if v.neg and not v.nan else v
    return max(v, 0)


def alu(algo, v, o, p, saturate):
    if p == 2:
        if algo == 2 or v.nan or o.nan:
            return add(v, o, 32)
        key = lambda f: (f.signed(), not f.neg)
        return max(v, o, key=key) if algo == 0 else min(v, o, key=key)
    r = max(v, o) if algo == 0 else min(v, o) if algo == 1 else v + o
    return sat(r, 32) if saturate else r


def stage_x(s, v, a, m, p):
    if p == 2:
        if s.get('alu'):
            v = alu(s['algo'], v, wide(flush(a & 0xffff, s.get('flush')), 32), p, False)
        if s.get('mul') and not (s.get('prelu') and not v.neg):
            v = mul(v, wide(flush(m & 0xffff, s.get('flush')), 32), 32)
    else:
        if s.get('alu'):
            v = alu(s['algo'], v, sat(a << s.get('alu_shift', 0), 32), p, False)
        if s.get('mul') and s.get('prelu') and v >= 0:
            v = sat(v, 32)
        else:
            v = rshift(v * m if s.get('mul') else v, s.get('truncate', 0), 32)
    return relu(v, p) if s.get('relu') else v


def cvt(c, v, bits):
    return rshift((v - c[0]) * c[1], c[2], bits)


def stage_y(s, v, a, m, p, L):
    if p == 2:
        if s.get('mul') and not (s.get('prelu') and not v.neg):
            v = mul(v, wide(flush(m & 0xffff, s.get('flush')), 32), 32)
        if s.get('alu'):
            v = alu(s['algo'], v, wide(flush(a & 0xffff, s.get('flush')), 32), p, False)
        return to(lut_fp(L, v, False), 32) if s.get('lut') else v
    if s.get('mul') and not (s.get('prelu') and v >= 0):
        v = rshift(v * (cvt(s['mul_cvt'], m, 32) if 'mul_cvt' in s else m), s.get('truncate', 0), 32)
    if s.get('alu'):
        v = alu(s['algo'], v, cvt(s['alu_cvt'], a, 32) if 'alu_cvt' in s else a, p, True)
    return lut_int(L, v, 35, 32, False) if s.get('lut') else v


def sdp_out(v, proc, out, c):
    if proc == 2:
        h = encode(v, 16, True)
        if out == 2:
            return h
        if h is None:
            return -32768
        f = decode(h, 16)
        return sat(int(f.val + Fr(1, 2)) * (-1 if f.neg else 1), 16)
    t = cvt(c, v, 17)
    if out == 2:
        return encode(of_int(t), 16)
    return sat(t, 8 if out == 0 else 16)


# --- one vector -----------------------------------------------------------------------------------
class Vector:
    """Memory, then steps: operations, a run, and what is there afterwards."""

    def __init__(self, name):
        self.name, self.hw, self.mem, self.steps = name, HW.name, Memory(), []
        self.step()

    def step(self):
        self.steps.append(Step())

    def op(self, kind, fields):
        self.steps[-1].ops.append((kind, fields))

    def put(self, at, data):
        self.steps[-1].expect.append((at, data))

    def stat(self, **numbers):
        self.steps[-1].stats.update(numbers)

    def refuse(self, field):
        """the run is refused, and the error names this field"""
        self.steps[-1].refused = field
        self.steps[-1].expect = []

    def cube(self, c, value, channels=None):
        """expect value(x, y, c) in every channel"""
        n = c.c if channels is None else channels
        for k0 in range(0, n, c.per):
            for y in range(c.h):
                data, at = bytearray(), None
                for x in range(c.w):
                    for k in range(k0, min(n, k0 + c.per)):
                        v = value(x, y, k)
                        if at is None or v is None or c.where(x, y, k) != at + len(data):
                            if data:
                                self.put(at, bytes(data))
                            data, at = bytearray(), c.where(x, y, k)
                        if v is None:
                            self.put(at, None)
                            at = None
                        else:
                            data += (v & (2**(8 * BPE[c.p]) - 1)).to_bytes(BPE[c.p], 'little')
                if data:
                    self.put(at, bytes(data))

    def text(self):
        t = [f'vector {self.name}', f'config {self.hw}']
        if not all(s.refused for s in self.steps):
            t += self.mem.lines
        for i, s in enumerate(self.steps):
            t += s.lines(i == 0)
        return '\n'.join(t) + '\nend\n\n'


class Step:
    def __init__(self):
        self.bytes, self.ops, self.expect, self.stats, self.refused = [], [], [], {}, None

    def lines(self, first):
        """what is 0 needs no line at first"""
        t = [f'bytes {a:#x} {d.hex()}' for a, d in self.bytes]
        for kind, f in self.ops:
            t.append(f'op {kind}')
            for k, v in f.items():
                v = ','.join(str(i) for i in v) if isinstance(v, (list, tuple)) else int(v)
                t += [f' {k} {v}'] if v or not first else []
        t.append(f'refuse {self.refused}' if self.refused else 'run')
        t += [f'expect {a:#x} {d.hex()}' if d is not None else f'nan {a:#x}' for a, d in self.expect]
        return t + [f'stat {k} {v}' for k, v in self.stats.items()]
