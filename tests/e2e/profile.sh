#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiling (CUDA for Tegra 5.3): CUDLA_NVTX_LEVEL puts cuDLA's calls into the trace, around the DLA's tasks and layers; NVTX
# ranges of the application go there by NVTX's own injection. Usage: profile.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
scenario=$source/../../scenarios/cudla_hybrid
by_clang hybrid "$scenario/hybrid.cu" -lcudla
is_newest network.loadable "$scenario/network.json" "$vtegra" ||
    "$vtegra" dla build "$scenario/network.json" -o network.loadable || exit 2

# lines FILE: names of what matters, in order, one line
order() {
    grep -oE 'phase=(push|pop) domain=cudla( name=cudla(SubmitTask|CreateDevice|DestroyDevice))?|DLA_TASK_BEGIN|DLA_OP |DLA_TASK_END' "$1" |
        sed 's/phase=//; s/domain=cudla//; s/name=//' | tr -s ' \n' '  '
}

for variable in CUDLA_NVTX_LEVEL CUDA_NVTX_LEVEL; do # edition 000 prints the second
    expect $variable 0 "0 of 8192 wrong" env $variable=1 "$vtegra" run -q --trace trace -- ./hybrid network.loadable 1
    tests=$((tests + 2))
    order trace >order
    grep -q 'push cudlaSubmitTask pop ' order || fail "$variable: no range of cudlaSubmitTask"
    # lazy: the task runs after the call that submitted it; a convolution is two operations, CONV and SDP
    grep -q 'push cudlaSubmitTask pop DLA_TASK_BEGIN DLA_OP DLA_OP DLA_TASK_END' order ||
        fail "$variable: no task and layers behind the call: $(cat order)"
    [ "$(grep -c 'phase=push domain=cudla' trace)" = "$(grep -c 'phase=pop domain=cudla' trace)" ] ||
        fail "$variable: ranges that are not closed"
done
expect off 0 "0 of 8192 wrong" "$vtegra" run -q --trace trace -- ./hybrid network.loadable 1
tests=$((tests + 1))
grep -q 'domain=cudla' trace && fail "ranges that nobody asked for"

# Eager: the task runs inside the call.
expect eager 0 "0 of 8192 wrong" env CUDLA_NVTX_LEVEL=1 "$vtegra" run -q --policy eager --trace trace -- ./hybrid network.loadable 1
tests=$((tests + 1))
order trace | grep -q 'push cudlaSubmitTask DLA_TASK_BEGIN DLA_OP DLA_OP DLA_TASK_END pop' ||
    fail "eager: the task is not inside its call: $(order trace)"

headers=
for dir in /usr/include /usr/local/cuda/include "${CUDA_HOME:-/nowhere}/include" "$(dirname "$(dirname "${nvcc:-/x/y}")")/include"; do
    [ -e "$dir/nvtx3/nvToolsExt.h" ] && headers=$dir
done
if [ -z "$headers" ]; then
    echo "no nvtx3/nvToolsExt.h: the application's ranges are not tried"
    finish
fi
mkdir -p nvtx_include && ln -sfn "$headers/nvtx3" nvtx_include/nvtx3 # NVTX alone, not the toolkit's cuda.h
build nvtx cc -I"$lib/../include" -Invtx_include "$source/nvtx.c" -L"$lib" -lcuda -ldl
expect nvtx 0 "done" "$vtegra" run -q --trace trace -- ./nvtx
for line in 'phase=push domain=nvtx name="setup \\"with\\" odd\\nbytes"' 'phase=pop domain=nvtx' \
    'phase=mark domain=nvtx name="wide mark"' 'phase=start domain=nvtx name=whole thread=1 id=1' \
    'phase=push domain=camera name=frame' 'phase=pop domain=camera' 'phase=mark domain=camera name="kept string"' \
    'phase=end domain=nvtx thread=1 id=1'; do
    tests=$((tests + 1))
    grep -qF -- "$(printf '%b' "$(printf '%s' "$line" | sed 's/\\\\/\\/g; s/\\/\\\\/g')")" trace || fail "nvtx: no $line"
done
finish
