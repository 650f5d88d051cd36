/* SPDX-License-Identifier: MIT */
/* Part of cooperative_groups/reduce.h and scan.h; include those. What joins two values. */
#ifndef VTEGRA_CG_OPERATIONS_H
#define VTEGRA_CG_OPERATIONS_H

namespace cooperative_groups
{

#define VTEGRA_OPERATION(name, expression)      \
    template <class T> struct name {            \
        __device__ T operator()(T a, T b) const \
        {                                       \
            return expression;                  \
        }                                       \
    };
VTEGRA_OPERATION(plus, a + b)
VTEGRA_OPERATION(less, b < a ? b : a)
VTEGRA_OPERATION(greater, a < b ? b : a)
VTEGRA_OPERATION(bit_and, a &b)
VTEGRA_OPERATION(bit_or, a | b)
VTEGRA_OPERATION(bit_xor, a ^ b)
#undef VTEGRA_OPERATION

} // namespace cooperative_groups

#endif
