#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loadables that others publish: runs them and compares with the results that are published with them.

    git clone https://github.com/nvdla/sw FOLDER/nvdla-sw
    git clone https://github.com/ONNC/onnc-tutorial FOLDER/onnc-tutorial
    scripts/dla-loadables.py BUILD_DIR FOLDER

Clones may be bare. Nothing of them is kept. Status 1: a result is wrong; 77: FOLDER has neither clone.
"""
import math
import os
import struct
import subprocess
import sys
import tempfile

# Of nvdla/sw: a golden image each, regression/golden/NAME_HASH/dla/o_000000.dimg. NN: an input of zeros.
KMD = ["BDMA_L0_0", "CDP_L0_0", "CDP_L0_0_large", "CDP_L0_0_small", "CONV_D_L0_0", "CONV_D_L0_0_large", "CONV_D_L0_0_small", "NN_L0_0",
       "PDP_L0_0", "PDP_L0_0_large", "PDP_L0_0_small", "RBK_L0_0", "SDP_X1_L0_0", "SDP_X1_L0_0_large", "SDP_X1_L0_0_small"]
INPUT_BYTES = {"NN_L0_0": 28 * 28 * 2}
# What nvdla/sw's runtime says of NN_L0_0 and regression/images/digits (github.com/nvdla/sw/issues/102): class -> probability.
DIGITS = {"one": {1: "1"}, "two": {5: "0.00407028", 7: "0.996094"}, "three": {3: "1"}, "four": {4: "1"}, "five": {5: "1"}, "six": {5: "1"},
          "seven": {7: "1"}, "eight": {3: "1"}, "nine": {3: "1"}}
# Of ONNC/onnc-tutorial, models/: loadable, picture, numbers as text.
ONNC = [("test_Add/test_Add.nvdla", "test_Add/input1x5x7.pgm", "test_Add/test_Add.output.dimg"),
        ("test_Log/test_Log.nvdla", "test_Log/input1x5x7.pgm", "test_Log/test_Log.output.dimg"),
        ("test_Relu_Log_Relu/test_Relu_Log_Relu.nvdla", "test_Relu_Log_Relu/input1x5x7.pgm", "test_Relu_Log_Relu/test_Relu_Log_Relu.output.dimg"),
        ("lenet/lenet.nvdla", "lenet/input0.pgm", "lenet/input0.output.dimg"),
        ("lenet/lenet.nvdla", "lenet/input7.pgm", "lenet/input7.output.dimg")]


def git(clone, *words):
    got = subprocess.run(["git", "-C", clone, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return got.stdout if got.returncode == 0 else None


class Bench:
    """The command, a folder for files, and how many results are wrong."""

    def __init__(self, build, work):
        self.vtegra, self.work, self.wrong = os.path.join(build, "bin", "vtegra"), work, 0

    def file(self, name, data):
        path = os.path.join(self.work, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def run(self, loadable, config, picture, output):
        """Bytes of the result; None: an error, which is printed."""
        path = os.path.join(self.work, output)
        command = [self.vtegra, "dla", "run", "-q", "--config", config, self.file("loadable", loadable), "--output", path]
        got = subprocess.run(command + (["--input", picture] if picture else []), stderr=subprocess.PIPE, text=True)
        if got.returncode:
            print(got.stderr, end="", file=sys.stderr)
            return None
        with open(path, "rb") as f:
            return f.read()

    def say(self, name, numbers, same):
        self.wrong += not same
        print(f"| {name} | {numbers} | {'the same' if same else 'WRONG'} |")


def as_memory(image):
    """Goldens of nv_small were read from memory as if an atom had 32 bytes; it has 8. Numbers of int8, in order -> as they were read."""
    wide, high, channels, line, surface = struct.unpack("<5I", image[12:32])
    atom, own, numbers = 8, wide * 8, image[36:]
    memory = bytearray(math.ceil(channels / atom) * own * high)
    for c in range(channels):
        for y in range(high):
            for x in range(wide):
                memory[c // atom * own * high + y * own + x * atom + c % atom] = numbers[(c * high + y) * wide + x]
    return bytes(memory[c // 32 * surface + y * line + x * 32 + c % 32] for c in range(channels) for y in range(high) for x in range(wide))


def kmd_run(bench, clone, folders, name):
    golden = git(clone, "show", "HEAD:regression/golden/" + next(f for f in folders if f[:-7] == name) + "/dla/o_000000.dimg")
    unit = name.split("_")[0]
    loadable = git(clone, "show", f"HEAD:regression/flatbufs/kmd/{unit}/{name}_fbuf")
    small = name.endswith("_small")
    config = "nv_small" if small else "nv_large" if name.endswith("_large") else "nv_full"
    zeros = bench.file("zeros.raw", bytes(INPUT_BYTES[name])) if name in INPUT_BYTES else None
    result = bench.run(loadable, config, zeros, "out.dimg")
    header = struct.unpack("<9I", golden[:36])
    if small and result:
        same = as_memory(golden[:36] + result[36:]) == golden[36:]
    else:
        same = result == golden
    bench.say(f"nvdla/sw `{name}_fbuf`", header[3] * header[4] * header[5], same)


def digits_run(bench, clone):
    loadable, same = git(clone, "show", "HEAD:regression/flatbufs/kmd/NN/NN_L0_0_fbuf"), 0
    for digit, classes in DIGITS.items():
        picture = bench.file("digit.pgm", git(clone, "show", f"HEAD:regression/images/digits/{digit}.pgm"))
        result = bench.run(loadable, "nv_full", picture, "out.raw") or b""
        text = [f"{v:g}" for (v,) in struct.iter_unpack("<e", result)]
        same += text == [classes.get(i, "0") for i in range(10)]
    bench.say(f"nvdla/sw `NN_L0_0_fbuf`, {len(DIGITS)} digits", 10 * len(DIGITS), same == len(DIGITS))


def onnc_run(bench, clone, loadable, picture, wanted):
    data = git(clone, "show", "HEAD:models/" + loadable)
    name = f"ONNC `{os.path.basename(loadable)}`, {os.path.basename(picture)}"
    if data is None:
        print(f"| {name} | | not in the clone |")
        return
    path = bench.file("picture.pgm", git(clone, "show", "HEAD:models/" + picture))
    words = git(clone, "show", "HEAD:models/" + wanted).decode().split()
    result = bench.run(data, "nv_full", path, "out.raw") or b""
    bench.say(name, len(words), [f"{v:g}" for (v,) in struct.iter_unpack("<e", result)] == words)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sw, onnc = (os.path.join(sys.argv[2], name) for name in ("nvdla-sw", "onnc-tutorial"))
    there = [git(clone, "rev-parse", "HEAD") is not None for clone in (sw, onnc)]
    if not any(there):
        print(f"{sys.argv[2]}: neither nvdla-sw nor onnc-tutorial is a clone there")
        sys.exit(77)
    print("| loadable | numbers | result |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(sys.argv[1], work)
        if there[0]:
            folders = git(sw, "ls-tree", "--name-only", "HEAD:regression/golden").decode().split()
            for name in KMD:
                kmd_run(bench, sw, folders, name)
            digits_run(bench, sw)
        for row in ONNC if there[1] else []:
            onnc_run(bench, onnc, *row)
    sys.exit(bench.wrong != 0)


if __name__ == "__main__":
    main()
