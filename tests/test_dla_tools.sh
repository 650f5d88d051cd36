#!/bin/sh
# SPDX-License-Identifier: MIT
# test_dla_tools.sh VTEGRA SOURCE_DIR [long]: a sample of the descriptions, with "long" every description of tests/dla/networks, and every example of docs/dla-build.md, is
# built and run; each layer must equal what the reference on plain arrays says, bit for bit.
set -eu
vtegra=$1 source=$2 thorough=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
layers=0

# The examples of the document: ```json blocks with "layers" in them.
mkdir "$work/doc"
awk -v dir="$work/doc" '/^```json/ { n++; file = sprintf("%s/example%d.json", dir, n); next } /^```/ { file = "" }
    file != "" { print > file }' "$source/docs/dla-build.md"

# check DESCRIPTION
check() {
    name=$(basename "$1" .json)
    dir=$work/$name
    mkdir "$dir" "$dir/want"
    python3 "$source/tests/dla/network.py" "$1" "$dir/want"
    "$vtegra" dla build "$1" -o "$dir/net"
    "$vtegra" dla inspect "$dir/net" >"$dir/text"
    "$vtegra" dla inspect --json "$dir/net" | python3 -c 'import json, sys; json.load(sys.stdin)'
    set --
    for input in "$dir"/want/input*.npy; do
        set -- "$@" --input "$input"
    done
    "$vtegra" dla run -q "$dir/net" "$@" --output "$dir/first.npy" --dump-layers "$dir/dump"
    for want in "$dir"/want/*.npy; do
        layer=$(basename "$want" .npy)
        # A deconvolution has two dumps of its name; the last is the layer's.
        got=$(find "$dir/dump" -name "[0-9]*_*_$layer.npy" | sort | tail -n 1)
        [ -n "$got" ] || continue # inputs; concatenations, which no operation makes
        layers=$((layers + 1))
        "$vtegra" dla diff "$got" "$want" || bad=1
    done
}

# The network of the demo, on a small picture.
sed 's/240, 320/14, 18/' "$source/scenarios/dla_edges/edges.json" >"$work/edges.json"

least=53 draws=200
if [ "$thorough" != long ]; then # without those for which the reference takes seconds, and another has the same layers
    least=20 draws=50
    left_out="/int8 /groups16 /winograd /winograd_fp16 /example2 /example3"
fi
for json in "$source"/tests/dla/networks/*.json "$work"/doc/*.json "$work/edges.json"; do
    case "${left_out-} " in *"/$(basename "$json" .json) "*) continue ;; esac
    check "$json"
done
echo "$layers layers compared"
[ "$layers" -ge $least ] || bad=1

python3 "$source/tests/dla/damage.py" "$vtegra" "$work/nv_small/net" "$work/nv_small/want" $draws || bad=1

# The published regression loadables, where they lie beside the project: they open, run and give their golden DIMG, header
# and all. (Those of nv_small were dumped as if atoms had 32 bytes; test_dla_loadables looks at them.)
kmd=$source/../shared/nvdla/kmd
for golden in "$kmd"/golden/*/o_000000.dimg; do
    [ -f "$golden" ] || continue
    name=$(basename "$(dirname "$golden")")
    "$vtegra" dla inspect "$kmd/flatbufs/${name}_fbuf" >"$work/text" || bad=1
    "$vtegra" dla run -q "$kmd/flatbufs/${name}_fbuf" --output "$work/out.dimg" || bad=1
    case $name in
    *_small) ;;
    *) cmp "$work/out.dimg" "$golden" || bad=1 ;;
    esac
done

# The demo runs, and its deliberate mistake is found in the layer that has it.
VTEGRA=$vtegra OUT=$work/demo "$source/scenarios/dla_edges/demo.sh" >"$work/demo.txt" 2>&1 || { cat "$work/demo.txt"; bad=1; }
if [ "$(grep -m 1 ' differ, by at most ' "$work/demo.txt" | cut -d: -f1)" != 025_sdp_gradients.npy ] ||
    [ "$(grep -c ' differ, by at most ' "$work/demo.txt")" != 3 ]; then
    cat "$work/demo.txt"
    bad=1
fi
head -c 15 "$work/demo/edges.pgm" | head -n 2 | tail -n 1 | grep -qx '320 240' || bad=1

# What is wrong with the files of a run, or of a comparison.
# refuse STATUS PATTERN ARGUMENT...
refuse() {
    want=$1 pattern=$2 status=0
    shift 2
    "$vtegra" dla "$@" >"$work/text" 2>"$work/error" || status=$?
    if [ $status -ne "$want" ] || ! grep -q -- "$pattern" "$work/error"; then
        echo "dla $*: expected $want and \"$pattern\", got $status and: $(cat "$work/error")"
        bad=1
    fi
}
net=$work/nv_small/net image=$work/nv_small/want/input0.npy
mkdir "$work/empty1" "$work/empty2" "$work/used"
refuse 1 'has 1 input, --input is given 0 times: give it once for each' run "$net"
refuse 1 'has 1 output, --output is given 2 times' run "$net" --input "$image" --output "$work/a.npy" --output "$work/b.npy"
[ ! -e "$work/a.npy" ] || bad=1
refuse 1 '--config nv_full: the loadable says that it was made for nv_small; leave --config out' run "$net" --config nv_full \
    --input "$image"
cp "$image" "$work/a.png"
refuse 1 'a.png: .png is not read or written here; .ppm and .pgm are' run "$net" --input "$work/a.png"
refuse 1 'b.JPG: .jpg is not read or written here' run "$net" --input "$image" --output "$work/b.JPG"
refuse 1 'there is no such folder' run "$net" --input "$image" --dump-layers "$work/late" --output "$work/nowhere/b.npy"
refuse 1 'a PGM picture needs 1 channel' run "$net" --input "$image" --dump-layers "$work/late" --output "$work/b.pgm"
[ ! -e "$work/b.JPG" ] && [ ! -e "$work/late" ] || bad=1 # nothing has run
# Old dumps go, other files stay and are a reason to stop.
echo >"$work/used/000_conv_old.npy"
"$vtegra" dla run -q "$net" --input "$image" --dump-layers "$work/used" || bad=1
[ ! -e "$work/used/000_conv_old.npy" ] || bad=1
"$vtegra" dla diff "$work/used" "$work/nv_small/dump" || bad=1
echo >"$work/used/notes.txt"
refuse 1 '"notes.txt" there is no dump of a layer' run -q "$net" --input "$image" --dump-layers "$work/used"
[ -e "$work/used/notes.txt" ] || bad=1
refuse 2 'nowhere: there is no such file or folder' diff "$work/nowhere" "$work/used"
refuse 2 'is a folder and .* a file: they cannot be compared' diff "$work/used" "$image"
refuse 2 'are empty: nothing was compared' diff "$work/empty1" "$work/empty2"
# DIMG is what NVIDIA's published goldens are in; those of nv_small have another order, which is said once, on stderr.
"$vtegra" dla run "$net" --input "$image" --output "$work/small.dimg" >"$work/text" 2>"$work/error" || bad=1
[ "$(grep -c 'small.dimg: channels in order; published golden images of nv_small are not' "$work/error")" = 1 ] || bad=1
"$vtegra" dla run -q "$net" --input "$image" --output "$work/small.dimg" >"$work/text" 2>&1 || bad=1
[ ! -s "$work/text" ] || bad=1
# picture HEADER: a PPM with nothing behind it
picture() {
    printf '%s\n' "$1" >"$work/p.ppm"
}
picture 'P6 -3 4 255'
refuse 1 'the header is to have three numbers' run "$net" --input "$work/p.ppm"
picture 'P6 99999999999999999999 4 255'
refuse 1 'the header says 2147483647 x 4 pixels: width and height are 1..8192' run "$net" --input "$work/p.ppm"
picture 'P6 20 15 65535'
refuse 1 'pictures with 255 as the largest value only' run "$net" --input "$work/p.ppm"
array() {
    python3 -c 'import struct, sys
h = (sys.argv[2] + " " * 64)[:117].encode() + b"\n"
open(sys.argv[1], "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(h)) + h)' "$work/a.npy" "$1"
}
array "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"
refuse 1 'numbers of type "<f4": |i1 (int8)' run "$net" --input "$work/a.npy"
array "{'descr': '|i1', 'fortran_order': True, 'shape': (3, 2), }"
refuse 1 'an array in Fortran order' run "$net" --input "$work/a.npy"
array "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 1, 3, 2), }"
refuse 1 'or four of which the first is 1' run "$net" --input "$work/a.npy"

# What is wrong in a description is named by its path.
# wrong PATTERN DESCRIPTION
wrong() {
    echo "$2" >"$work/wrong.json"
    if "$vtegra" dla build "$work/wrong.json" -o "$work/wrong" 2>"$work/error"; then
        echo "accepted: $2"
        bad=1
    elif ! grep -q "$1" "$work/error"; then
        echo "expected \"$1\", got: $(cat "$work/error")"
        bad=1
    fi
}
net() {
    echo "{ \"input\": { \"name\": \"x\", \"shape\": [2, 6, 6] }, \"layers\": [ $1 ] }"
}
conv='"name": "c", "type": "conv", "kernels": 2'
seed='"weights": { "seed": 1 }'
ones='{ "fill": 1 }'
wrong 'layers\[0\].weights: is needed' "$(net "{ $conv }")"
wrong 'layers\[0\].weights.values: has 2 numbers, 4 are needed' "$(net "{ $conv, \"weights\": { \"values\": [1, 2] } }")"
wrong 'layers\[0\].weights.values\[1\]: is 200, must be -128..127' \
    "$(net "{ $conv, \"weights\": { \"values\": [1, 200, 0, 0] } }")"
wrong 'layers\[0\].kernles: no such key here; did you mean "kernels"?' "$(net '{ "name": "c", "type": "conv", "kernles": 2 }')"
wrong 'layers\[0\].type: is "convolution", must be one of' "$(net '{ "name": "c", "type": "convolution" }')"
wrong 'layers\[0\]: no tensor is called "y"' "$(net '{ "name": "c", "type": "pool", "method": "max", "input": "y" }')"
wrong 'layers\[0\]: the window covers 7 lines, the padded input has 6' "$(net "{ $conv, \"size\": 7, $seed }")"
wrong 'layers\[0\].stride: is 9, must be 1..8' "$(net "{ $conv, \"stride\": 9, $seed }")"
wrong 'layers\[1\]: "c" has another size than the first input' \
    "$(net "{ $conv, \"size\": 3, $seed }, { \"name\": \"d\", \"type\": \"concat\", \"inputs\": [\"x\", \"c\"] }")"
wrong 'layers\[0\]: no stage of the SDP is left for prelu' \
    "$(net "{ $conv, $seed, \"bias\": $ones, \"batch_norm\": { \"offset\": $ones, \"scale\": $ones },
             \"eltwise\": { \"input\": \"x\" }, \"activation\": { \"type\": \"prelu\", \"slope\": $ones } }")"
wrong 'layers\[0\]: 4 groups: the input.s 2 channels and the 2 kernels must be multiples' "$(net "{ $conv, \"groups\": 4, $seed }")"
wrong 'layers\[0\].weights.values: has 4 numbers, 2 are needed' \
    "$(net "{ $conv, \"groups\": 2, \"weights\": { \"values\": [1, 2, 3, 4] } }")"
wrong 'layers\[0\].compress: true or false' "$(net "{ $conv, \"compress\": 1, $seed }")"
wrong 'layers\[0\]: nv_large takes no compressed weights: nv_full does' \
    "{ \"config\": \"nv_large\", \"input\": { \"name\": \"x\", \"shape\": [2, 6, 6] }, \"layers\": [ { $conv, \"compress\": true, $seed } ] }"
winograd='"size": 3, "pad": 1, "winograd": true'
wrong 'layers\[0\]: winograd: size 3, stride 1 and dilation 1' "$(net "{ $conv, \"winograd\": true, $seed }")"
wrong 'layers\[0\]: winograd: the output is 5 x 6, both must be even' \
    "$(net "{ $conv, \"size\": 3, \"pad\": [1, 0, 1, 1], \"winograd\": true, $seed }")"
wrong 'layers\[0\]: nv_small has no winograd mode: nv_full has' \
    "{ \"config\": \"nv_small\", \"input\": { \"name\": \"x\", \"shape\": [2, 6, 6] }, \"layers\": [ { $conv, $winograd, $seed } ] }"
wrong 'layers\[0\]: an image cannot be convolved in winograd mode' \
    "{ \"input\": { \"name\": \"x\", \"shape\": [1, 6, 6], \"format\": \"R8\" }, \"layers\": [ { $conv, $winograd, $seed } ] }"
wrong 'layers\[0\].winograd.data_shift: is 4, must be 0..3' \
    "$(net "{ $conv, \"size\": 3, \"pad\": 1, \"winograd\": { \"data_shift\": 4 }, $seed }")"
wrong 'layers\[0\].padding: no such key here: it is called "pad"' "$(net "{ $conv, \"padding\": 1, $seed }")"
wrong 'batch: no such key here: a task computes one input' '{ "batch": 4, "input": { "name": "x", "shape": 1 }, "layers": [] }'
wrong 'input: shape is a batch of 2' '{ "input": { "name": "x", "shape": [2, 1, 4, 4] }, "layers": [ { "name": "p", "type": "pointwise" } ] }'
wrong 'layers\[0\].type: is "add", must be one of: .*; "eltwise": .* is a step of conv' "$(net '{ "name": "c", "type": "add" }')"
wrong 'layers\[0\].output: int8 goes to int8 or int16; only int16 goes to fp16' "$(net "{ $conv, $seed, \"output\": { \"precision\": \"fp16\" } }")"
wrong 'config: "nv_tiny" is none of' '{ "config": "nv_tiny", "input": { "name": "x", "shape": 1 }, "layers": [] }'
wrong 'layers: at least one' '{ "input": { "name": "x", "shape": 1 }, "layers": [] }'
# A file of brackets only, which would be the end of json-glib's stack.
deep=$(head -c 100000 /dev/zero | tr '\0' '[')
wrong '^vtegra dla build: [^:]*wrong.json:1: more than 100 brackets inside each other' "$deep"
wrong 'wrong.json:1: more than 100 brackets' "{ \"comment\": $deep }"
wrong 'wrong.json:2: the text ends before the bracket of line 1 is closed' '{ "layers": ['
exit $bad
