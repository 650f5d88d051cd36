#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CUDA programs in a Linux guest, their kernels on the device in QEMU: a vector addition, and scenarios whose verdict (what
# they print, how they end, which rules the report names) is the one they get without QEMU. Usage: guest.sh SOURCE BUILD QEMU
set -u
source=$1
build=$2
if ! [ -f "$source/build/guest/base.cpio" ] || ! [ -f "$source/build/aarch64/guest.cpio" ]; then
    echo "skipped: scripts/guest.sh makes the guest"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QEMU="$3" BUILD="$build" VTEGRA_PROFILES="$source/profiles" LIMIT=150
unset VTEGRA_SOC VTEGRA_OS VTEGRA_POLICY VTEGRA_SEED VTEGRA_EVICT VTEGRA_REPORT VTEGRA_QUIET VTEGRA_TRACE VTEGRA_JSON
vtegra=$build/bin/vtegra
failed=

fail() {
    echo "FAILED: $*"
    failed=1
}

# both NAME SOURCE [LIBRARY]: the program for this machine and for the guest
both() {
    "$vtegra" cc -g "$2" -o "$work/$1.native" ${3:-} >"$work/log" 2>&1 && "$vtegra" cc -g --target aarch64 "$2" -o "$work/$1" ${3:-} >>"$work/log" 2>&1 || {
        fail "$1 does not build: $(cat "$work/log")"
        exit 1
    }
}

# verdict: of what a program and its report printed: the rules and errors that are named, and the program's own lines
verdict() {
    grep -o 'cudaError[A-Za-z]*\|CUDA_ERROR_[A-Z_]*' "$1" | sort -u
    sed -n 's/^ *rule *\([a-z0-9-]*\) (.*/rule \1/p' "$1" | sort -u
    grep '^sum \|^-\{0,1\}[0-9][0-9]*$' "$1"
}

# scenarios SOC NAME...: each as it is and corrected, natively and all of them in one boot. NAME:FILE: with that file instead
scenarios() {
    soc=$1
    shift
    lines= files=
    for name; do
        files="$files --file $work/${name%:*}"
        case $name in
        *:*)
            files="$files --file $work/${name#*:}"
            lines="$lines|./${name%:*} ${name#*:}"
            ;;
        *) lines="$lines|./$name|./$name fixed" ;;
        esac
    done
    printf '%s' "$lines" | tr '|' '\n' | sed 1d >"$work/lines"
    lines=$(cat "$work/lines")
    old_ifs=$IFS
    IFS='
'
    # shellcheck disable=SC2086 # one word a line
    set -- $lines
    IFS=$old_ifs
    # shellcheck disable=SC2086
    "$source/qemu-plugin/guest/run.sh" --soc "$soc" --plugin "policy=lazy,report=$work/machine.$soc" $files --all -- "$@" >"$work/console.$soc" 2>&1 ||
        [ $? -ne 125 ] || fail "$soc: the guest: $(tail -n 5 "$work/console.$soc")"
    for line; do
        name=${line%% *}
        name=${name#./}
        argument=${line#"./$name"}
        awk -v end=" of $line" '/^vtegra-guest: exit / { if (substr($0, length($0) - length(end) + 1) == end) { print part $3; exit } part = ""; next }
            { part = part $0 "\n" }' "$work/console.$soc" >"$work/guest"
        # shellcheck disable=SC2086
        (cd "$work" && "$vtegra" run --soc "$soc" --policy lazy -- "./$name.native" $argument) >"$work/native" 2>&1
        echo $? >>"$work/native"
        verdict "$work/native" >"$work/native.verdict"
        verdict "$work/guest" >"$work/guest.verdict"
        cmp -s "$work/native.verdict" "$work/guest.verdict" || fail "$soc $line: natively $(tr '\n' ' ' <"$work/native.verdict"), in the guest $(tr '\n' ' ' <"$work/guest.verdict"): $(head -n 40 "$work/guest")"
        echo "$soc $line: $(tr '\n' ' ' <"$work/guest.verdict")"
    done
}

"$vtegra" dla build "$source/scenarios/cudla_hybrid/network.json" -o "$work/network.loadable" >/dev/null || fail "no loadable"
both hybrid "$source/scenarios/cudla_hybrid/hybrid.cu" -lcudla
both vadd "$source/tests/e2e/vadd.cu"
for name in managed_read_running prefetch host_register attach_host_memset device_memory_on_cpu attach_other_stream; do
    both $name "$source/scenarios/$name/$name.cu"
done
scenarios orin vadd managed_read_running prefetch host_register attach_host_memset device_memory_on_cpu attach_other_stream hybrid:network.loadable
scenarios tx2 managed_read_running prefetch attach_host_memset
# 0 + 1 + ... + 4999 and 5000 halves, by hand
grep -qx 'sum 12500000.0' "$work/console.orin" || fail "vadd: $(head -n 20 "$work/console.orin")"
grep -q '^sum 533434, 0 of 24576 wrong$' "$work/console.orin" || fail "hybrid: no DLA"
# What the CPU loaded is old, and only the machine sees why.
grep -q "the iGPU's L2 holds newer bytes" "$work/machine.orin" || fail "no stale line: $(cat "$work/machine.orin")"
grep -q '^vtegra: 0 findings' "$work/machine.tx2" || fail "tx2: $(cat "$work/machine.tx2")"
[ -z "$failed" ]
