#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace that is larger than a page takes opens by both ways: `vtegra view` makes a page of what surrounds its findings, and the page reads
# the file itself. Both show the finding, its line's life and how much of the trace they have.
# Usage: large.sh BUILD_DIR WORK_DIR [CHROMIUM]      MB=2000: so many (default 40), for a person with a clock
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) && mkdir -p "$2" && cd "$2" || exit 2
chromium=${3:-}
failed=0
fail() {
    echo "FAIL $*"
    failed=1
}
program=$here/../../scenarios/read_before_sync/read_before_sync.cu
"$build/bin/vtegra" cc --track -g "$program" -o program || exit 2
VTEGRA_TRACE_CLASSES=all "$build/bin/vtegra" run -q --soc orin --trace small.txt -- ./program >out 2>&1
grep -q '^@finding' small.txt || fail "the small trace has no finding"
# In front of the finding's own records, many of a buffer in which nothing is found.
python3 - "${MB:-40}" <<'PYTHON' || exit 2
import sys
lines = open('small.txt', encoding='latin1').read().splitlines(True)
at = next(i for i, l in enumerate(lines) if l.startswith('@region'))
block = ''.join(f'{100000 + i} cpu CPU_STORE region=1 va=0x{0x7000000000 + 4 * i:x} len=4 hit=1 pa=0x{0x90000000 + 4 * i:x} sync=0\n' for i in range(10000))
with open('large.txt', 'w', encoding='latin1') as f:
    f.writelines(lines[:at + 1])
    while f.tell() < int(sys.argv[1]) * 1000000:
        f.write(block)
    f.writelines(lines[at + 1:])
PYTHON
"$build/bin/vtegra" view small.txt -o small.html >out 2>err || fail "view of the small trace: $(cat err)"
[ ! -s err ] || fail "view of the small trace says: $(cat err)"
"$build/bin/vtegra" view large.txt -o large.html >out 2>err || fail "view of the large trace: $(cat err)"
grep -Eq 'large.txt is large: the page has what surrounds the findings, [0-9]+ of [0-9]+ records' err || fail "view does not say what is left out: $(cat err)"
[ "$(stat -c %s large.html)" -le $((28 * 1048576 + 4 * 1048576)) ] || fail "the page has $(stat -c %s large.html) bytes" # 20 MiB as base64, and the page
# Each record of a line of 64 bytes in which something was found is in the page.
python3 - <<'PYTHON' || fail "records of a finding's line are not in the page"
import base64, re
lines = open('small.txt', encoding='latin1').read().splitlines()
number = lambda line, key: int((re.search(rf' {key}=(\S+)', line) or [0, '0'])[1], 0)
base = {number(l, 'id'): number(l, 'va') for l in lines if l.startswith('@region')}
found = {(base[number(l, 'region')] + number(l, 'offset')) // 64 for l in lines if l.startswith('@finding') and number(l, 'region') in base}
wanted = [l for l in lines if l[0] not in '@#' and ' va=' in l and number(l, 'va') // 64 in found]
page = open('large.html', encoding='latin1').read()
there = set(base64.b64decode(re.search(r'id="data">([^<]*)<', page)[1]).decode('latin1').splitlines())
assert wanted and not [l for l in wanted if l not in there], (len(wanted), found)
PYTHON
if [ -n "$chromium" ] && command -v node >/dev/null; then
    node "$here/large.js" "$chromium" large.html "$build/share/vtegra/viewer/page.html" large.txt || failed=1
else
    echo "the page is not driven: no Chromium or node"
fi
rm -f large.txt large.html
exit $failed
