/* SPDX-License-Identifier: MIT */
/* Texts of every origin are read: our own in tests/ptx, what nvcc and clang write. A compiler that
 * is not there is skipped by name. ptxas, where it is, must take our texts and the linker's too. */
#include <dirent.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/test_ptx_help.h"

static char folder[] = "/tmp/test_ptx_XXXXXX";

static void setup(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    char command[100];

    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A tool on PATH or below CUDA_PATH. Return: false after a line that says what is skipped. */
static bool find_tool(const char *name, char *path, size_t size)
{
    const char *cuda = getenv("CUDA_PATH");
    char command[600];

    snprintf(path, size, "%s", name);
    snprintf(command, sizeof(command), "command -v %s > %s/which 2>&1", name, folder);
    if (system(command) == 0) {
        return true;
    }
    if (cuda != NULL && snprintf(path, size, "%s/bin/%s", cuda, name) < (int)size &&
        access(path, X_OK) == 0) {
        return true;
    }
    printf("skipped: no %s on PATH or in CUDA_PATH\n", name);
    return false;
}

static void run(const char *command)
{
    int status = system(command);

    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", command);
}

static struct ptx_module *parse_file(const char *path)
{
    struct ptx_error error = { { 0, 0 }, "" };
    struct ptx_module *m;
    size_t size;
    char *text = read_file(path, &size);

    m = ptx_parse(text, size, &error);
    ck_assert_msg(m != NULL, "%s:%u:%u: %s", path, error.pos.line, error.pos.column, error.text);
    free(text);
    return m;
}

START_TEST(every_text_of_our_own_is_read)
{
    struct dirent *entry;
    DIR *dir = opendir(PTX_CORPUS_DIR);
    char path[1200], ptxas[400], command[2000];
    bool has_ptxas = find_tool("ptxas", ptxas, sizeof(ptxas));
    int n = 0;

    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (strstr(entry->d_name, ".ptx") == NULL) {
            continue;
        }
        snprintf(path, sizeof(path), "%s/%s", PTX_CORPUS_DIR, entry->d_name);
        ptx_module_free(parse_file(path));
        n++;
        if (has_ptxas) { /* our notion of PTX against NVIDIA's */
            snprintf(command, sizeof(command), "%s -arch=sm_87 -c %s -o /dev/null 2> %s/log", ptxas,
                     path, folder);
            run(command);
        }
    }
    closedir(dir);
    ck_assert_int_ge(n, 10);
}
END_TEST

static const char *const nvcc_flags[] = { "", "-lineinfo", "-G -rdc=true" };

START_TEST(what_nvcc_writes_is_read)
{
    static const char *const sources[] = { "both", "nvcc" };
    char nvcc[400], command[2400], path[400];

    if (!find_tool("nvcc", nvcc, sizeof(nvcc))) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct ptx_module *m;

        snprintf(path, sizeof(path), "%s/%s.ptx", folder, sources[i]);
        snprintf(command, sizeof(command), "%s -w -arch=sm_87 %s -ptx %s/%s.cu -o %s", nvcc,
                 nvcc_flags[_i], PTX_CORPUS_DIR, sources[i], path);
        run(command);
        m = parse_file(path);
        ck_assert_uint_ge(m->n_funcs, 6);
        ck_assert_uint_eq(m->target_sm, 87);
        ck_assert_uint_eq(m->address_size, 64);
        ptx_module_free(m);
    }
}
END_TEST

static const char *const clang_flags[] = { "--cuda-gpu-arch=sm_53 -O2", "--cuda-gpu-arch=sm_62 -O0",
                                           "--cuda-gpu-arch=sm_87 -O2",
                                           "--cuda-gpu-arch=sm_87 -O1 -g" };

START_TEST(what_clang_writes_is_read)
{
    char clang[400], command[2400], path[400];
    struct ptx_module *m;

    if (!find_tool("clang++-19", clang, sizeof(clang))) {
        return;
    }
    snprintf(path, sizeof(path), "%s/both.ptx", folder);
    snprintf(command, sizeof(command),
             "%s -x cuda -w --cuda-path=/nonexistent -nocudainc -nocudalib -Xclang "
             "-target-sdk-version=12.3 --cuda-feature=+ptx83 --cuda-device-only -S %s %s/both.cu "
             "-o %s",
             clang, clang_flags[_i], PTX_CORPUS_DIR, path);
    run(command);
    m = parse_file(path);
    ck_assert_uint_ge(m->n_funcs, 6);
    ptx_module_free(m);
}
END_TEST

START_TEST(what_nvcc_compiles_apart_links)
{
    static const char *const sources[] = { "rdc_a", "rdc_b" };
    struct ptx_error error = { { 0, 0 }, "" };
    char nvcc[400], ptxas[400], command[2400], path[400], *texts[2], *out;
    size_t size[2], out_size;
    struct ptx_module *m;
    FILE *file;

    if (!find_tool("nvcc", nvcc, sizeof(nvcc))) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s.ptx", folder, sources[i]);
        snprintf(command, sizeof(command), "%s -w -arch=sm_87 -rdc=true %s -ptx %s/%s.cu -o %s",
                 nvcc, nvcc_flags[_i], PTX_CORPUS_DIR, sources[i], path);
        run(command);
        texts[i] = read_file(path, &size[i]);
    }
    ck_assert_msg(ptx_link((const char *const *)texts, size, 2, &out, &out_size, &error),
                  "%u:%u: %s", error.pos.line, error.pos.column, error.text);
    snprintf(path, sizeof(path), "%s/linked.ptx", folder);
    file = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(out, 1, out_size, file), out_size);
    fclose(file);
    m = parse_file(path);
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        const char *name = m->funcs[i]->name;

        ck_assert_msg(!m->funcs[i]->is_extern || strcmp(name, "vprintf") == 0, "%s is open", name);
    }
    ptx_module_free(m);
    free(out);
    free(texts[0]);
    free(texts[1]);
    /* NVIDIA's assembler on what our linker wrote; it wants -G's debug sections, we drop them. */
    if (strstr(nvcc_flags[_i], "-G") == NULL && find_tool("ptxas", ptxas, sizeof(ptxas))) {
        snprintf(command, sizeof(command), "%s -arch=sm_87 %s -o /dev/null", ptxas, path);
        run(command);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx_corpus");
    TCase *corpus = tcase_create("corpus");

    tcase_set_timeout(corpus, 240);
    tcase_add_checked_fixture(corpus, setup, teardown);
    tcase_add_test(corpus, every_text_of_our_own_is_read);
    tcase_add_loop_test(corpus, what_nvcc_writes_is_read, 0,
                        (int)(sizeof(nvcc_flags) / sizeof(nvcc_flags[0])));
    tcase_add_loop_test(corpus, what_clang_writes_is_read, 0,
                        (int)(sizeof(clang_flags) / sizeof(clang_flags[0])));
    tcase_add_loop_test(corpus, what_nvcc_compiles_apart_links, 0,
                        (int)(sizeof(nvcc_flags) / sizeof(nvcc_flags[0])));
    suite_add_tcase(suite, corpus);
    return run_suite(suite);
}
