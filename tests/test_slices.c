/* SPDX-License-Identifier: MIT */
/* An engine's work has an end in each register write and in each step, whatever its registers ask
 * for: the owner of the SoC may share the thread with a guest's CPU. Counted in units of work
 * (model/soc.h), not in the host's time. Values of registers: nvdla/hw, NVDLA_*.rdl; the largest
 * that fields hold, where buffers allow them. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "model/dla/regs.h"
#include "tests/dla_soc_rig.h"
#include "tests/suite.h"

#define SLICE (UINT64_C(1) << 22)
/* A slice, and what an operation does between two places to rest. */
#define MOST (2 * SLICE)
/* 64 kernels of 2^18 bytes. */
#define WEIGHTS (SOC_DRAM_BASE + 0x10000000)
#define WEIGHTS_BYTES (UINT64_C(16) << 20)

enum { DONE_BDMA = 1 << 6 };

static struct drig rig;
static void *weights;
static uint64_t work;

static void setup(void)
{
    drig_open_sliced(&rig, "t194", SLICE);
    soc_observe(rig.soc, TRACE_ALL & ~(unsigned)TRACE_ACCESS, NULL, NULL);
    weights = mmap(NULL, WEIGHTS_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_int_eq(soc_memory_add(rig.soc, 3, WEIGHTS, WEIGHTS_BYTES, weights, NULL, false), 0);
    work = 0;
}

static void teardown(void)
{
    drig_close(&rig);
    munmap(weights, WEIGHTS_BYTES);
}

static void bounded(void)
{
    uint64_t now = soc_work(rig.soc);

    ck_assert_uint_le(now - work, MOST);
    work = now;
}

/* "UNIT.REGISTER_0", as the manual names it. */
static void reg(const char *name, uint32_t value)
{
    char full[64];
    uint32_t offset;

    snprintf(full, sizeof(full), "NVDLA_%s", name);
    ck_assert_msg(dla_regs_find(dla_config_find("nv_full"), full, &offset), "%s", name);
    drig_dla_write(&rig, DLA_NVDLA_BASE + offset, value);
    bounded();
}

static uint32_t reg_read(const char *name)
{
    char full[64];
    uint32_t offset;

    snprintf(full, sizeof(full), "NVDLA_%s", name);
    ck_assert_msg(dla_regs_find(dla_config_find("nv_full"), full, &offset), "%s", name);
    return drig_dla_read(&rig, DLA_NVDLA_BASE + offset);
}

static uint32_t done(void)
{
    return reg_read("GLB.S_INTR_STATUS_0");
}

static void step(void)
{
    ck_assert_int_eq(soc_step(rig.soc, UINT64_MAX), SOC_PROGRESS);
    bounded();
}

/* Each step makes progress, nothing is done, and a reset ends it. */
static void endless(void)
{
    for (unsigned i = 0; i < 3; i++) {
        step();
        ck_assert_uint_eq(done(), 0);
        ck_assert(!soc_irq(rig.soc, UNIT_DLA));
    }
    drig_dla_write(&rig, DLA_RESET, 1);
    bounded();
    ck_assert_int_eq(soc_step(rig.soc, UINT64_MAX), SOC_IDLE);
    ck_assert_uint_eq(done(), 0);
}

/* A layer that does not fit into the chip's buffers: the hardware waits for ever and works at
 * nothing. */
static void waiting(void)
{
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(soc_step(rig.soc, UINT64_MAX), SOC_IDLE);
        bounded();
        ck_assert_uint_eq(done(), 0);
        ck_assert(!soc_irq(rig.soc, UNIT_DLA));
    }
    drig_dla_write(&rig, DLA_RESET, 1);
    bounded();
    ck_assert_uint_eq(done(), 0);
}

/* --- NVDLA's registers ----------------------------------------------------------------------- */

static void bdma(uint32_t size, uint32_t lines, uint32_t surfaces)
{
    reg("BDMA.CFG_SRC_ADDR_LOW_0", (uint32_t)DRIG_DATA);
    reg("BDMA.CFG_DST_ADDR_LOW_0", (uint32_t)DRIG_DATA);
    reg("BDMA.CFG_CMD_0", 3);
    reg("BDMA.CFG_LINE_0", size);
    reg("BDMA.CFG_LINE_REPEAT_0", lines);
    reg("BDMA.CFG_SURF_REPEAT_0", surfaces);
    reg("BDMA.CFG_OP_0", 1);
}

START_TEST(bdma_repeats_a_line_for_ever)
{
    bdma(0x1fff, 0xffffff, 0xffffff);
    reg("BDMA.CFG_LAUNCH0_0", 1);
    ck_assert_uint_eq(reg_read("BDMA.STATUS_0") >> 8 & 7, 2); /* group 0 is busy, not idle */
    endless();
    ck_assert_uint_eq(reg_read("BDMA.STATUS_0") >> 8 & 7, 1);
}
END_TEST

/* 1200 lines of 16 KiB, 19.6 MB: more than one slice. Done when all is done, and only then; the
 * second launch follows. */
START_TEST(a_long_copy_ends_with_its_interrupt)
{
    unsigned steps = 0;

    memset(rig.dram, 7, DRIG_DATA_BYTES);
    memset(rig.view, 7, DRIG_DATA_BYTES);
    bdma(0x1ff, 1200 - 1, 0);
    reg("BDMA.CFG_DST_ADDR_LOW_0", (uint32_t)DRIG_DATA + 0x20000);
    reg("BDMA.CFG_LAUNCH0_0", 1);
    bdma(0, 0, 0);
    reg("BDMA.CFG_LAUNCH1_0", 1);
    ck_assert_uint_eq(reg_read("BDMA.STATUS_0") >> 8 & 7, 6);
    while (done() == 0) {
        ck_assert(!soc_irq(rig.soc, UNIT_DLA));
        ck_assert_uint_lt(++steps, 100);
        step();
    }
    ck_assert_uint_ge(steps, 4);
    ck_assert_uint_eq(done(), 3 * DONE_BDMA);
    ck_assert(soc_irq(rig.soc, UNIT_DLA));
    ck_assert_uint_eq(reg_read("BDMA.STATUS_0"), 20 | 1 << 8);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_IDLE);
}
END_TEST

static void rubik(uint32_t mode, uint32_t channels, uint32_t out, uint32_t stride)
{
    reg("RBK.D_MISC_CFG_0", mode);
    reg("RBK.D_DATAIN_SIZE_0_0", 0x1fff1fff);
    reg("RBK.D_DATAIN_SIZE_1_0", channels);
    reg("RBK.D_DATAOUT_SIZE_1_0", out);
    reg("RBK.D_DECONV_STRIDE_0", stride << 16 | stride);
    reg("RBK.D_DAIN_RAM_TYPE_0", 1);
    reg("RBK.D_DAOUT_RAM_TYPE_0", 1);
    reg("RBK.D_DAIN_ADDR_LOW_0", (uint32_t)DRIG_DATA);
    reg("RBK.D_DAOUT_ADDR_LOW_0",
        (uint32_t)WEIGHTS); /* lines are 16 times as wide as those of the input */
    reg("RBK.D_OP_ENABLE_0", 1);
}

START_TEST(rubik_reorders_its_largest_cube)
{
    static const struct {
        uint32_t mode, channels, out, stride;
    } rows[] = { { 0, 8191, 31, 15 }, { 1, 8191, 8191, 0 }, { 2, 8191, 8191, 0 } };

    rubik(rows[_i].mode, rows[_i].channels, rows[_i].out, rows[_i].stride);
    ck_assert_uint_eq(reg_read("RBK.S_STATUS_0"), 1); /* running */
    endless();
}
END_TEST

static void size(const char *unit, const char *prefix, uint32_t width, uint32_t height,
                 uint32_t channels)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.D_DATA_CUBE_%sWIDTH_0", unit, prefix);
    reg(name, width);
    snprintf(name, sizeof(name), "%s.D_DATA_CUBE_%sHEIGHT_0", unit, prefix);
    reg(name, height);
    snprintf(name, sizeof(name), "%s.D_DATA_CUBE_%sCHANNEL_0", unit, prefix);
    reg(name, channels);
}

static void source(const char *unit)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.D_SRC_BASE_ADDR_LOW_0", unit);
    reg(name, (uint32_t)DRIG_DATA);
    snprintf(name, sizeof(name), "%s.D_SRC_%s_CFG_0", unit,
             strcmp(unit, "PDP_RDMA") == 0 ? "RAM" : "DMA");
    reg(name, 1);
}

/* Input and output in DRAM at strides of 0, so that the largest cube needs little memory. fp16, all
 * stages. */
static void sdp(bool flying)
{
    reg("SDP.D_FEATURE_MODE_CFG_0", flying);
    reg("SDP.D_DATA_FORMAT_0", flying ? 0 : 2 | 2 << 2);
    reg("SDP.D_DST_DMA_CFG_0", 1);
    reg("SDP.D_DST_BASE_ADDR_LOW_0", (uint32_t)DRIG_DATA);
    reg("SDP.D_DP_BS_CFG_0", flying ? 1 : 0);
    reg("SDP.D_DP_BN_CFG_0", flying ? 1 : 0);
    reg("SDP.D_DP_EW_CFG_0", flying ? 1 : 0);
    reg("SDP.D_CVT_SCALE_0", 1);
}

START_TEST(sdp_takes_the_largest_cube)
{
    sdp(false);
    size("SDP", "", 8191, 8191, 8191);
    size("SDP_RDMA", "", 8191, 8191, 8191);
    reg("SDP_RDMA.D_FEATURE_MODE_CFG_0", 2 << 2);
    source("SDP_RDMA");
    reg("SDP_RDMA.D_OP_ENABLE_0", 1);
    reg("SDP.D_OP_ENABLE_0", 1);
    ck_assert_uint_eq(reg_read("SDP.S_STATUS_0"), 1);
    endless();
}
END_TEST

/* The output that is small and an input that is not: lines behind the last window are read, too. */
START_TEST(pdp_takes_the_largest_windows)
{
    bool small_output = _i;

    size("PDP", "IN_", 8191, 8191, 1023);
    size("PDP", "OUT_", small_output ? 0 : 8191, small_output ? 0 : 8191, 1023);
    size("PDP_RDMA", "IN_", 8191, 8191, 1023);
    reg("PDP.D_OPERATION_MODE_CFG_0", 1 << 4); /* average, from memory */
    reg("PDP.D_DATA_FORMAT_0", 2);
    reg("PDP.D_POOLING_KERNEL_CFG_0", 0x707);
    reg("PDP.D_DST_RAM_CFG_0", 1);
    reg("PDP.D_DST_BASE_ADDR_LOW_0", (uint32_t)DRIG_DATA);
    source("PDP_RDMA");
    reg("PDP_RDMA.D_OP_ENABLE_0", 1);
    reg("PDP.D_OP_ENABLE_0", 1);
    ck_assert_uint_eq(reg_read("PDP.S_STATUS_0"), 1);
    if (small_output) {
        endless();
    } else {
        waiting(); /* a line of 8192 columns is longer than the line buffer */
    }
}
END_TEST

START_TEST(cdp_takes_the_largest_cube)
{
    size("CDP_RDMA", "", 8191, 8191, 8191);
    reg("CDP.D_DATA_FORMAT_0", _i);
    reg("CDP.D_LRN_CFG_0", 3);
    reg("CDP.D_DST_DMA_CFG_0", 1);
    reg("CDP.D_DST_BASE_ADDR_LOW_0", (uint32_t)DRIG_DATA);
    source("CDP_RDMA");
    reg("CDP_RDMA.D_OP_ENABLE_0", 1);
    reg("CDP.D_OP_ENABLE_0", 1);
    ck_assert_uint_eq(reg_read("CDP.S_STATUS_0"), 1);
    endless();
}
END_TEST

/* Kernels of 2^18 bytes, the most that CDMA takes, and the widest line of output. @precision: 0
 * int8, 1 int16, 2 fp16 */
static void convolution(unsigned precision, uint32_t channels, uint32_t kernel, bool winograd)
{
    uint32_t kernels = 64 >> (precision > 0);

    reg("CDMA.D_MISC_CFG_0", winograd | precision << 8 | precision << 12);
    reg("CDMA.D_DATAIN_SIZE_0_0", (kernel - 1) << 16 | 8191);
    reg("CDMA.D_DATAIN_SIZE_1_0", channels - 1);
    reg("CDMA.D_DAIN_RAM_TYPE_0", 1);
    reg("CDMA.D_DAIN_ADDR_LOW_0_0", (uint32_t)DRIG_DATA);
    reg("CDMA.D_WEIGHT_RAM_TYPE_0", 1);
    reg("CDMA.D_WEIGHT_ADDR_LOW_0", (uint32_t)WEIGHTS);
    reg("CSC.D_MISC_CFG_0", winograd | precision << 8 | precision << 12);
    reg("CSC.D_WEIGHT_SIZE_EXT_0_0", (kernel - 1) << 16 | (kernel - 1));
    reg("CSC.D_WEIGHT_SIZE_EXT_1_0", (kernels - 1) << 16 | (channels - 1));
    reg("CACC.D_DATAOUT_SIZE_0_0", (winograd ? 1u << 16 : 0) | 8191);
    sdp(true);
    reg("SDP.D_DATA_FORMAT_0", precision | precision << 2);
    size("SDP", "", 8191, winograd, kernels - 1);
    reg("CDMA.D_OP_ENABLE_0", 1);
    reg("CSC.D_OP_ENABLE_0", 1);
    reg("CMAC_A.D_OP_ENABLE_0", 1);
    reg("CMAC_B.D_OP_ENABLE_0", 1);
    reg("CACC.D_OP_ENABLE_0", 1);
    reg("SDP.D_OP_ENABLE_0", 1);
    ck_assert_uint_eq(reg_read("CACC.S_STATUS_0"), 1);
}

START_TEST(convolution_takes_the_largest_kernels)
{
    convolution((unsigned)_i, 256 >> (_i > 0), 32, false);
    waiting(); /* 8192 columns are more than the convolution buffer holds */
}
END_TEST

START_TEST(winograd_takes_the_largest_kernels)
{
    convolution((unsigned)_i, 2048, 4, true);
    endless();
}
END_TEST

/* Whatever does not fit is refused in the write, and no interrupt says that it is done. */
START_TEST(all_bits_set_in_every_register_end)
{
    for (uint32_t offset = 0; offset < 0x20000; offset += 4) {
        drig_dla_write(&rig, DLA_NVDLA_BASE + offset, UINT32_MAX);
        bounded();
    }
    for (unsigned i = 0; i < 20; i++) {
        soc_step(rig.soc, UINT64_MAX);
        bounded();
    }
}
END_TEST

/* --- tasks ----------------------------------------------------------------------------------- */

/* Layout of nvdla/sw, dla_interface.h: dla_bdma_transfer_desc in the surface container, repeats
 * behind sizes. */
static void endless_task(struct drig_task *t, uint64_t timeout_us)
{
    static const uint32_t repeat = 1u << 24;

    drig_identity(&rig);
    drig_task(&rig, t, 0, 0);
    t->desc.timeout = timeout_us;
    drig_copy(t, DRIG_DATA, DRIG_DATA, 8192, 0);
    memcpy(t->memory + 0x1000 + 12, &repeat, 4);
    memcpy(t->memory + 0x1000 + 24, &repeat, 4);
    ck_assert_uint_eq(drig_submit(&rig, t), 0);
    bounded();
}

START_TEST(a_task_runs_in_slices)
{
    struct drig_task t;

    endless_task(&t, 0);
    for (unsigned i = 0; i < 4; i++) {
        step();
    }
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_DLA_TASK_END], 0);
    /* An operation of the register file follows it, and neither is lost. */
    bdma(0, 0, 0);
    reg("BDMA.CFG_LAUNCH0_0", 1);
    step();
    ck_assert_uint_eq(done(), 0);
    drig_dla_write(&rig, DLA_RESET, 1);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_IDLE);
}
END_TEST

/* 10 ms at 1 GB/s are 40 lines. */
START_TEST(a_tasks_timeout_ends_it)
{
    struct drig_task t;

    endless_task(&t, 10000);
    for (unsigned i = 0; i < 10 && soc_step(rig.soc, 1) == SOC_PROGRESS; i++) {
        bounded();
    }
    ck_assert_uint_eq(drig_error(&rig).msg, DLA_MSG_TASK_TIMEOUT);
    ck_assert_int_eq(soc_step(rig.soc, 1), SOC_IDLE);
}
END_TEST

START_TEST(a_soc_ends_in_the_middle_of_an_operation)
{
    struct drig_task t;

    if (_i) {
        endless_task(&t, 0);
        step();
        step();
    } else {
        bdma(0x1fff, 0xffffff, 0xffffff);
        reg("BDMA.CFG_LAUNCH0_0", 1);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("slices");
    TCase *tc = tcase_create("dla");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, bdma_repeats_a_line_for_ever);
    tcase_add_test(tc, a_long_copy_ends_with_its_interrupt);
    tcase_add_loop_test(tc, rubik_reorders_its_largest_cube, 0, 3);
    tcase_add_test(tc, sdp_takes_the_largest_cube);
    tcase_add_loop_test(tc, pdp_takes_the_largest_windows, 0, 2);
    tcase_add_loop_test(tc, cdp_takes_the_largest_cube, 0, 3);
    tcase_add_loop_test(tc, convolution_takes_the_largest_kernels, 0, 3);
    tcase_add_loop_test(tc, winograd_takes_the_largest_kernels, 0, 3);
    tcase_add_test(tc, all_bits_set_in_every_register_end);
    tcase_add_test(tc, a_task_runs_in_slices);
    tcase_add_test(tc, a_tasks_timeout_ends_it);
    tcase_add_loop_test(tc, a_soc_ends_in_the_middle_of_an_operation, 0, 2);
    suite_add_tcase(s, tc);
    return suite_main(s);
}
