/* SPDX-License-Identifier: MIT */
/* Types as the decoder's families distinguish them. */
#include "ptx/decode_priv.h"

bool type_is_half(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
}

bool type_is_float(enum ptx_type t)
{
    return type_is_half(t) || t == PTX_F32 || t == PTX_F64 || t == PTX_TF32;
}

bool type_is_signed(enum ptx_type t)
{
    return t >= PTX_S8 && t <= PTX_S64;
}

enum ptx_half type_half(enum ptx_type t)
{
    return t == PTX_F16     ? PTX_HALF_F16
           : t == PTX_BF16  ? PTX_HALF_BF16
           : t == PTX_F16X2 ? PTX_HALF_F16X2
                            : PTX_HALF_BF16X2;
}

char type_letter(enum ptx_type t)
{
    switch (t) {
    case PTX_PRED:
        return 'p';
    case PTX_F32:
        return 'f';
    case PTX_F64:
        return 'g';
    default:
        return ptx_type_size(t) == 8 ? 'l' : 'w';
    }
}
