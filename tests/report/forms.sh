#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2154
# forms.sh BUILD_DIR WORK_DIR: reports of real runs as JSON, SARIF and HTML. JSON is valid against docs/report.schema.json,
# SARIF against the published schema where VTEGRA_SARIF_SCHEMA names it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
scenarios=$source/../../scenarios
check="python3 $here/validate.py"

for app in read_before_sync attach_other_stream copies_for_nothing mem_advise; do
    by_clang "$app" --track -g -O1 -fno-inline "$scenarios/$app/$app.cu"
    for soc in tx2 orin; do
        timeout 120 "$vtegra" run -q --soc $soc --json "$app.$soc.json" --sarif "$app.$soc.sarif" --html "$app.$soc.html" \
            --trace "$app.$soc.trace" -- "./$app" >/dev/null 2>&1
        # A trace gives the same, byte for byte.
        expect "$app $soc from a trace" 0 "" "$vtegra" report --report report --sarif again.sarif --html again.html \
            "$app.$soc.trace"
        expect "$app $soc, SARIF" 0 "" cmp "$app.$soc.sarif" again.sarif
        expect "$app $soc, HTML" 0 "" cmp "$app.$soc.html" again.html
    done
done
# shellcheck disable=SC2086
$check report "$source/../../docs/report.schema.json" ./*.json
status=$?
[ $status = 77 ] && exit 77
tests=$((tests + 1))
[ $status = 0 ] || fail "the schema of reports"

# Line 31 reads, line 11 writes: "<-- found here" in the source and the kernel's store.
expect "SARIF" 0 "" $check sarif "" ./*.sarif
expect "a race's places" 0 "/scenarios/read_before_sync/read_before_sync.cu 31 flow [11, 31, 31]" \
    $check sarif "" read_before_sync.orin.sarif
expect "a stale read's places" 0 "/scenarios/attach_other_stream/attach_other_stream.cu 35 flow [11, 35, 35]" \
    $check sarif "" attach_other_stream.orin.sarif
expect "advice is a note" 0 " note " $check sarif "" copies_for_nothing.orin.sarif

# How the program ended: its exit status, or the signal that killed it.
expect "ended with 0" 0 "ended True 0 None" $check sarif "" copies_for_nothing.orin.sarif
expect "ended with 1" 0 "ended True 1 None" $check sarif "" read_before_sync.orin.sarif
by_clang endless --track -g "$here/../e2e/endless.cu"
: >endless.out # of an earlier run: it would be read before the program has begun
setsid env --default-signal=INT "$vtegra" run -q --sarif endless.sarif --trace endless.trace -- ./endless >endless.out 2>&1 </dev/null &
running=$!
tries=0
until grep -q launched endless.out || [ $tries = 600 ]; do # a loaded machine takes its time
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT -$running
wait $running
expect "killed by SIGINT" 0 "ended False None SIGINT" $check sarif "" endless.sarif
expect "the same from its trace" 0 "" "$vtegra" report --report report --sarif again.sarif endless.trace
expect "SIGINT, SARIF" 0 "" cmp endless.sarif again.sarif

# Without debug information no line is known: the program's file stands for it.
by_clang bare_app --track "$scenarios/read_before_sync/read_before_sync.cu"
strip -g bare_app
"$vtegra" run -q --soc orin --check on --sarif bare.sarif -- ./bare_app >/dev/null 2>&1
expect "no line is known" 0 "race error bare_app 1 flow [1, 1, 1]" $check sarif "" bare.sarif

# SARIF names the file as it lies below the folder where `vtegra run` is started, else from / on; the text names a
# kernel's file as it names the host's.
mkdir -p tree/src/vision/filters tree/build
cp "$scenarios/read_before_sync/read_before_sync.cu" tree/src/vision/filters/cam.cu
cd tree || exit 2
here_now=$(pwd -P)
"$vtegra" cc --track -g src/vision/filters/cam.cu -o cam
"$vtegra" run -q --sarif sarif -- ./cam >/dev/null 2>&1
expect "from the root" 0 "race error src/vision/filters/cam.cu 31 flow [11, 31, 31]" $check sarif "" sarif
cd build || exit 2
"$vtegra" cc --track -g ../src/vision/filters/cam.cu -o cam
"$vtegra" run -q --sarif sarif --trace trace -- ./cam >/dev/null 2>&1
expect "from beside it" 0 "race error file://$here_now/src/vision/filters/cam.cu 31 flow [11, 31, 31]" $check sarif "" sarif
expect "from beside it, a trace" 0 "" "$vtegra" report --report report --sarif again.sarif trace
expect "from beside it, a trace's SARIF" 0 "" cmp sarif again.sarif
expect "a trace without absolute paths" 1 "" grep -F "$here_now" trace
cd ..
"$vtegra" run -q --sarif sarif -- build/cam >/dev/null 2>&1
expect "built in another folder" 0 "race error src/vision/filters/cam.cu 31 flow" $check sarif "" sarif
cd src/vision/filters || exit 2
"$vtegra" cc --track -g cam.cu -o cam
expect "in the file's own folder" 1 "kernel scale at cam.cu:11" "$vtegra" run -- ./cam
also "the host's line" "where cam.cu:31 in main"
cd "$work" || exit 2

# The fingerprint of a finding stays when its file grows above it.
mkdir -p grown/read_before_sync
{
    echo "// one more line"
    cat "$scenarios/read_before_sync/read_before_sync.cu"
} >grown/read_before_sync/read_before_sync.cu
# shellcheck disable=SC2086 # words
(cd grown && "$vtegra" cc $one_target --track -g -O1 -fno-inline read_before_sync/read_before_sync.cu -o app &&
    "$vtegra" run -q --sarif sarif -- ./app) >/dev/null 2>&1
old=$($check sarif "" read_before_sync.orin.sarif | sed -n 's/^race.* //p')
expect "the fingerprint after an edit" 0 "$old" $check sarif "" grown/sarif
also "and the line" "read_before_sync.cu 32 flow"

# Names of programs with markup in them.
cp read_before_sync '<b>&.app'
expect "HTML escapes" 1 "" "$vtegra" run -q --html page.html -- './<b>&.app'
tests=$((tests + 1))
grep -qF '&lt;b&gt;&amp;.app' page.html || fail "the page does not have the program's name"
tests=$((tests + 1))
grep -qF '<b>&' page.html && fail "markup of the program's name is in the page"
tests=$((tests + 1))
grep -qiE 'src=|href=|https?://' page.html && fail "the page asks for something"
finish
