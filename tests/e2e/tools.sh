#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs keep their tools: gdb, valgrind, AddressSanitizer, other preloaded libraries, other ways to start.
# Usage: tools.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
by_clang vadd -g "$source/vadd.cu"
by_clang bad -g "$source/bad.cu" -lcuda
right="sum 12500000.0"

# --- started by a shell, through a pipe, in the background, with closed descriptors
expect shell_script 0 "$right" "$vtegra" run -q -- sh -c './vadd | cat'
expect shell_signal 139 "managed-active-touch" "$vtegra" run -q --soc tx2 -- sh -c './bad touch_managed; exit $?'
expect stdin_closed 0 "$right" sh -c '"$0" run -q -- ./vadd <&-' "$vtegra"
expect stderr_closed 0 "$right" sh -c '"$0" run -- ./vadd 2>&-' "$vtegra"
expect stdout_closed 0 "" sh -c '"$0" run -q -- ./vadd >&-' "$vtegra"
expect stdout_full 0 "" sh -c '"$0" run -q -- ./vadd >/dev/full' "$vtegra"
expect few_descriptors 0 "$right" sh -c 'ulimit -n 20; "$0" run -q -- ./vadd' "$vtegra"
expect small_files 1 "Is there a limit on the size of files (ulimit -f)?" sh -c 'ulimit -f 20; "$0" run -q -- ./vadd' "$vtegra"
# Output that does not arrive is an error, whatever the command.
for words in "--help" "--version" "help run" "run --help" "soc list" "soc show orin" "soc show --json orin" "scenario list" \
    "check-app ./vadd" "dla --help" "litmus --help"; do
    # shellcheck disable=SC2086
    expect "full disk: vtegra $words" 125 "cannot write to stdout" sh -c '"$@" >/dev/full' sh "$vtegra" $words
done
expect closed_stdout 0 "" sh -c '"$@" >&-' sh "$vtegra" soc list
expect no_core 0 "$right" sh -c 'ulimit -c 0; ulimit -s 256; "$0" run -q -- ./vadd' "$vtegra"
expect no_home 0 "$right" env -i "$vtegra" run -q -- ./vadd

# A plug-in host loads and unloads the driver again and again.
build reload "${CC:-cc}" -std=c17 "$source/reload.c"
expect reload 0 "reloaded" "$vtegra" run -q -- ./reload libcuda.so.1 20

[ -z "$sanitized" ] || finish # the rest brings its own instrumentation, or measures what the sanitizer adds
expect reload_alone 0 "reloaded" env LD_LIBRARY_PATH="$lib" VTEGRA_QUIET=1 ./reload libcuda.so.1 20

# A thread that has been joined leaves next to nothing (33 KB each, once); a stream that is gone (982 bytes) and a launch
# that has ended (90) leave nothing.
by_clang many_threads -g "$source/many_threads.cu"
[ "$thorough" != long ] || expect many_threads 0 "bytes each" "$vtegra" run -q --check off -- ./many_threads 3000
expect many_threads_cuda 0 "bytes each" "$vtegra" run -q --check off -- ./many_threads 3000 cuda
[ "$thorough" != long ] || expect many_streams 0 "bytes each" "$vtegra" run -q --check off -- ./many_threads 30000 stream
expect many_launches 0 "bytes each" "$vtegra" run -q --check off -- ./many_threads 30000 launch

# --- another preloaded library, with a malloc of its own
cat >counting.c <<'CODE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    static int said;

    if (!next) {
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    }
    if (!said) {
        said = 1;
        if (write(2, "counting\n", 9) != 9) {
            _exit(1);
        }
    }
    return next(size);
}
CODE
build counting.so cc -shared -fPIC counting.c -ldl
expect preloaded 0 "$right" env LD_PRELOAD="$work/counting.so" "$vtegra" run -q -- ./vadd
also preloaded "counting"
expect preloaded_signal 139 "CPU write to managed memory" env LD_PRELOAD="$work/counting.so" "$vtegra" run -q --soc tx2 -- \
    ./bad touch_managed

# --- gdb: the program ends by itself, stops at a breakpoint, and shows the line of a touch
if command -v gdb >/dev/null; then
    expect gdb 0 "$right" "$vtegra" run -q -- gdb -q -batch -nx -ex run ./vadd
    also gdb "exited normally"
    expect gdb_breakpoint 0 "$right" "$vtegra" run -q -- gdb -q -batch -nx -ex 'break cudaFree' -ex run -ex 'bt 2' \
        -ex 'delete' -ex continue ./vadd
    also gdb_breakpoint "vadd.cu:"
    expect gdb_touch 0 "SIGSEGV" "$vtegra" run -q --soc tx2 -- gdb -q -batch -nx -ex run -ex 'bt 3' --args ./bad touch_managed
    also gdb_touch "bad.cu:$(grep -n 'MARK managed_touch$' "$source/bad.cu" | cut -d: -f1)"
else
    echo "gdb is not here: not tried"
fi

# --- valgrind: no error of ours in a program that has none
if command -v valgrind >/dev/null; then
    strip --strip-debug -o vadd_plain vadd # valgrind 3.19 does not read clang 19's DWARF 5
    expect valgrind 0 "$right" "$vtegra" run -q -- valgrind -q --error-exitcode=9 ./vadd_plain
    # A thread that computes for long is looked at, with the words of its stack that it never wrote (sched/turn/spin.c).
    echo '#include <cstdio>
#include <ctime>
static long used() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1000 + t.tv_nsec / 1000000; }
int main() { cudaFree(nullptr); long n = 0; for (long from = used(); used() - from < 1500;) for (volatile int i = 0; i < 100000; i = i + 1) n++;
puts(n > 0 ? "computed" : ""); }' >busy.cu
    by_clang busy busy.cu
    expect "valgrind, a busy thread" 0 "computed" "$vtegra" run -q -- valgrind -q --error-exitcode=9 ./busy
else
    echo "valgrind is not here: not tried"
fi

# --- AddressSanitizer in the program: runs, and still finds the program's own mistake
if [ "$thorough" = long ]; then
    by_clang vadd_asan -g -fsanitize=address "$source/vadd.cu"
    expect asan 0 "$right" "$vtegra" run -q -- ./vadd_asan
fi
cat >freed.c <<'CODE'
#include <stdlib.h>
char *last;
__attribute__((noinline)) char *grow(char *p) { return realloc(p, 40); }
__attribute__((noinline)) void drop(char *p) { free(p); }
int main(void)
{
    last = grow(malloc(4));
    drop(last);
    return last[1];
}
CODE
if command -v clang-19 >/dev/null; then # the sanitizer's runtime is in the program
    build freed_clang clang-19 -g -fsanitize=address freed.c
    expect asan_of_clang 1 "heap-use-after-free" "$vtegra" run -q -- ./freed_clang
fi
if build_log=$(gcc -g -fsanitize=address freed.c -o freed_gcc 2>&1); then # behind our library; places are the program's
    expect asan_of_gcc 1 "heap-use-after-free" "$vtegra" run -q -- ./freed_gcc
    also asan_of_gcc "in drop"
    also asan_of_gcc "in grow"
else
    echo "gcc has no AddressSanitizer: not tried: $build_log"
fi
cat >overrun.cu <<'CODE'
#include <cstdio>
#include <cstdlib>
int main(int argc, char **)
{
    int *d, *h = (int *)malloc(40);
    cudaMalloc(&d, 40);
    cudaMemset(d, 1, 40);
    cudaMemcpy(h, d, 40, cudaMemcpyDeviceToHost);
    printf("%x\n", h[argc]);
    fflush(stdout);
    return ((volatile int *)h)[argc + 9];
}
CODE
by_clang overrun_asan -g -fsanitize=address overrun.cu
expect asan_finds 1 "heap-buffer-overflow" "$vtegra" run -q -- ./overrun_asan
also asan_finds "1010101"
[ "$thorough" = long ] || finish
by_clang bad_asan -g -fsanitize=address "$source/bad.cu" -lcuda
expect asan_touch 1 "CPU write to managed memory" "$vtegra" run -q --soc tx2 -- ./bad_asan touch_managed
finish
