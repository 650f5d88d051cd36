/* SPDX-License-Identifier: MIT */
/* The register file: ping-pong groups, enables, interrupts, table port. Offsets and bits are
 * written out from the published register list, not taken from nvdla.def. */
#include "model/dla/regs.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum {
    CFGROM_ATOMIC_M = 0x40,
    GLB_MASK = 0x1004,
    GLB_SET = 0x1008,
    GLB_STATUS = 0x100c,
    FULL_GLB_STATUS = 0x000c,
    CDMA_FLUSH = 0x300c,
    RDMA = 0x8000,
    SDP = 0x9000,
    PDP_ENABLE = 0xb008,
};

static struct rig rig;
static struct dla_regs *regs;

static void setup(void)
{
    rig_init(&rig);
    regs = dla_regs_new(dla_config_find("nv_small"), &rig.port);
}

static void teardown(void)
{
    dla_regs_free(regs);
    rig_free(&rig);
}

static void wr(uint32_t offset, uint32_t value)
{
    dla_regs_write(regs, offset, value);
}

static uint32_t rd(uint32_t offset)
{
    return dla_regs_read(regs, offset);
}

/* A copy of one 8-byte atom from @src to @dst in the group software writes, not yet enabled. */
static void program_copy(uint32_t src, uint32_t dst)
{
    wr(RDMA + 0x18, src);
    wr(RDMA + 0x28, 1); /* no operands */
    wr(RDMA + 0x40, 1);
    wr(RDMA + 0x58, 1);
    wr(SDP + 0x44, 7); /* channels */
    wr(SDP + 0x48, dst);
    wr(SDP + 0x58, 1); /* bypass BS, BN, EW */
    wr(SDP + 0x6c, 1);
    wr(SDP + 0x80, 1);
    wr(SDP + 0xc4, 1); /* scale */
}

static void producer(unsigned group)
{
    wr(RDMA + 4, group);
    wr(SDP + 4, group);
}

START_TEST(an_operation_starts_when_every_unit_is_enabled)
{
    uint8_t out[8];

    rig_put(&rig, 0x1000, "12345678", 8);
    rig_map(&rig, 0x2000, 8);
    program_copy(0x1000, 0x2000);
    wr(SDP + 0x38, 1);
    ck_assert_uint_eq(rd(SDP), 1); /* group 0 running: it waits for its input */
    ck_assert_uint_eq(rd(GLB_STATUS), 0);
    wr(RDMA + 8, 1);
    ck_assert_uint_eq(rd(SDP), 0);
    ck_assert_uint_eq(rd(SDP + 0x38), 0);
    ck_assert_uint_eq(rd(GLB_STATUS), 1);
    ck_assert(rig_get(&rig, 0x2000, out, 8));
    ck_assert_mem_eq(out, "12345678", 8);
}
END_TEST

START_TEST(groups_take_turns)
{
    uint8_t out[8];

    rig_put(&rig, 0x1000, "abcdefgh", 8);
    rig_map(&rig, 0x2000, 0x100);
    producer(1);
    program_copy(0x1000, 0x2080);
    wr(SDP + 0x38, 1);
    wr(RDMA + 8, 1);
    ck_assert_uint_eq(rd(SDP), 2u << 16); /* group 1 pending: group 0 comes first */
    ck_assert_uint_eq(rd(SDP + 4), 1);
    producer(0);
    program_copy(0x1000, 0x2000);
    wr(RDMA + 8, 1);
    wr(SDP + 0x38, 1);
    ck_assert_uint_eq(rd(GLB_STATUS), 3); /* both ran */
    ck_assert_uint_eq(rd(SDP + 4) >> 16, 0);
    rig_get(&rig, 0x2080, out, 8);
    ck_assert_mem_eq(out, "abcdefgh", 8);
    program_copy(0x1000, 0x2040);
    wr(RDMA + 8, 1);
    wr(SDP + 0x38, 1);
    ck_assert_uint_eq(rd(SDP + 4), 1u << 16); /* the consumer moved on to group 1 */
}
END_TEST

START_TEST(an_enabled_group_keeps_its_registers)
{
    wr(SDP + 0x48, 0x40);
    wr(SDP + 0x38, 1);
    wr(SDP + 0x48, 0x80);
    ck_assert_uint_eq(rd(SDP + 0x48), 0x40);
}
END_TEST

START_TEST(writing_one_clears_an_interrupt_and_the_mask_hides_it)
{
    wr(GLB_SET, 0x300003);
    ck_assert_uint_eq(rd(GLB_STATUS), 0x300003);
    ck_assert(dla_regs_irq(regs));
    wr(GLB_MASK, 0x300003);
    ck_assert(!dla_regs_irq(regs));
    wr(GLB_MASK, 0);
    wr(GLB_STATUS, 0x100001);
    ck_assert_uint_eq(rd(GLB_STATUS), 0x200002);
}
END_TEST

START_TEST(the_table_port_moves_on_and_reads_back)
{
    wr(SDP + 8, 1u << 17 | 1u << 16 | 254); /* write LO from entry 254 */
    for (unsigned i = 0; i < 5; i++) {      /* two beyond the end: nothing happens */
        wr(SDP + 0xc, 100 + i);
    }
    wr(SDP + 8, 1u << 16 | 254);
    ck_assert_uint_eq(rd(SDP + 0xc), 100);
    ck_assert_uint_eq(rd(SDP + 0xc), 101);
    ck_assert_uint_eq(rd(SDP + 0xc), 102);
    ck_assert_uint_eq(rd(SDP + 0xc), 0);
}
END_TEST

START_TEST(a_failed_operation_never_finishes)
{
    program_copy(0x1000, 0x2000); /* nothing is mapped */
    wr(RDMA + 8, 1);
    wr(SDP + 0x38, 1);
    ck_assert_uint_eq(rd(GLB_STATUS), 0);
    ck_assert_uint_eq(rd(SDP), 1);
    ck_assert_ptr_nonnull(dla_regs_fault(regs));
    ck_assert_uint_eq(dla_regs_fault(regs)->status, DLA_FAULT);
    ck_assert_uint_eq(dla_regs_fault(regs)->iova, 0x1000);
    dla_regs_reset(regs);
    ck_assert_ptr_null(dla_regs_fault(regs));
    ck_assert_uint_eq(rd(SDP), 0);
}
END_TEST

START_TEST(fixed_values_and_unknown_registers)
{
    ck_assert_uint_eq(rd(CFGROM_ATOMIC_M), 8);
    wr(CFGROM_ATOMIC_M, 99);
    ck_assert_uint_eq(rd(CFGROM_ATOMIC_M), 8);
    ck_assert_uint_eq(rd(CDMA_FLUSH), 1);
    ck_assert_uint_eq(dla_regs_unknown(regs), 0);
    ck_assert_uint_eq(rd(0x10000), 0); /* nv_small has no BDMA */
    wr(0x3ffffc, 1);
    ck_assert_uint_eq(dla_regs_unknown(regs), 2);
}
END_TEST

START_TEST(the_full_configuration_has_its_own_map)
{
    const struct dla_config *full = dla_config_find("nv_full");
    const char *unit, *name;
    uint32_t offset;

    ck_assert(dla_regs_find(full, "NVDLA_SDP.D_OP_ENABLE_0", &offset));
    ck_assert_uint_eq(offset, 0xb038);
    ck_assert(dla_regs_find(full, "NVDLA_BDMA.CFG_OP_0", &offset));
    ck_assert_uint_eq(offset, 0x4030);
    ck_assert(!dla_regs_find(full, "NVDLA_SDP.D_OP", &offset));
    ck_assert(dla_regs_name(full, 0x5014, &unit, &name));
    ck_assert_str_eq(unit, "CDMA");
    ck_assert_str_eq(name, "D_MISC_CFG_0");
}
END_TEST

/* SECONDARY_MEMIF, SDP_LUT and SDP_EW of nvdla/hw spec/defs/<name>.spec, branch master. */
static const struct {
    const char *name;
    bool second_memory, lut, ew;
} units[] = {
    { "nv_small", false, false, false },         { "nv_small_256", false, false, false },
    { "nv_small_256_full", true, true, true },   { "nv_medium_512", false, false, false },
    { "nv_medium_1024_full", true, true, true }, { "nv_large", true, true, true },
};

START_TEST(a_configuration_has_the_units_of_its_specification)
{
    const struct dla_config *cfg = dla_config_find(units[_i].name);
    uint32_t offset;

    ck_assert_int_eq(cfg->second_memory, units[_i].second_memory);
    ck_assert_int_eq(dla_regs_find(cfg, "NVDLA_CVIF.STATUS_0", &offset), units[_i].second_memory);
    ck_assert_int_eq(cfg->sdp_lut, units[_i].lut);
    ck_assert_int_eq(cfg->sdp_ew, units[_i].ew);
}
END_TEST

/* Bases of the full map: NV_NVDLA_csb_master.h of nvdla/hw, branch nvdlav1; registers and the
 * version: opendla_initial.h of nvdla/sw, GLB_S_NVDLA_HW_VERSION_0_RESET_VAL. */
START_TEST(glb_is_the_first_block_of_the_full_map)
{
    struct dla_regs *full = dla_regs_new(dla_config_find("nv_full"), &rig.port);

    ck_assert_uint_eq(dla_regs_read(full, 0), 0x303031);
    dla_regs_write(full, 8, 1);
    ck_assert_uint_eq(dla_regs_read(full, FULL_GLB_STATUS), 1);
    dla_regs_write(full, 4, 3);
    ck_assert_uint_eq(dla_regs_read(full, 4), 3);
    dla_regs_write(full, GLB_MASK, 1); /* GEC, which is not modelled */
    ck_assert_uint_eq(dla_regs_read(full, 4), 3);
    ck_assert_uint_eq(rd(0x1000), 0x303031);
    dla_regs_free(full);
}
END_TEST

START_TEST(bdma_launches_what_was_queued)
{
    struct dla_regs *full = dla_regs_new(dla_config_find("nv_full"), &rig.port);
    uint8_t out[32];

    rig_put(&rig, 0x1000, "0123456789abcdef0123456789ABCDEF", 32);
    rig_map(&rig, 0x2000, 64);
    dla_regs_write(full, 0x4000, 0x1000);
    for (unsigned i = 0; i < 2; i++) {
        dla_regs_write(full, 0x4008, 0x2000 + 32 * i);
        dla_regs_write(full, 0x4030, 1);
    }
    ck_assert_uint_eq(dla_regs_read(full, 0x4040) & 0xff, 18); /* free slots of 20 */
    dla_regs_write(full, 0x4038, 1);
    ck_assert_uint_eq(dla_regs_read(full, FULL_GLB_STATUS), 1u << 7); /* group 1 */
    rig_get(&rig, 0x2020, out, 32);
    ck_assert_mem_eq(out, "0123456789abcdef0123456789ABCDEF", 32);
    dla_regs_free(full);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_regs");
    TCase *t = tcase_create("registers");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_operation_starts_when_every_unit_is_enabled);
    tcase_add_test(t, groups_take_turns);
    tcase_add_test(t, an_enabled_group_keeps_its_registers);
    tcase_add_test(t, writing_one_clears_an_interrupt_and_the_mask_hides_it);
    tcase_add_test(t, the_table_port_moves_on_and_reads_back);
    tcase_add_test(t, a_failed_operation_never_finishes);
    tcase_add_test(t, fixed_values_and_unknown_registers);
    tcase_add_test(t, the_full_configuration_has_its_own_map);
    tcase_add_loop_test(t, a_configuration_has_the_units_of_its_specification, 0,
                        (int)(sizeof(units) / sizeof(units[0])));
    tcase_add_test(t, glb_is_the_first_block_of_the_full_map);
    tcase_add_test(t, bdma_launches_what_was_queued);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
