/* SPDX-License-Identifier: MIT */
#include "runtime/preload/memory_text.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t memory_text_less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t memory_text_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Host memory that lies in DRAM: what was moved to swap does not. */
static uint64_t host_in_dram(const struct memory_figures *m)
{
    uint64_t host = m->host + m->rest;

    return memory_text_min(host, memory_text_less(m->total, m->device));
}

uint64_t memory_free(const struct memory_figures *m)
{
    return memory_text_less(m->total, m->device + m->host + m->rest);
}

/* "If host allocated memory < free swap space: total - device; else total - (host - free swap)",
 * which the device memory is part of: what can still be allocated is that less what is. */
uint64_t memory_allocatable(const struct memory_figures *m)
{
    return memory_text_less(m->total,
                            m->device + memory_text_less(m->host + m->rest, m->swap_free));
}

int memory_meminfo_text(const struct memory_figures *m, char *to, size_t bytes)
{
    uint64_t free_kib = memory_text_less(m->total, m->device + host_in_dram(m)) / 1024;

    return snprintf(to, bytes,
                    "MemTotal:       %8" PRIu64 " kB\n"
                    "MemFree:        %8" PRIu64 " kB\n"
                    "MemAvailable:   %8" PRIu64 " kB\n"
                    "Buffers:        %8d kB\n"
                    "Cached:         %8d kB\n"
                    "SwapCached:     %8d kB\n"
                    "SwapTotal:      %8" PRIu64 " kB\n"
                    "SwapFree:       %8" PRIu64 " kB\n"
                    "NvMapMemFree:   %8d kB\n"
                    "NvMapMemUsed:   %8" PRIu64 " kB\n",
                    m->total / 1024, free_kib, free_kib, 0, 0, 0, m->swap_total / 1024,
                    m->swap_free / 1024, 0, m->device / 1024);
}

int memory_clients_text(const struct memory_figures *m, const char *name, int pid, char *to,
                        size_t bytes)
{
    return snprintf(to, bytes,
                    "CLIENT                        PROCESS      PID        SIZE\n"
                    "user                 %16s %8d %10" PRIu64 "K\n"
                    "total                                          %10" PRIu64 "K\n",
                    name, pid, m->device / 1024, m->device / 1024);
}
