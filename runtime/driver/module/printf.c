/* SPDX-License-Identifier: MIT */
/* Device printf and assert: the SMs write finished text into a ring in kernel memory, the driver
 * prints it at the points where CUDA does (Programming Guide, "Formatted output": launch,
 * synchronisation, blocking copies, module loading, context destruction).
 *
 * Ring: u32 bytes used (may exceed the size: text was dropped), u32 reserved, text. */
#include <stdio.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/module/module.h"

#define RING_HEADER 8u

CUresult printf_open(struct context *c)
{
    return c->printf_ring.cpu ? CUDA_SUCCESS
                              : kernel_alloc(c, RING_HEADER + c->limit[CU_LIMIT_PRINTF_FIFO_SIZE],
                                             &c->printf_ring);
}

void printf_close(struct context *c)
{
    kernel_free(c, &c->printf_ring);
}

/* The line a failed assertion leaves, as CUDA words it. It goes to stderr (Programming Guide,
 * "Assertion"). */
static bool is_assertion(const char *line, size_t n)
{
    return g_strstr_len(line, (gssize)n, ": block: [") &&
           g_strstr_len(line, (gssize)n, " Assertion `");
}

void printf_drain(struct context *c, bool assertion)
{
    char *text = c->printf_ring.cpu ? (char *)c->printf_ring.cpu + RING_HEADER : NULL;
    uint32_t used, room;

    if (!text) {
        return;
    }
    memcpy(&used, c->printf_ring.cpu, sizeof(used));
    room = (uint32_t)MIN(c->limit[CU_LIMIT_PRINTF_FIFO_SIZE], c->printf_ring.size - RING_HEADER);
    for (char *end = text + MIN(used, room), *line = text, *next; line < end; line = next) {
        char *newline = memchr(line, '\n', (size_t)(end - line));

        next = newline ? newline + 1 : end;
        fwrite(line, 1, (size_t)(next - line),
               assertion && is_assertion(line, (size_t)(next - line)) ? stderr : stdout);
    }
    if (used > room) {
        report_finding(&check_rules[CHECK_RULE_PRINTF_OVERFLOW], 0, 0, 0, NULL,
                       "%" G_GUINT32_FORMAT " bytes of device printf were lost: the buffer holds "
                       "%" G_GUINT32_FORMAT,
                       used - room, room);
    }
    used = 0;
    memcpy(c->printf_ring.cpu, &used, sizeof(used));
}
