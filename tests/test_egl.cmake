# SPDX-License-Identifier: MIT
# EGLStream, EGLImage, EGLSync. Included by CMakeLists.txt.
vtegra_check_test(egl_stream test_egl_stream.c LIBS egl_stream)
