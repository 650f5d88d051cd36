#!/bin/sh
# SPDX-License-Identifier: MIT
# unhooked_frames.sh BUILD_DIR WORK_DIR: the CPU reads a mapped frame of an EGLStream without waiting for the kernel that writes it. In a
# program without hooks, too, that is a race at its line, with a cure that names the stream of the frame; the corrected one has none. So it is
# where the producer's CPU writes a frame that it has presented, while the consumer's kernel reads it; before that it is a warning.
. "$(dirname "$0")/lib.sh"
pages_are_closed
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "SKIP: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "SKIP: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
by_clang unhooked_frames -g -O1 "$source/unhooked_frames.cu" -lEGL
at=$(grep -n '// READ$' "$source/unhooked_frames.cu" | cut -d: -f1)
acquired=$(grep -n 'ConsumerAcquireFrame(' "$source/unhooked_frames.cu" | cut -d: -f1)
todo="cudaStreamSynchronize behind cudaEGLStreamConsumerAcquireFrame at [^ ]*unhooked_frames.cu:$acquired in main, which gave it in stream [0-9]"
for policy in lazy eager "seeded --seed 1" "seeded --seed 2"; do
    # shellcheck disable=SC2086 # words
    expect "wrong $policy" 0 "" "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_frames wrong
    tests=$((tests + 2))
    grep -q "error: Race: " report || fail "wrong $policy: no race"
    tr -s ' \n' ' ' <report | grep -q "$todo" || fail "wrong $policy: another cure"
    grep -q "where .*unhooked_frames.cu:$at in main" report || fail "wrong $policy: not at line $at"
    # shellcheck disable=SC2086 # words
    expect "right $policy" 0 7 "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_frames right
    tests=$((tests + 1))
    ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "right $policy: a finding"
done
presented=$(grep -n '// PRESENTED$' "$source/unhooked_frames.cu" | cut -d: -f1)
at=$(grep -n '// REWRITTEN$' "$source/unhooked_frames.cu" | cut -d: -f1)
for board in xavier orin; do
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086 # words
        expect "rewritten $board $policy" 0 "" "$vtegra" run --soc $board --policy $policy --report report -- ./unhooked_frames rewritten
        tests=$((tests + 1))
        grep -q "error: Race: " report && grep -q "where .*unhooked_frames.cu:$at in producers_cpu" report || fail "rewritten $board $policy: not at line $at"
        # shellcheck disable=SC2086 # words
        expect "presented $board $policy" 0 7168 "$vtegra" run --soc $board --policy $policy --report report -- ./unhooked_frames presented
        tests=$((tests + 1))
        [ "$(grep -cE "^  [0-9]+\. (error|warning):" report)" = 1 ] && grep -q "rule  *egl-frame-rewritten " report &&
            grep -q "where .*unhooked_frames.cu:$presented in producers_cpu" report || fail "presented $board $policy: not at line $presented"
        # shellcheck disable=SC2086 # words
        expect "returned $board $policy" 0 7168 "$vtegra" run --soc $board --policy $policy --report report -- ./unhooked_frames returned
        tests=$((tests + 1))
        ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "returned $board $policy: a finding"
    done
done
finish
