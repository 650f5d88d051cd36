#!/bin/sh
# SPDX-License-Identifier: MIT
# What published timings of boards say against what the model says. bench/timing.sh BUILD [ROW...]: all rows of
# tests/timing/rows.txt, or those whose names begin so: board, measured, model, ratio, in or out, and sums of the rows that
# the constants were made from (fit) and of those that were not (test). Virtual time: the machine's own load changes nothing.
# Exit status 1: a row could not be run. docs/timing.md says what is modelled.
set -u
[ $# -ge 1 ] || { sed -n '3,6s/^# //p' "$0" >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) || exit 2
shift
wanted=${*:-.}
tests=$here/../tests/timing
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$build/bin/vtegra" cc -O2 "$tests/timing.cu" -o "$work/timing" || exit 2
"$build/bin/vtegra" cc --track -O2 "$tests/timing.cu" -o "$work/timing-track" || exit 2
"$build/bin/vtegra" cc --track -O2 "$tests/frames.cu" -o "$work/frames" -lcudla -lnvscisync -lnvscibuf -lnvsciipc || exit 2
"$build/bin/vtegra" dla build "$here/../scenarios/cudla_hybrid/network.json" -o "$work/network" || exit 2
"$build/bin/vtegra" cc -O2 "$tests/dla.c" -o "$work/dla" -lcudla || exit 2
trt_us=150 # TensorRT's part of the 200 us that a layer of next to no work takes (facts of A6); the other 50 are dla_submit_ns

# network PRECISION WORD...: the loadable of a layer (tests/timing/layer.sh), or of a network of bench/onnx-models.py in int8
network() {
    loadable=$work/$(echo "$*" | tr ' ' '_')
    [ ! -s "$loadable" ] || return 0
    if [ "$2" = net ]; then
        head -c 301056 /dev/zero | tr '\0' '<' >"$work/image.raw" # 3 x 224 x 224 times 1.06: scales do not change the time
        python3 "$here/onnx-models.py" "$3" "$work/net.onnx" &&
            "$build/bin/vtegra" dla build "$work/net.onnx" --calibrate "$work/image.raw" -o "$loadable"
    else
        sh "$tests/layer.sh" "$@" >"$work/layer.json" && "$build/bin/vtegra" dla build "$work/layer.json" -o "$loadable"
    fi >"$work/err" 2>&1
}

# model BOARD WORD...: the number; "rate" before a copy makes GB/s of us. BOARD: orin, or orin@15W in a power mode.
# "dla PRECISION WORD...": ms of a task; "trt ...": and what TensorRT needs beside it; "cpu ...": with the CPU's accesses; "frames HOW N": us of
# tests/timing/frames.cu
model() {
    soc=${1%@*}
    case $1 in *@*) soc="$soc --power ${1#*@}" ;; esac
    shift
    case $1 in
    dla | trt)
        more=$([ "$1" = dla ] && echo 0 || echo $trt_us)
        shift
        network "$@" || return
        # shellcheck disable=SC2086
        "$build/bin/vtegra" run -q --check off --evict lru --soc $soc -- "$work/dla" "$loadable" 2>"$work/err" |
            awk -v more="$more" 'END { print ($1 ? ($1 + more) / 1000 : "") }'
        return
        ;;
    esac
    program="$work/timing"
    case $1 in
    cpu) program="$work/timing-track" ;;
    frames) program="$work/frames $work/network" && shift ;;
    esac
    rate=
    [ "$1" != rate ] || { rate=$4 && shift && rate=$4; }
    # shellcheck disable=SC2086
    "$build/bin/vtegra" run -q --check off --evict lru --soc $soc -- $program "$@" 2>"$work/err" |
        awk -v bytes="$rate" 'END { print (bytes && $1 ? bytes / $1 / 1000 : $1) }'
}

failed=0
: >"$work/all"
grep -v '^#' "$tests/rows.txt" >"$work/rows"
while IFS='|' read -r row use soc unit span source words; do
    found=
    for w in $wanted; do
        case $row in $w* | .) found=1 ;; esac
        [ "$w" != . ] || found=1
    done
    [ -n "$found" ] || continue
    case $words in
    *" / "*)
        # shellcheck disable=SC2086
        a=$(model $soc ${words%% / *})
        # shellcheck disable=SC2086
        b=$(model $soc ${words##* / })
        value=$(awk -v a="$a" -v b="$b" 'BEGIN { print (b > 0 ? a / b : "") }')
        ;;
    # shellcheck disable=SC2086
    *) value=$(model $soc $words) ;;
    esac
    [ -n "$value" ] || { echo "FAIL $row: $(head -n 1 "$work/err")" >&2 && failed=1 && continue; }
    echo "$row $use $soc $unit $span $value $words" >>"$work/all"
done <"$work/rows"
awk -v summary=1 -f "$tests/table.awk" "$work/all"
exit $failed
