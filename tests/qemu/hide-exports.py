#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a QEMU that exports nothing but its plugin interface, as one built without modules: a copy whose other symbols the
dynamic linker does not find. Usage: hide-exports.py QEMU COPY"""
import os
import struct
import sys

SHT_RELA, SHT_DYNSYM, SHN_UNDEF = 4, 11, 0


def main(program, copy):
    data = bytearray(open(program, "rb").read())
    assert data[:6] == b"\x7fELF\x02\x01", "not a little-endian ELF64 program"
    shoff, = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * size) for i in range(count)]
    dynsym = next(s for s in sections if s[1] == SHT_DYNSYM)
    names = sections[dynsym[6]][4]
    # What the program itself looks up by name when it starts: copies of a library's variables (stdout), thread-locals.
    needed = set()
    for s in sections:
        if s[1] == SHT_RELA:
            for at in range(s[4], s[4] + s[5], 24):
                info, = struct.unpack_from("<Q", data, at + 8)
                needed.add(info >> 32)
    hidden = 0
    for i in range(1, dynsym[5] // 24):
        at = dynsym[4] + i * 24
        name, = struct.unpack_from("<I", data, at)
        section, = struct.unpack_from("<H", data, at + 6)
        text = bytes(data[names + name:data.index(0, names + name)])
        if section != SHN_UNDEF and i not in needed and not text.startswith(b"qemu_plugin_"):
            struct.pack_into("<HQ", data, at + 6, SHN_UNDEF, 0)
            hidden += 1
    assert hidden > 0, "nothing was exported"
    open(copy, "wb").write(data)
    os.chmod(copy, 0o755)


main(*sys.argv[1:])
