/* SPDX-License-Identifier: MIT */
/* How CUDA and other engines share work: CUDA_EXTERNAL_ENGINE_EXECUTION_MODE. */
#include "runtime/driver/engines/interop.h"

#include <stdlib.h>

#include "model/rules/features.h"
#include "runtime/driver/device/board.h"

/* CUDA for Tegra 13.4, chapter 10. Under ENGINE_INDEPENDENT successive engine tasks of a
 * non-blocking stream leave the GPU out, so its L2 is not maintained for them: results are not
 * sure visible between such tasks and GPU work of other streams, however the CPU waits. An event
 * does it: its record in this stream, or the wait for it, is GPU work. */
unsigned engine_mode(void)
{
    const char *text = getenv("CUDA_EXTERNAL_ENGINE_EXECUTION_MODE");
    struct rules_facts facts = rules_facts_of(board_profile());

    return text && rules_support(&facts, RULES_FEATURE_ENGINE_MODE)->there
               ? (unsigned)g_ascii_strtoull(text, NULL, 10) & (ENGINE_INDEPENDENT | ENGINE_ISOLATED)
               : 0;
}
