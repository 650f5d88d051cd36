#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints include/vtegra/curand_jumps.h: the numbers that let generators skip 2^k outputs.

XORWOW: one step is linear on 160 bits, so T^n = q(T) with q = x^n mod the characteristic polynomial of T; that is
found from a sequence of single bits (Berlekamp-Massey). MRG32k3a: powers of two 3x3 matrices.
"""

WORDS = 5
BITS = 32 * WORDS


def step(v):
    t = v[0] ^ v[0] >> 2
    return v[1:] + [(v[4] ^ v[4] << 4 ^ t ^ t << 1) & 0xffffffff]


def polynomial():
    v = [1, 2, 3, 5, 8]
    s = []
    for _ in range(2 * BITS + 64):
        s.append(v[4] & 1)
        v = step(v)
    c, b, length, m = 1, 1, 0, 1
    for n in range(len(s)):
        d = s[n]
        for i in range(1, length + 1):
            d ^= (c >> i & 1) & s[n - i]
        if not d:
            m += 1
        elif 2 * length <= n:
            c, b, length, m = c ^ b << m, c, n + 1 - length, 1
        else:
            c ^= b << m
            m += 1
    assert length == BITS
    return int(bin(c | 1 << BITS + 1)[3:][::-1], 2)  # the connection polynomial, turned round


def reduced(a, p):
    while a.bit_length() > BITS:
        a ^= p << a.bit_length() - 1 - BITS
    return a


def square(a, p):
    wide = int("0".join(bin(a)[2:]), 2)
    return reduced(wide, p)


def matrix_power(a, exponent, m):
    r = [[int(i == j) for j in range(3)] for i in range(3)]
    while exponent:
        if exponent & 1:
            r = [[sum(r[i][k] * a[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]
        a = [[sum(a[i][k] * a[k][j] for k in range(3)) % m for j in range(3)] for i in range(3)]
        exponent >>= 1
    return r


def rows(numbers):
    return "\n".join("    { " + ", ".join("0x%08xu" % n for n in row) + " }," for row in numbers)


p = polynomial()
q, table = 2, []
for _ in range(67 + 64):
    table.append([q >> 32 * i & 0xffffffff for i in range(WORDS)])
    q = square(q, p)

# P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999.
M1, M2 = 4294967087, 4294944443
A1 = [[0, 1, 0], [0, 0, 1], [M1 - 810728, 1403580, 0]]
A2 = [[0, 1, 0], [0, 0, 1], [M2 - 1370589, 0, 527612]]

print("""/* SPDX-License-Identifier: MIT */
/* Part of curand_kernel.h; include that. Made by tests/e2e/device_headers/jumps.py, which explains it. */
#ifndef VTEGRA_CURAND_JUMPS_H
#define VTEGRA_CURAND_JUMPS_H

/* Row k: x^(2^k) modulo the characteristic polynomial of a step of XORWOW; bit i of word j is that of x^(32 j + i). */
static __device__ const unsigned int vtegra_xorwow_jumps[131][5] = {
%s
};
""" % rows(table))
for name, power in (("", 1), ("_subsequence", 1 << 76), ("_sequence", 1 << 127)):
    for n, (a, m) in ((1, (A1, M1)), (2, (A2, M2))):
        print("static __device__ const unsigned int vtegra_mrg_%d%s[3][3] = {\n%s\n};"
              % (n, name, rows(matrix_power(a, power, m))))
print("\n#endif")
