/* SPDX-License-Identifier: MIT */
/* Memory of the in-process board: which addresses are given out, and when. */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "runtime/hal.h"
#include "runtime/hal/quarantine.h"
#include "tests/emulated.h"

#define MIB (UINT64_C(1) << 20)

static struct soc_profile *profile;
static struct hal *hal;

static void setup(void)
{
    setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
    profile = profile_load("nano", NULL);
    ck_assert_ptr_nonnull(profile);
    hal = hal_open(&(struct hal_config){ .profile = profile });
    ck_assert_ptr_nonnull(hal);
}

static void teardown(void)
{
    hal_close(hal);
    profile_free(profile);
}

/* Allocate as the driver core does: addresses first, with room for a guard. */
static bool take(uint64_t bytes, struct hal_mem *mem)
{
    void *va = hal_va_reserve(hal, bytes + HAL_PAGE, HAL_PAGE, NULL);

    if (!va) {
        return false;
    }
    if (hal_mem_alloc(hal, HAL_MEM_PINNED, bytes, HAL_PAGE, va, mem)) {
        hal_va_release(hal, va, bytes + HAL_PAGE);
        return false;
    }
    return true;
}

static void give(const struct hal_mem *mem)
{
    hal_mem_free(hal, mem);
    hal_va_release(hal, mem->cpu, mem->size + HAL_PAGE);
}

START_TEST(addresses_of_freed_memory_are_not_given_out_at_once)
{
    struct hal_mem a, b, found;

    ck_assert(take(4096, &a));
    give(&a);
    ck_assert(take(4096, &b));
    ck_assert_ptr_ne(a.cpu, b.cpu);
    ck_assert(!hal_mem_find(hal, a.cpu, &found)); /* nothing lies there */
    ck_assert_uint_eq(a.bus, b.bus);              /* the memory itself went back at once */
}
END_TEST

START_TEST(kept_addresses_are_bounded_by_number)
{
    struct hal_mem first, m;
    bool again = false;

    ck_assert(take(4096, &first));
    give(&first);
    for (unsigned i = 0; i <= QUARANTINE_RANGES && !again; i++) {
        ck_assert(take(4096, &m));
        again = m.cpu == first.cpu;
        give(&m);
    }
    ck_assert(again);
}
END_TEST

/* A program that allocates and frees the same large buffer for ever needs page tables for only so
 * many addresses. */
START_TEST(kept_addresses_are_bounded_by_bytes)
{
    uintptr_t lowest = UINTPTR_MAX, highest = 0;
    struct hal_mem m;

    for (unsigned i = 0; i < 20; i++) {
        ck_assert(take(512 * MIB, &m));
        lowest = MIN(lowest, (uintptr_t)m.cpu);
        highest = MAX(highest, (uintptr_t)m.cpu);
        give(&m);
    }
    ck_assert_uint_lt(highest - lowest, 4096 * MIB);
}
END_TEST

/* Many times the arena, one after the other, and one so large that nothing may be kept. */
START_TEST(nothing_is_refused_for_kept_addresses)
{
    uint64_t arena_base, arena_bytes;
    struct hal_mem m;
    void *va;

    hal_arena_bounds(hal, &arena_base, &arena_bytes);
    for (unsigned i = 0; i < 100; i++) {
        va = hal_va_reserve(hal, 1024 * MIB, HAL_PAGE, NULL);
        ck_assert_ptr_nonnull(va);
        hal_va_release(hal, va, 1024 * MIB);
    }
    va = hal_va_reserve(hal, arena_bytes, HAL_PAGE, NULL);
    ck_assert_uint_eq((uintptr_t)va, arena_base);
    ck_assert_ptr_null(hal_va_reserve(hal, HAL_PAGE, HAL_PAGE, NULL));
    hal_va_release(hal, va, arena_bytes);
    ck_assert(take(4096, &m));
}
END_TEST

START_TEST(a_new_owner_finds_zeros)
{
    struct hal_mem a, b;

    ck_assert(take(4096, &a));
    memset(a.cpu, 0x5a, 4096);
    give(&a);
    ck_assert(take(4096, &b));
    for (unsigned i = 0; i < 4096; i++) {
        ck_assert_uint_eq(((unsigned char *)b.cpu)[i], 0);
    }
}
END_TEST

/* As the filter of a container does. */
static void system_call_refuse(unsigned number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* Bytes of the two images that the model may reach, and pieces that the host's kernel keeps of
 * them. */
static uint64_t images_open(unsigned *pieces)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], rights[8];
    uint64_t first, end, bytes = 0;

    ck_assert_ptr_nonnull(maps);
    for (*pieces = 0; fgets(line, sizeof(line), maps);) {
        if (strstr(line, "/memfd:vtegra-") &&
            sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &first, &end, rights) == 3) {
            bytes += rights[0] == 'r' ? end - first : 0;
            ++*pieces;
        }
    }
    fclose(maps);
    return bytes;
}

/* A read of a hole allocates it, so what is not allocated is closed, but for 4 MiB of each image.
 */
START_TEST(pages_are_open_while_they_are_allocated)
{
    static struct hal_mem mem[2000];
    unsigned pieces;

    for (unsigned i = 0; i < 2000; i++) {
        ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_DEVICE, HAL_PAGE, HAL_PAGE, NULL, &mem[i]), 0);
    }
    ck_assert_uint_ge(images_open(&pieces), 2000 * HAL_PAGE);
    ck_assert_uint_lt(pieces, 100); /* of thousands: neighbours are one */
    for (unsigned i = 0; i < 2000; i++) {
        hal_mem_free(hal, &mem[i]);
    }
    ck_assert_uint_le(images_open(&pieces), 8 * MIB);
    ck_assert_int_eq(hal_mem_alloc(hal, HAL_MEM_DEVICE, 64 * MIB, HAL_PAGE, NULL, &mem[0]), 0);
    ck_assert_uint_ge(images_open(&pieces), 64 * MIB);
    hal_mem_free(hal, &mem[0]);
    ck_assert_uint_le(images_open(&pieces), 8 * MIB);
}
END_TEST

START_TEST(a_refused_system_call_is_called_by_its_name)
{
    FILE *said = tmpfile();
    char text[512] = "";
    int before = dup(STDERR_FILENO);

    if (emulator_lacks("seccomp")) {
        return;
    }
    system_call_refuse(SYS_memfd_create);
    dup2(fileno(said), STDERR_FILENO);
    ck_assert_ptr_null(hal_open(&(struct hal_config){ .profile = profile }));
    ck_assert_int_eq(errno, EPERM);
    dup2(before, STDERR_FILENO);
    rewind(said);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, said), 0);
    ck_assert_msg(strstr(text, "memfd_create(2)") && !strstr(text, "ulimit"), "%s", text);
    fclose(said);
}
END_TEST

/* Nothing can ask the kernel whether the memory is there: the pointer is trusted. */
START_TEST(memory_is_registered_where_the_question_is_refused)
{
    struct hal_mem mem;
    void *p = aligned_alloc(HAL_PAGE, HAL_PAGE);

    if (emulator_lacks("seccomp")) {
        return;
    }
    teardown(); /* nano registers nothing, and a sanitizer leaves no room for two boards */
    profile = profile_load("xavier-nx", NULL);
    hal = hal_open(&(struct hal_config){ .profile = profile });
    ck_assert_ptr_nonnull(hal);
    system_call_refuse(SYS_madvise);
    system_call_refuse(SYS_process_vm_readv);
    ck_assert_int_eq(hal_mem_register(hal, p, HAL_PAGE, &mem), 0);
    ck_assert_ptr_eq(mem.cpu, p);
    hal_mem_unregister(hal, &mem);
    free(p);
}
END_TEST

static void another_board(const char *soc)
{
    teardown();
    profile = profile_load(soc, NULL);
    hal = hal_open(&(struct hal_config){ .profile = profile });
    ck_assert_ptr_nonnull(hal);
}

static char *mapped(int flags)
{
    char *p = mmap(NULL, 4 * HAL_PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(p, MAP_FAILED);
    memset(p, 5, 4 * HAL_PAGE);
    return p;
}

START_TEST(registered_pages_become_the_boards_and_come_back)
{
    struct hal_mem mem, inner;
    char *p = mapped(MAP_PRIVATE), *alias;

    another_board("orin");
    ck_assert_int_eq(hal_mem_register(hal, p, 4 * HAL_PAGE, &mem), 0);
    ck_assert_ptr_null(hal_mem_alias(hal, &mem));
    ck_assert(!hal_mem_adopt(hal, &mem, 0, 5 * HAL_PAGE));
    ck_assert(!hal_mem_adopt(hal, &mem, 100, HAL_PAGE));
    ck_assert(!hal_mem_adopt(hal, &mem, HAL_PAGE, 0));
    ck_assert(hal_mem_adopt(hal, &mem, HAL_PAGE, 2 * HAL_PAGE));
    ck_assert(!hal_mem_adopt(hal, &mem, HAL_PAGE, 2 * HAL_PAGE));
    ck_assert_ptr_null(hal_mem_alias(hal, &mem)); /* not all of it */
    inner = mem;
    inner.cpu = p + HAL_PAGE;
    inner.size = 2 * HAL_PAGE;
    alias = hal_mem_alias(hal, &inner);
    ck_assert_ptr_nonnull(alias);
    ck_assert_int_eq(p[HAL_PAGE], 5);
    alias[3] = 7;
    p[2 * HAL_PAGE] = 8;
    ck_assert_int_eq(p[HAL_PAGE + 3], 7);
    ck_assert_int_eq(alias[HAL_PAGE], 8);
    mprotect(p + HAL_PAGE, 2 * HAL_PAGE, PROT_NONE);
    ck_assert_int_eq(alias[HAL_PAGE], 8);
    mprotect(p + HAL_PAGE, 2 * HAL_PAGE, PROT_READ | PROT_WRITE);
    hal_mem_unregister(hal, &mem);
    ck_assert_int_eq(p[HAL_PAGE + 3], 7);
    ck_assert_int_eq(p[2 * HAL_PAGE], 8);
    ck_assert_int_eq(p[3 * HAL_PAGE], 5);
    ck_assert_int_eq(hal_mem_register(hal, p, 4 * HAL_PAGE, &mem), 0);
    hal_mem_unregister(hal, &mem);
    munmap(p, 4 * HAL_PAGE);
}
END_TEST

START_TEST(pages_of_others_stay_where_they_are)
{
    char *p = mapped(MAP_SHARED), *read_only = mapped(MAP_PRIVATE);
    char stack[3 * HAL_PAGE];
    char *inside = (char *)(((uintptr_t)stack + HAL_PAGE - 1) & ~(uintptr_t)(HAL_PAGE - 1));
    struct hal_mem mem;

    another_board("orin");
    ck_assert_int_eq(hal_mem_register(hal, p, 4 * HAL_PAGE, &mem), 0);
    ck_assert(!hal_mem_adopt(hal, &mem, 0, HAL_PAGE));
    hal_mem_unregister(hal, &mem);
    ck_assert_int_eq(hal_mem_register(hal, inside, HAL_PAGE, &mem), 0);
    ck_assert(!hal_mem_adopt(hal, &mem, 0, HAL_PAGE));
    hal_mem_unregister(hal, &mem);
    ck_assert_int_eq(hal_mem_register(hal, read_only, 4 * HAL_PAGE, &mem), 0);
    mprotect(read_only + HAL_PAGE, HAL_PAGE, PROT_READ);
    ck_assert(!hal_mem_adopt(hal, &mem, 0, 2 * HAL_PAGE));
    munmap(read_only + 2 * HAL_PAGE, HAL_PAGE);
    ck_assert(!hal_mem_adopt(hal, &mem, 2 * HAL_PAGE, 2 * HAL_PAGE));
    hal_mem_unregister(hal, &mem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inproc_memory");
    TCase *tc = tcase_create("core");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, addresses_of_freed_memory_are_not_given_out_at_once);
    tcase_add_test(tc, kept_addresses_are_bounded_by_number);
    tcase_add_test(tc, kept_addresses_are_bounded_by_bytes);
    tcase_add_test(tc, nothing_is_refused_for_kept_addresses);
    tcase_add_test(tc, a_new_owner_finds_zeros);
    tcase_add_test(tc, pages_are_open_while_they_are_allocated);
    tcase_add_test(tc, a_refused_system_call_is_called_by_its_name);
    tcase_add_test(tc, memory_is_registered_where_the_question_is_refused);
    tcase_add_test(tc, registered_pages_become_the_boards_and_come_back);
    tcase_add_test(tc, pages_of_others_stay_where_they_are);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
