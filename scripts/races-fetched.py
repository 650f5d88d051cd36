#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with labels that others publish, racy or clean, for scripts/races-suites.sh. Nothing of them is kept here.

    git clone https://github.com/JohnJacobsonIII/HiRace-Artifact-SC24 FOLDER
    scripts/races-fetched.py indigo FOLDER WORK
    git clone https://github.com/burtscher/Indigo3Suite FOLDER
    scripts/races-fetched.py indigo3 FOLDER WORK
    git clone https://github.com/mc-imperial/gpuverify FOLDER
    scripts/races-fetched.py gpuverify FOLDER WORK
    scripts/races-suites.sh BUILD WORK/on.list; scripts/races-suites.sh BUILD WORK/lockstep.list lockstep

Builds the programs with nvcc into WORK, and writes lists of them there. JOBS: compilers at once (2). A program that nvcc does
not compile is printed with its first error. Status 1: there is none of the suite in FOLDER.
"""
import bisect
import concurrent.futures
import os
import re
import subprocess
import sys

FLAGS = ["-gencode", "arch=compute_87,code=compute_87", "-lineinfo", "-cudart", "shared", "-std=c++17", "-w", "-Wno-deprecated-gpu-targets"]
BUNDLE = 64  # programs that are compiled as one, as the compiler takes longer to read CUDA's headers than all else


class Program:
    """@text: of the source; @macros: of its headers, which each program needs anew; @runs: arguments of each run"""

    def __init__(self, name, text, flags, label, how, runs, macros=(), headers=()):
        self.name, self.text, self.flags, self.label, self.how, self.runs = name, text, flags, label, how, runs
        self.macros, self.headers = macros, headers
        self.command, self.error = None, None


def bundle_text(programs):
    """The source, and the line at which each program begins in it"""
    lines = ["#include <%s>" % h for h in programs[0].headers] + ["#include <cstring>"]
    # A program that has no arguments has none here.
    lines += ["static int vt_call(int (*f)(), int, char **) { return f(); }",
              "static int vt_call(int (*f)(int, char **), int n, char **word) { return f(n, word); }", "#define main vt_main"]
    first = []
    for i, p in enumerate(programs):
        macros = set(p.macros) | set(re.findall(r"^\s*#\s*define\s+(\w+)", p.text, re.M))
        first.append(len(lines))
        lines += (["namespace vt_%d {" % i] + p.text.split("\n") + ["}"] + ["#undef " + m for m in sorted(macros)])
    lines += ["#undef main", "int main(int n, char **word)", "{", "    if (n < 2) return 2;"]
    lines += ['    if (!strcmp(word[1], "%s")) return vt_call(vt_%d::vt_main, n - 1, word + 1);' % (p.name, i) for i, p in enumerate(programs)]
    return "\n".join(lines + ["    return 2;", "}"]) + "\n", first


def errors_take(programs, first, source, text):
    """Gives each program its first error: by line, or by the namespace in the name of a function that is defined nowhere.
    Return: whether one has one"""
    for word in re.findall(r"Unresolved extern function '(\w+)'|Undefined reference to '(\w+)'", text):
        at = re.search(r"vt_(\d+)", "".join(word))
        if at and programs[int(at.group(1))].error is None:
            programs[int(at.group(1))].error = "error: undefined function " + "".join(word)
    for line, error in re.findall(re.escape(source) + r"[(:](\d+)[):][\d:]* (error: .*)", text):
        at = bisect.bisect_right(first, int(line) - 1) - 1
        if at >= 0 and programs[at].error is None:
            programs[at].error = error
    return any(p.error for p in programs)


def build(work, name, programs):
    """One executable, whose first argument is the program's name; without those that do not compile."""
    source, binary = os.path.join(work, name + ".cu"), os.path.join(work, name + ".bin")
    while programs:
        text, first = bundle_text(programs)
        if os.path.exists(binary) and read(source) == text:
            got = subprocess.CompletedProcess([], 0)
        else:
            with open(source, "w") as f:
                f.write(text)
            got = subprocess.run(["nvcc", *FLAGS, *programs[0].flags, "-o", binary, source], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)
        if got.returncode == 0:
            for p in programs:
                p.command = [binary, p.name]
            return
        if not errors_take(programs, first, source, got.stderr + got.stdout):
            if len(programs) > 1:  # whose error it is, is not said
                half = len(programs) // 2
                build(work, name + "a", programs[:half])
                build(work, name + "b", programs[half:])
                return
            programs[0].error = "nvcc failed: " + (got.stderr + got.stdout).strip()[-200:]
        programs = [p for p in programs if p.error is None]


def read(path):
    with open(path) as f:
        return f.read()


def files(folder, end=".cu"):
    return sorted(os.path.join(at, f) for at, _, names in os.walk(folder) for f in names if f.endswith(end))


# --- Indigo: a planted bug is in the name; boundsBug is none of races ---

# Graphs of 100 nodes and more; with fewer, some planted bugs touch nothing twice.
GRAPHS = ["DAG_100n_200e.egr", "DAG_200n_400e.egr", "counterDAG_200n_1000e.egr", "power_law_200n_1000e.egr"]


def indigo(folder):
    top = os.path.join(folder, "indigo")
    for source in files(os.path.join(top, "indigo_sources")):
        name = os.path.basename(source).removesuffix(".cu")
        if "boundsBug" not in name:
            graphs = [os.path.join(top, "input", g) for g in GRAPHS]
            # One warp or block for a node: 200 blocks of 256 threads do for these graphs.
            yield Program(name, read(source), ["-I", os.path.join(top, "indigo_include")], "racy" if "Bug" in name else "clean", "on",
                          [[g, "256", "256"] for g in graphs], headers=["cuda.h", "cstdlib", "cstdio"])


# --- Indigo3: programs are generated first ---

CODES = ["BFS", "CC", "MIS", "SSSP", "TC"]


def indigo3_generate(folder, code):
    config = os.path.join(folder, "codeGen", "configure.txt")
    with open(config) as f:
        text = f.read()
    with open(config, "w") as f:
        f.write(re.sub(r"dataType: *{[^}]*}", "dataType: {IntType}", re.sub(r"bug: *{[^}]*}", "bug: {all}", text)))
    subprocess.run([sys.executable, "generate_all_codes.py", "cuda", code.lower()], cwd=folder, stdout=subprocess.DEVNULL, check=True)


def indigo3_bugs(name):
    return [w for w in name.split("_") if w.endswith("Bug") and not w.startswith("No")]


def indigo3(folder):
    for code in CODES:
        at = os.path.join(folder, "generatedCodes", "CUDA", code + "-CUDA")
        # TC's blocks race with each other: 512 nodes or edges are one block
        graph = os.path.join(folder, "inputs", "undirect_4max_degree_750n_2356e.egr" if code == "TC" else
                             "undirect2dim_rand_torus_100n_400e.egr")
        if not os.path.isdir(at):
            indigo3_generate(folder, code)
        for source in files(at):
            bugs = indigo3_bugs(os.path.basename(source).removesuffix(".cu"))
            # Programs with cuda::atomic in their own text are left out: they are the others with other calls.
            if "CudaAtomic" not in source and (not bugs or bugs in (["RaceBug"], ["SyncBug"])):
                # cudaDeviceProp of CUDA 13 has no clocks, which these programs print
                yield Program(os.path.basename(source).removesuffix(".cu"), read(source),
                              ["-I", os.path.join(folder, "lib"), "-DclockRate=major", "-DmemoryClockRate=minor"],
                              "racy" if bugs else "clean", "on", [[graph, "1", "0"]], ["ECL_GRAPH", "CSORT", "ATOMIC", "MAX", "MIN", "SWAP"],
                              ["limits.h", "sys/time.h", "stdlib.h", "stdio.h", "cuda.h", "cuda/atomic", "algorithm"])


# --- GPUVerify: kernels without a program; the first lines say how it verifies them ---

# Its annotations say what a verifier may assume, and are nothing here.
HEADERS = ["cuda_runtime.h", "cuda.h", "cstdio", "cstdlib", "cstring", "tuple",
           "type_traits", "cassert"]
EXTRA = {"curand": ["curand_kernel.h", "curand_mtgp32_kernel.h"], "cooperative_groups": ["cooperative_groups.h"]}
STUBS = """
typedef unsigned int uint;
#define __requires(...) ((void)0)
#define __ensures(...) ((void)0)
#define __requires_fresh_array(...) ((void)0)
#define __assert(...) ((void)0)
#define __assume(...) ((void)0)
#define __invariant(...) ((void)0)
#define __global_invariant(...) ((void)0)
#define __function_wide_invariant(...) ((void)0)
#define __no_read(...) ((void)0)
#define __no_write(...) ((void)0)
#define __axiom(...) struct vt_axiom
#define __mod_pow2(x, y) ((x) & ((y) - 1))
#define bool_t bool
"""
# Of CUDA before 13
GROUPS = """
template <class G> __device__ void synchronize(G group) { group.sync(); }
"""
MAIN = """
namespace vt {
static char *arena;
static size_t used;
const size_t EACH = 1u << 20;
// Bytes with values of their own: numbers by element; where a pointer may be, one.
char *take(bool pointers)
{
    char *p = arena + used, *host = (char *)malloc(EACH);
    used += EACH;
    for (size_t i = 0; i < EACH / 8; i++) {
        if (pointers) ((char **)host)[i] = arena + (64u << 20) + (i % 4096) * 2048;
        else ((int *)host)[2 * i] = 2 * i, ((int *)host)[2 * i + 1] = 2 * i + 1;
    }
    cudaMemcpy(p, host, EACH, cudaMemcpyHostToDevice);
    free(host);
    return p;
}
template <class T> T make(int n)
{
    using P = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && !std::is_function_v<P>) return (T)take(std::is_pointer_v<P> || std::is_class_v<P>);
    else if constexpr (std::is_arithmetic_v<T>) return T(n);
    else {
        static char *pointer;
        T t;
        for (size_t i = 0; i + 8 <= sizeof(T); i += 8) pointer = take(false), memcpy((char *)&t + i, &pointer, 8);
        return t;
    }
}
template <class... A> void launch(void (*kernel)(A...), dim3 grid, dim3 block, int n)
{
    std::tuple<std::remove_cv_t<A>...> values{ make<std::remove_cv_t<A>>(n)... };
    std::apply([&](auto &...v) {
        void *at[] = { (void *)&v..., nullptr };
        if (COOPERATIVE) cudaLaunchCooperativeKernel(kernel, grid, block, at, 0, 0);
        else kernel<<<grid, block>>>(v...);
    }, values);
}
}
int main()
{
    cudaMalloc(&vt::arena, 80u << 20);
    vt::launch(KERNEL, dim3(GRID), dim3(BLOCK), NUMBER);
    cudaError_t launched = cudaGetLastError(), e = launched ? launched : cudaDeviceSynchronize();
    printf("%s\\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
"""


def size_of(options, word, limit):
    got = re.search(r"--%s=(\[[\d,]*\]|\d+)" % word, options)
    sizes = [int(x) for x in re.findall(r"\d+", got.group(1))] if got else [1]
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    product = 1
    for i, n in enumerate(sizes):
        sizes[i] = min(n, max(1, limit // product))
        product *= sizes[i]
    return ", ".join(map(str, sizes))


def gpuverify_kernel(text):
    got = re.search(r"__global__\s+(?:\w+\s*\([^()]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^()]*\)\s*)?(\w+)\s*\(", text)
    return got.group(1) if got else None


def bodies_give(text):
    """A function of the device that is only declared may return any value, and do nothing: nvcc wants a body."""
    def give(got):
        if re.search(r"\b%s\s*\([^()]*\)\s*\{" % got.group(3), text):
            return got.group(0)
        return "%s { %s }" % (got.group(1), "" if got.group(2).strip() == "void" else "return 0;")
    return re.sub(r"^(\s*__device__\s+([\w \t*]+?)\s*\b(\w+)\s*\([^(){};]*\))\s*;", give, text, flags=re.M)


def globals_move(text):
    """Variables of the program that kernels use, which GPUVerify takes for the device's"""
    return re.sub(r"^((?:char \*|s )\w+;)", r"__device__ \1", text, flags=re.M)


def gpuverify(folder):
    top = os.path.join(folder, "testsuite", "CUDA")
    for path in files(top):
        text = read(path)
        kernel = gpuverify_kernel(text)
        first, options = (text.splitlines() + [""])[:2]
        label = "clean" if "pass" in first.lower() else "racy" if "race" in text or "fail/race" in path else "other"
        if "divergence" in path:
            label = "other"  # their kernels are called race; what is wrong is a barrier that not all threads reach
        if re.search(r"__axiom\(blockIdx", text):
            label = "other"  # a launch cannot have only the blocks of which it speaks
        if not kernel:
            continue
        got = re.search(r"__requires\((\w+) == (\d+|blockDim\.x)\)", text)
        number = got.group(2) if got else "1"
        number = size_of(options, "blockDim", 1024).split(",")[0] if "blockDim" in number else number
        main = MAIN.replace("KERNEL", kernel).replace("GRID", size_of(options, "gridDim", 64)) \
            .replace("BLOCK", size_of(options, "blockDim", 1024)).replace("NUMBER", number) \
            .replace("COOPERATIVE", "true" if "grid_group" in text else "false")
        headers = [h for word, more in EXTRA.items() if word in text for h in more] + HEADERS
        flags = ["-G"] + re.findall(r"-D\S+", options)
        yield Program(os.path.relpath(os.path.dirname(path), top).replace(os.sep, "+"),
                      STUBS + (GROUPS if "cooperative_groups" in text else "") + globals_move(bodies_give(text)) + main, flags, label,
                      "lockstep" if "--warp-sync" in options else "on", [[]], headers=headers)


# --- lists ---

def main():
    suites = {"indigo": indigo, "indigo3": indigo3, "gpuverify": gpuverify}
    if len(sys.argv) != 4 or sys.argv[1] not in suites:
        sys.exit(__doc__)
    folder, work = os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    os.makedirs(work, exist_ok=True)
    programs = list(suites[sys.argv[1]](folder))
    bundles = {}
    for p in programs:
        # One that is built with macros of its own may take all of what a module can have
        alone = p.name if any(f.startswith("-D") for f in p.flags) and "-G" in p.flags else ""
        bundles.setdefault((alone, *p.flags, *p.headers), []).append(p)
    parts = [b[i:i + BUNDLE] for b in bundles.values() for i in range(0, len(b), BUNDLE)]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        list(pool.map(lambda i: build(work, "bundle%d" % i, parts[i]), range(len(parts))))
    for how in ("on", "lockstep"):
        with open(os.path.join(work, how + ".list"), "w") as f:
            for p in programs:
                for run in p.runs if p.command and p.how == how else []:
                    f.write(" ".join([p.label, *p.command, *run]) + "\n")
    for p in programs:
        if p.error:
            print("%s: %s" % (p.name, p.error))
    print("%d of %d programs built" % (sum(p.error is None for p in programs), len(programs)))
    sys.exit(not programs)


if __name__ == "__main__":
    main()
