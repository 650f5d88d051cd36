#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault noticed? run.sh SOURCE_DIR PATCH LIBRARIES...
# A patch opens with "Rule:" (what it breaks) and "Test:" (the unit test that must fail with it). The broken
# file is compiled and linked before the built libraries, so it stands in for its healthy self; of a broken header,
# the whole folder.
set -eu
source=$1
patch=$2
shift 2
. "$source/tests/mutants/patched.sh"
test=$(word Test)
# "Needs: avx2": the fault is in a loop that only such a machine runs.
needs=$(word Needs)
if [ -n "$needs" ] && ! grep -qw "$needs" /proc/cpuinfo; then
    echo "not run: this machine has no $needs"
    exit 0
fi
compiled=$dir/$broken
case $broken in
*.h)
    cp -n "$source/$(dirname "$broken")"/*.[ch] "$dir/$(dirname "$broken")/"
    compiled=$(ls "$dir/$(dirname "$broken")"/*.c | grep -Ev '/track_(libc|iostream).c') # those link with --wrap only
    ;;
esac
rig=
case $test in
soc | accessed) rig=$source/tests/soc_rig.c ;;
smmu | dla_engine_*) rig=$source/tests/dla_soc_rig.c ;;
book | track_api)
    case $broken in
    runtime/track/*.h) rig=-mcx16 ;; # with the whole folder
    */track128.c) rig="-mcx16 $source/runtime/track/track.c" ;;
    runtime/track/*) rig="-mcx16 $source/runtime/track/track128.c" ;;
    *) rig="-mcx16 $source/runtime/track/track128.c $source/runtime/track/track.c" ;;
    esac
    rig="$rig -rdynamic"
    ;;
track_libc)
    rig="-O1 -U_FORTIFY_SOURCE -fno-builtin -rdynamic $(sed -n 's/^WRAP(\(.*\))$/-Wl,--wrap=\1/p' "$source/runtime/track/libc.def")"
    for part in track track_libc track_iostream; do
        [ "$broken" = "runtime/track/$part.c" ] || rig="$rig $source/runtime/track/$part.c"
    done
    ;;
driver_*) rig="-DPROFILES_DIR=\"$source/profiles\" $source/tests/fake_hal.c $source/model/soc/trace.c" ;;
schedule) rig="-DVTEGRA_VERSION=\"0\" $source/runtime/sched/decide.c" ;;
caller | source) rig="-g -O2" ;; # they look for their own lines
sched_found | objects | book_threads) rig=-rdynamic ;;
hook) rig="-g -rdynamic" ;; # it looks for its own lines, and hooks for its scheduler
board_client | board_server) # not by library: the client's functions have the names of the in-process board's
    for part in $([ "$test" = board_client ] && echo client client_memory || echo server) wire; do
        [ "$broken" = "runtime/hal/board/$part.c" ] || rig="$rig $source/runtime/hal/board/$part.c"
    done
    ;;
hal_dla) rig=$source/tests/dla/golden.c ;;
dla_loadables) rig="$source/tests/dla/golden.c $source/tests/dla/rig.c" ;;
dla_net) rig=$source/tools/dla_net.c ;;
dla_vectors) rig="$source/tests/dla/layer.c $source/tests/dla/layer_desc.c $source/tests/dla/rig.c" ;;
dla_*) rig=$source/tests/dla/rig.c ;;
grid)
    rig="-DGOLDEN_FILE=\"$source/tests/golden/ptx_forms_h200_580.159.04.bin\" $source/tests/test_grid_schedule.c
         $source/tests/test_ptx_exec.c $source/tests/test_decode.c $source/tests/test_intrinsic.c $source/tests/grid_rig.c"
    ;;
esac
# shellcheck disable=SC2046,SC2086
cc -std=gnu17 -D_GNU_SOURCE -w -I"$dir" -I"$source" -DVECTORS="\"$source/tests/dla\"" -iquote "$source/$(dirname "$broken")" \
    $(pkg-config --cflags glib-2.0 json-glib-1.0 check) "$source/tests/test_$test.c" $rig $compiled \
    -Wl,--start-group "$@" -Wl,--end-group \
    $(pkg-config --libs check glib-2.0 json-glib-1.0 libdw libzstd liblz4) -ldl -lpthread -lm \
    -o "$dir/mutant"
# A limit that a busy machine does not reach: what only was slow would count as noticed.
noticed env CK_DEFAULT_TIMEOUT=30 VTEGRA_PROFILES=$source/profiles timeout 900 "$dir/mutant"
