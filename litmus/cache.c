/* SPDX-License-Identifier: MIT */
/* Who sees which byte: the rules of model/iocoherency/ once more, on images of a few bytes.
 *
 * Why not that module itself: exploring visits each state once and needs to copy, compare and hash
 * it; the module keeps pages, hash tables and lists. tests/test_litmus_cache.c takes random walks
 * through both and compares every value, line state and DRAM byte after every step.
 *
 * One CPU cache stands for all cores: Arm's inner shareable domain is coherent (Arm ARM,
 * Shareability).
 */
#include <string.h>

#include "litmus/machine.h"

uint64_t bytes_get(const uint8_t *image, unsigned at, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)image[at + i] << 8 * i;
    }
    return value;
}

void bytes_set(uint8_t *image, unsigned at, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++) {
        image[at + i] = (uint8_t)(value >> 8 * i);
    }
}

static void bytes_copy(uint8_t *dst, const uint8_t *src, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);

        dst[i] = src[i];
    }
}

static void bytes_clear(uint8_t *image, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        image[__builtin_ctz(mask)] = 0;
    }
}

/* --- CPU -------------------------------------------------------------------------------------- */

static void cpu_line_drop(const struct litmus_machine *m, struct litmus_state *s, unsigned line)
{
    s->cpu_valid &= (uint16_t)~(1u << line);
    s->cpu_dirty &= (uint16_t)~(1u << line);
    bytes_clear(s->view, m->cpu_mask[line]);
}

/* The whole line: bytes that an engine wrote beside ours since the fill are lost (false sharing).
 */
static void cpu_line_write_back(const struct litmus_machine *m, struct litmus_state *s,
                                unsigned line)
{
    bytes_copy(s->dram, s->view, m->cpu_mask[line]);
    s->cpu_dirty &= (uint16_t)~(1u << line);
}

/* From DRAM: a CPU access does not look into the iGPU's L2 (CUDA for Tegra 2.1, one-way coherency).
 */
void cache_cpu_fill(const struct litmus_machine *m, struct litmus_state *s, unsigned line)
{
    if (!(s->cpu_valid >> line & 1)) {
        bytes_copy(s->view, s->dram, m->cpu_mask[line]);
        s->cpu_valid |= (uint16_t)(1u << line);
    }
}

uint64_t cache_cpu_load(const struct litmus_machine *m, struct litmus_state *s, unsigned at,
                        unsigned size)
{
    if (!(m->view >> at & 1)) {
        return bytes_get(s->dram, at, size); /* uncached: the mapping is the DRAM image itself */
    }
    cache_cpu_fill(m, s, m->cpu_line[at]);
    return bytes_get(s->view, at, size);
}

void cache_cpu_store(const struct litmus_machine *m, struct litmus_state *s, unsigned at,
                     unsigned size, uint64_t value)
{
    if (!(m->view >> at & 1)) {
        bytes_set(s->dram, at, size, value);
        return;
    }
    cache_cpu_fill(m, s, m->cpu_line[at]);
    bytes_set(s->view, at, size, value);
    s->cpu_dirty |= (uint16_t)(1u << m->cpu_line[at]);
}

void cache_cpu_evict(const struct litmus_machine *m, struct litmus_state *s, unsigned line)
{
    if (s->cpu_dirty >> line & 1) {
        cpu_line_write_back(m, s, line);
    }
    cpu_line_drop(m, s, line);
}

/* Arm ARM, DC CVAC, DC CIVAC, DC IVAC: to the point of coherency, which is DRAM. */
void cache_cpu_maintain(const struct litmus_machine *m, struct litmus_state *s, unsigned line,
                        enum litmus_dc what)
{
    if (what != LITMUS_IVAC && s->cpu_dirty >> line & 1) {
        cpu_line_write_back(m, s, line);
    }
    if (what != LITMUS_CVAC) {
        cpu_line_drop(m, s, line);
    }
}

/* --- I/O port --------------------------------------------------------------------------------- */

/* I/O coherent: a dirty CPU line answers. Otherwise, and for clean lines, DRAM. */
uint64_t cache_port_load(const struct litmus_machine *m, const struct litmus_state *s, unsigned at,
                         unsigned size)
{
    if (m->soc.io_coherent && m->view >> at & 1 && s->cpu_dirty >> m->cpu_line[at] & 1) {
        return bytes_get(s->view, at, size);
    }
    return bytes_get(s->dram, at, size);
}

/* Not coherent: DRAM changes, a valid CPU line stays as it is. Coherent: a dirty line is written
 * back first, so that the bytes merge; then the line is dropped. */
void cache_port_store(const struct litmus_machine *m, struct litmus_state *s, const uint8_t *data,
                      uint32_t mask)
{
    for (unsigned line = 0; m->soc.io_coherent && line < m->cpu_lines; line++) {
        if (mask & m->cpu_mask[line] & m->view && s->cpu_valid >> line & 1) {
            cache_cpu_evict(m, s, line);
        }
    }
    bytes_copy(s->dram, data, mask);
}

/* --- the L2 of a GPU: each has its own, and neither snoops the other
 * ------------------------------ */

/* A sector comes in through the port; bytes that are there already stay, however old. */
void cache_l2_fill(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                   unsigned sector)
{
    uint32_t missing = m->sector_mask[sector] & ~s->l2_valid[gpu];

    for (uint32_t todo = missing; todo; todo &= todo - 1) {
        unsigned i = (unsigned)__builtin_ctz(todo);

        s->l2[gpu][i] = (uint8_t)cache_port_load(m, s, i, 1);
    }
    s->l2_valid[gpu] |= missing;
}

/* Where the CPU sees the L2 (Thor) both always hold the same: no copy is kept apart. */
uint64_t cache_l2_load(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                       unsigned at, unsigned size)
{
    if (l2_snooped(m, gpu, at)) {
        return cache_port_load(m, s, at, size);
    }
    cache_l2_fill(m, s, gpu, m->sector[at]);
    return bytes_get(s->l2[gpu], at, size);
}

/* Fills nothing: each byte knows whether it is valid and whether it is dirty. */
void cache_l2_store(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                    unsigned at, unsigned size, uint64_t value)
{
    uint8_t data[LITMUS_BYTES];

    if (l2_snooped(m, gpu, at)) {
        bytes_set(data, at, size, value);
        cache_port_store(m, s, data, bytes_mask(at, size));
        return;
    }
    bytes_set(s->l2[gpu], at, size, value);
    s->l2_valid[gpu] |= bytes_mask(at, size);
    s->l2_dirty[gpu] |= bytes_mask(at, size);
}

static void l2_write_back(const struct litmus_machine *m, struct litmus_state *s,
                          enum litmus_gpu gpu, uint32_t mask)
{
    cache_port_store(m, s, s->l2[gpu], mask & s->l2_dirty[gpu]);
    s->l2_dirty[gpu] &= ~mask;
}

void cache_l2_evict(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                    unsigned line)
{
    l2_write_back(m, s, gpu, m->l2_mask[line]);
    s->l2_valid[gpu] &= ~m->l2_mask[line];
    bytes_clear(s->l2[gpu], m->l2_mask[line]);
}

void cache_l2_clean(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu)
{
    l2_write_back(m, s, gpu, UINT32_MAX);
}

/* Dirty bytes are lost: the driver always cleans first. */
void cache_l2_invalidate(struct litmus_state *s, enum litmus_gpu gpu)
{
    s->l2_valid[gpu] = s->l2_dirty[gpu] = 0;
    memset(s->l2[gpu], 0, sizeof(s->l2[gpu]));
}
