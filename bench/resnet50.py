#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A network of ResNet-50's shape (He et al. 2015, Table 1) at 224 x 224 in int8 for vtegra dla build, on stdout.
Batch norms are folded into scale and bias, as deployed networks have them; weights are pseudo-random."""
import json
import math
import sys

layers, seed = [], 0


def conv(name, source, inputs, kernels, size, stride=1, relu=True, add=None):
    global seed
    seed += 1
    # Keeps the spread of activations about the same from layer to layer.
    shift = round(math.log2(36 * math.sqrt(inputs * size * size)))
    layer = {'name': name, 'type': 'conv', 'input': source, 'kernels': kernels, 'size': size, 'stride': stride,
             'pad': size // 2, 'weights': {'seed': seed, 'min': -64, 'max': 63},
             'bias': {'seed': 1000 + seed, 'shift': 2}, 'output': {'shift': shift}}
    if add:
        layer['eltwise'] = {'input': add, 'shift': shift}
    if relu:
        layer['activation'] = 'relu'
    layers.append(layer)
    return name


last, width = conv('conv1', 'image', 4, 64, 7, 2), 64
layers.append({'name': 'pool1', 'type': 'pool', 'method': 'max', 'size': 3, 'stride': 2, 'pad': 1})
last = 'pool1'
for stage, (blocks, middle) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)], 2):
    for b in range(blocks):
        name, stride = f'conv{stage}_{b + 1}', 2 if b == 0 and stage > 2 else 1
        short = last if b else conv(f'{name}.short', last, width, 4 * middle, 1, stride, relu=False)
        a = conv(f'{name}.a', last, width, middle, 1, stride)
        m = conv(f'{name}.b', a, middle, middle, 3)
        last = conv(f'{name}.c', m, middle, 4 * middle, 1, add=short)
        width = 4 * middle
layers.append({'name': 'pool5', 'type': 'pool', 'method': 'average', 'size': 7})
layers.append({'name': 'classes', 'type': 'fully_connected', 'kernels': 1000,
               'weights': {'seed': 99, 'min': -64, 'max': 63}, 'output': {'shift': 8}})
json.dump({'input': {'name': 'image', 'shape': [4, 224, 224], 'format': 'A8B8G8R8',
                     'convert': {'mean': [124, 116, 104, 0]}}, 'layers': layers}, sys.stdout, indent=1)
