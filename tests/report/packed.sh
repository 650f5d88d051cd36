#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2154
# packed.sh BUILD_DIR WORK_DIR: compact traces: their text is that of a trace in text, they are a tenth of it, and what is
# cut off, damaged or of another version says so.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
by_clang app --track -g "$source/../../scenarios/read_before_sync/read_before_sync.cu"

for classes in all caches usual; do
    export VTEGRA_TRACE_CLASSES=$classes
    "$vtegra" run -q --trace trace.txt -- ./app >/dev/null 2>&1
    "$vtegra" run -q --trace trace.zst -- ./app >/dev/null 2>&1
    expect "$classes: the text" 0 "" sh -c '"$1" report --text trace.zst | cmp - trace.txt' sh "$vtegra"
    expect "$classes: text of a text" 0 "" sh -c '"$1" report --text trace.txt | cmp - trace.txt' sh "$vtegra"
    expect "$classes: the report" 0 "" sh -c '"$1" report trace.zst >a && "$1" report trace.txt | cmp - a' sh "$vtegra"
    command -v zstd >/dev/null && expect "$classes: zstd reads it" 0 "" sh -c 'zstd -dc trace.zst | cmp - trace.txt'
    tests=$((tests + 1))
    [ $(($(wc -c <trace.zst) * 10)) -le "$(wc -c <trace.txt)" ] || fail "$classes: $(wc -c <trace.zst) bytes of $(wc -c <trace.txt)"
done
export VTEGRA_TRACE_CLASSES=all
"$vtegra" run -q --trace trace.zst -- ./app >/dev/null 2>&1
size=$(wc -c <trace.zst)

# The index is what the seekable format says: frames, then magic 0x8f92eab1 at the end.
tests=$((tests + 1))
python3 - trace.zst <<'PY' || fail "the index"
import struct, sys
data = open(sys.argv[1], 'rb').read()
frames, flags, magic = struct.unpack('<IBI', data[-9:])
table = data[-9 - 8 * frames:-9]
assert magic == 0x8f92eab1 and flags == 0 and frames > 1, (hex(magic), flags, frames)
assert struct.unpack('<II', data[-17 - 8 * frames:-9 - 8 * frames]) == (0x184d2a5e, 8 * frames + 9)
sizes = [struct.unpack('<II', table[i:i + 8]) for i in range(0, len(table), 8)]
at = 0
for compressed, text in sizes:
    assert data[at:at + 4] == bytes.fromhex('28b52ffd') and text <= 262144
    at += compressed
assert at == len(data) - 17 - 8 * frames
PY

head -c $((size / 2)) trace.zst >cut.zst
expect "cut off" 0 "the trace ends before the run did: it was cut off" "$vtegra" report cut.zst
{
    head -c $((size / 2)) trace.zst
    printf 'XXXXXXXXXXXXXXXX'
    tail -c +$((size / 2 + 17)) trace.zst
} >damaged.zst
expect "damaged" 1 "a compact trace, damaged" "$vtegra" report damaged.zst
expect "damaged, as text" 1 "a compact trace, damaged" "$vtegra" report --text damaged.zst
# One byte, wherever it is: literals too.
for part in 3 4 5 6 7; do
    at=$((size * part / 10))
    cp trace.zst damaged.zst
    byte=$(od -An -tu1 -j $at -N 1 trace.zst)
    printf "\\$(printf %o $((byte ^ 1)))" | dd of=damaged.zst bs=1 seek=$at conv=notrunc status=none
    expect "damaged at $at" 1 "a compact trace, damaged" "$vtegra" report --text damaged.zst
done
sed '1s/1$/9/' trace.txt >other.txt
expect "another version" 1 'other.txt: "# vtegra trace 9": a trace of another version' "$vtegra" report other.txt
expect "through a pipe" 0 "rule          race" sh -c 'cat trace.zst | "$1" report /dev/stdin' sh "$vtegra"
expect "no file" 1 "No such file" "$vtegra" report --text nothing.zst
expect "full disk" 1 "No space left on device; the trace ends here" sh -c 'ln -sf /dev/full full.zst; exec "$@"' sh \
    "$vtegra" run -q --trace full.zst -- ./app
if [ -e "$1/share/vtegra/viewer/page.html" ]; then
    expect "view" 0 "trace.zst.html" "$vtegra" view trace.zst
    "$vtegra" report --text trace.zst >same.txt
    "$vtegra" view -o same.html same.txt >/dev/null
    sed '$d' same.txt >cut.txt
    expect "view of a trace that was cut off" 0 "cut.txt: the trace ends before the run did: it was cut off" "$vtegra" view cut.txt
    expect "view of a whole trace" 0 "" "$vtegra" view -o again.html same.txt
    not_there "view of a whole trace" "cut off"
    expect "the page of both" 0 "" cmp same.html trace.zst.html
fi
finish
