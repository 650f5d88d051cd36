#!/bin/sh
# SPDX-License-Identifier: MIT
# Races between two processes (docs/nvsci.md, "Several processes"): a right program has none, and one that leaves a wait out has one in
# the report of each process. test_sci_races.sh VTEGRA PROGRAM
vtegra=$1 program=$2
frames=50
work=$(mktemp -d /tmp/vtrXXXXXX) || exit 1
trap 'rm -rf "$work"' EXIT
unset VTEGRA_BOARD VTEGRA_SOC VTEGRA_POLICY
mkdir "$work/run"
cd "$work/run" || exit 1
echo "INTER_PROCESS cam app 16 4096" >../cfg
export VTEGRA_NVSCIIPC_CFG="$work/cfg"
bad=0
fail() {
    echo "FAIL: $*"
    bad=1
}

# both CHECK FRAMES WAIT [OPTION...]: reports and traces lie in the folder. On the board $soc.
soc=orin
both() {
    check=$1 n=$2 how=$3
    shift 3
    rm -f ./*
    timeout 300 "$vtegra" run -q --shared --soc $soc --check "$check" "$@" -- "$program" both "$n" "$how" >out 2>err || fail "$n $how $*: $(cat out err)"
}

for how in gpu cpu; do
    for seed in 1 2 3; do
        both on $frames $how --policy seeded --seed $seed
        ! grep -E "error:|warning:" app.report cam.report err || fail "$how, seed $seed: findings in a right program"
    done
    both on $frames $how --policy lazy
    ! grep -E "error:|warning:" app.report cam.report err || fail "$how, lazy: findings in a right program"
done

# findings REPORT: its findings in one line, as if none were wrapped.
findings() {
    sed -n '/^Findings/,/^Advice/p' "$1" | tr -s '\n ' ' '
}

# app reads while cam writes: nothing orders the copy behind the fence. Or cam writes while app reads.
for seed in 1 2 3; do
    for wrong in frame done; do
        export WITHOUT=$wrong
        both on 10 gpu --policy seeded --seed $seed
        case $wrong in
        frame)
            findings app.report | grep -q "Race: write by work of process [12] and read by cuMemcpyDtoHAsync .* let the read by cuMemcpyDtoHAsync" || fail "$wrong, seed $seed: $(cat app.report)"
            findings cam.report | grep -q "Race: write by cuMemsetD8Async ([^)]*) and read by work of process [12]" || fail "$wrong, seed $seed: $(cat cam.report)"
            ;;
        done)
            findings app.report | grep -q "Race: read by cuMemcpyDtoDAsync ([^)]*) and write by work of process [12]" || fail "$wrong, seed $seed: $(cat app.report)"
            findings cam.report | grep -q "Race: read by work of process [12] and write by cuMemsetD8Async .* let the write by cuMemsetD8Async" || fail "$wrong, seed $seed: $(cat cam.report)"
            ;;
        esac
        grep -q " in bytes_" app.report && grep -q "sci_two.c:[0-9]* in cam" cam.report || fail "$wrong: no place: $(cat app.report cam.report)"
        first=$(cat app.report cam.report app.trace cam.trace err | cksum)
        both on 10 gpu --policy seeded --seed $seed
        [ "$(cat app.report cam.report app.trace cam.trace err | cksum)" = "$first" ] || fail "$wrong, seed $seed: another run has other findings"
        unset WITHOUT
    done
done

# cam on one GPU of a DRIVE and app on the other: as on one GPU. app's stream has to wait: a wait of its CPU alone leaves the integrated
# GPU's L2 as it is.
soc=drive-pegasus
for gpus in "0 1" "1 0"; do
    export GPU_CAM="${gpus% *}" GPU_APP="${gpus#* }"
    for policy in lazy eager seeded; do
        both on 11 gpu --policy $policy
        grep -q "^11 frames, 1 sessions" out || fail "GPUs $gpus, $policy: $(cat out err)"
        ! grep -E "error:|warning:" app.report cam.report err || fail "GPUs $gpus, $policy: findings in a right program"
    done
    fill="cuMemsetD8Async (stream [12])" # device 0 is not named
    [ "$GPU_CAM" = 0 ] || fill="cuMemsetD8Async (stream [12] of device 1)"
    for wrong in frame done; do
        export WITHOUT=$wrong
        both on 10 gpu --policy seeded --seed 1
        findings cam.report | grep -q "Race: write by $fill and read by work of process [12]\|Race: read by work of process [12] and write by $fill" || fail "GPUs $gpus, $wrong: $(cat cam.report)"
        findings app.report | grep -q "Race: .* by work of process [12]" || fail "GPUs $gpus, $wrong: $(cat app.report)"
        unset WITHOUT
    done
done
exit $bad
