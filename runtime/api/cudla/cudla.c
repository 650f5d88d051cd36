/* SPDX-License-Identifier: MIT */
/* libcudla.so.1 stands on the driver core's rt_dla_ functions alone, which take the lock, check
 * arguments and handles (runtime/driver/engines/dla/rt_dla.h); the rows give them NVIDIA's names.
 */
#include "include/cudla.h"
#include "include/cudlaExternalEtbl.hpp"

#include "runtime/api/cudla/range.h"
#include "runtime/driver/engines/dla/rt_dla.h"

#define FORWARD(name, parameters, call) \
    cudlaStatus name parameters         \
    {                                   \
        return TRACED(call);            \
    }
#include "runtime/api/cudla/cudla.def"
