#!/bin/sh
# SPDX-License-Identifier: MIT
# The vtegra command from outside. Usage: test_cli.sh BUILD_DIR SOURCE_DIR [long]
vtegra=$1/bin/vtegra
source=$2
thorough=${3:-}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
unset VTEGRA_SOC VTEGRA_EDITION VTEGRA_OS VTEGRA_POLICY VTEGRA_SEED VTEGRA_EVICT VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_STEP_LIMIT VTEGRA_BACKEND VTEGRA_PROFILES VTEGRA_CLANG VTEGRA_ERROR_EXITCODE
failed=0
n=0

# expect NAME STATUS TEXT COMMAND...: exit status and a fixed text somewhere in stdout or stderr ("" is any)
expect() {
    name=$1
    want=$2
    text=$3
    shift 3
    n=$((n + 1))
    "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != "$want" ]; then
        echo "FAIL $name: status $got, want $want: $*"
        cat out
        failed=$((failed + 1))
    elif [ -n "$text" ] && ! grep -qF -- "$text" out; then
        echo "FAIL $name: no \"$text\" in the output of: $*"
        cat out
        failed=$((failed + 1))
    fi
}

# --- the command itself
expect usage 2 "Usage: vtegra COMMAND" "$vtegra"
expect help 0 "check-app" "$vtegra" --help
expect help_command 0 "virtual SoC, or a profile file" "$vtegra" help run
expect version 0 "vtegra 0." "$vtegra" --version
expect version_formats 0 "formats  report 1, trace 1, schedule 1" "$vtegra" --version # docs/stability.md
# A commit of the clone, at build time (it may have got others since); elsewhere unknown, or what the packager gave.
commit=$("$vtegra" --version | sed -n 's/^commit   \([0-9a-f]*\)+\{0,1\}$/\1/p')
if [ -e "$source/.git" ] && git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1; then
    expect version_commit 0 "" git -C "$source" cat-file -e "$commit^{commit}"
fi
expect near_command 2 "did you mean run?" "$vtegra" rnu
expect unknown_command 2 'no command "frobnicate"' "$vtegra" frobnicate
for command in run cc check-app soc; do
    expect "help_$command" 0 "vtegra $command" "$vtegra" $command --help
done

# --- dla
expect dla_build_source 1 "does not end in .onnx is read as JSON" "$vtegra" dla build "$0" -o /dev/null
expect dla_build_split 1 "are for .onnx models" "$vtegra" dla build "$0" --split /dev/null/parts
expect dla_build_two 2 "one model or description and -o FILE (or --split DIR)" "$vtegra" dla build x.onnx -o a --split b
expect dla_build_scales 2 "or --calibration-cache, or --split" "$vtegra" dla build x.onnx --calibrate a --calibration-cache b -o c
expect dla_run_shape 2 "belong to --compare" "$vtegra" dla run x.loadable --shape x=1x3x8x8

# --- soc
expect soc_list 0 "Jetson AGX Orin 64GB" "$vtegra" soc list
for soc in desktop drive-pegasus drive-px2 nano tx2 xavier-nx xavier orin-nano orin-nx orin thor; do
    expect "soc_list_$soc" 0 "$soc" "$vtegra" soc list
    expect "soc_show_$soc" 0 "Table 1" "$vtegra" soc show $soc
done
expect soc_drive_third_column 0 "dGPU" "$vtegra" soc show drive-px2
expect soc_drive_order 0 "Device 0 is the discrete GPU" "$vtegra" soc show drive-pegasus
expect board_of_no_name 2 "--socket PATH says where programs find it" "$vtegra" board --socket ""
expect board_of_no_abstract_name 2 "--socket PATH says where programs find it" "$vtegra" board --socket @
expect soc_tx2_uncached 0 "uncached (cc < 7.2)" "$vtegra" soc show tx2
expect soc_orin_cached 0 "cached (cc >= 7.2)" "$vtegra" soc show orin
expect soc_tx2_register 0 "needs I/O coherency" "$vtegra" soc show tx2
expect soc_thor_register 0 "cuMemHostRegister            on qnx: QNX does not allow" "$vtegra" soc show thor
expect soc_answer 0 '"answer" : "CUDA_ERROR_INVALID_DEVICE"' "$vtegra" soc show tx2 --json
expect soc_standing 0 "inferred" "$vtegra" soc show orin
expect soc_json 0 '"gpu.l2_bytes"' "$vtegra" soc show orin --json
expect soc_unknown 1 "did you mean xavier?" "$vtegra" soc show xaver
# The folder of profiles is found by the program's own path; started by its bare name it needs /proc for that.
without_proc() {
    # shellcheck disable=SC2016 # the inner shell expands them
    unshare -rm sh -c 'mount -t tmpfs none /proc && PATH=$0:$PATH && exec "$@"' "${vtegra%/*}" "$@"
}
if without_proc true 2>/dev/null; then
    expect soc_without_proc 1 "which cannot be read; mount /proc, or set VTEGRA_PROFILES to the folder" \
        without_proc vtegra soc show orin
fi
expect soc_nothing 2 "vtegra soc show orin" "$vtegra" soc show
expect soc_verb 2 'give "list" or "show SOC"' "$vtegra" soc look
sed 's/^sm_count = 16/sm_count = -16/' "$source/profiles/orin.profile" >bad.profile
line=$(grep -n '^sm_count' bad.profile | cut -d: -f1)
expect soc_bad_profile 1 "bad.profile:$line: [gpu] sm_count: \"-16\" is negative" "$vtegra" soc show ./bad.profile

# --- run: what passes through
expect run_status 7 "" "$vtegra" run -- sh -c 'exit 7'
expect run_status_0 0 "" "$vtegra" run -- true
expect run_without_dashes 3 "" "$vtegra" run --soc tx2 sh -c 'exit 3'
"$vtegra" run -- sh -c 'kill -TERM $$' 2>/dev/null
[ $? = 143 ] || { echo "FAIL run_signal: status of a killed program"; failed=$((failed + 1)); }
expect run_stdin 0 "" "$vtegra" run -- cat
# shellcheck disable=SC2016 # expands in the inner shell
expect run_environment 0 "tx2 linux seeded 7 lru 99" "$vtegra" run --soc tx2 --policy seeded --seed 7 --evict lru \
    --steps 99 -- sh -c 'echo $VTEGRA_SOC $VTEGRA_OS $VTEGRA_POLICY $VTEGRA_SEED $VTEGRA_EVICT $VTEGRA_STEP_LIMIT'
# shellcheck disable=SC2016
# editions of the note
expect soc_edition 0 "edition 13.4 of CUDA for Tegra" "$vtegra" soc show orin
expect soc_edition_old 0 "edition 10.2 of CUDA for Tegra" "$vtegra" soc show nano
expect soc_edition_thor 0 "unified memory         cached, also while the GPU works  uncached" "$vtegra" soc show thor
expect soc_edition_interpolated 0 "linux: yes (since 12.5) [interpolated]" "$vtegra" soc show orin --edition 12.6
expect soc_edition_unknown_cell 0 "yes (11.8 is silent; 13.4: experimental) [unknown]" "$vtegra" soc show orin --edition 12.6
# the board's answer, and what vtegra has of it
expect soc_two_columns 0 "linux: yes (Thor and later under L4T); qnx: no (tegrastats instead); embedded-linux: no (tegrastats instead) no: there is no libnvidia-ml" \
    sh -c '"$1" soc show thor | tr -s "[:space:]" " "' sh "$vtegra"
expect soc_modules_here 0 '"cuDLA: several modules on a handle" : "no: one module at a time on a handle"' "$vtegra" soc show orin --json
expect soc_mps_here 0 "yes (since 12.5) no: processes share a board with \`vtegra run --shared\`" \
    sh -c '"$1" soc show orin-nano | tr -s "[:space:]" " "' sh "$vtegra"
expect soc_not_there 0 "cuDLA no (not in this edition) no" sh -c '"$1" soc show nano | tr -s "[:space:]" " "' sh "$vtegra"
expect soc_diff 0 "13.4   linux: yes (since 12.5); qnx: yes (since 12.8)" "$vtegra" soc show orin --edition 11.4 --diff 13.4
expect soc_diff_none 0 "nothing differs" "$vtegra" soc show orin --diff 13.4
expect soc_diff_never 1 "thor never had edition 12.6 of CUDA for Tegra; it has had 13.4" "$vtegra" soc show thor --diff 12.6
expect soc_edition_never 1 "nano never had edition 13.4 of CUDA for Tegra; it has had 10.2" "$vtegra" soc show nano --edition 13.4
expect soc_diff_of_list 2 "is for show SOC" "$vtegra" soc list --diff 13.4
expect run_edition 0 "11.4" "$vtegra" run --edition 11.4 -- sh -c 'echo $VTEGRA_EDITION'
expect run_edition_unknown 125 "unknown edition \"12.7\" of CUDA for Tegra; did you mean 12.6?; known: 10.2" "$vtegra" run --edition 12.7 -- true
expect run_edition_never 125 "tx2 never had edition 11.4" "$vtegra" run --soc tx2 --edition 11.4 -- true
expect run_edition_environment 125 "thor never had edition 11.4" env VTEGRA_EDITION=11.4 "$vtegra" run --soc thor -- true
expect run_defaults 0 "orin linux lazy" "$vtegra" run -- sh -c 'echo $VTEGRA_SOC $VTEGRA_OS $VTEGRA_POLICY'
# shellcheck disable=SC2016
expect run_from_environment 0 "nano eager" env VTEGRA_SOC=nano VTEGRA_POLICY=eager "$vtegra" run -- \
    sh -c 'echo $VTEGRA_SOC $VTEGRA_POLICY'
# shellcheck disable=SC2016
expect run_report_absolute 0 "$dir/r.txt" "$vtegra" run --report r.txt -- sh -c 'echo $VTEGRA_REPORT'
# shellcheck disable=SC2016
expect run_library_path 0 "$1/lib" "$vtegra" run -- sh -c 'echo $LD_LIBRARY_PATH'
# What stands for NVIDIA's driver: a libcuda.so.1 that is not ours.
mkdir -p driver && echo 'int cuInit(unsigned f) { return (int)f; }' | cc -shared -xc - -o driver/libcuda.so.1
export LD_LIBRARY_PATH="$dir/driver"
# shellcheck disable=SC2016
expect run_silicon_path 0 "$1/lib/silicon" "$vtegra" run --backend silicon -- sh -c 'echo $LD_LIBRARY_PATH:$LD_PRELOAD'
grep -q vtegra-preload out && { echo "FAIL run_silicon: the model's library is loaded"; failed=$((failed + 1)); }
expect run_silicon_no_profiles 0 "" env VTEGRA_PROFILES=/nonexistent "$vtegra" run --quiet --backend silicon -- true
unset LD_LIBRARY_PATH
# An installation may lie anywhere: the loader takes blanks in one list, and colons in none (ld.so(8)).
for prefix in 'moved here' a:b; do
    mkdir -p "$prefix/bin" && cp "$vtegra" "$prefix/bin/" && ln -s "$1/lib" "$1/share" "$prefix/"
done
# shellcheck disable=SC2016
expect run_blank_in_prefix 0 "libvtegra-preload.so in place" 'moved here/bin/vtegra' run -- \
    sh -c 'grep -q libvtegra-preload /proc/self/maps && echo libvtegra-preload.so in place'
grep -q "ld.so" out && { echo "FAIL run_blank_in_prefix: the loader complains"; failed=$((failed + 1)); }
expect run_colon_in_prefix 125 "Move vtegra to a folder without them" a:b/bin/vtegra run -- true
expect run_same_addresses 0 "00040000" "$vtegra" run -- cat /proc/self/personality
printf '#!/bin/sh\nexit 9\n' >script && chmod +x script
expect run_script 9 "" "$vtegra" run -- ./script

# --- run: what is said before anything runs
expect run_nothing 125 "no program given" "$vtegra" run
expect run_unknown_soc 125 "known: desktop drive-pegasus drive-px2 nano orin orin-nano orin-nx thor tx2 xavier xavier-nx" "$vtegra" run --soc orinn -- true
expect run_bad_profile 125 "bad.profile:$line: [gpu] sm_count" "$vtegra" run --soc ./bad.profile -- true
expect run_unknown_os 125 "none of linux, qnx, android, embedded-linux" "$vtegra" run --os windows -- true
echo 'int main(void) { return 0; }' >source.cu
expect run_source 126 "source.cu is a source: build it first (vtegra cc -g --track source.cu -o app)" "$vtegra" run source.cu
expect run_source_path 126 "./source.cu is a source" "$vtegra" run -- ./source.cu
expect explore_check_word 125 '--check needs a value, CMD, and "--" ends the options' "$vtegra" explore --check -- ./app
expect run_os_embedded 125 "--os embedded-linux: nano" "$vtegra" run --soc nano --os embedded-linux -- true
expect run_os_embedded_thor 0 "thor embedded-linux" "$vtegra" run --soc thor --os embedded-linux -- sh -c 'echo $VTEGRA_SOC $VTEGRA_OS'
expect run_os_of_soc 125 "--os qnx: nano" "$vtegra" run --soc nano --os qnx -- true
expect run_policy 125 "did you mean lazy?" "$vtegra" run --policy laxy -- true
expect run_evict 125 "none of never, lru, seeded" "$vtegra" run --evict always -- true
expect run_seed 125 "whole number" "$vtegra" run --seed 1x -- true
expect run_steps 125 "from 1 on" "$vtegra" run --steps 0 -- true
expect run_option 125 "vtegra run --help" "$vtegra" run --frob -- true
expect run_option_near 125 "Unknown option --polcy; did you mean --policy?" "$vtegra" run --polcy lazy -- true
expect report_option_near 2 "Unknown option --jsom; did you mean --json?" "$vtegra" report --jsom x
expect run_seed_alone 0 "note: --seed 3 decides nothing under --policy lazy: give --policy seeded" "$vtegra" run --seed 3 -- true
for policy in "--policy seeded" "--evict seeded" "-q"; do
    # shellcheck disable=SC2086
    expect run_seed_used 0 "" "$vtegra" run --seed 3 $policy -- true
    grep -q "decides nothing" out && { echo "FAIL run_seed_used $policy"; failed=$((failed + 1)); }
done
# options: given twice, without a value, behind the program, mistyped
expect run_twice 0 "note: --soc is given more than once: the last one, tx2, holds" "$vtegra" run --soc orin --soc=tx2 -- sh -c 'echo $VTEGRA_SOC'
grep -qx tx2 out || { echo "FAIL run_twice: not tx2" && failed=$((failed + 1)); }
expect run_once 0 "" "$vtegra" run --soc tx2 -- sh -c 'echo "$@"' sh --soc orin
grep -q note: out && { echo "FAIL run_once: a note" && failed=$((failed + 1)); }
expect run_no_value 125 '--soc needs a value, SOC, and "--" ends the options; see vtegra run --help' "$vtegra" run --soc -- true
expect explore_no_value 125 '-n needs a value, N, and "--" ends the options' "$vtegra" explore -n -- true
expect run_behind 0 "note: --soc stands behind the program and is passed to it; an option of vtegra stands before: vtegra run --soc ... -- PROGRAM ARGUMENTS" \
    "$vtegra" run true --soc tx2
expect run_behind_other 0 "" "$vtegra" run true --size 2 -- --soc
grep -q note: out && { echo "FAIL run_behind_other: a note" && failed=$((failed + 1)); }
expect cc_mistyped 2 "Unknown option --trak; did you mean --track?" "$vtegra" cc --trak "$0"
expect cc_mistyped_value 2 "Unknown option --sco; did you mean --soc?" "$vtegra" cc --sco=orin "$0"
expect soc_verb_near 2 'give "list" or "show SOC"; did you mean show?' "$vtegra" soc shwo orin
expect scenario_verb_near 2 "run --all; did you mean list?" "$vtegra" scenario lits
expect explore_verb_near 127 'no program "merg" in PATH; did you mean merge?' "$vtegra" explore merg a b
expect man_near 2 "one command, please; did you mean explore?" "$vtegra" man exlpore
expect completion_near 2 "say bash, zsh or fish; did you mean fish?" "$vtegra" completion fihs
expect run_rule 125 "wrong.supp:1:1: no finding has a rule raec: take the name from the report's line" \
    sh -c 'echo rule=raec >wrong.supp && exec "$1" run --suppressions wrong.supp -- true' sh "$vtegra"
expect run_trace 125 "the program was not started" "$vtegra" run --trace /nonexistent/t -- true
expect run_report 125 "cannot write /: Is a directory; the program was not started; name a file in it" "$vtegra" run --report / -- true
for option in report json trace; do
    expect run_no_folder 125 "--$option: cannot write no/x: No such file or directory; the program was not started; make the folder no, or name another file" \
        "$vtegra" run --$option no/x -- true
done
expect run_dash 125 "--json -: a file is wanted; the program was not started; name a file, or /dev/stderr" "$vtegra" run --json - -- true
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n' >cuda_inside.cpp
expect cc_cuda_inside 1 "cuda_inside.cpp has CUDA code (__global__), and its name says C or C++: name it .cu, or give -x cu" "$vtegra" cc cuda_inside.cpp -o cuda_inside
expect run_file_is_no_folder 125 "cannot write out/x: Not a directory; the program was not started; name another file" "$vtegra" run --json out/x -- true
for option in report json; do # before the trace is looked at
    expect report_no_folder 125 "vtegra report: --$option: cannot write no/x: No such file or directory; the trace was not read; make the folder no" \
        "$vtegra" report --$option no/x no-trace
    expect report_to_stdout 1 "vtegra: trace file no-trace: No such file" "$vtegra" report --$option - no-trace
    expect report_leaves_nothing 1 "vtegra: trace file no-trace: No such file" "$vtegra" report --$option unused no-trace
    [ ! -e unused ] || { echo "FAIL report_leaves_nothing: an empty file" && failed=$((failed + 1)); }
done
# a short option and its value in one word
expect short_glued 125 "no program given" "$vtegra" explore -j1 -n5
expect short_glued_number 125 "Cannot parse integer value" "$vtegra" explore -jx -- ./app
expect run_missing 127 "no such program: ./missing: the folder $(pwd -P) has none of that name" "$vtegra" run -- ./missing
expect run_missing_folder 127 "no such program: no/missing: there is no folder $(pwd -P)/no" "$vtegra" run -- no/missing
expect run_not_in_path 127 'no program "missing-program" in PATH; name it with its folder' "$vtegra" run -- missing-program
expect run_folder 126 "is a folder: name the program in it" "$vtegra" run -- ./
printf '#!/missing/shell\n' >no_shell && chmod +x no_shell
expect run_no_shell 126 "its interpreter is not on this machine" "$vtegra" run -- ./no_shell
echo text >text
expect run_not_executable 126 "chmod +x" "$vtegra" run -- ./text
chmod +x text
expect run_no_program 126 "is no program" "$vtegra" run -- ./text
# The ELF header of a program for AArch64 (e_machine 183) and a damaged one.
{ head -c 18 /bin/true; printf '\267\000'; tail -c +21 /bin/true; } >arm && chmod +x arm
expect run_arm 126 "built for AArch64" env VTEGRA_QEMU_USER=/nowhere "$vtegra" run -- ./arm
head -c 2000 /bin/true >damaged && chmod +x damaged
expect run_damaged 126 "damaged ELF file" "$vtegra" run -- ./damaged

# --- check-app
expect app_true 0 "can run" "$vtegra" check-app /bin/true
expect app_json 0 '"can_run" : true' "$vtegra" check-app --json /bin/true
expect app_missing 2 "No such file" "$vtegra" check-app ./missing
expect app_text 2 "no ELF program" "$vtegra" check-app ./text
expect app_damaged 2 "damaged ELF file" "$vtegra" check-app ./damaged
expect app_arm 1 "built for AArch64" "$vtegra" check-app ./arm
expect app_nothing 2 "give one program" "$vtegra" check-app

# --- cc
cat >add.cu <<'END'
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
int helper(int);
int main()
{
    float *a = nullptr;
    if (cudaMallocManaged(&a, 4096) == cudaSuccess)
        add<<<1, 32>>>(a, a, a, 32);
    return helper(cudaDeviceSynchronize());
}
END
echo 'int helper(int x) { return x; }' >helper.cpp
expect cc_builds 0 "" "$vtegra" cc add.cu helper.cpp -O2 -o add -lm
expect cc_app 0 "PTX          for sm_62" "$vtegra" check-app ./add
expect cc_app_shared 0 "CUDA runtime: shared" "$vtegra" check-app ./add
expect cc_arch 0 "" "$vtegra" cc --arch sm_87 add.cu helper.cpp -o add87
expect cc_arch_app 0 "PTX          for sm_87" "$vtegra" check-app ./add87
expect cc_soc 0 "" "$vtegra" cc --soc xavier add.cu helper.cpp -o add72
expect cc_soc_app 0 "PTX          for sm_72" "$vtegra" check-app ./add72
expect cc_object 0 "" "$vtegra" cc -c helper.cpp -o helper.o
expect cc_link_object 0 "--cuda-gpu-arch=sm_62" "$vtegra" cc --soc tx2 -v add.cu helper.o -o add2
echo '__global__ void k() { return 1; }' >wrong.cu
# CMake, which would take it for the whole name of a compiler.
if command -v cmake >/dev/null; then
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(app LANGUAGES CUDA)\nadd_executable(app ../add.cu)\n' >CMakeLists.in
    mkdir -p cmake_app && cp CMakeLists.in cmake_app/CMakeLists.txt
    expect cc_cmake 1 "-DCMAKE_TOOLCHAIN_FILE=" env PATH="${vtegra%/*}:$PATH" CUDACXX="vtegra cc" cmake -S cmake_app -B cmake_app/build
fi
# A compiler that is killed leaves no files for a bug report of clang's.
expect cc_no_crash_files 0 "-fno-crash-diagnostics" "$vtegra" cc -v -c add.cu -o crash.o
expect cc_error 1 "wrong.cu:1:" "$vtegra" cc --arch sm_87 -c wrong.cu
expect cc_few_files 1 "8 open files are allowed here, which is few for a linker: ulimit -n 1024" sh -c '"$0" cc -c add.cu -o few.o && ulimit -n 8 && "$0" cc few.o -o few' "$vtegra"
expect cc_nothing 2 "no source files" "$vtegra" cc -O2
expect cc_no_file 2 "no such file: none.cu" "$vtegra" cc none.cu
expect cc_rdc 0 "" "$vtegra" cc -dc add.cu -o add_rdc.o
expect cc_rdc_app 0 "PTX          for sm_87" sh -c "'$vtegra' cc add_rdc.o helper.o -o add_rdc && '$vtegra' check-app ./add_rdc"
expect cc_no_clang 1 "apt-get install clang-19" env VTEGRA_CLANG=/nonexistent/clang++ "$vtegra" cc -c add.cu
# A compiler that fails without a word, or is killed, is named: of CUDA code, of C, and where it links.
printf '#!/bin/sh\nkill -9 $$\n' >killed && chmod +x killed
for input in add.cu helper.cpp helper.o; do
    expect "cc_silent_$input" 1 "/bin/false ended with status 1, without a message" env VTEGRA_CLANG=/bin/false "$vtegra" cc -o silent $input
    expect "cc_killed_$input" 137 "./killed was killed by signal 9" env VTEGRA_CLANG=./killed "$vtegra" cc -o silent $input
done
expect cc_unknown_soc 2 "known: desktop drive-pegasus" "$vtegra" cc --soc tegra9 -c add.cu
expect cc_two_outputs 2 "with 2 sources" "$vtegra" cc -c add.cu helper.cpp -o both.o

# A call that is in the library only to say that it is not supported.
stub=$(grep -m 1 '^cuda[A-Z]' "$1/share/vtegra/unsupported-cudart.txt")
printf 'int %s(void);\nint main(void) { return %s(); }\n' "$stub" "$stub" >stub.c
expect cc_c 0 "" "$vtegra" cc stub.c -o stub
expect app_without_hooks 0 "note: it has no hooks: accesses of the CPU are checked only to memory in use" "$vtegra" check-app ./stub
expect app_unsupported 0 "note: $stub answers \"not supported\"" "$vtegra" check-app ./stub
expect app_unsupported_json 0 '"state" : "unsupported"' "$vtegra" check-app --json ./stub
# A call that works is not said to be refused.
printf 'int cudaStreamBeginCapture(void), cudaGraphCreate(void);\nint main(void) { return cudaStreamBeginCapture() + cudaGraphCreate(); }\n' >graph.c
expect cc_graph 0 "" "$vtegra" cc graph.c -o graph
expect app_graph 0 "0 unsupported, 0 missing" "$vtegra" check-app ./graph
expect cc_track 0 "" "$vtegra" cc --track stub.c -o tracked
expect app_tracked 0 "can run" "$vtegra" check-app ./tracked
grep -q "no hooks" out && failed=$((failed + 1)) && echo "FAIL app_tracked: it has hooks"

# Names of a program's libraries are any bytes, and no commands for a terminal.
esc=$(printf 'libx\033[2J.so')
printf 'int x(void) { return 0; }\n' >esc.c
cc -shared -fPIC -Wl,-soname,"$esc" esc.c -o "$esc"
cc stub.c -Wl,--no-as-needed ./"$esc" -L"$1/lib" -lcudart -o esc_user
expect app_escape 1 'libx\033[2J.so' "$vtegra" check-app ./esc_user

# NVIDIA's libraries have machine code only: shared or linked in.
printf 'int cudnnCreate(void) { return 0; }\n' >nn.c
printf 'int cudnnCreate(void);\nint main(void) { return cudnnCreate(); }\n' >uses_nn.c
cc -shared -fPIC -Wl,-soname,libcudnn.so.9 nn.c -o libcudnn.so.9
cc uses_nn.c ./libcudnn.so.9 -o nn_shared
cc uses_nn.c nn.c -o nn_static
expect app_nn_shared 1 "libcudnn.so.9 has machine code only" env LD_LIBRARY_PATH=. "$vtegra" check-app ./nn_shared
expect app_nn_static 1 "cudnnCreate is linked into it" "$vtegra" check-app ./nn_static
# vtegra's own are libraries like any other: of both versions, and linked in.
printf 'int cublasCreate_v2(void);\nint main(void) { return cublasCreate_v2(); }\n' >uses_blas.c
for form in "-l:libcublas.so.13" "-l:libcublas.so.12" "-l:libcublas_static.a -ldl -lpthread"; do
    # shellcheck disable=SC2086
    cc uses_blas.c -L"$1/lib" $form -o uses_blas
    expect "app_blas_$form" 0 "can run" "$vtegra" check-app ./uses_blas
done

# Device code cut in the middle of its container, inside an otherwise whole program.
offset=$(readelf -SW add | sed -n 's/.*\.nv_fatbin *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
cp add flipped
printf '\377\377\377\377' | dd of=flipped bs=1 seek=$((0x$offset + 8)) conv=notrunc status=none
expect app_flipped 1 "damaged device code" "$vtegra" check-app ./flipped

# --- what every command has
for command in run explore "explore merge" replay cc check-app soc "soc list" "soc show" dla "dla inspect" "dla build" "dla run" \
    "dla diff" report stats survey view lessons man completion board vm "vm run" "vm up" "vm console" "vm down" "vm list" "vm xml" \
    scenario "scenario list" "scenario show" "scenario run" litmus; do
    case $command in run | explore* | replay | "vm run") usage=125 ;; *) usage=2 ;; esac
    # shellcheck disable=SC2086
    expect "help_$command" 0 "Usage:" "$vtegra" $command --help
    # shellcheck disable=SC2086
    expect "version_$command" 0 "vtegra " "$vtegra" $command --version
    # shellcheck disable=SC2086
    expect "wrong_$command" $usage "vtegra" "$vtegra" $command --no-such-option
done
for status in 0 256 x -1 9,256 9,x 9,1,2 ,3 9,; do
    expect error_exitcode_$status 125 "must be an exit status, 1 to 255" "$vtegra" run --error-exitcode=$status -- true
done
# With or without a guest image: the note comes first.
expect vm_desktop 0 "desktop is an x86 PC" sh -c '"$1" vm xml --soc desktop || [ $? = 2 ]' sh "$vtegra"

# Progress is for a terminal: script(1) is one.
if command -v script >/dev/null; then
    file=$(find "$source/scenarios/litmus" -name '*.litmus' -size -2 | sort | head -n 1)
    mkdir -p with && printf '#!/bin/sh\n' >with/man && chmod +x with/man
    mkdir -p two && cp "$file" two/a.litmus && cp "$file" two/b.litmus
    expect progress 0 "1 of 2 tests" script -qec "'$vtegra' litmus two >/dev/null" /dev/null
    expect no_terminal 0 "" "$vtegra" litmus -q two
    grep -q "1 of 2" out && failed=$((failed + 1)) && echo "FAIL progress without a terminal"
    # The source of a page on a terminal, with and without man(1).
    expect man_terminal 0 "this is the source of the page: vtegra man run | man -l -" \
        script -qec "PATH=\$PWD/with:\$PATH '$vtegra' man run" /dev/null
    expect man_none 0 "is here to format it (apt-get install man-db): vtegra run --help says the same" \
        script -qec "PATH=/nonexistent '$vtegra' man run" /dev/null
    expect man_pipe 0 "" sh -c '"$1" man run | cat' sh "$vtegra"
    grep -q "note:" out && failed=$((failed + 1)) && echo "FAIL man_pipe: a note"
fi

# --- nvcc, where there is one
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc)
if [ -n "$nvcc" ]; then
    expect nvcc_compiles 0 "" "$nvcc" -c add.cu -o nv_add.o
    expect nvcc_shared_builds 0 "" "$nvcc" -cudart shared nv_add.o helper.o -o nv_shared
    expect nvcc_shared 0 "can run" "$vtegra" check-app ./nv_shared
    expect nvcc_machine_builds 0 "" "$nvcc" -cudart shared -gencode arch=compute_87,code=sm_87 add.cu helper.cpp -o nv_machine
    expect nvcc_machine 1 '"$NVCC_APPEND_FLAGS -cudart shared -gencode arch=compute_87,code=compute_87" make -B' \
        "$vtegra" check-app ./nv_machine
    expect nvcc_static_builds 0 "" "$nvcc" nv_add.o helper.o -o nv_static
    expect nvcc_static 1 "NVIDIA's static CUDA runtime" "$vtegra" check-app ./nv_static
    expect nvcc_static_run 126 "cudart shared" "$vtegra" run -- ./nv_static
    # A static runtime built with a sanitizer only links into a program built with it.
    asan=
    nm -D "$vtegra" | grep -q __asan_init && asan="-Xcompiler -fsanitize=address -Xcompiler -fsanitize=undefined"
    # shellcheck disable=SC2086
    expect nvcc_ours_builds 0 "" "$nvcc" -L"$1/lib" $asan nv_add.o helper.o -o nv_ours
    expect nvcc_ours 0 "static (vtegra)" "$vtegra" check-app ./nv_ours
    # What a program calls of a runtime that is linked into it: its code says it, while it has symbols.
    printf 'extern "C" int %s(), cudaGraphCreate();\nint main() { return %s() + cudaGraphCreate(); }\n' "$stub" "$stub" >calls.cpp
    # shellcheck disable=SC2086
    expect nvcc_calls_builds 0 "" "$nvcc" -L"$1/lib" $asan calls.cpp -o nv_calls
    expect nvcc_calls 0 "note: $stub answers \"not supported\"" "$vtegra" check-app ./nv_calls
    grep -q 'note: cudaGraphCreate' out && failed=$((failed + 1)) && echo "FAIL nvcc_calls: cudaGraphCreate works"
    if [ "$thorough" = long ]; then
        expect nvcc_calls_theirs_builds 0 "" "$nvcc" calls.cpp -o nv_calls_theirs
        expect nvcc_calls_theirs 1 "note: $stub answers \"not supported\"" "$vtegra" check-app ./nv_calls_theirs
    fi
    strip nv_calls
    expect nvcc_stripped 1 "not known whether it can run" "$vtegra" check-app ./nv_calls
    expect nvcc_stripped_json 1 '"can_run" : null' "$vtegra" check-app --json ./nv_calls
    # The cure, taken word for word: make builds again what is there, and both faults go at once.
    printf 'app: add.cu helper.cpp\n\t%s -gencode arch=compute_87,code=sm_87 $^ -o $@\n' "$nvcc" >Makefile
    expect cure_make 0 "" make app
    expect cure_wanted 1 "make -B" "$vtegra" check-app ./app
    sh -c "$(grep -m 1 -o 'NVCC_APPEND_FLAGS=.*make -B' out)" >make.log 2>&1
    expect cure_taken 0 "can run" "$vtegra" check-app ./app
    if [ "$thorough" = long ]; then
        expect nvcc_rdc_builds 0 "" "$nvcc" -cudart shared -rdc=true add.cu helper.cpp -o nv_rdc
        expect nvcc_rdc 0 "can run" "$vtegra" check-app ./nv_rdc
    fi
fi

echo "$((n - failed)) of $n command lines as expected"
[ $failed = 0 ]
