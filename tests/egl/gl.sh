#!/bin/sh
# SPDX-License-Identifier: MIT
# gl.sh BUILD_DIR WORK_DIR: OpenGL ES at the ends of EGLStreams. Codes: EGL_KHR_stream, _consumer_gltexture, _producer_eglsurface,
# EGL_NV_stream_sync. Pixels: cudaEGL.h's byte orders and ITU-R BT.601's red (Y 81, U 90, V 240), computed by hand.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang gl --track -g -O1 "$here/gl.cu" -lEGL -lGLESv2

# lines NAME TEXT: the output has these lines, in this order
lines() {
    tests=$((tests + 1))
    printf '%s\n' "$2" >want
    grep -xF -f want out | diff want - >difference || { fail "$1: other lines:" && cat difference; }
}
# shows NAME TEXT COMMAND...: ends with 0, and shows TEXT
shows() {
    title=$1 wanted=$2
    shift 2
    expect "$title" 0 "" "$@"
    lines "$title" "$wanted"
}

for soc in xavier orin; do
    shows "CUDA to GL on $soc" "pitch: 9 3 10 255
state 0x3219
state 0x3218
the newest: 63 15 12 255
frame 3
back 1
back 1
as acquired: 63 15 12 255
written again: 63 15 99 255" "$vtegra" run --soc $soc -- ./gl to_gl
    also "CUDA to GL on $soc" "Findings none"
    shows "GL to CUDA on $soc" "frame 1 of 64 x 16: 10 20, alpha 255
frame 2 of 64 x 16: 20 40, alpha 255
frame 3 of 64 x 16: 30 60, alpha 255
frame 4 of 64 x 16: 40 80, alpha 255
state 0x321a" "$vtegra" run --soc $soc --policy lazy -- ./gl from_gl
    also "GL to CUDA on $soc" "Findings none"
done
shows "formats" "ABGR: 9 3 200 255
ARGB: 200 3 9 255
RGBA: 255 200 3 9
BGRA: 3 200 255 9
width in bytes: 9 3 200 255
array: 9 3 201 255
L: 77 77 77 255
NV12: 254 0 0 255
NV21: 15 63 255 255
I420: 254 0 0 255
Bayer: error 0x3009 state 0x3219" "$vtegra" run --soc orin -- ./gl formats
also "formats" "colour format 0x2d with 1 planes is not among them"
by_clang formats --track -g -O1 "$here/formats.cu" -lEGL -lGLESv2
# The last word: cudaEGL.h's R 9, RG 0x11, ABGR (in memory R, G, B, A) 0xe, ARGB (B, G, R, A) 6
shows "EGLImages" "R8: read 0, written 0, 1 bits 8 0 0 0, order 0x9
RG8: read 0, written 0, 1 bits 8 8 0 0, order 0x11
RGBA8: read 0, written 0, 1 bits 8 8 8 8, order 0xe
BGRA: read 0, written 0, 1 bits 8 8 8 8, order 0x6
R16F: read 0, written 0, 2 bits 16 0 0 0, order 0x9
RGBA16F: read 0, written 0, 2 bits 16 16 16 16, order 0xe
R32F: read 0, written 0, 2 bits 32 0 0 0, order 0x9
RGBA32F: read 0, written 0, 2 bits 32 32 32 32, order 0xe
R8UI: read 0, written 0, 1 bits 8 0 0 0, order 0x9
RGBA32I: read 0, written 0, 0 bits 32 32 32 32, order 0xe" "$vtegra" run --soc orin -- ./formats
# CUDA Driver API, OpenGL interoperability: which picture is drawn follows from the vertices, -0.5, 0 and 0.5 of -1 to 1.
by_clang interop --track -g -O1 "$here/interop.cu" -lEGL -lOpenGL -lcuda
for policy in lazy eager "seeded --seed 3"; do
    shows "vertices, $policy" "32 bytes: ff0000 0000ff 0000ff 0000ff
32 bytes: ff0000 ff0000 0000ff 0000ff
32 bytes: ff0000 ff0000 ff0000 0000ff" "$vtegra" run --soc orin --policy $policy -- ./interop draw
    also "vertices, $policy" "Findings none"
done
shows "buffers" "buffer: 1000 1961
buffer: 2000 2961
read only: 2000" "$vtegra" run --soc xavier -- ./interop both
also "buffers" "Findings none"
shows "images of OpenGL" "texture: 00ff02 00ff32
renderbuffer: 00ff02 00ff32" "$vtegra" run --soc orin -- ./interop images
also "images of OpenGL" "Findings none"
shows "codes of OpenGL's objects" "devices: cudaSuccess
1, device 0
flags: cudaErrorInvalidValue
no result: cudaErrorInvalidValue
no buffer: cudaErrorInvalidValue
target: cudaErrorInvalidValue
3D: cudaErrorNotSupported
no texture: cudaErrorInvalidValue
pointer, not mapped: cudaErrorNotMapped
array, not mapped: cudaErrorNotMapped
unmap: cudaErrorNotMapped
none: cudaErrorInvalidValue
twice in a call: cudaErrorAlreadyMapped
map: cudaSuccess
map again: cudaErrorAlreadyMapped
flags of a mapped one: cudaErrorAlreadyMapped
array of a buffer: cudaErrorNotMappedAsArray
pointer of an image: cudaErrorNotMappedAsPointer
unmap both: cudaSuccess
map flags: cudaErrorInvalidValue
mapped by OpenGL: cudaErrorMapBufferObjectFailed
another size: cudaErrorMapBufferObjectFailed
no context: cudaErrorInvalidGraphicsContext
devices, no context: cudaErrorInvalidGraphicsContext
unregister: cudaSuccess
twice: cudaErrorInvalidResourceHandle
map of what is gone: cudaErrorInvalidResourceHandle" "$vtegra" run --soc orin -- ./interop codes
shows "an EGLImage is not mapped" "map: cudaErrorInvalidResourceHandle
flags: cudaErrorInvalidResourceHandle
array: cudaSuccess
frame: cudaSuccess
free: cudaErrorArrayIsMapped
no place: cudaErrorInvalidValue
no image: cudaErrorInvalidResourceHandle
unmap: cudaErrorInvalidResourceHandle
unregister: cudaSuccess
map of what is gone: cudaErrorInvalidResourceHandle" "$vtegra" run --soc orin --report report -- ./interop egl_image
cat report >>out
for call in cudaGraphicsMapResources cudaGraphicsResourceSetMapFlags cudaGraphicsUnmapResources; do
    also "an EGLImage is not mapped" "$call returned cudaErrorInvalidResourceHandle: an EGLImage, and a frame"
done
also "an EGLImage's array" "cudaFreeArray returned cudaErrorArrayIsMapped: the array is an EGLImage's"
also "no place for a resource" "cudaErrorInvalidValue: there is no place for the resource"
also "no EGLImage" "cudaErrorInvalidResourceHandle: there is no such EGLImage, or it is destroyed"
shows "GL to GL" "below: 20 0 0 255
above: 40 0 0 255
below: 30 0 0 255
state 0x321a
swap 0 0x3007" "$vtegra" run --soc orin -- ./gl gl_gl
shows "states" "image of nothing: 0 0x300c
acquire, no consumer: 0 0x3002
release, no consumer: 0 0x3002
surface, no consumer: 0 0x321c
texture 0: 0 0x3002
no context: 0 0x3002
no stream: 0 0x321b
a second consumer: 0 0x321c
CUDA as second: cudaErrorUnknown
acquire, CONNECTING: 0 0x321c
no height: 0 0x300c
a second producer: 0 0x321c
acquire, EMPTY: 0 0x321c
acquire, EMPTY, 1 ms: 0 0x321c
not current: 0 0x300d
attribute: 0 0x3004
acquire, no context: 0 0x3002
acquire, DISCONNECTED: 0 0x321c
release, DISCONNECTED: 0 0x321c
acquire, destroyed: 0 0x321b
state 0x321a" "$vtegra" run --soc orin -- ./gl states
shows "stream sync" "CREATED: 0 0x3002
type: 0 0x3004
attribute: 0 0x3004
a second: 0 0x3002
type 0x321f status 0x30f3 wait 0x30f5 wait 0x30f6 status 0x30f2 status 0x30f3 status 0x30f2
mode: 0 0x300c
another: 1 0x3000" "$vtegra" run --soc orin -- ./gl sync
for policy in lazy eager "seeded --seed 3"; do
    shows "two threads, $policy" "frame: 20 10 50 255
frame: 20 10 51 255
frame: 20 10 52 255
frame: 20 10 53 255
frame: 20 10 54 255
frame: 20 10 55 255
frame: 20 10 56 255
frame: 20 10 57 255" "$vtegra" run --soc orin --policy $policy -- ./gl threads
    also "two threads, $policy" "Findings none"
done
by_clang connects -g -O1 "$here/connects.cu" -lEGL
n=3000
[ "${3:-}" != long ] || n=100000
limit=600 shows "$n connects and disconnects" "larger: 0" "$vtegra" run -q --soc orin -- ./connects $n
finish
