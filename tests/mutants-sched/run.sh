#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault of the scheduler noticed? run.sh SOURCE_DIR BUILD_DIR WORK_DIR PATCH OBJECTS...
# A patch opens with "Rule:" (what it breaks) and "Check:" (what must fail with it). The broken file is compiled and stands in
# for its healthy self among the objects of libvtegra-preload.so, or, from runtime/driver and runtime/check, before the libraries in
# a libvtegra.so.
# PATCH "healthy": every check of every patch must hold.
#   pass PROGRAM...           under 6 seeds: status 0, and no word of vtegra's
#   ends PROGRAM...           the same, whatever is said
#   finds STATUS PROGRAM...   one of 25 seeds ends so
#   tells TEXT PROGRAM...     one of 25 seeds says so (blanks in TEXT are underscores)
#   once TEXT PROGRAM...      under 6 seeds: status 0, and one line says so
# Behind the word lazy or eager it is two runs under that policy, with all that it says. There is also
#   stands TEXT PROGRAM...    it hangs, and has said so
set -eu
source=$1 build=$2 work=$3 patch=$4
shift 4
export VTEGRA_PROFILES="$build/share/vtegra/profiles" # a broken libvtegra.so stands elsewhere
libraries=
while [ $# -gt 0 ] && [ "$1" != -- ]; do # of libvtegra.so
    libraries="$libraries $1"
    shift
done
[ $# = 0 ] || shift
here=$source/tests/explore
mkdir -p "$work"
cd "$work"
unset VTEGRA_STRATEGY VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_SCHEDULE VTEGRA_RECORD VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_SOC VTEGRA_OS VTEGRA_EVICT VTEGRA_CHECK 2>/dev/null || true

# once OUTPUT COMMAND... -o OUTPUT
once() {
    output=$1
    shift
    [ -e "$output" ] && [ -z "$(find "$here" -newer "$output" -name '*.c*')" ] && return 0
    "$@" -o "$output.$$" && mv "$output.$$" "$output"
}
once threads cc -w -g -O1 "$here/threads.c" -lpthread
once hostile cc -w -g -O1 "$here/hostile.c" -lpthread
once plugin.so cc -w -g -O1 -shared -fPIC -DPLUGIN "$here/hostile.c" -lpthread
once flag_plain "$build/bin/vtegra" cc -g "$here/flag_kernel.cu"
once streams "$build/bin/vtegra" cc -g "$here/streams.cu"
once lost_update "$build/bin/vtegra" cc --track -g "$here/lost_update.cu"
once ring "$build/bin/vtegra" cc -g -O1 "$here/ring.cu" -lpthread
once order "$build/bin/vtegra" cc -g -O1 -std=c++20 "$here/order.cu" -lpthread
once places "$build/bin/vtegra" cc -g -O0 "$here/places.cu" -lpthread
: >places.schedule # decides nothing
echo 'switch 1 cpu7' >strays.schedule # there is none
once starts cc -w -g -O1 "$here/starts.c" -lpthread
once stuck "$build/bin/vtegra" cc -g -O2 "$here/stuck.cu" -lpthread
once late "$build/bin/vtegra" cc -g -O1 "$here/late.cu" -lpthread
once edges "$build/bin/vtegra" cc --track -g -O1 "$here/edges.cu" -lpthread
once tail "$build/bin/vtegra" cc --track -g -O2 "$here/tail_call.cu" -lpthread
# shellcheck disable=SC2046
once handover "$build/bin/vtegra" cc --track -g -O1 -std=c++20 -DWITH_GLIB "$here/handover.cu" -lpthread \
    $(pkg-config --cflags --libs glib-2.0)
once host_function "$build/bin/vtegra" cc -g -O2 -std=c++20 "$here/host_function.cu" -lpthread
if echo 'int main(void) { return 0; }' | cc -fopenmp -x c - -o "has_openmp.$$" 2>/dev/null; then
    rm -f "has_openmp.$$"
    once openmp cc -w -g -O1 -fopenmp "$here/openmp.c"
else # nothing to run: as if it had
    once openmp cc -x c - <<'C'
int main(void) { return 0; }
C
fi

# with LIBRARY SEED PROGRAM...: its status; the output is in $dir/out
with() {
    library=$1 seed=$2
    shift 2
    status=0
    quiet=1
    [ "$policy" = seeded ] || quiet=0
    LD_PRELOAD=$library LD_LIBRARY_PATH=$dir:$build/lib VTEGRA_SOC=orin VTEGRA_POLICY=$policy VTEGRA_SEED=$seed VTEGRA_QUIET=$quiet \
        VTEGRA_LENGTH=40 GOMP_SPINCOUNT=0 timeout $limit "$@" >"$dir/out" 2>&1 </dev/null || status=$?
}

# says TEXT: across the ends of lines
says() {
    tr -s ' \n' '  ' <"$dir/out" | grep -qF -- "$1"
}

# stands TEXT PROGRAM...: says so, within 10 s, and has not ended
stands() {
    text=$1 status=0 n=0
    shift
    LD_PRELOAD=$library LD_LIBRARY_PATH=$dir:$build/lib VTEGRA_SOC=orin VTEGRA_POLICY=$policy "$@" >"$dir/out" 2>&1 </dev/null &
    pid=$!
    while [ $n -lt 100 ] && ! says "$text" && kill -0 $pid 2>/dev/null; do
        sleep 0.1
        n=$((n + 1))
    done
    sleep 0.2
    says "$text" && kill -0 $pid 2>/dev/null || status=1
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null || true
    return $status
}

# holds LIBRARY CHECK...: is it so?
holds() {
    library=$1 policy=seeded seeds=25 limit=60
    shift
    if [ "$1" = lazy ] || [ "$1" = eager ]; then
        policy=$1 seeds=2
        shift
    fi
    kind=$1
    shift
    wanted=
    if [ "$kind" = finds ] || [ "$kind" = tells ] || [ "$kind" = stands ] || [ "$kind" = once ]; then
        wanted=$(echo "$1" | tr _ ' ')
        shift
    fi
    if [ "$kind" = stands ]; then
        stands "$wanted" "$@"
        return
    fi
    seed=0
    while [ $((seed += 1)) -le $seeds ]; do
        with "$library" $seed "$@"
        [ $status != 124 ] || return 1 # hangs, whatever was asked
        case $kind in
        pass)
            [ $status = 0 ] && ! grep -q '^vtegra:' "$dir/out" || return 1
            [ $seed -lt 6 ] && [ $seed -lt $seeds ] || return 0
            ;;
        ends)
            [ $status = 0 ] || return 1
            [ $seed -lt 6 ] && [ $seed -lt $seeds ] || return 0
            ;;
        once)
            [ $status = 0 ] && [ "$(grep -cF -- "$wanted" "$dir/out")" = 1 ] || return 1
            [ $seed -lt 6 ] && [ $seed -lt $seeds ] || return 0
            ;;
        finds) [ $status != "$wanted" ] || return 0 ;;
        tells) ! says "$wanted" || return 0 ;;
        esac
    done
    return 1
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if [ "$patch" = healthy ]; then
    failed=0
    sed -n 's/^Check: //p' "$source"/tests/mutants-sched/*.patch | sort -u >"$dir/checks"
    while read -r check; do
        # shellcheck disable=SC2086
        holds "$build/lib/libvtegra-preload.so" $check || {
            echo "FAIL: $check: status $status"
            head -5 "$dir/out"
            failed=1
        }
    done <"$dir/checks"
    echo "$(wc -l <"$dir/checks") checks"
    exit $failed
fi
broken=$(sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' "$patch")
mkdir -p "$dir/$(dirname "$broken")"
cp "$source/$broken" "$dir/$broken"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
preload=$dir/libvtegra-preload.so
case $broken in
runtime/driver/* | runtime/check/*)
    preload=$build/lib/libvtegra-preload.so
    # shellcheck disable=SC2046,SC2086
    cc -std=gnu17 -D_GNU_SOURCE -w -O1 -fPIC -shared -I"$source" $(pkg-config --cflags glib-2.0) "$dir/$broken" \
        -Wl,-soname,libvtegra.so -Wl,--version-script="$source/runtime/driver/libvtegra.map" \
        -Wl,--allow-multiple-definition -Wl,--whole-archive $(echo $libraries | cut -d' ' -f1,2) -Wl,--no-whole-archive \
        -Wl,--start-group $libraries -Wl,--end-group \
        $(pkg-config --libs glib-2.0 json-glib-1.0 libdw libzstd liblz4) -ldl -lpthread -lm -lgcc_s -o "$dir/libvtegra.so"
    set --
    ;;
*) cc -std=gnu17 -D_GNU_SOURCE -w -O1 -fPIC -fvisibility=hidden -fexceptions -I"$source" -c "$dir/$broken" -o "$dir/broken.o" ;;
esac
objects=
# shellcheck disable=SC2046 # cmake's lists have semicolons
for object in $(echo "$*" | tr ';' ' '); do
    case $object in
    */"$(basename "$broken")".o) objects="$objects $dir/broken.o" ;;
    *) objects="$objects $object" ;;
    esac
done
# shellcheck disable=SC2086
[ -z "$objects" ] || cc -shared $objects -ldl -o "$preload"
# shellcheck disable=SC2046
if holds "$preload" $(sed -n 's/^Check: //p' "$patch"); then
    echo "NOT CAUGHT: $(sed -n 's/^Rule: //p' "$patch")"
    exit 1
fi
echo "caught: status $status"
