/* SPDX-License-Identifier: MIT */
/* The DLA as a driver sees it: registers, I/O virtual addresses, faults and waiting through
 * runtime/hal.h, on shipped profiles. The published loadables for the full configuration run here
 * from end to end when they lie beside the project. */
#include "model/regs/regs.h"
#include "profiles/profile.h"
#include "runtime/hal.h"
#include "tests/dla/golden.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/regs/dla_task.h"

static const char *const boards[] = { "xavier", "xavier-nx", "orin", "orin-nx" };
enum { BOARDS = sizeof(boards) / sizeof(*boards) };
static char *names[GOLDENS_MAX];

static struct soc_profile *profile;
static struct hal *hal;
static struct hal_mem task_mem, error_mem;
static uint64_t task_iova;

/* What hal_config.choose was offered last, and what it answers: an index, -1 none; LAST. */
enum { CHOICE_LAST = 1000 };
static uint32_t offered[4];
static unsigned n_offered;
static int choice;

static int choose(void *opaque, const uint32_t *agent, unsigned n)
{
    (void)opaque;
    n_offered = n;
    for (unsigned i = 0; i < n && i < 4; i++) {
        offered[i] = agent[i];
    }
    return choice == CHOICE_LAST ? (int)n - 1 : choice;
}

static void open_board(const char *name, enum hal_policy policy)
{
    GError *error = NULL;
    uint32_t lo, hi;

    profile = profile_load(name, &error);
    ck_assert_msg(profile != NULL, "%s", error ? error->message : "");
    hal = hal_open(&(struct hal_config){
        .profile = profile,
        .policy = policy,
        .choose = policy == HAL_POLICY_SEEDED ? choose : NULL,
    });
    ck_assert_ptr_nonnull(hal);
    if (profile->dla.cores == 0) {
        return;
    }
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_KERNEL, 0x10000, HAL_PAGE, NULL, &task_mem), 0);
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_KERNEL, HAL_PAGE, HAL_PAGE, NULL, &error_mem), 0);
    ck_assert_int_eq(
        hal_iommu_map(hal, UNIT_DLA, &task_mem, 0, 0x10000, HAL_PROT_WRITE, &task_iova), 0);
    lo = (uint32_t)error_mem.bus;
    hi = (uint32_t)(error_mem.bus >> 32);
    hal_write32(hal, UNIT_DLA, DLA_ERROR_LO, lo);
    hal_write32(hal, UNIT_DLA, DLA_ERROR_HI, hi);
    hal_write32(hal, UNIT_DLA, DLA_FALCON_IRQMSET, 0x40);
}

static void close_board(void)
{
    hal_close(hal);
    profile_free(profile);
}

static void setup(void)
{
    open_board("orin", HAL_POLICY_LAZY);
}

static unsigned command(enum unit_id unit, uint32_t cmd, uint32_t data)
{
    hal_write32(hal, unit, DLA_THI_METHOD_ID, cmd);
    hal_write32(hal, unit, DLA_THI_METHOD_DATA, data);
    return hal_read32(hal, unit, DLA_FALCON_MAILBOX0) >> 16 & 0xff;
}

static struct hal_mem buffer(size_t size)
{
    struct hal_mem m;

    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_PINNED, size, HAL_PAGE, NULL, &m), 0);
    return m;
}

/* Does DLA @unit reach @mem at @iova? Its answer to a ping is four times the word there, behind it.
 */
static bool reaches(enum unit_id unit, uint64_t iova, const struct hal_mem *mem, size_t offset)
{
    uint32_t *word = (uint32_t *)(void *)((char *)mem->cpu + offset);

    word[0] = 11;
    word[1] = 0;
    hal_cpu_access(hal, word, 8, ACCESS_STORE);
    if (command(unit, 1, (uint32_t)(iova >> 8)) != 0) {
        return false;
    }
    hal_cpu_access(hal, word, 8, ACCESS_LOAD);
    return word[1] == 44;
}

/* --- mapping --------------------------------------------------------------------------------- */

START_TEST(mapped_memory_is_reached_and_unmapped_memory_is_not)
{
    struct hal_iommu_fault f;
    struct hal_mem m;
    uint64_t iova;

    close_board();
    open_board(boards[_i], HAL_POLICY_LAZY);
    m = buffer(3 * HAL_PAGE);
    ck_assert_int_eq(
        hal_iommu_map(hal, UNIT_DLA, &m, HAL_PAGE, HAL_PAGE, HAL_PROT_WRITE, &iova), 0);
    ck_assert(reaches(UNIT_DLA, iova, &m, HAL_PAGE));
    ck_assert(!hal_iommu_fault(hal, UNIT_DLA, &f));
    hal_iommu_unmap(hal, UNIT_DLA, iova, HAL_PAGE);
    ck_assert(!reaches(UNIT_DLA, iova, &m, HAL_PAGE));
    ck_assert(hal_iommu_fault(hal, UNIT_DLA, &f));
    ck_assert_uint_eq(f.iova, iova);
    ck_assert_uint_eq(f.fsr, 0x402);
    ck_assert_uint_eq(f.cbfrsynra, profile->dla.stream_id0);
    ck_assert(!f.write && !f.multiple);
    ck_assert_str_eq(f.smmu, strncmp(boards[_i], "orin", 4) == 0 ? "8000000" : "12000000");
    ck_assert(!hal_iommu_fault(hal, UNIT_DLA, &f));
}
END_TEST

START_TEST(a_page_behind_each_mapping_is_closed)
{
    struct hal_mem m = buffer(2 * HAL_PAGE), n = buffer(HAL_PAGE);
    struct hal_iommu_fault f;
    uint64_t iova, other;

    hal_iommu_map(hal, UNIT_DLA, &m, 0, HAL_PAGE, HAL_PROT_WRITE, &iova);
    hal_iommu_map(hal, UNIT_DLA, &n, 0, HAL_PAGE, HAL_PROT_WRITE, &other);
    ck_assert_uint_ge(other, iova + 2 * HAL_PAGE);
    ck_assert(!reaches(UNIT_DLA, iova + HAL_PAGE, &m, HAL_PAGE));
    ck_assert(hal_iommu_fault(hal, UNIT_DLA, &f));
}
END_TEST

START_TEST(a_mapping_for_reading_refuses_writes)
{
    struct hal_mem m = buffer(HAL_PAGE);
    struct hal_iommu_fault f;
    uint64_t iova;

    hal_iommu_map(hal, UNIT_DLA, &m, 0, HAL_PAGE, HAL_PROT_READ, &iova);
    ck_assert(!reaches(UNIT_DLA, iova, &m, 0));
    ck_assert(hal_iommu_fault(hal, UNIT_DLA, &f));
    ck_assert_uint_eq(f.fsr, 0x408);
    ck_assert(f.write);
}
END_TEST

START_TEST(each_dla_has_addresses_of_its_own)
{
    struct hal_mem m = buffer(HAL_PAGE), n = buffer(HAL_PAGE);
    uint64_t iova;
    uint64_t both;
    struct hal_iommu_fault f;

    close_board();
    open_board(boards[_i], HAL_POLICY_LAZY);
    m = buffer(HAL_PAGE);
    n = buffer(HAL_PAGE);
    hal_iommu_map(hal, UNIT_DLA, &m, 0, HAL_PAGE, HAL_PROT_WRITE, &iova);
    ck_assert(!reaches(UNIT_DLA_LAST, iova, &m, 0));
    ck_assert(hal_iommu_fault(hal, UNIT_DLA_LAST, &f));
    ck_assert_uint_eq(f.cbfrsynra, profile->dla.stream_id1);
    ck_assert_str_eq(f.smmu, "12000000"); /* T234: NISO0 */
    hal_iommu_map(hal, UNIT_DLA_LAST, &n, 0, HAL_PAGE, HAL_PROT_WRITE, &both);
    ck_assert(reaches(UNIT_DLA_LAST, both, &n, 0));
    ck_assert(reaches(UNIT_DLA, iova, &m, 0));
}
END_TEST

START_TEST(big_memory_is_mapped_whole)
{
    struct hal_mem m = buffer(9 << 20);
    uint64_t iova;

    ck_assert_int_eq(hal_iommu_map(hal, UNIT_DLA, &m, 0, m.size, HAL_PROT_WRITE, &iova), 0);
    for (size_t at = 0; at < m.size; at += 0x7f000) {
        ck_assert(reaches(UNIT_DLA, iova + at, &m, at));
    }
    ck_assert(reaches(UNIT_DLA, iova + m.size - HAL_PAGE, &m, m.size - HAL_PAGE));
    hal_iommu_unmap(hal, UNIT_DLA, iova, m.size);
    ck_assert(!reaches(UNIT_DLA, iova, &m, 0));
    ck_assert(!reaches(UNIT_DLA, iova + (8 << 20), &m, 8 << 20));
}
END_TEST

START_TEST(what_cannot_be_mapped_is_an_error)
{
    struct hal_mem m = buffer(2 * HAL_PAGE);
    uint64_t iova;

    ck_assert_int_eq(hal_iommu_map(hal, UNIT_IGPU, &m, 0, HAL_PAGE, HAL_PROT_WRITE, &iova),
                     -ENODEV);
    ck_assert_int_eq(hal_iommu_map(hal, UNIT_DLA, &m, 1, HAL_PAGE, HAL_PROT_WRITE, &iova),
                     -EINVAL);
    ck_assert_int_eq(
        hal_iommu_map(hal, UNIT_DLA, &m, HAL_PAGE, 2 * HAL_PAGE, HAL_PROT_WRITE, &iova),
        -EINVAL);
    ck_assert_int_eq(hal_iommu_map(hal, UNIT_DLA, &m, 0, 0, HAL_PROT_WRITE, &iova), -EINVAL);
    ck_assert_int_eq(hal_iommu_syncpt(hal, UNIT_DLA, profile->host1x.syncpts, &iova), -EINVAL);
}
END_TEST

START_TEST(a_board_without_dla_says_so)
{
    static const char *const without[] = { "nano", "tx2", "orin-nano", "thor" };
    uint64_t iova;
    struct hal_mem m;

    close_board();
    open_board(without[_i], HAL_POLICY_LAZY);
    m = buffer(HAL_PAGE);
    ck_assert_int_eq(hal_iommu_map(hal, UNIT_DLA, &m, 0, HAL_PAGE, HAL_PROT_WRITE, &iova),
                     -ENODEV);
    ck_assert_int_eq(hal_iommu_syncpt(hal, UNIT_DLA, 1, &iova), -ENODEV);
    ck_assert_uint_eq(hal_read32(hal, UNIT_DLA, DLA_OS_VERSION), UINT32_MAX);
}
END_TEST

START_TEST(a_profile_that_promises_a_dla_the_chip_lacks_is_refused)
{
    struct soc_profile bad = *profile;

    strcpy(bad.dla.config, "nv_huge");
    ck_assert_ptr_null(hal_open(&(struct hal_config){ .profile = &bad }));
    ck_assert_int_eq(errno, EINVAL);
}
END_TEST

/* --- tasks ----------------------------------------------------------------------------------- */

/* A task in the first page of task memory: @post is the operand of its only post-action, WRITE_SEM.
 */
static struct dla_task_desc *task_fill(uint64_t wait, uint32_t threshold, uint64_t post)
{
    struct dla_task_desc *d = task_mem.cpu;
    uint8_t *b = task_mem.cpu;
    struct dla_action_list lists[2] = { { 100, 14 }, { 120, 14 } };
    struct dla_action_sem pre = { wait, threshold }, after = { post, 1 };

    memset(b, 0, 256);
    *d = (struct dla_task_desc){ .version = 2,
                                 .engine_id = 0x44,
                                 .size = 140,
                                 .num_preactions = wait ? 1 : 0,
                                 .num_postactions = 1,
                                 .preactions = 80,
                                 .postactions = 84,
                                 .address_list = task_iova + 256 };
    memcpy(b + 80, lists, sizeof(lists));
    b[100] = 0x92;
    memcpy(b + 101, &pre, sizeof(pre));
    b[120] = 0x80;
    memcpy(b + 121, &after, sizeof(after));
    return d;
}

static uint64_t syncpt_iova(uint32_t id)
{
    uint64_t iova;

    ck_assert_int_eq(hal_iommu_syncpt(hal, UNIT_DLA, id, &iova), 0);
    return iova;
}

static uint32_t syncpt_value(uint32_t id)
{
    return hal_read32(hal, UNIT_HOST1X, HOST1X_SYNCPT + id * 4);
}

START_TEST(waiting_lets_a_task_run)
{
    uint32_t last;

    close_board();
    open_board(boards[_i], HAL_POLICY_LAZY);
    last = profile->host1x.syncpts - 1;
    task_fill(syncpt_iova(8), 1, syncpt_iova(last))->flags = DLA_TASK_BYPASS;
    ck_assert_uint_eq(command(UNIT_DLA, DLA_CMD_SUBMIT_TASK, (uint32_t)(task_iova >> 8)), 0);
    ck_assert_int_eq(hal_wait(hal, last, 1, 0), -EDEADLK); /* nobody increments syncpoint 8 */
    hal_write32(hal, UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR, 1u << 8);
    ck_assert_int_eq(hal_wait(hal, last, 1, 0), 0);
}
END_TEST

/* runtime/hal.h, struct hal_config: queues are agents from QUEUE_FIRST on, ascending. */
START_TEST(ready_queues_are_offered_and_the_chosen_one_runs)
{
    close_board();
    open_board("orin", HAL_POLICY_SEEDED);
    for (uint32_t queue = 3; queue <= 5;
         queue++) { /* 4 waits for a syncpoint that nobody increments */
        struct dla_task_desc *d =
            task_fill(queue == 4 ? syncpt_iova(8) : 0, 1, syncpt_iova(10 + queue));

        d->flags = DLA_TASK_BYPASS;
        d->queue_id = (uint8_t)queue;
        ck_assert_uint_eq(command(UNIT_DLA, DLA_CMD_SUBMIT_TASK, (uint32_t)(task_iova >> 8)),
                          0);
    }
    choice = -1;
    ck_assert_int_eq(hal_wait(hal, 15, 1, 0), -EINTR);
    ck_assert_uint_eq(n_offered, 2);
    ck_assert_uint_eq(offered[0], QUEUE_FIRST + 3);
    ck_assert_uint_eq(offered[1], QUEUE_FIRST + 5);
    ck_assert_uint_eq(syncpt_value(13) + syncpt_value(15), 0);
    choice = CHOICE_LAST;
    ck_assert_int_eq(hal_wait(hal, 15, 1, 0), 0);
    ck_assert_uint_eq(syncpt_value(13), 0);
    ck_assert_int_eq(hal_wait(hal, 13, 1, 0), 0);
    ck_assert_uint_eq(n_offered, 1);
    ck_assert_int_eq(hal_wait(hal, 14, 1, 0), -EDEADLK);
}
END_TEST

START_TEST(an_eager_board_runs_a_task_at_once)
{
    close_board();
    open_board("orin", HAL_POLICY_EAGER);
    task_fill(0, 0, syncpt_iova(9))->flags = DLA_TASK_BYPASS;
    command(UNIT_DLA, DLA_CMD_SUBMIT_TASK, (uint32_t)(task_iova >> 8));
    ck_assert_uint_eq(syncpt_value(9), 1);
}
END_TEST

START_TEST(a_failed_task_interrupts_the_wait)
{
    struct dla_task_desc *d = task_fill(0, 0, syncpt_iova(9));
    struct dla_error_record *e = error_mem.cpu;
    struct hal_iommu_fault f;

    d->address_list = UINT64_C(0x7f00000000);
    d->num_addresses = 6;
    ck_assert_uint_eq(command(UNIT_DLA, DLA_CMD_SUBMIT_TASK, (uint32_t)(task_iova >> 8)), 0);
    ck_assert_int_eq(hal_wait(hal, 9, 1, 0), -EIO);
    ck_assert_uint_eq(e->msg, DLA_MSG_EXCEPTION);
    ck_assert_uint_eq(e->iova, UINT64_C(0x7f00000000));
    ck_assert_int_eq(hal_wait(hal, 9, 1, 0), -EIO); /* until it is serviced */
    hal_write32(hal, UNIT_DLA, DLA_FALCON_IRQSCLR, 0x40);
    ck_assert_int_eq(hal_wait(hal, 9, 1, 0), -EIO); /* the SMMU's too */
    ck_assert(hal_iommu_fault(hal, UNIT_DLA, &f));
    ck_assert_int_eq(hal_wait(hal, 9, 1, 0), 0);
}
END_TEST

START_TEST(memory_that_was_freed_while_mapped_is_not_reached)
{
    struct hal_mem m = buffer(HAL_PAGE);
    uint64_t iova;

    hal_iommu_map(hal, UNIT_DLA, &m, 0, HAL_PAGE, HAL_PROT_WRITE, &iova);
    ck_assert(reaches(UNIT_DLA, iova, &m, 0));
    hal_mem_free(hal, &m);
    ck_assert_uint_eq(command(UNIT_DLA, 1, (uint32_t)(iova >> 8)), DLA_ERR_INVALID_FALC_DMA);
}
END_TEST

/* --- published loadables ---------------------------------------------------------------------- */

struct placed {
    const struct loadable *l;
    struct hal_mem mem[64];
    uint64_t iova[64];
};

static void place(struct placed *p, const struct loadable *l)
{
    ck_assert_uint_le(l->memories, 64);
    p->l = l;
    for (size_t i = 0; i < l->memories; i++) {
        const struct loadable_memory *m = &l->memory[i];

        p->mem[i] = buffer(m->size);
        ck_assert_int_eq(hal_iommu_map(hal, UNIT_DLA, &p->mem[i], 0, p->mem[i].size,
                                       HAL_PROT_WRITE, &p->iova[i]),
                         0);
        for (uint32_t k = 0; (m->flags & LOADABLE_SET) && k < m->contents.count; k++) {
            const struct loadable_blob *b =
                loadable_blob_find(l, loadable_text_at(&m->contents, k));

            memcpy((char *)p->mem[i].cpu + loadable_u64(&m->offsets, k), b->data.at, b->data.count);
        }
    }
}

static size_t memory_index(const struct loadable *l, const struct loadable_memory *m)
{
    return (size_t)(m - l->memory);
}

static void run_task(const struct placed *p, const struct loadable_task *t, uint32_t syncpt)
{
    struct dla_task_desc *d = task_fill(0, 0, syncpt_iova(syncpt));
    uint64_t *address = (uint64_t *)(void *)((char *)task_mem.cpu + 256);
    const struct loadable *l = p->l;

    for (uint32_t i = 0; i < t->addresses.count; i++) {
        const struct loadable_address *a = loadable_address_find(l, loadable_u16(&t->addresses, i));

        address[i] = p->iova[memory_index(l, loadable_memory_find(l, a->memory_id))] + a->offset;
    }
    d->num_addresses = (uint16_t)t->addresses.count;
    d->blob_version = l->blob[0].version.major << 8 | l->blob[0].version.minor;
    ck_assert_uint_eq(command(UNIT_DLA, DLA_CMD_SUBMIT_TASK, (uint32_t)(task_iova >> 8)), 0);
    ck_assert_msg(hal_wait(hal, syncpt, syncpt_value(syncpt) + 1, 0) == 0, "%s",
                  ((struct dla_error_record *)error_mem.cpu)->text);
}

static bool get(void *opaque, const struct loadable_memory *m, uint64_t offset, void *bytes,
                size_t len)
{
    const struct placed *p = opaque;
    const struct hal_mem *mem = &p->mem[memory_index(p->l, m)];

    if (offset + len > mem->size) {
        return false;
    }
    hal_cpu_access(hal, (char *)mem->cpu + offset, len, ACCESS_LOAD);
    memcpy(bytes, (char *)mem->cpu + offset, len);
    return true;
}

START_TEST(a_loadable_gives_its_golden_output)
{
    const char *name = names[_i / 2];
    struct placed p;
    struct golden g;

    if (strcmp(golden_config(name), "nv_full") != 0 || !golden_open(&g, name)) {
        return;
    }
    close_board();
    open_board(_i % 2 ? "orin" : "xavier", HAL_POLICY_LAZY);
    place(&p, g.loadable);
    for (size_t i = 0; i < g.loadable->tasks; i++) {
        if (g.loadable->task[i].interface == LOADABLE_DLA1) {
            run_task(&p, &g.loadable->task[i], 20);
        }
    }
    golden_compare(&g, get, &p, name);
    golden_close(&g);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hal_dla");
    TCase *t = tcase_create("board");
    SRunner *r;
    int failed, n = golden_list(names);

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, close_board);
    tcase_add_loop_test(t, mapped_memory_is_reached_and_unmapped_memory_is_not, 0, BOARDS);
    tcase_add_test(t, a_page_behind_each_mapping_is_closed);
    tcase_add_test(t, a_mapping_for_reading_refuses_writes);
    tcase_add_loop_test(t, each_dla_has_addresses_of_its_own, 0, BOARDS);
    tcase_add_test(t, big_memory_is_mapped_whole);
    tcase_add_test(t, what_cannot_be_mapped_is_an_error);
    tcase_add_loop_test(t, a_board_without_dla_says_so, 0, 4);
    tcase_add_test(t, a_profile_that_promises_a_dla_the_chip_lacks_is_refused);
    tcase_add_loop_test(t, waiting_lets_a_task_run, 0, BOARDS);
    tcase_add_test(t, ready_queues_are_offered_and_the_chosen_one_runs);
    tcase_add_test(t, an_eager_board_runs_a_task_at_once);
    tcase_add_test(t, a_failed_task_interrupts_the_wait);
    tcase_add_test(t, memory_that_was_freed_while_mapped_is_not_reached);
    if (n) {
        tcase_add_loop_test(t, a_loadable_gives_its_golden_output, 0, 2 * n);
    }
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
