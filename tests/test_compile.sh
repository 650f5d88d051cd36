#!/bin/sh
# SPDX-License-Identifier: MIT
# VTEGRA_COMPILE: output, report and trace are those of the interpreter; a cache entry that is not as it should be is made
# anew; without a compiler or a cache the interpreter goes on, with one line. Usage: test_compile.sh BUILD SOURCE [long]
set -u
build=$1
source=$2
thorough=${3:-}
command -v clang-19 >/dev/null || {
    echo "skipped: no clang-19"
    exit 77
}
grep -q '^flags.* avx2' /proc/cpuinfo || {
    echo "skipped: kernels are compiled for processors with AVX2 alone"
    exit 77
}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
"$build/bin/vtegra" cc --arch sm_87 -O2 "$source/tests/compile.cu" -o "$work/app" || exit 1

# run NAME MODE [VARIABLE=VALUE...]: NAME.out, .err, .json, .trace
run() {
    name=$1 mode=$2
    shift 2
    env XDG_CACHE_HOME="$work/cache" VTEGRA_TRACE_CLASSES=all VTEGRA_COMPILE="$mode" "$@" \
        "$build/bin/vtegra" run -q --soc orin --json "$work/$name.json" --trace "$work/$name.trace" -- "$work/app" \
        >"$work/$name.out" 2>"$work/$name.err"
    for what in out json trace; do
        cmp -s "$work/off.$what" "$work/$name.$what" || {
            echo "$name: $what differs from the interpreter's"
            bad=1
        }
    done
}

# lines NAME N: of the notice
lines() {
    n=$(grep -c 'kernels are interpreted, not compiled' "$work/$1.err")
    [ "$n" = "$2" ] || {
        echo "$1: $n lines, not $2:"
        cat "$work/$1.err"
        bad=1
    }
}

# kept NAME: one entry, in good order
kept() {
    [ "$(find "$work/cache/vtegra/native" -type f | wc -l)" = 1 ] && cmp -s "$entry" "$work/good" || {
        echo "$1: the cache is not as it was:"
        ls -l "$work/cache/vtegra/native"
        bad=1
    }
}

run off off
[ -s "$work/off.out" ] || {
    cat "$work/off.err"
    exit 1
}
[ ! -e "$work/cache" ] || {
    echo "off: there is a cache"
    bad=1
}
run made wait
lines made 0
entry=$(find "$work/cache/vtegra/native" -type f)
cp "$entry" "$work/good" || exit 1
kept made
run used wait PATH="$PATH" && lines used 0 && kept used
[ "$thorough" != long ] || { run background on && lines background 0; }

# An entry that somebody damaged, or that is another version's
printf 'x' | dd of="$entry" bs=1 seek=5000 conv=notrunc 2>/dev/null
run damaged wait && lines damaged 0 && kept damaged
if [ "$thorough" = long ]; then
    sed '1s/native 1/native 0/' "$work/good" >"$entry"
    run version wait && lines version 0 && kept version
    chmod g+w "$entry"
    run writable wait && lines writable 0 && kept writable
    [ "$(stat -c %a "$entry")" = 600 ] || {
        echo "writable: others may still write the entry"
        bad=1
    }
fi

# No compiler, one that fails, one that is killed; no cache
mkdir "$work/none" "$work/fails" "$work/killed"
printf '#!/bin/sh\nexit 1\n' >"$work/fails/clang-19"
printf '#!/bin/sh\nkill -9 $$\n' >"$work/killed/clang-19"
chmod +x "$work"/*/clang-19
for kind in none fails killed; do
    [ "$thorough" = long ] || [ $kind != fails ] || continue
    rm -f "$entry"
    run $kind wait PATH="$work/$kind" && lines $kind 1
done
# One that hangs is killed, with the processes that it has started, and leaves nothing.
mkdir "$work/hangs"
printf '#!/bin/sh\necho $$ >%s/pid\nsleep 1000 &\necho $! >>%s/pid\nwait\n' "$work" "$work" >"$work/hangs/clang-19"
chmod +x "$work/hangs/clang-19"
rm -f "$entry"
run hangs wait PATH="$work/hangs:/usr/bin:/bin" VTEGRA_COMPILE_SECONDS=1 && lines hangs 1
grep -q 'clang-19 had not ended after 1 s' "$work/hangs.err" || {
    echo "hangs: nothing says that it was killed"
    bad=1
}
while read -r pid; do
    # A process that has ended and is not waited for yet is none.
    ! grep -qs '^State:.[^ZX]' "/proc/$pid/status" || {
        echo "hangs: process $pid is there still"
        bad=1
    }
done <"$work/pid"
[ -z "$(ls "$work/cache/vtegra/native")" ] || {
    echo "hangs: it has left files"
    bad=1
}
run seconds wait VTEGRA_COMPILE_SECONDS=0
grep -q 'VTEGRA_COMPILE_SECONDS=0: must be' "$work/seconds.err" || {
    echo "seconds: nothing says that it is wrong"
    bad=1
}
run nocache wait XDG_CACHE_HOME=/dev/null && lines nocache 1
run word yes
grep -q 'VTEGRA_COMPILE=yes' "$work/word.err" || {
    echo "word: nothing says that it is wrong"
    bad=1
}
exit $bad
