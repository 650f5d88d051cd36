#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/onnx-models.py mobilenetv2|resnet50 FILE.onnx: ONNX models in floats at 224 x 224 of the shape of MobileNetV2 (Sandler et al. 2018, Table 2)
and ResNet-50 (He et al. 2015, Table 1), with pseudo-random weights. Batch norms are folded into weights and bias, as exporters write them."""
import array
import random
import sys

draw = random.Random(1)
# Weights repeat after a prime number: so many random numbers would take minutes.
BLOCK = array.array("f", (draw.gauss(0, 1) for _ in range(65521)))
nodes, tensors = [], []


def varint(v):
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    return bytes(out + bytes([v]))


def number(at, v):
    """Protobuf: field @at is a number."""
    return varint(at << 3) + varint(v)


def field(at, data):
    """Protobuf: field @at is a text, bytes or a message."""
    data = data.encode() if isinstance(data, str) else data
    return varint(at << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, scale):
    count = 1
    for d in dims:
        count *= d
    values = array.array("f", (scale * v for v in BLOCK[: min(count, len(BLOCK))]))
    raw = (values.tobytes() * (count // len(values) + 1))[: 4 * count]
    tensors.append(field(5, b"".join(number(1, d) for d in dims) + number(2, 1) + field(8, name) + field(9, raw)))
    return name


def node(op, inputs, **ints):
    name = f"{op}_{len(nodes)}"
    parts = [field(1, i) for i in inputs] + [field(2, name), field(3, name), field(4, op)]
    for key, v in ints.items():
        many = isinstance(v, list)
        body = b"".join(number(8, i) for i in v) if many else number(3, v)
        parts.append(field(5, field(1, key) + body + number(20, 7 if many else 2)))
    nodes.append(field(1, b"".join(parts)))
    return name


def conv(x, inputs, kernels, size, stride=1, group=1):
    per = inputs // group * size * size
    w = tensor(f"w{len(tensors)}", [kernels, inputs // group, size, size], (2 / per) ** 0.5)
    b = tensor(f"b{len(tensors)}", [kernels], 0.1)
    pad = size // 2
    return node("Conv", [x, w, b], kernel_shape=[size] * 2, strides=[stride] * 2, pads=[pad] * 4, group=group)


def relu6(x):
    return node("Clip", [x, "zero", "six"])


def mobilenetv2():
    x, width = relu6(conv("image", 3, 32, 3, 2)), 32
    for expand, channels, repeats, first in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(repeats):
            stride, inner = first if i == 0 else 1, width * expand
            y = relu6(conv(x, width, inner, 1)) if expand > 1 else x
            y = conv(relu6(conv(y, inner, inner, 3, stride, inner)), inner, channels, 1)
            x, width = (node("Add", [x, y]) if i else y), channels
    return relu6(conv(x, width, 1280, 1)), 1280


def resnet50():
    x, width = node("Relu", [conv("image", 3, 64, 7, 2)]), 64
    x = node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for stage, (blocks, middle) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for b in range(blocks):
            stride = 2 if b == 0 and stage else 1
            short = x if b else conv(x, width, 4 * middle, 1, stride)
            y = node("Relu", [conv(x, width, middle, 1)])
            y = conv(node("Relu", [conv(y, middle, middle, 3, stride)]), middle, 4 * middle, 1)
            x, width = node("Relu", [node("Add", [y, short])]), 4 * middle
    return x, width


def ends(at, name, dims):
    shape = b"".join(field(1, number(1, d)) for d in dims)
    return field(at, field(1, name) + field(2, field(1, number(1, 1) + field(2, shape))))


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("mobilenetv2", "resnet50"):
        sys.exit(__doc__)
    for name, v in (("zero", 0.0), ("six", 6.0)):
        tensors.append(field(5, number(2, 1) + field(8, name) + field(9, array.array("f", [v]).tobytes())))
    x, width = globals()[sys.argv[1]]()
    x = node("Flatten", [node("GlobalAveragePool", [x])], axis=1)
    x = node("Gemm", [x, tensor("classes", [1000, width], (1 / width) ** 0.5), tensor("bias", [1000], 0.1)], transB=1)
    graph = b"".join(nodes + [field(2, sys.argv[1])] + tensors) + ends(11, "image", [1, 3, 224, 224]) + ends(12, x, [1, 1000])
    with open(sys.argv[2], "wb") as f:
        f.write(number(1, 8) + field(8, number(2, 13)) + field(7, graph))


if __name__ == "__main__":
    main()
