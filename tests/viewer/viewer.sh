#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2034,SC2154
# viewer.sh BUILD_DIR WORK_DIR: the page in a real headless Chromium, with a trace of a scenario in it; vtegra view and
# vtegra lessons from outside. 77: no page was built, or there is no node or no Chromium.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
page=$1/share/vtegra/viewer/page.html
chromium=$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome)

[ -e "$page" ] || {
    echo "SKIP: no page was built (clang-19, lld-19, wasi-libc, libclang-rt-19-dev-wasm32)"
    exit 77
}
tests=$((tests + 1))
[ "$(wc -c <"$page")" -lt 4000000 ] || fail "the page has $(wc -c <"$page") bytes, 4 MB are the limit"
tests=$((tests + 1))
grep -oE '(src|href)="?https?:' "$page" && fail "the page asks for something"

by_clang stale --track -g -O1 -fno-inline "$source/../../scenarios/attach_other_stream/attach_other_stream.cu"
VTEGRA_TRACE_CLASSES=all "$vtegra" run -q --soc orin --trace trace --json report.json -- ./stale >/dev/null 2>&1
expect "view" 0 "trace.html" "$vtegra" view trace
expect "view a report" 0 "r.html" "$vtegra" view -o r.html report.json
by_clang kernel_races --arch sm_72 -g -O1 "$source/../misuse/kernel_races.cu"
expect "a race inside a kernel" 0 "races.html" "$vtegra" view -o races.html --soc orin -- ./kernel_races block
expect "lessons" 0 "share/vtegra/viewer/page.html" "$vtegra" lessons
expect "lessons, a copy" 0 "lessons.html" "$vtegra" lessons -o lessons.html
expect "the copy is the page" 0 "" cmp lessons.html "$page"
tests=$((tests + 1))
grep -q 'out\[i\] = in\[i\] \* factor' trace.html || fail "the page of a trace has no source text"
# A source that would end its element stays a text.
echo '// </script><img src=x onerror=alert(1)>' >evil.cu
printf '# vtegra trace 1\n@run soc=tx2 program=x\n@source name=evil.cu path=evil.cu\n@source name=gone.cu path=gone.cu\n@end time_ns=1 status=0\n' >evil
expect "a source with markup" 0 "evil.html" "$vtegra" view evil
tests=$((tests + 1))
grep -q 'evil.cu' evil.html || fail "the page has no evil.cu"
[ "$(grep -c '</script>' evil.html)" = "$(grep -c '</script>' "$page")" ] || fail "a source ends its element"
echo "no trace" >none
expect "no trace" 125 "neither a trace" "$vtegra" view none
expect "no file" 125 "No such file" "$vtegra" view nothing
expect "no folder" 125 "no page was made" "$vtegra" view -o nowhere/x trace
expect "two files" 2 "one trace or report" "$vtegra" view trace trace
expect "a board without a program" 2 "is for a program" "$vtegra" view --soc tx2 trace
expect "no program" 2 "or -- and a program" "$vtegra" view --
expect "a program that is not there" 125 "nothing" "$vtegra" view -- ./nothing
expect "a program" 0 "stale.html" "$vtegra" view --soc orin -- ./stale
tests=$((tests + 1))
grep -q 'id="data">[[:alnum:]+/=]' stale.html || fail "the page of a program has no run"

# The sources beside the picture are programs, where they have a main().
for lesson in "$here"/../../viewer/lessons/*.lesson; do
    name=$(basename "$lesson" .lesson)
    sed -n '/^== cuda$/,/^== from$/p' "$lesson" | sed '/^== /d' >"$name.cu"
    if grep -q '^int main' "$name.cu"; then
        by_clang "$name" -O1 "$name.cu"
        tests=$((tests + 1))
        [ -x "$name" ] || fail "$name: its source does not compile"
    fi
done

if ! command -v node >/dev/null || [ -z "$chromium" ]; then
    echo "SKIP: the page was not driven: node and chromium-headless-shell are not both installed (install-deps.sh --viewer)"
    finish
fi
limit=600 # seconds, for expect
expect "in the browser" 0 "checks as expected" node "$here/drive.js" "$chromium" "$page" trace.html stale-l2-clean-missing
cat out
axe=$here/../../build/axe/node_modules/axe-core/axe.min.js
if [ -e "$axe" ]; then
    expect "accessibility" 0 "views without a serious finding" node "$here/axe.js" "$chromium" "$axe" "$page" trace.html
    cat out
else
    echo "SKIP accessibility: axe-core is not in build/axe (scripts/install-deps.sh --viewer)"
fi
firefox=$(command -v firefox-esr || command -v firefox)
if [ -n "$firefox" ]; then
    expect "in Firefox" 0 "in Firefox as expected" node "$here/firefox.js" "$firefox" "$page" trace.html
    cat out
else
    echo "SKIP Firefox: it is not installed (Debian: firefox-esr)"
fi
expect "a run in the browser" 0 "checks as expected" node "$here/drive.js" "$chromium" --only-life stale.html stale-l2-clean-missing
expect "two threads in the browser" 0 "checks as expected" node "$here/drive.js" "$chromium" --only-threads races.html kernel-race-block
expect "a report in the browser" 0 "checks as expected" node "$here/drive.js" "$chromium" --only-run r.html stale-l2-clean-missing
finish
