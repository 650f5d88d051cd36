/* SPDX-License-Identifier: MIT */
/* libnvmedia2d.so.1 stands on the driver core's rt_vic_ functions alone, which take the lock, check
 * arguments and handles (runtime/driver/engines/vic/rt_vic.h); the rows give them NVIDIA's names.
 */
#include "include/nvmedia_2d_sci.h"
#include "runtime/api/nvsci/common.h"
#include "runtime/driver/engines/vic/rt_vic.h"

static NvMediaStatus nvmedia2d_running(NvMediaStatus status)
{
    if (status == NVMEDIA_STATUS_OK) {
        sci_runtime_begins();
    }
    return status;
}

#define ANY(name, call) (call)
#define INIT(name, call) (sci_runtime_phase() ? rt_vic_wrong_phase(name) : (call))
#define RUNTIME(name, call) nvmedia2d_running(call)

#define FORWARD(name, phase, parameters, call) \
    NvMediaStatus name parameters              \
    {                                          \
        return phase(#name, call);             \
    }
#include "runtime/api/nvmedia/nvmedia2d.def"
