#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA IPC between two processes of one board: what NVIDIA's driver answers, and no finding but the one that the program asks
# for. cuda_ipc.sh VTEGRA PROGRAM COMPARE GOLDEN DIFFERENCES
vtegra=$1 program=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset VTEGRA_BOARD VTEGRA_SOC VTEGRA_POLICY
bad=0
for policy in lazy eager; do
    timeout 100 "$vtegra" run -q --shared --soc thor --policy $policy --report "$work/report" -- "$program" >"$work/out" 2>"$work/err" || {
        echo "$policy: status $?: $(cat "$work/err")"
        bad=1
    }
    "$3" "$4" "$work/out" "$5" || bad=1
    # cuMemFree() of imported memory
    [ "$(grep -c "^vtegra: error" "$work/err")" = 1 ] && grep -q "error: cuMemFree of another process's memory" "$work/err" || {
        echo "$policy: findings: $(cat "$work/err")"
        bad=1
    }
done
# A board of one's own has none of it, and says what to do.
timeout 100 "$vtegra" run --soc thor --report "$work/report" -- "$program" >"$work/out" 2>"$work/err"
grep -q "cuIpcGetMemHandle(&m.mem, p): NOT_SUPPORTED" "$work/out" && grep -q "a board of its own" "$work/err" || {
    echo "a board of its own: $(cat "$work/out" "$work/err")"
    bad=1
}
exit $bad
