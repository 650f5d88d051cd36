/* SPDX-License-Identifier: MIT */
/* The same reader on what the installed compilers write. NVCC, FATBINARY and CLANG are their paths,
 * empty where there is none: then a test passes without a word, test_fatbin.c has the layout. */
#include <check.h>
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/module/fatbin.h"

static char *dir;

static void file_write(const char *name, const char *text)
{
    char *path = g_build_filename(dir, name, NULL);

    ck_assert(g_file_set_contents(path, text, -1, NULL));
    g_free(path);
}

static void setup(void)
{
    dir = g_dir_make_tmp("fatbin-XXXXXX", NULL);
    file_write("k.cu", "__global__ void k(int *p) { *p = 1; }\n");
    file_write("a.cu", "extern __device__ int twice(int x);\n"
                       "__global__ void k(int *p) { *p = twice(*p); }\n");
    file_write("b.cu", "__device__ int twice(int x) { return 2 * x; }\n");
    file_write("k.c", "__attribute__((nvptx_kernel)) void k(int *p) { *p = 1; }\n");
}

static void teardown(void)
{
    GDir *d = g_dir_open(dir, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(d))) {
        char *path = g_build_filename(dir, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    g_dir_close(d);
    g_rmdir(dir);
    g_free(dir);
}

/* Runs `TOOL ARGS` in the directory; the image it wrote is @out. */
static uint8_t *compile(const char *tool, const char *args, const char *out, size_t *size)
{
    char *bin = g_path_get_dirname(tool);
    char *line = g_strdup_printf("cd '%s' && env -u NVCC_APPEND_FLAGS -u NVCC_PREPEND_FLAGS "
                                 "PATH='%s':\"$PATH\" '%s' %s >log 2>&1",
                                 dir, bin, tool, args);
    char *path = g_build_filename(dir, out, NULL);
    char *image = NULL;

    ck_assert_msg(system(line) == 0, "failed: %s", line);
    ck_assert(g_file_get_contents(path, &image, size, NULL));
    g_free(path);
    g_free(line);
    g_free(bin);
    return (uint8_t *)image;
}

static struct fatbin *open_good(const void *image, size_t size)
{
    struct fatbin *fb = NULL;
    char *error = NULL;

    ck_assert_msg(fatbin_open(image, size, &fb, &error) == 0, "%s", error);
    return fb;
}

/* The PTX chosen for @cc is for @sm and has the kernel. */
static void expect_ptx(struct fatbin *fb, unsigned cc, unsigned sm, const char *kernel)
{
    size_t picked[16], n = 0;
    char *error = NULL;

    ck_assert_uint_eq(fatbin_select(fb, cc, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(fatbin_entry(fb, picked[0])->sm, sm);
    const char *text = fatbin_ptx(fb, picked[0], NULL, &error);
    ck_assert_msg(text != NULL, "%s", error);
    ck_assert_ptr_nonnull(strstr(text, ".version"));
    ck_assert_msg(strstr(text, kernel) != NULL, "no %s in:\n%s", kernel, text);
}

static const struct {
    const char *mode;
    enum fatbin_packing packing;
} modes[] = { { "none", FATBIN_RAW },
              { "speed", FATBIN_LZ4 },
              { "balance", FATBIN_ZSTD },
              { "default", FATBIN_ZSTD },
              { "size", FATBIN_ZSTD } };

START_TEST(nvcc_ptx_is_read_in_every_compress_mode)
{
    size_t size, i = 0;
    char *args;

    if (!*NVCC) {
        return;
    }
    args = g_strdup_printf("-fatbin -arch=sm_87 --compress-mode=%s k.cu -o k", modes[_i].mode);
    uint8_t *image = compile(NVCC, args, "k", &size);
    struct fatbin *fb = open_good(image, size);
    while (fatbin_entry(fb, i)->kind != FATBIN_KIND_PTX) {
        ck_assert_uint_lt(++i, fatbin_entries(fb));
    }
    ck_assert_uint_eq(fatbin_entry(fb, i)->packing, modes[_i].packing);
    expect_ptx(fb, 87, 87, ".entry _Z1kPi");
    fatbin_close(fb);
    g_free(image);
    g_free(args);
}
END_TEST

START_TEST(nvcc_writes_one_ptx_a_target_and_the_right_one_is_chosen)
{
    size_t size;

    if (!*NVCC) {
        return;
    }
    uint8_t *image =
        compile(NVCC,
                "-fatbin -gencode arch=compute_75,code=compute_75 -gencode "
                "arch=compute_87,code=compute_87 -gencode "
                "arch=compute_90a,code=compute_90a -gencode arch=compute_87,code=sm_87 "
                "k.cu -o k",
                "k", &size);
    struct fatbin *fb = open_good(image, size);
    expect_ptx(fb, 53, 75, ".target sm_75");
    expect_ptx(fb, 72, 75, ".target sm_75");
    expect_ptx(fb, 87, 87, ".target sm_87");
    expect_ptx(fb, 110, 87, ".target sm_87");
    fatbin_close(fb);
    g_free(image);
}
END_TEST

START_TEST(nvcc_machine_code_alone_has_no_ptx)
{
    static const char *const args[] = {
        "-fatbin -gencode arch=compute_87,code=sm_87 k.cu -o k",
        "-cubin -arch=sm_87 k.cu -o k",
        "-fatbin -gencode arch=compute_87,code=lto_87 k.cu -o k",
    };
    size_t size, picked[4], n;

    if (!*NVCC) {
        return;
    }
    uint8_t *image = compile(NVCC, args[_i], "k", &size);
    struct fatbin *fb = open_good(image, size);
    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_NO_PTX);
    char *text = fatbin_no_ptx_text(fb, 87);
    ck_assert_ptr_nonnull(strstr(text, "sm_87"));
    g_free(text);
    fatbin_close(fb);
    g_free(image);
}
END_TEST

START_TEST(nvcc_options_and_source_name_are_read)
{
    size_t size, i = 0;

    if (!*NVCC) {
        return;
    }
    uint8_t *image = compile(NVCC, "-fatbin -arch=sm_87 -lineinfo k.cu -o k", "k", &size);
    struct fatbin *fb = open_good(image, size);
    while (fatbin_entry(fb, i)->kind != FATBIN_KIND_PTX) {
        ck_assert_uint_lt(++i, fatbin_entries(fb));
    }
    ck_assert_str_eq(fatbin_entry(fb, i)->ident, "k.cu");
    ck_assert_ptr_nonnull(strstr(fatbin_entry(fb, i)->options, "--generate-line-info"));
    fatbin_close(fb);
    g_free(image);
}
END_TEST

static void registers_note(const char *kernel, unsigned registers, void *data)
{
    g_hash_table_insert(data, g_strdup(kernel), GUINT_TO_POINTER(registers));
}

/* What `ptxas -v` said of the kernel in the log: "Used 48 registers". */
static unsigned registers_of_log(void)
{
    char *path = g_build_filename(dir, "log", NULL), *log = NULL;
    unsigned used = 0;

    ck_assert(g_file_get_contents(path, &log, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(log, "Used "));
    ck_assert_int_eq(sscanf(strstr(log, "Used "), "Used %u registers", &used), 1);
    g_free(log);
    g_free(path);
    return used;
}

/* Of the board's own machine code, whatever packs it; of none that the board would not load. */
static const struct {
    const char *args;
    unsigned cc;
    bool counts;
} codes[] = {
    { "-fatbin -gencode arch=compute_87,code=sm_87", 87, true },
    { "-fatbin -gencode arch=compute_87,code=sm_87 --compress-mode=size", 87, true },
    { "-cubin -arch=sm_87", 87, true },
    { "-fatbin -gencode arch=compute_80,code=sm_80", 87, true }, /* same major, older minor */
    { "-fatbin -gencode arch=compute_87,code=sm_87", 80, false },
    { "-fatbin -gencode arch=compute_87,code=sm_87", 110, false },
    { "-fatbin -gencode arch=compute_75,code=sm_75", 75, true },
    { "-fatbin -gencode arch=compute_90a,code=sm_90a", 90, true },
    { "-fatbin -gencode arch=compute_110,code=sm_110", 110, true },
    { "-fatbin -gencode arch=compute_87,code=compute_87", 87, false },
};

START_TEST(nvcc_machine_code_says_its_registers)
{
    GHashTable *found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    size_t size;
    char *args;

    if (!*NVCC) {
        return;
    }
    file_write("r.cu", "__global__ void many(float *p) {\n"
                       "    float a[20];\n"
                       "    for (int i = 0; i < 20; i++) a[i] = p[i * 99];\n"
                       "    for (int i = 0; i < 20; i++) p[i * 77] = a[19 - i] * a[i];\n"
                       "}\n");
    args = g_strdup_printf("-Xptxas -v %s r.cu -o r", codes[_i].args);
    uint8_t *image = compile(NVCC, args, "r", &size);
    struct fatbin *fb = open_good(image, size);
    fatbin_registers(fb, codes[_i].cc, registers_note, found);
    ck_assert_uint_eq(GPOINTER_TO_UINT(g_hash_table_lookup(found, "_Z4manyPf")),
                      codes[_i].counts ? registers_of_log() : 0);
    fatbin_close(fb);
    g_free(image);
    g_free(args);
    g_hash_table_destroy(found);
}
END_TEST

/* What a program built with -rdc=true registers: a list of its objects' containers. */
START_TEST(nvcc_relocatable_objects_give_one_ptx_each)
{
    size_t size[3], picked[3], n = 0;
    const void *wrapper[3] = { NULL };

    if (!*NVCC) {
        return;
    }
    uint8_t *a = compile(NVCC, "-fatbin -rdc=true -arch=sm_87 a.cu -o a", "a", &size[0]);
    uint8_t *b = compile(NVCC, "-fatbin -rdc=true -arch=sm_87 b.cu -o b", "b", &size[1]);
    uint8_t *linked =
        compile(NVCC, "-fatbin -gencode arch=compute_87,code=sm_87 k.cu -o l", "l", &size[2]);
    const void *list[] = { a, b, NULL };
    const uint32_t head[] = { 0x466243B1, 2 };
    memcpy(wrapper, head, sizeof(head));
    wrapper[1] = linked;
    wrapper[2] = list;
    struct fatbin *fb = open_good(wrapper, FATBIN_SIZE_UNKNOWN);
    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_uint_eq(n, 2);
    ck_assert_ptr_nonnull(strstr(fatbin_ptx(fb, picked[0], NULL, NULL), ".extern .func"));
    ck_assert_ptr_nonnull(strstr(fatbin_ptx(fb, picked[1], NULL, NULL), ".func"));
    fatbin_close(fb);
    g_free(a);
    g_free(b);
    g_free(linked);
}
END_TEST

START_TEST(clang_ptx_is_read_as_text_and_as_fat_binary)
{
    size_t size;

    if (!*CLANG) {
        return;
    }
    uint8_t *image = compile(
        CLANG, "-x c -target nvptx64-nvidia-cuda -march=sm_62 -O1 -S k.c -o k.ptx", "k.ptx", &size);
    struct fatbin *fb = open_good(image, size);
    ck_assert_uint_eq(fatbin_form(fb), FATBIN_FORM_TEXT);
    expect_ptx(fb, 62, 0, ".entry k");
    fatbin_close(fb);
    g_free(image);
    if (!*FATBINARY) {
        return;
    }
    g_free(compile(CLANG, "-x c -target nvptx64-nvidia-cuda -march=sm_87 -O1 -S k.c -o k.ptx",
                   "k.ptx", &size));
    /* NVIDIA's tool knows no sm_62 any more. */
    image = compile(FATBINARY, "-64 --create=k --image3=kind=ptx,sm=87,file=k.ptx", "k", &size);
    fb = open_good(image, size);
    expect_ptx(fb, 62, 87, ".entry k");
    fatbin_close(fb);
    g_free(image);
}
END_TEST

START_TEST(every_truncation_of_nvcc_output_is_an_error)
{
    size_t size;

    if (!*NVCC) {
        return;
    }
    uint8_t *image =
        compile(NVCC, "-fatbin -gencode arch=compute_87,code=compute_87 k.cu -o k", "k", &size);
    for (size_t n = 0; n < size; n++) {
        struct fatbin *fb = NULL;
        uint8_t *cut = g_memdup2(image, n);
        ck_assert_int_eq(fatbin_open(cut, n, &fb, NULL), -EINVAL);
        g_free(cut);
    }
    g_free(image);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fatbin_compilers");
    TCase *tc = tcase_create("compilers");
    const char *words = getenv("FATBIN_COMPILERS"); /* "all", or some of what takes a second each */
    bool all = words && strcmp(words, "all") == 0;

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, nvcc_ptx_is_read_in_every_compress_mode, 0,
                        all ? (int)G_N_ELEMENTS(modes) : 3);
    tcase_add_test(tc, nvcc_writes_one_ptx_a_target_and_the_right_one_is_chosen);
    tcase_add_loop_test(tc, nvcc_machine_code_alone_has_no_ptx, 0, all ? 3 : 1);
    tcase_add_test(tc, nvcc_options_and_source_name_are_read);
    tcase_add_loop_test(tc, nvcc_machine_code_says_its_registers, all ? 0 : 3,
                        all ? (int)G_N_ELEMENTS(codes) : 6);
    tcase_add_test(tc, nvcc_relocatable_objects_give_one_ptx_each);
    tcase_add_test(tc, clang_ptx_is_read_as_text_and_as_fat_binary);
    tcase_add_test(tc, every_truncation_of_nvcc_output_is_an_error);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
