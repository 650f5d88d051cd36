# SPDX-License-Identifier: MIT
# Shared by the end-to-end tests: . lib.sh BUILD_DIR WORK_DIR
# Programs are built once into WORK_DIR and again only when a source or the library they are built with is newer.
vtegra=$1/bin/vtegra
lib=$1/lib
# shellcheck disable=SC2034 # read by the tests
golden=$1/golden # unpacked
source=$(cd "$(dirname "$0")" && pwd)
work=$2
mkdir -p "$work" && cd "$work" || exit 2
unset VTEGRA_SOC VTEGRA_EDITION VTEGRA_OS VTEGRA_POLICY VTEGRA_SEED VTEGRA_EVICT VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_STEP_LIMIT VTEGRA_RACES VTEGRA_OOB VTEGRA_BACKEND VTEGRA_PROFILES VTEGRA_CLANG VTEGRA_QUIET VTEGRA_ERROR_EXITCODE NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
socs="nano tx2 xavier-nx xavier orin-nano orin-nx orin thor"
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
tests=0
failed=0

# some N WORD...: every Nth word in ./check, all of them where the test runs "long" (its third argument)
thorough=${3:-}
some() {
    step=$1 number=0
    shift
    [ "$thorough" != long ] || step=1
    for word in "$@"; do
        [ $((number % step)) != 0 ] || printf '%s\n' "$word"
        number=$((number + 1))
    done
}

# in_turn N: of N in a loop one in ./check, the next one in the next loop; all of them in "long"
in_turn() {
    eval "asked=\${asked_$1:-0} asked_$1=\$((\${asked_$1:-0} + 1))"
    [ "$thorough" = long ] || [ $((asked % $1)) = $((asked / $1 % $1)) ]
}

# Libraries built with a sanitizer: its runtime is shared, so a program that links our static one needs it too.
sanitized=
# shellcheck disable=SC2034 # read by the tests
nm -D "$vtegra" 2>/dev/null | grep -q __asan_init && sanitized=yes

# pages_are_closed: or the test is skipped
pages_are_closed() {
    if [ "$(uname -m)" != x86_64 ]; then
        echo "SKIP: pages are closed on x86-64 alone"
        exit 77
    fi
    if [ -n "$sanitized" ]; then
        echo "SKIP: no pages are closed where the runtime has a sanitizer"
        exit 77
    fi
}

# newest OUTPUT INPUT...: is OUTPUT there and not older than any of them?
is_newest() {
    output=$1
    shift
    [ -e "$output" ] || return 1
    for input in "$@"; do
        [ "$input" -nt "$output" ] && return 1
    done
    return 0
}

# build OUTPUT COMPILER-AND-FLAGS...: sources are the arguments that name files
build() {
    output=$1
    shift
    inputs="$lib/libcudart_static.a $lib/libvtegra_track.a $vtegra $(echo "$lib"/../include/*.h "$lib"/../include/vtegra/*.h)"
    for word in "$@"; do
        case $word in *.cu | *.c | *.cpp | *.o) inputs="$inputs $word" ;; esac
    done
    # shellcheck disable=SC2086
    is_newest "$output" $inputs && return 0
    if ! "$@" -o "$output" >build.log 2>&1; then
        echo "FAIL: cannot build $output: $*"
        cat build.log
        exit 1
    fi
}

# Each form of nvcc and of ours
by_nvcc_shared() {
    out=$1
    shift
    build "$out" "$nvcc" -cudart shared "$@"
}
by_nvcc_static() {
    out=$1
    shift
    build "$out" "$nvcc" -L"$lib" ${sanitized:+-Xcompiler=-fsanitize=address -Xcompiler=-fsanitize=undefined} "$@"
}
# Each target is a pass of the compiler, and any board loads PTX for the oldest; e2e_targets, e2e_vadd_clang and e2e_features_clang
# build for all. A test whose code needs a newer one sets it.
one_target="--arch sm_53"
by_clang() {
    out=$1
    shift
    case " $* " in
    *" --arch "* | *" --soc "*) ;;
    *)
        # shellcheck disable=SC2086 # words, or none
        set -- $one_target "$@"
        ;;
    esac
    build "$out" "$vtegra" cc "$@"
}

fail() {
    echo "FAIL $*"
    failed=$((failed + 1))
}

# expect NAME STATUS TEXT COMMAND...: exit status, and a fixed text somewhere in stdout or stderr ("" is any).
# A status of 128 and more is the signal's, as the shell tells it. The output stays in the file "out". $limit: seconds, 120.
expect() {
    name=$1
    want=$2
    text=$3
    shift 3
    tests=$((tests + 1))
    timeout "${limit:-120}" "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != "$want" ]; then
        fail "$name: status $got, want $want: $*"
        head -c 3000 out
    elif [ -n "$text" ] && ! grep -qF -- "$text" out; then
        fail "$name: no \"$text\" in the output of: $*"
        head -c 3000 out
    fi
}

# also NAME TEXT: one more text in the output of the last expect
also() {
    tests=$((tests + 1))
    # Reports wrap their lines, so blanks are as good as line ends.
    if ! tr -s ' \n' '  ' <out | grep -qF -- "$2"; then
        fail "$1: no \"$2\" in:"
        head -c 3000 out
    fi
}

# not_there NAME TEXT: the opposite
not_there() {
    tests=$((tests + 1))
    if tr -s ' \n' '  ' <out | grep -qF -- "$2"; then
        fail "$1: \"$2\" in:"
        head -c 3000 out
    fi
}

finish() {
    echo "$((tests - failed)) of $tests as expected"
    [ $failed = 0 ]
    exit
}

need_nvcc() {
    if [ -z "$nvcc" ]; then
        echo "SKIP: there is no nvcc, in PATH or in /usr/local/cuda/bin"
        exit 77
    fi
}
