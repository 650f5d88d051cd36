#!/bin/sh
# SPDX-License-Identifier: MIT
# What vtegra measure prints on the model are the figures of the model's own profile, and lines that a profile may have.
# Usage: measure.sh BUILD_DIR SOURCE_DIR
vtegra=$1/bin/vtegra
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
unset VTEGRA_SOC VTEGRA_BACKEND VTEGRA_PROFILES
failed=0
for soc in nano tx2 orin thor; do
    "$vtegra" measure --soc $soc >$soc.out 2>err || {
        echo "FAIL $soc: status $?"
        cat err
        failed=1
    }
    # Every figure but that of the clock, section.key = value, in the profile: the first fields of its lines.
    awk -F' [|] ' '/^\[/ { section = substr($0, 2, index($0, "]") - 2) } /^[a-z]/ { print section "." $1 }' \
        "$2/profiles/$soc.profile" | sort >profile
    awk -F' [|] ' '/^\[/ { section = substr($0, 2, index($0, "]") - 2) }
                   /^[a-z]/ { if ($2 != "measured") print "not measured: " $0; print section "." $1 }' $soc.out | sort >got
    [ "$(wc -l <got)" -ge 65 ] || {
        echo "FAIL $soc: $(wc -l <got) figures"
        failed=1
    }
    grep -v '^timing\.submit_ns' got | comm -23 - profile >more
    [ -s more ] && {
        echo "FAIL $soc: these are not the profile's:"
        cat more
        failed=1
    }
    # A kernel takes some cycles beside its launch: within 1 %.
    awk -F' = ' '/^timing.submit_ns/ { n++; v[n] = $2 } END { exit !(n == 2 && v[1] <= v[2] * 1.01 && v[2] <= v[1] * 1.01) }' \
        got profile || {
        echo "FAIL $soc: $(grep -h submit_ns got profile)"
        failed=1
    }
done
# Units are measured with a clock: on the model the profile's figures come back, of compute capability 8.7 and 5.3 (CUDA C++ Programming
# Guide, Arithmetic Instructions: 16 and 32 results of special functions).
for board in "orin 16" "nano 32"; do
    "$vtegra" run -q --check off --soc "${board% *}" -- "$1/share/vtegra/bin/measure" silicon >units 2>err
    grep -q '^block_cycles = 42 | measured' units || { echo "FAIL ${board% *}: $(grep block_cycles units)" && failed=1; }
    if ! grep -q "^sfu_per_sm = ${board#* } | measured" units || ! grep -q '^ldst_per_sm = 32 | measured' units; then
        echo "FAIL ${board% *}: $(grep -E '(sfu|ldst)_per_sm' units err)"
        failed=1
    fi
done
# What was printed replaces lines of a profile, and is read back.
awk -F' = ' 'NR == FNR { if ($0 ~ /^\[/) section = $0; else if ($0 ~ /^[a-z]/) line[section $1] = $0; next }
             /^\[/ { section = $0 } { print (section $1) in line ? line[section $1] : $0 }' \
    orin.out "$2/profiles/orin.profile" >mine.profile
"$vtegra" soc show ./mine.profile | grep -q 'L2_CACHE_SIZE on Orin' || {
    echo "FAIL: a profile with these lines is not read"
    failed=1
}
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    "$vtegra" measure --backend silicon >out 2>&1
    [ $? = 77 ] || {
        echo "FAIL no driver: $(cat out)"
        failed=1
    }
fi
exit $failed
