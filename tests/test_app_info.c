/* SPDX-License-Identifier: MIT */
/* vtegra check-app on bytes: containers built by hand, damaged ELF files, this very program. */
#include <check.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tools/app/app_info.h"

static GArray *code;
static GPtrArray *problems;
static GByteArray *bytes;

static void piece_clear(void *piece)
{
    g_free(((struct app_code *)piece)->section);
}

static void setup(void)
{
    code = g_array_new(FALSE, TRUE, sizeof(struct app_code));
    g_array_set_clear_func(code, piece_clear);
    problems = g_ptr_array_new_with_free_func(g_free);
    bytes = g_byte_array_new();
}

static void teardown(void)
{
    g_array_unref(code);
    g_ptr_array_unref(problems);
    g_byte_array_unref(bytes);
}

static void put(guint64 value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        guint8 byte = i < 8 ? (guint8)(value >> (8 * i)) : 0;

        g_byte_array_append(bytes, &byte, 1);
    }
}

static void header_put(guint64 body)
{
    put(0xba55ed50, 4);
    put(1, 2);
    put(16, 2);
    put(body, 8);
}

/* One entry: 64 bytes of header, then @payload, whose length is a multiple of 8. */
static void entry_put(unsigned kind, unsigned sm, const char *payload)
{
    size_t len = strlen(payload);

    put(kind, 2);
    put(0x101, 2);
    put(64, 4);
    put(len, 8);
    put(0, 12);
    put(sm, 4);
    put(0, 8);
    put(0x11, 8);
    put(0, 16);
    g_byte_array_append(bytes, (const guint8 *)payload, (guint)len);
}

static void read_all(void)
{
    app_code_read(".nv_fatbin", bytes->data, bytes->len, code, problems);
}

static const struct app_code *piece(guint i)
{
    ck_assert_uint_lt(i, code->len);
    return &g_array_index(code, struct app_code, i);
}

static const char *problem(void)
{
    ck_assert_uint_eq(problems->len, 1);
    return g_ptr_array_index(problems, 0);
}

/* What a launch would say, before anybody launches. */
START_TEST(an_instruction_that_is_not_there_is_a_problem)
{
    static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n.entry k()\n{\n"
                              ".reg .b32 %r<4>;\ngriddepcontrol.wait;\nret;\n}\n  ";

    ck_assert_uint_eq((sizeof(ptx) - 1) % 8, 0);
    header_put(64 + sizeof(ptx) - 1);
    entry_put(1, 90, ptx);
    read_all();
    ck_assert_ptr_nonnull(strstr(problem(), "PTX for sm_90"));
    ck_assert_ptr_nonnull(strstr(problem(), "griddepcontrol"));
    ck_assert_ptr_nonnull(strstr(problem(), "line 7"));
}
END_TEST

START_TEST(containers_follow_each_other)
{
    static const char ptx[] = ".version 8.3\n.target sm_62\n.address_size 64\n    ";

    ck_assert_uint_eq((sizeof(ptx) - 1) % 8, 0);
    header_put(64 + sizeof(ptx) - 1);
    entry_put(1, 62, ptx);
    put(0, 8); /* the linker's padding */
    header_put(64 + 16);
    entry_put(2, 87, "\177ELF .text.k    ");
    read_all();
    ck_assert_uint_eq(problems->len, 0);
    ck_assert_uint_eq(code->len, 2);
    ck_assert(piece(0)->ptx);
    ck_assert_uint_eq(piece(0)->sm, 62);
    ck_assert_uint_eq(piece(0)->container, 0);
    ck_assert_str_eq(piece(0)->packing, "raw");
    ck_assert(!piece(1)->ptx);
    ck_assert_str_eq(piece(1)->kind, "machine code");
    ck_assert_uint_eq(piece(1)->sm, 87);
    ck_assert_uint_eq(piece(1)->container, 1);
}
END_TEST

START_TEST(cubin_without_kernel_is_left_out)
{
    header_put(64 + 16);
    entry_put(2, 75, "\177ELF .nv.info   ");
    read_all();
    ck_assert_uint_eq(problems->len, 0);
    ck_assert_uint_eq(code->len, 0);
}
END_TEST

START_TEST(container_cut_short_is_a_problem)
{
    header_put(64 + 24);
    entry_put(1, 62, ".version 8.3\n.target a\n\n");
    g_byte_array_set_size(bytes, bytes->len - 1);
    read_all();
    ck_assert_ptr_nonnull(strstr(problem(), "cut short"));
    ck_assert_ptr_nonnull(strstr(problem(), "offset 0x0"));
}
END_TEST

START_TEST(sizes_that_wrap_are_a_problem)
{
    header_put(G_MAXUINT64 - 8);
    put(0, 64);
    read_all();
    ck_assert_ptr_nonnull(strstr(problem(), "cut short"));
}
END_TEST

START_TEST(other_bytes_are_a_problem)
{
    put(0x12345678, 4);
    put(0, 28);
    read_all();
    ck_assert_ptr_nonnull(strstr(problem(), "no container"));
}
END_TEST

/* Packed as zstd says its header, with bytes that are none. */
START_TEST(ptx_that_does_not_unpack_is_a_problem)
{
    header_put(64 + 24);
    entry_put(1, 62, "these bytes are no zstd ");
    bytes->data[16 + 16] = 24;        /* packed size */
    bytes->data[16 + 40 + 1] |= 0x80; /* flag 0x8000 */
    bytes->data[16 + 56] = 99;        /* unpacked size */
    read_all();
    ck_assert_uint_ge(problems->len, 1);
}
END_TEST

START_TEST(own_program_is_one_of_this_machine)
{
    GError *error = NULL;
    struct elf_info *info = elf_info_read("/proc/self/exe", &error);
    gboolean glib = FALSE, strv = FALSE;

    ck_assert_msg(info != NULL, "%s", error ? error->message : "");
    ck_assert_int_eq(info->kind, ELF_KIND_PROGRAM);
#ifdef __aarch64__
    ck_assert_str_eq(info->machine_name, "AArch64");
#else
    ck_assert_str_eq(info->machine_name, "x86-64");
#endif
    ck_assert(info->dynamic);
    for (guint i = 0; i < info->needed->len; i++) {
        glib = glib || g_str_has_prefix(g_ptr_array_index(info->needed, i), "libglib-2.0.so");
    }
    for (guint i = 0; i < info->imports->len; i++) {
        strv = strv || strcmp(g_ptr_array_index(info->imports, i), "g_byte_array_append") == 0;
    }
    ck_assert(glib && strv);
    elf_info_free(info);
}
END_TEST

/* Every prefix of a real program and every flipped byte of its headers: an answer or an error. */
START_TEST(damaged_program_never_crashes)
{
    char *self;
    gsize len;

    ck_assert(g_file_get_contents("/proc/self/exe", &self, &len, NULL));
    for (gsize cut = 0; cut < len; cut += 1 + cut / 16) {
        char *part = g_memdup2(self, cut ? cut : 1);
        GError *error = NULL;
        struct elf_info *info = elf_info_parse(part, cut, "cut", &error);

        ck_assert((info == NULL) == (error != NULL));
        elf_info_free(info);
        g_clear_error(&error);
        g_free(part);
    }
    for (gsize at = 0; at < 1024 && at < len; at++) {
        GError *error = NULL;
        struct elf_info *info;

        self[at] ^= (char)0xff;
        info = elf_info_parse(self, len, "flipped", &error);
        ck_assert((info == NULL) == (error != NULL));
        elf_info_free(info);
        g_clear_error(&error);
        self[at] ^= (char)0xff;
    }
    g_free(self);
}
END_TEST

/* Without section headers, as some packers leave a program, its segments still tell that it is cut.
 */
START_TEST(segment_outside_the_file_is_an_error)
{
    char *self;
    gsize len;
    GError *error = NULL;
    struct elf_info *info;
    Elf64_Ehdr header;
    size_t end = 0;

    ck_assert(g_file_get_contents("/proc/self/exe", &self, &len, NULL));
    memset(self + 40, 0, 8); /* e_shoff */
    memset(self + 60, 0, 4); /* e_shnum, e_shstrndx */
    info = elf_info_parse(self, len, "whole", &error);
    ck_assert_msg(info != NULL, "%s", error ? error->message : "");
    elf_info_free(info);
    memcpy(&header, self, sizeof(header));
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr phdr;

        memcpy(&phdr, self + header.e_phoff + i * sizeof(phdr), sizeof(phdr));
        end = phdr.p_type == PT_LOAD ? phdr.p_offset + phdr.p_filesz : end;
    }
    ck_assert_ptr_null(elf_info_parse(self, end - 1, "cut", &error));
    ck_assert_ptr_nonnull(strstr(error->message, "a segment lies outside the file"));
    g_error_free(error);
    g_free(self);
}
END_TEST

START_TEST(scripts_and_other_files_are_told_apart)
{
    struct elf_info *info = elf_info_parse("#!/bin/sh\n", 10, "s", NULL);

    ck_assert_int_eq(info->kind, ELF_KIND_SCRIPT);
    elf_info_free(info);
    info = elf_info_parse("hello", 5, "h", NULL);
    ck_assert_int_eq(info->kind, ELF_KIND_NONE);
    elf_info_free(info);
    info = elf_info_parse("", 0, "empty", NULL);
    ck_assert_int_eq(info->kind, ELF_KIND_NONE);
    elf_info_free(info);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("app_info");
    TCase *tc = tcase_create("core");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, containers_follow_each_other);
    tcase_add_test(tc, an_instruction_that_is_not_there_is_a_problem);
    tcase_add_test(tc, cubin_without_kernel_is_left_out);
    tcase_add_test(tc, container_cut_short_is_a_problem);
    tcase_add_test(tc, sizes_that_wrap_are_a_problem);
    tcase_add_test(tc, other_bytes_are_a_problem);
    tcase_add_test(tc, ptx_that_does_not_unpack_is_a_problem);
    tcase_add_test(tc, own_program_is_one_of_this_machine);
    tcase_add_test(tc, damaged_program_never_crashes);
    tcase_add_test(tc, segment_outside_the_file_is_an_error);
    tcase_add_test(tc, scripts_and_other_files_are_told_apart);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
