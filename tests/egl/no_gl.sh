#!/bin/sh
# SPDX-License-Identifier: MIT
# no_gl.sh BUILD_DIR WORK_DIR: the guest's EGL, without OpenGL: one program of CUDA has the same result with it and with Mesa's. What is
# refused is told by name. Codes: EGL 1.5, 3.7 (no client API), 3.8.1.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/no_gl/libEGL.so.1" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang cuda_only -g -O1 "$here/cuda_only.cu" -lEGL

if ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0; then
    expect "with Mesa's" 0 "sum 225280" "$vtegra" run -q -- ./cuda_only
fi
export LD_LIBRARY_PATH="$lib/no_gl"
for soc in tx2 orin thor; do # 4096 bytes of 1, of 2, .. of 10
    expect "without OpenGL, $soc" 0 "sum 225280" "$vtegra" run -q --soc $soc -- ./cuda_only
done
expect "what needs OpenGL" 0 "sum 225280" "$vtegra" run -q -- ./cuda_only no_gl
also "what needs OpenGL" 'apis "" bind 0x300c configs yes 0 context 0x3009 texture no fence 0x3009 gl stream 0'
for name in eglBindAPI eglChooseConfig eglCreateContext glTexImage2D 'eglCreateSync(EGL_SYNC_FENCE)'; do
    also "$name by name" "vtegra: $name: there is no OpenGL in this guest"
done

# A program that is linked with GLESv2 starts, and its first command says what it lacks.
cat >gles.c <<'END'
#include <GLES3/gl32.h>
int main(void)
{
    glClear(GL_COLOR_BUFFER_BIT);
    glClear(GL_COLOR_BUFFER_BIT);
    return glGetString(GL_VERSION) != 0;
}
END
build gles cc gles.c -lGLESv2
expect "a command of OpenGL ES" 0 "vtegra: glClear: there is no OpenGL" "$vtegra" run -q -- ./gles
cp out said
expect "told once" 0 "" test "$(grep -c "vtegra: glClear:" said)" = 1
finish
