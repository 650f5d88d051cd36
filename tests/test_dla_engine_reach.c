/* SPDX-License-Identifier: MIT */
/* What a DLA reaches, and who reaches it: the IOMMU of a machine around the chip, the second memory
 * interface, and the registers in its window. */
#include "tests/dla_engine_rig.h"

/* --- a machine whose own IOMMU tells engines apart -------------------------------------------- */

static struct {
    unsigned calls[UNIT_COUNT];
    enum unit_id refused;
} machine;

static bool machine_translate(void *opaque, enum unit_id engine, uint64_t bus, bool write,
                              uint64_t *pa)
{
    (void)opaque;
    (void)write;
    machine.calls[engine]++;
    *pa = bus;
    return engine != machine.refused;
}

START_TEST(the_machines_iommu_hears_whose_access_it_is)
{
    memset(&machine, 0, sizeof(machine));
    machine.refused = UNIT_COUNT;
    soc_dma_hook(rig.soc, machine_translate, NULL);
    ck_assert_uint_eq(drig_ping(&rig, FROM), 0);
    ck_assert_uint_ge(machine.calls[UNIT_DLA], 1);
    ck_assert_uint_ge(machine.calls[UNIT_SMMU1],
                      4); /* T234: NISO1 reads four levels of tables */
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        ck_assert(u == UNIT_DLA || u == UNIT_SMMU1 || machine.calls[u] == 0);
    }
}
END_TEST

/* T194: one SMMU, here one bank, so one translation for both. */
START_TEST(what_one_dla_may_reach_another_may_not)
{
    uint64_t dla1;

    drig_close(&rig);
    open_chip("t194", ORDER_OLDEST);
    dla1 = soc_unit_base(rig.soc, UNIT_DLA_LAST, NULL);
    drig_write(&rig, rig.smmu + SMMU_S2CR + 4, 0);
    drig_write(&rig, rig.smmu + SMMU_SMR + 4, 0x80000000u | 0x52);
    machine.refused = UNIT_DLA_LAST;
    soc_dma_hook(rig.soc, machine_translate, NULL);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(drig_ping(&rig, FROM), 0);
        drig_write(&rig, dla1 + 0x40, 1);
        drig_write(&rig, dla1 + 0x44, (uint32_t)(FROM >> 8));
        ck_assert_uint_ne(drig_read(&rig, dla1 + 0x1040) >> 16 & 0xff, 0);
    }
}
END_TEST

/* --- the second memory interface, and NVDLA's registers -------------------------------------- */

START_TEST(cvsram_is_reached_by_physical_address)
{
    uint8_t got[32];

    drig_close(&rig);
    open_chip("t194", ORDER_OLDEST);
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, 0x50000000 + 0x3fffe0, FROM, 1, 2); /* no mapping of the SMMU says so */
    drig_copy(&a, TO, 0x50000000 + 0x3fffe0, 1, 1);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 0);
    ck_assert(copied(TO, FROM, 32));
    ck_assert_int_eq(soc_cpu_read(rig.soc, SOC_CVSRAM_BASE + 0x3fffe0, got, 32), 0);
    ck_assert_mem_eq(got, drig_at(&rig, FROM), 32);
    drig_task(&rig, &a, 1, 0);
    drig_copy(&a, 0x50000000 + 0x400000, FROM, 1, 2); /* behind its end */
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).iova, 0x50400000);
}
END_TEST

START_TEST(a_chip_without_cvsram_refuses_it)
{
    drig_task(&rig, &a, 0, 0);
    drig_copy(&a, 0x50000000, FROM, 1, 2);
    drig_submit(&rig, &a);
    drig_run(&rig);
    ck_assert_uint_eq(drig_error(&rig).msg, 3);
}
END_TEST

/* NV_NVDLA_csb_master.h of nvdla/hw, branch nvdlav1, and opendla_initial.h of nvdla/sw: BDMA at
 * 0x4000 and GLB at 0 of the full configuration; the place of the register file in the window is
 * ours. */
START_TEST(nvdla_registers_lie_in_the_window)
{
    static const struct {
        uint32_t offset, value;
    } program[] = {
        { 0x4000, (uint32_t)FROM },
        { 0x4004, 0 }, /* source */
        { 0x4008, (uint32_t)TO },
        { 0x400c, 0 }, /* destination */
        { 0x4010, 1 }, /* line: 2 atoms */
        { 0x4014, 3 }, /* both in DRAM */
        { 0x4018, 0 },
        { 0x401c, 64 }, /* lines, strides */
        { 0x4020, 64 },
        { 0x4024, 0 },
        { 0x4028, 64 },
        { 0x402c, 64 },
        { 0x4030, 1 }, /* queue it */
        { 0x0004, 0 }, /* no interrupt masked */
        { 0x4034, 1 }, /* launch */
    };

    for (unsigned i = 0; i < sizeof(program) / sizeof(*program); i++) {
        drig_dla_write(&rig, 0x20000 + program[i].offset, program[i].value);
    }
    ck_assert(copied(TO, FROM, 64));
    ck_assert_uint_eq(drig_dla_read(&rig, 0x2000c) & 1u << 6, 1u << 6); /* BDMA done, group 0 */
    ck_assert(soc_irq(rig.soc, UNIT_DLA));
    drig_dla_write(&rig, 0x2000c, UINT32_MAX);
    ck_assert(!soc_irq(rig.soc, UNIT_DLA));
}
END_TEST

START_TEST(registers_that_are_not_there_are_told)
{
    drig_dla_write(&rig, 0x3000, 1);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x3000), 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 2);
    ck_assert_uint_eq(drig_dla_read(&rig, 0x1080), 0x10000); /* OS_VERSION */
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_engine_reach");
    TCase *t = tcase_create("reach");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_machines_iommu_hears_whose_access_it_is);
    tcase_add_test(t, what_one_dla_may_reach_another_may_not);
    tcase_add_test(t, cvsram_is_reached_by_physical_address);
    tcase_add_test(t, a_chip_without_cvsram_refuses_it);
    tcase_add_test(t, nvdla_registers_lie_in_the_window);
    tcase_add_test(t, registers_that_are_not_there_are_told);
    suite_add_tcase(s, t);
    return engine_suite_run(s);
}
