/* SPDX-License-Identifier: MIT */
/* One DRAM for CPU and iGPU, as Linux on a Jetson shows it: CUDA for Tegra 2.2 (13.4: 3.3) names
 * the files. */
#ifndef RUNTIME_PRELOAD_MEMORY_TEXT_H
#define RUNTIME_PRELOAD_MEMORY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_MEMINFO "/proc/meminfo"
#define MEMORY_CLIENTS "/sys/kernel/debug/nvmap/iovmm/clients"

/**
 * struct memory_figures - who has the board's DRAM; all in bytes
 * @total: without what the firmware keeps
 * @device: what CUDA allocated: NvMapMemUsed
 * @host: the process's own memory; @rest: that of the rest of the system
 * @swap_total, @swap_free: none on QNX
 */
struct memory_figures {
    uint64_t total, device, host, rest, swap_total, swap_free;
};

/* Of @total, what no one has: cudaMemGetInfo(), which leaves swap out (2.2). */
uint64_t memory_free(const struct memory_figures *m);

/* 2.2: what can be allocated on the device, with what the CPU may move to swap. */
uint64_t memory_allocatable(const struct memory_figures *m);

/* The text of a file into @to, as snprintf() counts; @name, @pid: of the process. */
int memory_meminfo_text(const struct memory_figures *m, char *to, size_t bytes);
int memory_clients_text(const struct memory_figures *m, const char *name, int pid, char *to,
                        size_t bytes);

#endif
