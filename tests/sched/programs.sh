#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of the scheduler's rules: programs.sh SOURCE_DIR BUILD_DIR WORK_DIR [N]
# Those that are older than a source are built anew. rules.sh finds them in WORK_DIR. With N: what every Nth rule names.
set -eu
source=$1 build=$2 work=$3 every=${4:-1}
here=$source/tests/explore
mkdir -p "$work"
cd "$work"

named=$(mktemp)
trap 'rm -f "$named"' EXIT
awk "NR % $every == 0" "$source/tests/sched/rules.txt" >"$named"

# once OUTPUT COMMAND... -o OUTPUT: if one of its sources, or what builds it, is newer
once() {
    output=$1
    shift
    case $output in
    openmp | *.so*) ;; # rules.sh asks for the first; libraries, for any
    *) grep -qw "$output" "$named" || return 0 ;;
    esac
    for file in "$@" "$here"/*.h "$build/lib/libvtegra_track.a"; do
        [ ! -e "$output" ] || [ "$file" -nt "$output" ] || continue
        "$@" -o "$output.$$" && mv "$output.$$" "$output"
        return
    done
}

once copy cc -w -g -O1 "$here/copy.c" -ldl -lpthread
once outer "$build/bin/vtegra" cc --arch sm_53 --track -g -O0 "$here/outer.cu"
once no_files "$build/bin/vtegra" cc --arch sm_53 -g "$here/no_files.cu"
once mistakes "$build/bin/vtegra" cc --arch sm_53 -g "$source/tests/e2e/mistakes.cu" -lcuda
once threads cc -w -g -O1 "$here/threads.c" -lpthread
once ticks cc -w -g -O1 "$here/ticks.c" -lpthread
once hostile cc -w -g -O1 "$here/hostile.c" -lpthread
once board "$build/bin/vtegra" cc --arch sm_53 -g -O1 "$here/board.cu" -lpthread
once free "$build/bin/vtegra" cc --arch sm_53 -g -O1 "$source/tests/misuse/free.cu"
once calls cc -w -D_GNU_SOURCE -g -O1 "$here"/calls*.c -lpthread
once semop_order cc -w -D_GNU_SOURCE -g -O1 "$here/semop_order.c" -lpthread
once libgomp.so.raw cc -w -shared -fPIC -DLIBRARY "$here/raw_library.c"
once raw_library cc -w -D_GNU_SOURCE -g -O1 "$here/raw_library.c" -ldl -lpthread
once outside cc -w -D_GNU_SOURCE -g -O1 "$here/outside.c" -lpthread
once plugin.so cc -w -g -O1 -shared -fPIC -DPLUGIN "$here/hostile.c" -lpthread
# shellcheck disable=SC2046
once near.so cc -w -g -O1 -shared -fPIC -DPLUGIN "$here/near.c" $(pkg-config --cflags --libs glib-2.0)
once near cc -w -g -O1 "$here/near.c" -ldl
once flag_plain "$build/bin/vtegra" cc --arch sm_53 -g "$here/flag_kernel.cu"
once streams "$build/bin/vtegra" cc --arch sm_53 -g "$here/streams.cu"
once lost_update "$build/bin/vtegra" cc --arch sm_53 --cuda-host-only --track -g "$here/lost_update.cu"
once ring "$build/bin/vtegra" cc --arch sm_53 --cuda-host-only -g -O1 "$here/ring.cu" -lpthread
once order "$build/bin/vtegra" cc --arch sm_53 --cuda-host-only -g -O1 -std=c++20 "$here/order.cu" -lpthread
once places "$build/bin/vtegra" cc --arch sm_53 --cuda-host-only -g -O0 "$here/places.cu" -lpthread
if [ ! -x printed_both ]; then # of several beside each other
    printf '#!/bin/sh\n[ "$(cat "$VTEGRA_OUTPUT")" = "first\nsecond" ]\n' >printed_both.$$
    chmod +x printed_both.$$
    mv printed_both.$$ printed_both
fi
: >places.schedule # decides nothing
echo 'switch 1 cpu7' >strays.schedule # there is none
once starts cc -w -g -O1 "$here/starts.c" -lpthread
once stuck "$build/bin/vtegra" cc --arch sm_53 -g -O2 "$here/stuck.cu" -lpthread
once beside "$build/bin/vtegra" cc --arch sm_53 --track -g -O1 "$here/fault_beside.cu" -lpthread
once late "$build/bin/vtegra" cc --arch sm_53 -g -O1 "$here/late.cu" -lpthread
once main_ends "$build/bin/vtegra" cc --arch sm_53 --track -g -O1 "$here/main_ends.cu" -lpthread
once edges "$build/bin/vtegra" cc --arch sm_53 --cuda-host-only --track -g -O1 "$here/edges.cu" -lpthread
once tail "$build/bin/vtegra" cc --arch sm_53 --cuda-host-only --track -g -O2 "$here/tail_call.cu" -lpthread
# shellcheck disable=SC2046
once handover "$build/bin/vtegra" cc --arch sm_53 --track -g -O1 -std=c++20 -DWITH_GLIB "$here/handover.cu" -lpthread \
    $(pkg-config --cflags --libs glib-2.0)
once host_function "$build/bin/vtegra" cc --arch sm_53 -g -O2 -std=c++20 "$here/host_function.cu" -lpthread
if echo 'int main(void) { return 0; }' | cc -fopenmp -x c - -o "has_openmp.$$" 2>/dev/null; then
    rm -f "has_openmp.$$"
    once openmp cc -w -g -O1 -fopenmp "$here/openmp.c"
else # nothing to run: as if it had
    once openmp cc -x c - <<'C'
int main(void) { return 0; }
C
fi
