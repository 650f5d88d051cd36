/* SPDX-License-Identifier: MIT */
/* What compiled kernels are made of: the source of the interpreter's handlers, to be inlined.
 *
 * Not part of the library: the C text of native_text.c includes it, and a compiler that the runtime
 * starts reads both. It is compiled with the same structures and for the same processor as the
 * interpreter, so the same source gives the same bits.
 */
#ifndef MODEL_IGPU_NATIVE_BODY_H
#define MODEL_IGPU_NATIVE_BODY_H

#include <fenv.h>

#define SM_ISA native
#include "model/igpu/sm_lanes.h"

#undef HANDLER
#define HANDLER(name)                                                                         \
    static inline __attribute__((always_inline, unused)) const struct ptx_uop *SM_NAME(name)( \
        __attribute__((unused)) struct warp * w, const struct ptx_uop *u,                     \
        __attribute__((unused)) uint8_t *rf, __attribute__((unused)) uint32_t m)

/* Lane by lane, in a form that can become vectors. */
#undef LANES_OF
#define LANES_OF(mask)           \
    for (u32 l = 0; l < 32; l++) \
        if ((mask) >> l & 1)

/* It is, or compiled code is not entered (exec_native.c): a call would cost every register. */
#define fegetround() FE_TONEAREST
#define fesetround(mode) ((void)(mode)) /* not reached */

#include "model/igpu/exec_approx.c"
#include "model/igpu/exec_cvt.c"
#include "model/igpu/exec_float.c"
#include "model/igpu/exec_int.c"
#include "model/igpu/exec_logic.c"
#include "model/igpu/exec_move.c"

typedef u32 v32 __attribute__((vector_size(128)));
typedef u64 v64 __attribute__((vector_size(256)));
typedef f32 vf32 __attribute__((vector_size(128)));

#include "model/igpu/native_load.h"

/* An inlined micro-op's operands */
#define SMALL uint8_t f[6 * 256] __attribute__((aligned(256)))

#define NATIVE(name)                                                                        \
    static const struct ptx_uop *name(struct warp *w, const struct ptx_uop *u, uint8_t *rf, \
                                      const struct native_calls *calls)
#define NATIVE_LOCALS                            \
    const struct ptx_uop *code = w->code, *next; \
    u32 m
#define HANDLER_OF(op) calls->handlers[op]

/* The image's first and only symbol */
#define NATIVE_DOOR __attribute__((visibility("default"))) uintptr_t native_door(uint32_t index)

/* What a compiler calls by itself. */
__attribute__((no_builtin, visibility("hidden"), used)) void *memcpy(void *dst, const void *src,
                                                                     size_t len)
{
    for (size_t i = 0; i < len; i++) {
        ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i];
    }
    return dst;
}

__attribute__((no_builtin, visibility("hidden"), used)) void *memset(void *dst, int v, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        ((uint8_t *)dst)[i] = (uint8_t)v;
    }
    return dst;
}

#endif
