/* SPDX-License-Identifier: MIT */
/* Device printf and assert: the SMs write finished text into a ring in kernel memory, the driver
 * prints it at the points where CUDA does (Programming Guide, "Formatted output": launch,
 * synchronisation, blocking copies, module loading, context destruction).
 *
 * Ring: u64 bytes used (more than the size where old outputs were written over), u64 outputs, then
 * the outputs: text and its length, 32 bits; the last one ends where the next will be written. */
#include <stdio.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/module/module_internal.h"

#define RING_HEADER 16u

CUresult printf_open(struct context *c)
{
    return modules_of(c)->printf_ring.cpu
               ? CUDA_SUCCESS
               : kernel_alloc(c, RING_HEADER + context_limit(c, CU_LIMIT_PRINTF_FIFO_SIZE),
                              &modules_of(c)->printf_ring);
}

void printf_close(struct context *c)
{
    kernel_free(c, &modules_of(c)->printf_ring);
}

/* The line a failed assertion leaves, as CUDA words it. It goes to stderr (Programming Guide,
 * "Assertion"). */
static bool is_assertion(const char *line, size_t n)
{
    return g_strstr_len(line, (gssize)n, ": block: [") &&
           g_strstr_len(line, (gssize)n, " Assertion `");
}

/* @n bytes of the ring from position @at on, which may wrap */
static void ring_read(const char *ring, uint64_t size, uint64_t at, void *to, size_t n)
{
    const size_t first = (size_t)MIN(n, size - at % size);

    memcpy(to, ring + at % size, first);
    memcpy((char *)to + first, ring, n - first);
}

static void print_lines(const char *text, size_t n, bool assertion)
{
    for (const char *line = text, *end = text + n, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));

        next = newline ? newline + 1 : end;
        fwrite(line, 1, (size_t)(next - line),
               assertion && is_assertion(line, (size_t)(next - line)) ? stderr : stdout);
    }
}

/* The outputs that are whole, as one text: found from the newest back. Return: their number */
static uint64_t ring_collect(const char *ring, uint64_t size, uint64_t used, GString *out)
{
    g_autofree char *text = g_malloc(size);
    uint64_t at = used, outputs = 0, begin = size;

    while (at > 0) {
        uint32_t length;

        if (at < sizeof(length) || used - at + sizeof(length) > size) {
            break;
        }
        ring_read(ring, size, at - sizeof(length), &length, sizeof(length));
        if (length > at - sizeof(length) || used - at + sizeof(length) + length > size) {
            break; /* its beginning is written over */
        }
        at -= sizeof(length) + length;
        begin -= length;
        ring_read(ring, size, at, text + begin, length);
        outputs++;
    }
    g_string_append_len(out, text + begin, (gssize)(size - begin));
    return outputs;
}

void printf_drain(struct context *c, bool assertion)
{
    char *ring = modules_of(c)->printf_ring.cpu
                     ? (char *)modules_of(c)->printf_ring.cpu + RING_HEADER
                     : NULL;
    g_autoptr(GString) text = NULL;
    uint64_t header[2] = { 0 }, size, printed;

    if (ring) {
        memcpy(header, modules_of(c)->printf_ring.cpu, sizeof(header));
    }
    if (header[1] == 0) {
        return;
    }
    text = g_string_new(NULL);
    size = MIN(context_limit(c, CU_LIMIT_PRINTF_FIFO_SIZE),
               modules_of(c)->printf_ring.size - RING_HEADER);
    printed = ring_collect(ring, size, header[0], text);
    print_lines(text->str, text->len, assertion);
    if (printed < header[1]) {
        report_finding(&check_rules[CHECK_RULE_PRINTF_OVERFLOW], 0, 0, 0, NULL,
                       "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                       " outputs of device printf were lost, the oldest first: the buffer holds "
                       "%" G_GUINT64_FORMAT " bytes",
                       header[1] - printed, header[1], size);
    }
    memset(modules_of(c)->printf_ring.cpu, 0, RING_HEADER);
}
