#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA for Tegra 13.4, chapter 10: CUDA_EXTERNAL_ENGINE_EXECUTION_MODE. Bit 1: after a synchronisation, between different streams,
#   producer            GPU consumer      engine, non-blocking stream   engine, other stream
#   engine, nb stream   NOT guaranteed    visible                       visible
#   engine, other       visible           visible                       visible
#   GPU                 visible           NOT guaranteed                visible
# Usage: engine_mode.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang engine_mode --track -g -lcudla "$source/engine_mode.cu"
"$vtegra" dla build "$source/../../scenarios/cudla_hybrid/network.json" -o network.loadable >/dev/null || exit 1
hazards="gpu_engine_nb engine_nb_gpu"
guarantees="engine_nb_engine gpu_gpu engine_gpu gpu_engine one_stream"

# mode VALUE SOC OPTIONS...: every case; those in $stale have a finding
mode() {
    value=$1 soc=$2
    shift 2
    for case in $hazards $guarantees; do
        expect "$value $soc $case" 0 "$case done" env CUDA_EXTERNAL_ENGINE_EXECUTION_MODE="$value" "$vtegra" run --soc "$soc" "$@" -- \
            ./engine_mode network.loadable "$case"
        case " $stale " in
        *" $case "*) also "$value $soc $case" "rule stale-l2-" ;;
        *) not_there "$value $soc $case" "rule stale-l2-" ;;
        esac
    done
}

stale=$hazards
mode 1 orin
mode 3 orin-nx --policy eager
stale=
mode 0 orin
mode 2 orin
mode 1 xavier # "Orin or newer"
mode 1 orin --edition 12.6 # an edition before it
expect rule_clean 0 "stale-l2-clean-missing" env CUDA_EXTERNAL_ENGINE_EXECUTION_MODE=1 "$vtegra" run -- ./engine_mode network.loadable gpu_engine_nb
expect rule_invalidate 0 "stale-l2-invalidate-missing" env CUDA_EXTERNAL_ENGINE_EXECUTION_MODE=1 "$vtegra" run -- \
    ./engine_mode network.loadable engine_nb_gpu
# Bit 2: errors of the engine stay out of CUDA.
expect isolated 0 "gpu_gpu done" env VTEGRA_DLA_HANG=1 CUDA_EXTERNAL_ENGINE_EXECUTION_MODE=2 "$vtegra" run -- \
    ./engine_mode network.loadable gpu_gpu
also isolated "CUDA calls do not fail"
expect not_isolated 1 "cudaStreamSynchronize(s) failed" env VTEGRA_DLA_HANG=1 CUDA_EXTERNAL_ENGINE_EXECUTION_MODE=1 "$vtegra" run -- \
    ./engine_mode network.loadable gpu_gpu
also not_isolated "CUDA calls give cudaErrorExternalDevice from now on"
finish
