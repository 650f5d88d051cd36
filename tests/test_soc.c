/* SPDX-License-Identifier: MIT */
/* The SoC through its door: registers in, effects in memory and records out. */
#include <check.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "model/bus.h"
#include "tests/soc_rig.h"

static struct rig rig;

static void setup_coherent(void)
{
    rig_open(&rig, true);
}

static void setup_noncoherent(void)
{
    rig_open(&rig, false);
}

static void teardown(void)
{
    rig_close(&rig);
}

static uint32_t igpu_read(uint64_t offset)
{
    uint32_t v;

    ck_assert_int_eq(soc_mmio_read32(rig.soc, rig.igpu + offset, &v), 0);
    return v;
}

static void host_write(uint64_t offset, uint32_t v)
{
    ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.host1x + offset, v), 0);
}

START_TEST(address_outside_every_unit_answers_an_error)
{
    uint32_t v = 0;

    ck_assert_int_eq(soc_mmio_read32(rig.soc, 0x1000, &v), -EFAULT);
    ck_assert_uint_eq(v, UINT32_MAX);
    ck_assert_int_eq(soc_mmio_read32(rig.soc, rig.igpu + 2, &v), -EFAULT);
    ck_assert_int_eq(soc_mmio_write32(rig.soc, 0x1000, 0), -EFAULT);
}
END_TEST

START_TEST(memory_cannot_overlap_or_be_misaligned)
{
    static uint8_t page[4096];

    ck_assert_int_eq(soc_memory_add(rig.soc, 9, RIG_CACHED, 4096, page, NULL, false), -EEXIST);
    ck_assert_int_eq(soc_memory_add(rig.soc, 2, 0x90000000, 4096, page, NULL, false), -EEXIST);
    ck_assert_int_eq(soc_memory_add(rig.soc, 9, 0x90000010, 4096, page, NULL, false), -EINVAL);
    ck_assert_int_eq(soc_memory_add(rig.soc, 0, 0x90000000, 4096, page, NULL, false), -EINVAL);
    ck_assert_int_eq(soc_memory_remove(rig.soc, 99), -ENOENT);
}
END_TEST

START_TEST(copy_waits_for_the_doorbell_and_a_step)
{
    memcpy(rig.uncached, "hello", 5);
    rig_copy(&rig, RIG_VA_VOLATILE + 4096, RIG_VA_VOLATILE, 5);
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_submit(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 0); /* nothing runs by itself */
    ck_assert_uint_eq(rig.uncached[4096], 0);
    rig_run(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 1);
    ck_assert_mem_eq(rig.uncached + 4096, "hello", 5);
    ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_STATUS), CHAN_IDLE);
}
END_TEST

/* Another program's step comes between the ring and the doorbell, while the channel still has work.
 */
START_TEST(what_is_in_the_ring_waits_for_its_doorbell)
{
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_submit(&rig);
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_put(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 1);
    ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_STATUS), CHAN_IDLE);
    rig_ring(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 2);
}
END_TEST

START_TEST(copied_bytes_stay_in_the_l2_until_a_flush)
{
    memcpy(rig.uncached, "hello", 5);
    rig_copy(&rig, RIG_VA, RIG_VA_VOLATILE, 5);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig.dram[0], 0);
    ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.igpu + IGPU_FLUSH_L2_FLUSH_DIRTY, 1), 0);
    ck_assert_mem_eq(rig.dram, "hello", 5);
    ck_assert_uint_eq(igpu_read(IGPU_FLUSH_L2_FLUSH_DIRTY), 0); /* not pending */
}
END_TEST

START_TEST(flush_by_method_runs_in_stream_order)
{
    rig.uncached[0] = 0xaa;
    rig_copy(&rig, RIG_VA, RIG_VA_VOLATILE, 1);
    rig_method(&rig, 0, HOST_MEM_OP_D, MEM_OP_D(MEM_OP_L2_FLUSH_DIRTY));
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig.dram[0], 0xaa);
}
END_TEST

/* Between a clean and the invalidate behind it no other channel may dirty the L2, or its bytes are
 * lost: a turn ends between segments, however long one is. */
START_TEST(segment_is_not_split_between_turns)
{
    for (unsigned i = 0; i < 300; i++) {
        rig_method(&rig, 0, HOST_NOP, 0);
    }
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_submit(&rig);
    soc_step(rig.soc, 1);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 1);
}
END_TEST

START_TEST(system_invalidate_drops_the_l2)
{
    rig.uncached[0] = 0xaa;
    rig_copy(&rig, RIG_VA, RIG_VA_VOLATILE, 1);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.igpu + IGPU_FLUSH_L2_SYSTEM_INVALIDATE, 1), 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_LOST_BYTES], 1);
    ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.igpu + IGPU_FLUSH_L2_FLUSH_DIRTY, 1), 0);
    ck_assert_uint_eq(rig.dram[0], 0);
}
END_TEST

START_TEST(multi_line_copy_honours_both_pitches)
{
    memcpy(rig.uncached, "ab--cd--ef", 10);
    rig_method(&rig, SUBCH_COPY, CE_PITCH_IN, 4);
    rig_method(&rig, SUBCH_COPY, CE_PITCH_OUT, 3);
    rig_method(&rig, SUBCH_COPY, CE_LINE_COUNT, 3);
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_IN_UPPER, RIG_VA_VOLATILE >> 32);
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_IN_LOWER, (uint32_t)RIG_VA_VOLATILE);
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_OUT_UPPER, RIG_VA_VOLATILE >> 32);
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_OUT_LOWER, (uint32_t)RIG_VA_VOLATILE + 4096);
    rig_method(&rig, SUBCH_COPY, CE_LINE_LENGTH_IN, 2);
    rig_method(&rig, SUBCH_COPY, CE_LAUNCH_DMA,
               CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH | CE_LAUNCH_MULTI_LINE | 2);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_mem_eq(rig.uncached + 4096, "ab\0cd\0ef\0", 9);
}
END_TEST

START_TEST(fill_repeats_the_constant)
{
    rig_method(&rig, SUBCH_COPY, CE_SET_REMAP_CONST_A, 0x04030201);
    rig_method(&rig, SUBCH_COPY, CE_SET_REMAP_COMPONENTS,
               CE_REMAP_DST_X_CONST_A | CE_REMAP_COMPONENT_SIZE(4));
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_OUT_UPPER, RIG_VA_VOLATILE >> 32);
    rig_method(&rig, SUBCH_COPY, CE_OFFSET_OUT_LOWER, (uint32_t)RIG_VA_VOLATILE + 8);
    rig_method(&rig, SUBCH_COPY, CE_LINE_LENGTH_IN, 2);
    rig_method(&rig, SUBCH_COPY, CE_LAUNCH_DMA,
               CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH | CE_LAUNCH_REMAP | 2);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_mem_eq(rig.uncached + 8, "\1\2\3\4\1\2\3\4\0", 9);
}
END_TEST

START_TEST(semaphore_release_writes_payload_and_time)
{
    uint64_t out[2];

    soc_time_advance(rig.soc, 1000);
    rig_method(&rig, 0, HOST_SEM_ADDR_LO, (uint32_t)RIG_VA_VOLATILE + 16);
    rig_method(&rig, 0, HOST_SEM_ADDR_HI, RIG_VA_VOLATILE >> 32);
    rig_method(&rig, 0, HOST_SEM_PAYLOAD_LO, 77);
    rig_method(&rig, 0, HOST_SEM_PAYLOAD_HI, 1);
    rig_method(&rig, 0, HOST_SEM_EXECUTE,
               SEM_OP_RELEASE | SEM_EXECUTE_PAYLOAD_64 | SEM_EXECUTE_TIMESTAMP);
    rig_submit(&rig);
    rig_run(&rig);
    memcpy(out, rig.uncached + 16, 16);
    ck_assert_uint_eq(out[0], UINT64_C(0x10000004d));
    ck_assert_uint_ge(out[1], 1000);
}
END_TEST

START_TEST(semaphore_acquire_blocks_until_the_value_is_there)
{
    rig_method(&rig, 0, HOST_SEM_ADDR_LO, (uint32_t)RIG_VA_VOLATILE);
    rig_method(&rig, 0, HOST_SEM_ADDR_HI, RIG_VA_VOLATILE >> 32);
    rig_method(&rig, 0, HOST_SEM_PAYLOAD_LO, 5);
    rig_method(&rig, 0, HOST_SEM_EXECUTE, SEM_OP_ACQ_STRICT_GEQ);
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_STATUS), CHAN_WAITING);
    ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_WAIT), 0); /* at no syncpoint */
    rig.uncached[0] = 4;
    rig_run(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 0);
    rig.uncached[0] = 6;
    rig_run(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 1);
}
END_TEST

START_TEST(syncpoint_wait_compares_with_wrap_around)
{
    host_write(HOST1X_SYNCPT + 5 * 4, 0xfffffffe);
    rig_method(&rig, 0, HOST_SYNCPOINTA, 1); /* three increments ahead, over zero */
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_WAIT(5));
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_submit(&rig);
    for (unsigned i = 0; i < 3; i++) {
        rig_run(&rig);
        ck_assert_uint_eq(rig_syncpt(&rig, 3), 0);
        ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.igpu + IGPU_CHAN_BASE + CHAN_WAIT, 7), 0);
        ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_WAIT), 5);
        host_write(HOST1X_SYNCPT_CPU_INCR, 1u << 5);
    }
    rig_run(&rig);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 1);
    ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_WAIT), 0);
}
END_TEST

START_TEST(syncpoint_threshold_raises_the_interrupt_until_acknowledged)
{
    host_write(HOST1X_SYNCPT_INT_THRESH + 34 * 4, 2);
    host_write(HOST1X_SYNCPT_THRESH_INT_ENABLE_CPU0 + 4, 1u << 2);
    host_write(HOST1X_SYNCPT_CPU_INCR + 4, 1u << 2);
    ck_assert(!soc_irq(rig.soc, UNIT_HOST1X));
    host_write(HOST1X_SYNCPT_CPU_INCR + 4, 1u << 2);
    ck_assert(soc_irq(rig.soc, UNIT_HOST1X));
    host_write(HOST1X_SYNCPT_THRESH_CPU0_INT_STATUS + 4, 1u << 2);
    ck_assert(!soc_irq(rig.soc, UNIT_HOST1X));
}
END_TEST

START_TEST(unmapped_address_stops_the_channel_with_a_fault_record)
{
    struct chan_error e;

    rig_copy(&rig, RIG_VA_UNMAPPED + 24, RIG_VA_VOLATILE, 4);
    rig_method(&rig, 0, HOST_SYNCPOINTB, SYNCPT_INCR(3));
    rig_submit(&rig);
    rig_run(&rig);
    e = rig_error(&rig);
    ck_assert_uint_eq(e.kind, CHAN_ERROR_MMU);
    ck_assert_uint_eq(e.va & ~127ull, RIG_VA_UNMAPPED);
    ck_assert_uint_eq(e.write, 1);
    ck_assert_uint_eq(e.reason, CHAN_REASON_PDE_INVALID);
    ck_assert_uint_eq(rig_syncpt(&rig, 3), 0);
    ck_assert_uint_eq(igpu_read(IGPU_CHAN_BASE + CHAN_STATUS), CHAN_DEAD);
    ck_assert(soc_irq(rig.soc, UNIT_IGPU));
    ck_assert_uint_eq(igpu_read(IGPU_INTR_CHANNEL), 0);
    soc_mmio_write32(rig.soc, rig.igpu + IGPU_INTR, 1);
    ck_assert(!soc_irq(rig.soc, UNIT_IGPU));
    ck_assert_uint_eq(igpu_read(IGPU_INTR_CHANNEL), UINT32_MAX);
}
END_TEST

START_TEST(write_to_a_read_only_page_faults_and_reading_does_not)
{
    rig_copy(&rig, RIG_VA_VOLATILE, RIG_VA_READ_ONLY, 4);
    rig_copy(&rig, RIG_VA_READ_ONLY, RIG_VA_VOLATILE, 4);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_MMU);
    ck_assert_uint_eq(rig_error(&rig).reason, CHAN_REASON_READ_ONLY);
    ck_assert_uint_eq(rig_error(&rig).va & ~4095ull, RIG_VA_READ_ONLY);
}
END_TEST

START_TEST(unknown_method_stops_the_channel_by_number)
{
    rig_method(&rig, SUBCH_COPY, 0x5f0, 7);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_METHOD);
    ck_assert_uint_eq(rig_error(&rig).method, SUBCH_COPY << 16 | 0x5f0);
    ck_assert_uint_eq(rig_error(&rig).data, 7);
}
END_TEST

/* By bus address, page by page: the first eight bytes lie in one page, the others in the next. */
START_TEST(an_error_record_may_lie_across_two_pages)
{
    const uint64_t at = 43 * RIG_PAGE - 8;
    struct chan_error e;

    soc_mmio_write32(rig.soc, rig.igpu + IGPU_CHAN_BASE + CHAN_ERROR_LO,
                     (uint32_t)(RIG_KERNEL + at));
    memset(rig.kernel + at - 1, 0xee, sizeof(e) + 2);
    rig_method(&rig, SUBCH_COPY, 0x5f0, 7);
    rig_submit(&rig);
    rig_run(&rig);
    memcpy(&e, rig.kernel + at, sizeof(e));
    ck_assert_uint_eq(e.kind, CHAN_ERROR_METHOD);
    ck_assert_uint_eq(e.channel, 0);
    ck_assert_uint_eq(e.va, 0);
    ck_assert_uint_eq(e.method, SUBCH_COPY << 16 | 0x5f0);
    ck_assert_uint_eq(e.data, 7);
    ck_assert_uint_eq(rig.kernel[at - 1], 0xee);
    ck_assert_uint_eq(rig.kernel[at + sizeof(e)], 0xee);
}
END_TEST

START_TEST(translation_stays_until_invalidated)
{
    uint64_t *pte = NULL;

    /* Find the PTE of the volatile page and make it invalid. */
    for (uint64_t off = 0; off < RIG_KERNEL_BYTES; off += 8) {
        uint64_t e;

        memcpy(&e, rig.kernel + off, 8);
        if (e == (GMMU_PTE(RIG_UNCACHED) | GMMU_PTE_APERTURE_SYS_COHERENT | GMMU_PTE_VOL)) {
            pte = (uint64_t *)(rig.kernel + off);
        }
    }
    ck_assert_ptr_nonnull(pte);
    rig_copy(&rig, RIG_VA_VOLATILE + 8, RIG_VA_VOLATILE, 4);
    rig_submit(&rig);
    rig_run(&rig);
    *pte = 0;
    rig_copy(&rig, RIG_VA_VOLATILE + 8, RIG_VA_VOLATILE, 4);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_NONE); /* the TLB still has it */
    rig_method(&rig, 0, HOST_MEM_OP_D, MEM_OP_D(MEM_OP_MMU_TLB_INVALIDATE));
    rig_copy(&rig, RIG_VA_VOLATILE + 8, RIG_VA_VOLATILE, 4);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_MMU);
    ck_assert_uint_eq(rig_error(&rig).reason, CHAN_REASON_PTE_INVALID);
}
END_TEST

START_TEST(engine_read_snoops_the_cpu_only_where_coherent)
{
    uint8_t byte = 0xaa;
    uint8_t expected = rig.profile.soc.io_coherent ? 0xaa : 0;

    ck_assert_int_eq(soc_cpu_write(rig.soc, RIG_CACHED, &byte, 1), 0);
    rig_copy(&rig, RIG_VA_VOLATILE, RIG_VA, 1);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig.uncached[0], expected);
}
END_TEST

START_TEST(line_state_tells_both_caches)
{
    struct soc_line line;
    uint8_t byte = 0xaa;

    soc_cpu_write(rig.soc, RIG_CACHED + 128, &byte, 1);
    rig_copy(&rig, RIG_VA + 130, RIG_VA_VOLATILE, 2);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert(soc_line_state(rig.soc, RIG_CACHED + 128, &line));
    ck_assert(line.cpu_valid && line.cpu_dirty && line.l2_valid);
    ck_assert_uint_eq(line.l2_dirty_bytes, 2);
    ck_assert(!soc_line_state(rig.soc, 0x1000, &line));
}
END_TEST

/* Arm ARM B2.8: what an observer without coherency has written is not in the CPU's line until that
 * is invalidated; a coherent one takes the line away. */
START_TEST(a_line_is_old_after_an_engine_has_written_past_the_cpu)
{
    struct soc_line line;
    uint8_t byte;

    rig.uncached[0] = 7;
    soc_cpu_read(rig.soc, RIG_CACHED + 64, &byte, 1);
    soc_cpu_read(rig.soc, RIG_CACHED + 128, &byte, 1);
    ck_assert(soc_line_state(rig.soc, RIG_CACHED + 128, &line) && !line.cpu_old);
    rig_copy(&rig, RIG_VA_PINNED + 130, RIG_VA_VOLATILE, 1);
    rig_submit(&rig);
    rig_run(&rig);
    soc_line_state(rig.soc, RIG_CACHED + 128, &line);
    ck_assert_int_eq(line.cpu_old, !rig.profile.soc.io_coherent);
    soc_line_state(rig.soc, RIG_CACHED + 64, &line);
    ck_assert(line.cpu_valid && !line.cpu_old);
    soc_cpu_invalidate(rig.soc, RIG_CACHED + 128, 64);
    soc_cpu_read(rig.soc, RIG_CACHED + 130, &byte, 1);
    soc_line_state(rig.soc, RIG_CACHED + 128, &line);
    ck_assert(byte == 7 && line.cpu_valid && !line.cpu_old);
}
END_TEST

/* --- copies: who observes single accesses has them line by line, else they go in runs of a page
 * --- */

struct told {
    struct trace_record record[8000];
    unsigned n;
};

static void tell(void *opaque, const struct trace_record *r)
{
    struct told *t = opaque;

    if (trace_event_class[r->event] & (TRACE_SUM | TRACE_CACHE)) {
        ck_assert_uint_lt(t->n, G_N_ELEMENTS(t->record));
        t->record[t->n++] = *r;
    }
}

static void api_notes_equal(const struct told *a, const struct told *b)
{
    ck_assert_uint_eq(a->n, b->n);
    for (unsigned i = 0; i < a->n; i++) {
        const struct trace_record *x = &a->record[i], *y = &b->record[i];

        ck_assert_int_eq(x->event, y->event);
        ck_assert_uint_eq(x->agent, y->agent);
        ck_assert_uint_eq(x->region, y->region);
        ck_assert_uint_eq(x->time_ns, y->time_ns);
        ck_assert_mem_eq(x->arg, y->arg, sizeof(x->arg));
    }
}

static unsigned below(uint64_t *chance, unsigned n)
{
    *chance = *chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*chance >> 33) % n;
}

static void copy_by_chance(struct rig *r, uint64_t *chance)
{
    static const uint64_t window[] = { RIG_VA, RIG_VA_VOLATILE, RIG_VA_PINNED };
    uint64_t to = window[below(chance, 3)];
    /* A run of uncached memory ends with a sector; what is left of the line counts as another one.
     */
    unsigned least = to == RIG_VA_VOLATILE ? BUS_SECTOR : 1, half = RIG_DATA_BYTES / 2;
    unsigned unit = least << below(chance, 3);
    unsigned bytes =
        below(chance, 2) ? RIG_PAGE : (1 + below(chance, 64)) * least * unit % half + least;
    uint64_t src = window[below(chance, 3)] + below(chance, half) / unit * unit;
    uint64_t dst = to + below(chance, half) / unit * unit;
    uint8_t byte[100] = { 0 };

    for (unsigned i = 0; i < 3;
         i++) { /* dirty lines of the CPU's, told and not told, and clean ones */
        byte[i] = (uint8_t)below(chance, 256);
        soc_cpu_write(r->soc, RIG_CACHED + below(chance, RIG_DATA_BYTES - 1), &byte[i], 1);
        r->view[below(chance, RIG_DATA_BYTES)] ^= (uint8_t)below(chance, 2);
        soc_cpu_read(r->soc, RIG_CACHED + below(chance, RIG_DATA_BYTES - 100), byte, 100);
    }
    r->uncached[below(chance, RIG_DATA_BYTES)] ^= 0x55;
    rig_copy(r, dst, src, bytes);
    rig_submit(r);
    rig_run(r);
    soc_counts_flush(r->soc);
}

/* Sums and images are the same, and records of the caches where these are wanted. */
START_TEST(copies_in_runs_count_as_line_by_line)
{
    static struct rig one, many;
    static struct told by_line, in_runs;
    bool coherent = _i & 1, caches = _i & 2;
    uint64_t chance[2] = { (uint64_t)_i + 1, (uint64_t)_i + 1 };

    rig_open(&one, coherent);
    rig_open(&many, coherent);
    for (unsigned i = 0; i < 60; i++) {
        by_line.n = in_runs.n = 0;
        soc_observe(one.soc, TRACE_ACCESS | TRACE_SUM | (caches ? TRACE_CACHE : 0), tell, &by_line);
        soc_observe(many.soc, TRACE_SUM | (caches ? TRACE_CACHE : 0), tell, &in_runs);
        copy_by_chance(&one, &chance[0]);
        copy_by_chance(&many, &chance[1]);
        api_notes_equal(&by_line, &in_runs);
        ck_assert_mem_eq(one.dram, many.dram, RIG_DATA_BYTES);
        ck_assert_mem_eq(one.view, many.view, RIG_DATA_BYTES);
        ck_assert_mem_eq(one.uncached, many.uncached, RIG_DATA_BYTES);
    }
    rig_close(&one);
    rig_close(&many);
}
END_TEST

/* --- a process's pages: two of them, at addresses that no table of the rig translates --- */

#define PROCESS_VA UINT64_C(0x7f0000000000)
#define PROCESS_PA (SOC_DRAM_BASE + 0x300000)
#define PROCESS_ID 7u

static struct process {
    uint8_t view[2 * RIG_PAGE] __attribute__((aligned(4096))), dram[2 * RIG_PAGE];
    unsigned asked;
    bool gone, read_only;
} process;

static int process_find(void *opaque, uint64_t va, bool write, struct soc_process_page *out)
{
    struct process *p = opaque;

    p->asked++;
    ck_assert_uint_eq(va % RIG_PAGE, 0);
    if (p->gone || va - PROCESS_VA >= sizeof(p->view)) {
        return -ENOENT;
    }
    if (write && p->read_only) {
        return -EACCES;
    }
    *out = (struct soc_process_page){ PROCESS_PA + (va - PROCESS_VA), p->dram + (va - PROCESS_VA),
                                      p->view + (va - PROCESS_VA) };
    return 0;
}

static void setup_process(void)
{
    rig_open_two_way(&rig);
    memset(&process, 0, sizeof(process));
    ck_assert_int_eq(soc_process_pages(rig.soc, PROCESS_ID, process_find, &process), 0);
}

START_TEST(pages_of_a_process_are_only_where_the_profile_has_them)
{
    ck_assert_int_eq(soc_process_pages(rig.soc, PROCESS_ID, process_find, &process), -ENOTSUP);
}
END_TEST

START_TEST(a_board_has_one_process)
{
    ck_assert_int_eq(soc_process_pages(rig.soc, PROCESS_ID + 1, process_find, &process), -EEXIST);
    ck_assert_int_eq(soc_memory_remove(rig.soc, PROCESS_ID), -ENOENT);
}
END_TEST

/* Across the border of two pages, there and back; no maintenance anywhere. */
START_TEST(engines_and_cpu_see_each_other_in_pages_of_a_process)
{
    uint64_t va = PROCESS_VA + RIG_PAGE - 2;
    unsigned before = rig.seen[TRACE_EVENT_REGION_ADD];

    memcpy(process.view + RIG_PAGE - 2, "wxyz", 4);
    rig_copy(&rig, RIG_VA_VOLATILE, va, 4);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_mem_eq(rig.uncached, "wxyz", 4);
    memcpy(process.view + RIG_PAGE - 2, "abcd", 4);
    rig_copy(&rig, RIG_VA_VOLATILE, va, 4);
    rig_copy(&rig, PROCESS_VA + 100, RIG_VA_VOLATILE, 4);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_mem_eq(rig.uncached, "abcd", 4);
    ck_assert_mem_eq(process.view + 100, "abcd", 4);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_REGION_ADD] - before, 2); /* each page once */
}
END_TEST

/* Between steps the process may take its page away, and give another. */
START_TEST(a_process_is_asked_again_in_each_step)
{
    process.view[0] = 1;
    rig_copy(&rig, RIG_VA_VOLATILE, PROCESS_VA, 1);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig.uncached[0], 1);
    process.gone = true;
    rig_copy(&rig, RIG_VA_VOLATILE + 1, PROCESS_VA, 1);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_MMU);
    ck_assert_uint_eq(rig_error(&rig).va, PROCESS_VA);
    ck_assert_uint_ne(rig_error(&rig).reason, CHAN_REASON_READ_ONLY);
    ck_assert_uint_eq(rig.uncached[1], 0);
}
END_TEST

/* Also after a load has brought the translation in. */
START_TEST(a_read_only_page_of_a_process_is_not_for_stores)
{
    process.read_only = true;
    process.view[0] = 1;
    rig_copy(&rig, RIG_VA_VOLATILE, PROCESS_VA, 1);
    rig_copy(&rig, PROCESS_VA + 8, RIG_VA_VOLATILE, 1);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig.uncached[0], 1);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_MMU);
    ck_assert_uint_eq(rig_error(&rig).reason, CHAN_REASON_READ_ONLY);
    ck_assert_uint_eq(rig_error(&rig).va, PROCESS_VA); /* of the line */
    ck_assert_uint_eq(process.view[8], 0);
}
END_TEST

START_TEST(records_survive_their_text_form)
{
    for (int e = 0; e < TRACE_EVENT_COUNT; e++) {
        struct trace_record in = { .event = (enum trace_event)e,
                                   .agent = (uint32_t)(e % 6),
                                   .region = (uint32_t)(e % 3),
                                   .channel = (uint32_t)(e % 2),
                                   .time_ns = 12345,
                                   .arg = { 1, 0xdeadbeef, 3, 4 } };
        struct trace_record out;
        char line[256];

        ck_assert_int_lt(trace_format(&in, line, sizeof(line)), (int)sizeof(line));
        ck_assert_msg(trace_parse(line, &out), "%s", line);
        ck_assert_int_eq(out.event, in.event);
        ck_assert_uint_eq(out.agent, in.agent);
        ck_assert_uint_eq(out.region, in.region);
        ck_assert_uint_eq(out.channel, in.channel);
        ck_assert_uint_eq(out.arg[0], 1);
        ck_assert_uint_eq(out.time_ns, 12345);
    }
}
END_TEST

START_TEST(text_that_is_no_record_is_refused)
{
    static const char *const bad[] = { "",
                                       "x",
                                       "1 cpu",
                                       "1 cpu NOTHING",
                                       "1 nobody CPU_FILL pa=0x1",
                                       "1 cpu CPU_FILL",
                                       "1 cpu CPU_FILL pa=",
                                       "1 cpu CPU_FILL pa=0x1 y" };
    struct trace_record r;

    ck_assert(!trace_parse(bad[_i], &r));
}
END_TEST

static void common(TCase *tc)
{
    tcase_add_test(tc, address_outside_every_unit_answers_an_error);
    tcase_add_test(tc, memory_cannot_overlap_or_be_misaligned);
    tcase_add_test(tc, copy_waits_for_the_doorbell_and_a_step);
    tcase_add_test(tc, what_is_in_the_ring_waits_for_its_doorbell);
    tcase_add_test(tc, copied_bytes_stay_in_the_l2_until_a_flush);
    tcase_add_test(tc, flush_by_method_runs_in_stream_order);
    tcase_add_test(tc, segment_is_not_split_between_turns);
    tcase_add_test(tc, system_invalidate_drops_the_l2);
    tcase_add_test(tc, multi_line_copy_honours_both_pitches);
    tcase_add_test(tc, fill_repeats_the_constant);
    tcase_add_test(tc, semaphore_release_writes_payload_and_time);
    tcase_add_test(tc, semaphore_acquire_blocks_until_the_value_is_there);
    tcase_add_test(tc, syncpoint_wait_compares_with_wrap_around);
    tcase_add_test(tc, syncpoint_threshold_raises_the_interrupt_until_acknowledged);
    tcase_add_test(tc, unmapped_address_stops_the_channel_with_a_fault_record);
    tcase_add_test(tc, write_to_a_read_only_page_faults_and_reading_does_not);
    tcase_add_test(tc, unknown_method_stops_the_channel_by_number);
    tcase_add_test(tc, an_error_record_may_lie_across_two_pages);
    tcase_add_test(tc, translation_stays_until_invalidated);
    tcase_add_test(tc, engine_read_snoops_the_cpu_only_where_coherent);
    tcase_add_test(tc, line_state_tells_both_caches);
    tcase_add_test(tc, a_line_is_old_after_an_engine_has_written_past_the_cpu);
}

int main(void)
{
    Suite *suite = suite_create("soc");
    TCase *coherent = tcase_create("coherent"), *noncoherent = tcase_create("not coherent");
    TCase *text = tcase_create("text"), *two_way = tcase_create("two way");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(coherent, setup_coherent, teardown);
    tcase_add_checked_fixture(noncoherent, setup_noncoherent, teardown);
    common(coherent);
    common(noncoherent);
    tcase_add_checked_fixture(two_way, setup_process, teardown);
    tcase_add_test(noncoherent, pages_of_a_process_are_only_where_the_profile_has_them);
    tcase_add_test(two_way, a_board_has_one_process);
    tcase_add_test(two_way, engines_and_cpu_see_each_other_in_pages_of_a_process);
    tcase_add_test(two_way, a_process_is_asked_again_in_each_step);
    tcase_add_test(two_way, a_read_only_page_of_a_process_is_not_for_stores);
    tcase_add_loop_test(text, copies_in_runs_count_as_line_by_line, 0, 4);
    tcase_add_test(text, records_survive_their_text_form);
    tcase_add_loop_test(text, text_that_is_no_record_is_refused, 0, 8);
    suite_add_tcase(suite, coherent);
    suite_add_tcase(suite, noncoherent);
    suite_add_tcase(suite, two_way);
    suite_add_tcase(suite, text);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
