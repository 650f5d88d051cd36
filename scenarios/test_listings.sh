#!/bin/sh
# SPDX-License-Identifier: MIT
# test_listings.sh BUILD_DIR SCENARIOS_DIR WORK_DIR: the listings of chapter 5 of CUDA for Tegra (egl_listings/) on Xavier and Orin: what they
# print, that nothing is found, and the picture beside each report. Its pixels are computed here, from the listings' formulas.
vtegra=$1/bin/vtegra
folder=$2/egl_listings
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
mkdir -p "$3" && cd "$3" || exit 2
failed=0

# listing NAME TEXT LIBRARIES...
listing() {
    name=$1 text=$2
    shift 2
    "$vtegra" cc --track -g -O1 "$folder/$name.cu" "$@" -o "$name" || exit 1
    for soc in xavier orin; do
        checked $soc
    done
}

# checked SOC [two|cpu]: the listing in one process, or in two, or waiting on the CPU
checked() {
    soc=$1 two=${2:-} out=$1-$name${2:+-$2}
    rm -f "$out.png"
    # shellcheck disable=SC2086
    printed=$("$vtegra" run $([ "$two" != two ] || echo --shared) --soc "$soc" --report "$out.txt" -- "./$name" "$out.png" $two 2>&1)
    [ "$printed" = "$text" ] || { echo "FAIL $out: $printed" && failed=1; }
    grep -A1 '^Findings' "$out.txt" | grep -q none || { echo "FAIL $out: findings" && failed=1; }
    python3 - "$name" "$out.png" <<'TEXT' || { echo "FAIL $out: another picture" && failed=1; }
import struct, sys, zlib

data, at, idat = open(sys.argv[2], "rb").read(), 8, b""
assert data[:8] == b"\x89PNG\r\n\x1a\n"
while at < len(data):
    size, = struct.unpack(">I", data[at:at + 4])
    kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
    assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    if kind == b"IHDR":
        width, height = struct.unpack(">II", body[:8])
    idat += body if kind == b"IDAT" else b""
    at += 12 + size
raw = zlib.decompress(idat)
assert (width, height) == (256, 256) and len(raw) == 256 * 1025


def pixel(x, y):  # y counts from below
    start = (255 - y) * 1025 + 1 + x * 4
    return tuple(raw[start:start + 4])


for x in range(0, 256, 5):
    for y in range(0, 256, 5):
        if sys.argv[1] == "image":
            want = (((x - 64) ** 2 + (y - 128) ** 2 >> 6) % 256, y, 96, 255) if x < 128 else (x, y, y, 255)
        elif sys.argv[1] == "copies":  # of round 32
            want = ((x + 32) % 256, (y + 32) % 256, 32, 255)
        elif sys.argv[1] == "sync":
            want = (x // 2 + 1, y // 2 + 2, 103, 255)
        elif 16 <= x < 240 and 16 <= y < 240:  # frame 3 over nine tenths of the picture
            if (10 * x - 123) % 9 == 0 or (10 * y - 123) % 9 == 0:
                continue  # between two of the frame's pixels
            fx, fy = ((10 * v - 123) // 9 for v in (x, y))
            want = (((fx - 128) ** 2 + (fy - 128) ** 2 >> 6) % 256, fx, fy, 255)
        elif x < 12 or y < 12 or x > 243 or y > 243:
            want = (255, 255, 255, 255)
        else:
            continue
        assert pixel(x, y) == want, (x, y, pixel(x, y), want)
TEXT
}

listing stream "checkIfOne 1, rendered 4 frames" -lEGL -lGLESv2
checked xavier two
checked orin two
listing image "mismatches: 0, first pixel 1 2 3 4" -lEGL -lOpenGL -lcuda
listing sync "mismatches: 0, last pixel 128 129 103 255" -lEGL -lOpenGL
listing copies "32 rounds, mismatches: 0" -lEGL -lGLESv2 -lcuda
checked xavier cpu
checked orin cpu
[ $failed = 0 ] && echo "the listings' pictures: $PWD"
exit $failed
