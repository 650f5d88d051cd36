/* SPDX-License-Identifier: MIT */
/* vtegra vm without libvirt: what a console's lines mean, the definition of a domain, the archive
 * with the job. */
#include <check.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/vm/vm.h"

static struct vm_lines lines;

/* In pieces of @step bytes: where a read ends must not matter. */
static const char *shown(gboolean from_run, const char *console, gsize step)
{
    vm_lines_init(&lines, from_run);
    for (gsize i = 0; i < strlen(console); i += step) {
        vm_lines_feed(&lines, console + i, MIN(step, strlen(console) - i));
    }
    vm_lines_end(&lines);
    return lines.out->str;
}

static const gsize steps[] = { 1, 2, 7, 1000 };

START_TEST(of_a_linux_guest_only_the_program_is_shown)
{
    const char *console =
        "[    0.0] Booting Linux\r\nvtegra: run\r\nhello\r\nworld\r\n\r\nvtegra: exit 7\r\n"
        "[    1.0] reboot: Power down\r\n";

    ck_assert_str_eq(shown(TRUE, console, steps[_i]), "hello\nworld\n");
    ck_assert_int_eq(lines.status, 7);
    vm_lines_clear(&lines);
}
END_TEST

START_TEST(a_program_without_a_last_newline_gets_none)
{
    ck_assert_str_eq(shown(TRUE, "vtegra: run\nhello\nvtegra: exit 0\n", steps[_i]), "hello");
    vm_lines_clear(&lines);
    ck_assert_str_eq(shown(FALSE, "hello\nvtegra: exit 0\n", steps[_i]),
                     "hello\n"); /* no script's newline */
    vm_lines_clear(&lines);
}
END_TEST

START_TEST(only_a_whole_line_with_a_status_ends_it)
{
    static const char *const others[] = { "vtegra: exit\n",     "vtegra: exit x\n",
                                          "vtegra: exit 256\n", "a vtegra: exit 0\n",
                                          "vtegra: exit -1\n",  "vtegra: exit 0x1\n",
                                          "vtegra: exit 1 \n" };

    for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
        ck_assert_str_eq(shown(FALSE, others[i], steps[_i]), others[i]);
        ck_assert_int_eq(lines.status, -1);
        vm_lines_clear(&lines);
    }
}
END_TEST

START_TEST(the_first_status_counts)
{
    ck_assert_str_eq(shown(FALSE, "a\nvtegra: exit 3\nb\nvtegra: exit 4\n", 1), "a\n");
    ck_assert_int_eq(lines.status, 3);
    vm_lines_clear(&lines);
}
END_TEST

START_TEST(a_line_without_an_end_is_shown_at_the_end_and_a_long_one_is_bounded)
{
    char *longer = g_strnfill(100000, 'x');

    ck_assert_str_eq(shown(FALSE, "prompt>", 1), "prompt>\n");
    vm_lines_clear(&lines);
    shown(FALSE, longer, 1000);
    ck_assert_uint_eq(strspn(lines.out->str, "x"), 100000);
    ck_assert_uint_lt(lines.partial->allocated_len, 20000);
    vm_lines_clear(&lines);
    g_free(longer);
}
END_TEST

START_TEST(a_ready_guest_is_seen)
{
    shown(FALSE, "vtegra: ready?\n", 3);
    ck_assert(!lines.ready);
    vm_lines_clear(&lines);
    shown(FALSE, "vtegra: ready\r\n", 3);
    ck_assert(lines.ready);
    vm_lines_clear(&lines);
    shown(FALSE, "vtegra-guest: up after 1.23 s\n", 3); /* qemu-plugin/guest/init */
    ck_assert(lines.ready);
    vm_lines_clear(&lines);
}
END_TEST

static struct vm_options options(void)
{
    return (struct vm_options){ .name = (char *)"n",
                                .soc = (char *)"tx2",
                                .kernel = (char *)"/k",
                                .qemu = (char *)"/q",
                                .cpu = (char *)"cortex-a57",
                                .plugin = (char *)"/p.so",
                                .memory_mib = 1024,
                                .cpus = 1 };
}

/* Escapes: XML 1.0, 2.4; QEMU's manual, "-device": a comma in a value is doubled. */
START_TEST(paths_cannot_break_out_of_the_definition)
{
    struct vm_options o = options();
    char *xml;

    o.kernel = (char *)"/a<b>'&\".elf";
    o.report = (char *)"/x,trace=/etc/passwd";
    xml = vm_domain_xml(&o, NULL, NULL);
    ck_assert_ptr_nonnull(strstr(xml, "<kernel>/a&lt;b&gt;&apos;&amp;&quot;.elf</kernel>"));
    ck_assert_ptr_nonnull(strstr(xml, "value='/p.so,soc=tx2,report=/x,,trace=/etc/passwd'"));
    g_free(xml);
}
END_TEST

START_TEST(a_system_gets_the_device_on_pci_a_bare_program_at_fixed_addresses)
{
    struct vm_options o = options();
    char *xml = vm_domain_xml(&o, "/sock", NULL);

    ck_assert_ptr_nonnull(strstr(xml, "<qemu:arg value='-device'/>"));
    ck_assert_ptr_nonnull(strstr(xml, "<iommu model='smmuv3'/>"));
    ck_assert_ptr_null(strstr(xml, "platform=on"));
    ck_assert_ptr_nonnull(strstr(xml, "<source mode='connect' path='/sock'/>"));
    g_free(xml);
    o.bare = TRUE;
    xml = vm_domain_xml(&o, NULL, "/log");
    ck_assert_ptr_null(strstr(xml, "<qemu:arg value='-device'/>"));
    ck_assert_ptr_nonnull(strstr(xml, "elf=/k,platform=on'"));
    ck_assert_ptr_nonnull(strstr(xml, "<log file='/log' append='off'/>"));
    ck_assert_ptr_nonnull(strstr(xml, "<serial type='pty'>"));
    g_free(xml);
}
END_TEST

/* --- the archive, read as Documentation/driver-api/early-userspace/buffer-format.rst has it --- */

static gsize hex(const char *at)
{
    char digits[9] = { 0 };

    memcpy(digits, at, 8);
    return strtoull(digits, NULL, 16);
}

/* The file @name in the archive at @at, which ends before @end. */
static char *member(const char *at, const char *end, const char *name, gsize *mode)
{
    while (end - at >= 110 && memcmp(at, "070701", 6) == 0) {
        gsize bytes = hex(at + 54), name_bytes = hex(at + 94);
        const char *data = at + (110 + name_bytes + 3) / 4 * 4;

        if (strcmp(at + 110, name) == 0) {
            *mode = hex(at + 14);
            return g_strndup(data, bytes);
        }
        at = data + (bytes + 3) / 4 * 4;
    }
    return NULL;
}

START_TEST(the_job_follows_the_guests_own_archive)
{
    char *dir = g_dir_make_tmp("vtegra-vm-XXXXXX", NULL),
         *base = g_build_filename(dir, "base", NULL);
    char *program = g_build_filename(dir, "p.sh", NULL), *to = g_build_filename(dir, "to", NULL);
    char *argv[] = { program, (char *)"a b", (char *)"$(reboot)'", NULL }, *bytes, *text;
    char *bases[] = { base, NULL };
    GError *error = NULL;
    gsize n, mode;

    g_file_set_contents(base, "12345", 5, NULL); /* Linux wants the next one at a multiple of 4 */
    g_file_set_contents(program, "#!/bin/sh\necho hi\n", -1, NULL);
    ck_assert(vm_initrd_write(bases, to, argv, _i ? "on" : NULL, &error));
    ck_assert(g_file_get_contents(to, &bytes, &n, NULL));
    ck_assert_int_eq(memcmp(bytes, "12345\0\0\0", 8), 0);
    text = member(bytes + 8, bytes + n, "srv/job", &mode);
    ck_assert_ptr_nonnull(strstr(text, "\n/srv/program 'a b' '$(reboot)'\\'''\n"));
    ck_assert_int_eq(strstr(text, "\nexport VTEGRA_CHECK=on\n") != NULL, _i);
    ck_assert_uint_eq(mode, 0100755);
    g_free(text);
    text = member(bytes + 8, bytes + n, "srv/program", &mode);
    ck_assert_str_eq(text, "#!/bin/sh\necho hi\n");
    g_free(text);
    text = member(bytes + 8, bytes + n, "etc/vtegra/run", &mode); /* qemu-plugin/guest/init */
    ck_assert_str_eq(text, "sh /srv/job\n");
    g_free(text);
    text = member(bytes + 8, bytes + n, "TRAILER!!!", &mode);
    ck_assert_ptr_nonnull(text);
    g_free(text);
    g_free(bytes);
    g_unlink(to);
    g_unlink(base);
    g_unlink(program);
    g_rmdir(dir);
    g_free(to);
    g_free(program);
    g_free(base);
    g_free(dir);
}
END_TEST

START_TEST(what_the_guest_cannot_run_is_refused_by_name)
{
    char *argv[] = { (char *)"/proc/self/exe", NULL }, *missing[] = { (char *)"/nowhere/p", NULL };
    char *folder[] = { (char *)"/tmp", NULL }, *bases[] = { (char *)"/dev/null", NULL };
    GError *error = NULL;

#ifndef __aarch64__
    ck_assert(!vm_initrd_write(bases, "/dev/null", argv, NULL, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "/proc/self/exe is no aarch64 program"));
    g_clear_error(&error);
#else
    (void)argv;
#endif
    ck_assert(!vm_initrd_write(bases, "/dev/null", missing, NULL, &error));
    ck_assert_ptr_nonnull(strstr(error->message,
                                 "no such program: /nowhere/p. Is it built, and there? vtegra cc "
                                 "--target aarch64 app.cu -o app builds one"));
    g_clear_error(&error);
    ck_assert(!vm_initrd_write(bases, "/dev/null", folder, NULL, &error));
    g_clear_error(&error);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vm");
    TCase *tcase = tcase_create("vm");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tcase, of_a_linux_guest_only_the_program_is_shown, 0, G_N_ELEMENTS(steps));
    tcase_add_loop_test(tcase, a_program_without_a_last_newline_gets_none, 0, G_N_ELEMENTS(steps));
    tcase_add_loop_test(tcase, only_a_whole_line_with_a_status_ends_it, 0, G_N_ELEMENTS(steps));
    tcase_add_test(tcase, the_first_status_counts);
    tcase_add_test(tcase, a_line_without_an_end_is_shown_at_the_end_and_a_long_one_is_bounded);
    tcase_add_test(tcase, a_ready_guest_is_seen);
    tcase_add_test(tcase, paths_cannot_break_out_of_the_definition);
    tcase_add_test(tcase, a_system_gets_the_device_on_pci_a_bare_program_at_fixed_addresses);
    tcase_add_loop_test(tcase, the_job_follows_the_guests_own_archive, 0, 2);
    tcase_add_test(tcase, what_the_guest_cannot_run_is_refused_by_name);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
