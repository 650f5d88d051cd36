#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a deliberate fault of the scheduler noticed? run.sh SOURCE_DIR BUILD_DIR WORK_DIR PATCH OBJECTS...
# A patch opens with "Rule:" (what it breaks) and "Check:" (what must fail with it). The broken file is compiled and stands in
# for its healthy self among the objects of libvtegra-preload.so, or, from other folders, before the libraries in a libvtegra.so.
# The programs are those that programs.sh has built in WORK_DIR.
# PATCH "healthy" [N]: every check of every patch (every Nth) must hold.
# Or it has "Script:" (a test under tests/, which gets a build folder with the broken library) and "Fails:" (what its line after
# FAIL begins with).
#   pass PROGRAM...           under 6 seeds: status 0, and no word of vtegra's
#   ends PROGRAM...           the same, whatever is said
#   finds STATUS PROGRAM...   one of 25 seeds ends so
#   tells TEXT PROGRAM...     one of 25 seeds says so (blanks in TEXT are underscores)
#   once TEXT PROGRAM...      under 6 seeds: status 0, and one line says so
#   silent TEXT PROGRAM...    one run: status 0, and it does not say so
# PROGRAM may be the command vtegra, which gets its libraries from a folder with the broken one and has one run.
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
cd "$work" && [ -e openmp ] || {
    echo "no programs in $work: programs.sh builds them"
    exit 1
}
unset VTEGRA_STRATEGY VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_SCHEDULE VTEGRA_RECORD VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_SOC VTEGRA_OS VTEGRA_EVICT VTEGRA_CHECK 2>/dev/null || true

# with LIBRARY SEED PROGRAM...: its status; the output is in $dir/out. Other libraries of ours come from $tree
with() {
    library=$1 seed=$2
    shift 2
    status=0
    quiet=1
    case " $* " in
    *" vtegra "*)
        PATH=$tree/bin:$PATH timeout $limit "$@" >"$dir/out" 2>&1 <"$source/LICENSE" || status=$?
        return
        ;;
    esac
    [ "$policy" = seeded ] || quiet=0
    LD_PRELOAD=$library LD_LIBRARY_PATH=$tree/lib VTEGRA_SOC=orin VTEGRA_POLICY=$policy VTEGRA_SEED=$seed VTEGRA_QUIET=$quiet \
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
    LD_PRELOAD=$library LD_LIBRARY_PATH=$tree/lib VTEGRA_SOC=orin VTEGRA_POLICY=$policy "$@" >"$dir/out" 2>&1 </dev/null &
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
    if [ "$kind" = finds ] || [ "$kind" = tells ] || [ "$kind" = stands ] || [ "$kind" = once ] || [ "$kind" = silent ]; then
        wanted=$(echo "$1" | tr _ ' ')
        shift
    fi
    if [ "$kind" = stands ]; then
        stands "$wanted" "$@"
        return
    fi
    case " $* " in
    *" vtegra "*) seeds=1 ;;
    esac
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
        silent)
            [ $status = 0 ] && ! says "$wanted"
            return
            ;;
        finds) [ $status != "$wanted" ] || return 0 ;;
        tells) ! says "$wanted" || return 0 ;;
        esac
    done
    return 1
}

if [ "$patch" = healthy ]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    failed=0
    tree=$build
    sed -n 's/^Check: //p' "$source"/tests/mutants-sched/*.patch | sort -u | awk "NR % ${libraries:-1} == 0" >"$dir/checks"
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
. "$source/tests/mutants/patched.sh"
preload=$dir/libvtegra-preload.so
case $broken in
runtime/driver/* | runtime/check/* | runtime/hal/inproc/*)
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
# shellcheck disable=SC2046
[ $# = 0 ] || cc -shared $(objects "$@") -ldl -o "$preload"
# plant TREE LIBRARY...: a build folder with these libraries in the place of the built ones, which find their profiles beside it
plant() {
    tree=$1
    shift
    mkdir -p "$tree/bin" "$tree/lib"
    cp "$build/bin/vtegra" "$tree/bin/" # finds its libraries beside itself
    ln -s "$build/share" "$build/include" "$tree/"
    ln -s "$build"/lib/* "$tree/lib/"
    for library in "$@"; do
        rm -f "$tree/lib/$(basename "$library")"
        cp "$library" "$tree/lib/"
    done
}
script=$(word Script)
if [ -n "$script" ]; then
    # With the healthy library in such a folder it passes: else all would be caught.
    passed=$work/$(basename "$script").passed
    if [ ! -e "$passed" ] || [ "$build/lib/libvtegra.so" -nt "$passed" ]; then
        plant "$dir/healthy" "$build/lib/libvtegra.so"
        sh "$source/tests/$script" "$tree" "$dir/healthy/script" >"$dir/out" 2>&1 || {
            echo "$script fails without a fault"
            cat "$dir/out"
            exit 1
        }
        touch "$passed"
    fi
    plant "$dir/tree" "$dir"/*.so
    if sh "$source/tests/$script" "$tree" "$dir/script" >"$dir/out" 2>&1; then
        echo "NOT CAUGHT: $(word Rule)"
        exit 1
    fi
    grep -m 1 "^FAIL:* $(word Fails)" "$dir/out" && exit 0
    echo "caught, but not by \"$(word Fails)\":"
    cat "$dir/out"
    exit 1
fi
plant "$dir/tree" "$dir"/*.so
# shellcheck disable=SC2046
if holds "$preload" $(word Check); then
    echo "NOT CAUGHT: $(word Rule)"
    exit 1
fi
caught="caught: status $status"
plant "$dir/healthy" "$build"/lib/libvtegra.so "$build"/lib/libvtegra-preload.so
# shellcheck disable=SC2046
if ! holds "$build/lib/libvtegra-preload.so" $(word Check); then
    echo "FAIL: the check does not hold on the healthy tree either: status $status"
    cat "$dir/out"
    exit 1
fi
echo "$caught"
