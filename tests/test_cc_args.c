/* SPDX-License-Identifier: MIT */
/* How vtegra cc reads a command line: what goes to the compiler, what to the linker, in which
 * order. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cc/cc_args.h"

static struct cc_args args;
static char *error;

/* @line split at blanks; argv[0] is "cc" */
static gboolean parse(const char *line)
{
    char **argv = g_strsplit(line, " ", -1);
    gboolean ok = cc_args_parse(&args, (int)g_strv_length(argv), argv, &error);

    g_strfreev(argv);
    return ok;
}

static char *joined(GPtrArray *words)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < words->len; i++) {
        g_string_append_printf(text, "%s%s", i ? " " : "", (char *)g_ptr_array_index(words, i));
    }
    return g_string_free(text, FALSE);
}

static void setup(void)
{
    error = NULL;
    ck_assert(g_file_set_contents("cc_args_a.cu", "", 0, NULL));
    ck_assert(g_file_set_contents("cc_args_b.o", "", 0, NULL));
    ck_assert(g_file_set_contents("cc_args_c.opt", "-DX=1\n-Xcompiler -Wall", -1, NULL));
    ck_assert(g_file_set_contents("cc_args_empty.opt", "", 0, NULL));
    ck_assert(g_file_set_contents("cc_args_self.opt", "-optf cc_args_self.opt", -1, NULL));
    ck_assert(g_file_set_contents("cc_args_quote.opt", "-D'X", -1, NULL));
}

static void teardown(void)
{
    cc_args_clear(&args);
    g_free(error);
}

static void expect(const char *line, const char *compile, const char *link)
{
    char *text;

    ck_assert_msg(parse(line), "%s", error);
    text = joined(args.compile);
    ck_assert_str_eq(text, compile);
    g_free(text);
    text = joined(args.link);
    ck_assert_str_eq(text, link);
    g_free(text);
}

START_TEST(target_is_this_machine_or_the_guest)
{
    ck_assert_msg(parse("cc --target aarch64 cc_args_a.cu"), "%s", error);
    ck_assert(args.aarch64);
    cc_args_clear(&args);
    ck_assert_msg(parse("cc --target=aarch64-linux-gnu cc_args_a.cu"), "%s", error);
    ck_assert(args.aarch64);
    cc_args_clear(&args);
    ck_assert_msg(parse("cc cc_args_a.cu"), "%s", error);
    ck_assert(!args.aarch64);
    cc_args_clear(&args);
    ck_assert(!parse("cc --target riscv64 cc_args_a.cu"));
    ck_assert_ptr_nonnull(strstr(error, "--target aarch64"));
}
END_TEST

/* The machine in QEMU sees all accesses. */
START_TEST(guest_programs_have_no_hooks)
{
    ck_assert(!parse("cc --track --target aarch64 cc_args_a.cu"));
    ck_assert_ptr_nonnull(strstr(error, "--track"));
}
END_TEST

START_TEST(linker_words_keep_their_order)
{
    expect("cc -lfirst cc_args_a.cu -L dir -lm cc_args_b.o -Wl,-z,now -O2 -I inc -Iother -D X=1", //
           "-O2 -I inc -Iother -D X=1", "-lfirst cc_args_a.cu -L dir -lm cc_args_b.o -Wl,-z,now");
    ck_assert(!cc_is_input(&args, 0));
    ck_assert(cc_is_input(&args, 1));
    ck_assert(!cc_is_input(&args, 3)); /* "dir" is the value of -L */
    ck_assert(cc_is_input(&args, 5));
    ck_assert(!args.stop);
}
END_TEST

START_TEST(both_sides_get_what_both_need)
{
    expect("cc -pthread -fsanitize=address cc_args_a.cu", "-pthread -fsanitize=address",
           "-pthread -fsanitize=address cc_args_a.cu");
}
END_TEST

START_TEST(compile_only_stops)
{
    expect("cc -c -O2 cc_args_a.cu -o x.o", "-c -O2", "cc_args_a.cu");
    ck_assert(args.stop);
    ck_assert_str_eq(args.out, "x.o");
}
END_TEST

static const struct {
    const char *line, *arch;
} archs[] = {
    { "cc cc_args_a.cu", "" }, /* the default: tools/cc/cc_target.c */
    { "cc --arch sm_53 --cuda-gpu-arch=sm_62 --offload-arch=sm_72 cc_args_a.cu",
      "sm_53 sm_62 sm_72" },
    { "cc -gencode arch=compute_87,code=sm_87 -gencode arch=compute_53,code=sm_53 cc_args_a.cu",
      "sm_87 sm_53" },
    { "cc --arch sm_87 cc_args_a.cu", "sm_87" },
    { "cc --arch=sm_53 cc_args_a.cu", "sm_53" },
    { "cc -arch=compute_72 cc_args_a.cu", "sm_72" },
    { "cc -arch sm_90a cc_args_a.cu", "sm_90a" },
    { "cc -gencode arch=compute_87,code=sm_87 cc_args_a.cu", "sm_87" },
    { "cc -gencode=arch=compute_75,code=[sm_75,compute_75] cc_args_a.cu", "sm_75" },
};

START_TEST(architecture_is_understood)
{
    char *text;

    ck_assert_msg(parse(archs[_i].line), "%s", error);
    text = joined(args.archs);
    ck_assert_str_eq(text, archs[_i].arch);
    g_free(text);
    ck_assert_uint_eq(args.compile->len, 0);
}
END_TEST

START_TEST(socs_are_a_list)
{
    char *text;

    ck_assert_msg(parse("cc --soc nano,tx2 --soc=orin cc_args_a.cu"), "%s", error);
    text = joined(args.socs);
    ck_assert_str_eq(text, "nano tx2 orin");
    g_free(text);
}
END_TEST

static const struct {
    const char *line, *message;
} faults[] = {
    { "cc", "no source files" },
    { "cc -O2", "no source files" },
    { "cc cc_args_a.cu -o", "-o needs a value" },
    { "cc cc_args_a.cu -I", "-I needs a value" },
    { "cc cc_args_a.cu --arch", "--arch needs a value" },
    { "cc cc_args_a.cu --soc", "--soc needs a value" },
    { "cc cc_args_a.cu --arch sm87", "\"sm87\" is no architecture: write sm_87" },
    { "cc cc_args_a.cu --arch sm_8", "is no architecture" },
    { "cc cc_args_a.cu -gencode code=sm_87", "has no arch=" },
    { "cc cc_args_missing.cu", "no such file: cc_args_missing.cu" },
    { "cc -rdc=yes cc_args_a.cu", "write -rdc=true or -rdc=false" },
    { "cc cc_args_a.cu -rdc", "-rdc needs a value" },
    { "cc -cudart hybrid cc_args_a.cu", "\"hybrid\" is none of its values: shared, static, none" },
    { "cc -default-stream=mine cc_args_a.cu", "legacy" },
    { "cc -cubin cc_args_a.cu", "-cubin is not supported: a cubin holds machine code" },
    { "cc --lib cc_args_a.cu", "ar rcs" },
    { "cc --m32 cc_args_a.cu", "64-bit" },
    { "cc --machine 32 cc_args_a.cu", "64" },
    { "cc cc_args_a.cu --ftz", "--ftz needs a value" },
    { "cc -optf cc_args_missing.opt cc_args_a.cu", "cc_args_missing.opt" },
    { "cc -optf cc_args_self.opt cc_args_a.cu", "names itself" },
    { "cc -optf cc_args_quote.opt cc_args_a.cu", "cc_args_quote.opt" },
    { "cc --track -fsanitize=address cc_args_a.cu", "both instrument the program" },
    { "cc -", "standard input" },
};

START_TEST(fault_says_what_to_do)
{
    ck_assert(!parse(faults[_i].line));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error, faults[_i].message) != NULL, "%s", error);
}
END_TEST

START_TEST(nvcc_words_are_translated)
{
    expect("cc -Xcompiler -Wall,-fPIC -cudart shared --track -v cc_args_a.cu", "-Wall -fPIC",
           "cc_args_a.cu");
    ck_assert(args.track && args.verbose);
    cc_args_clear(&args);
    expect("cc -Xcompiler=-Wextra -cudart=shared -lineinfo cc_args_a.cu",
           "-Wextra -Xarch_device -gline-tables-only", "cc_args_a.cu");
}
END_TEST

/* The meaning of each is that of nvcc's documentation, in clang's words. */
static const struct {
    const char *options, *compile, *link, *note;
} nvcc[] = {
    { "-use_fast_math",
      "-fgpu-flush-denormals-to-zero -mllvm -nvptx-prec-divf32=0 -mllvm -nvptx-prec-sqrtf32=0 "
      "-Xarch_device -ffp-contract=fast -fgpu-approx-transcendentals",
      "", NULL },
    { "--use_fast_math -prec-div=true",
      "-fgpu-flush-denormals-to-zero -mllvm -nvptx-prec-sqrtf32=0 -Xarch_device "
      "-ffp-contract=fast -fgpu-approx-transcendentals -mllvm -nvptx-prec-divf32=2",
      "", NULL },
    { "--ftz false", "-fno-gpu-flush-denormals-to-zero", "", NULL },
    { "-fmad=false", "-Xarch_device -ffp-contract=off", "", NULL },
    { "-default-stream per-thread",
      "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1 -Xclang -fgpu-default-stream=per-thread", "", NULL },
    { "--default-stream=legacy", "", "", NULL },
    { "--expt-relaxed-constexpr -extended-lambda",
      "-D__CUDACC_RELAXED_CONSTEXPR__=1 -D__CUDACC_EXTENDED_LAMBDA__=1", "", NULL },
    { "--include-path a,b --define-macro X=1,Y", "-Ia -Ib -DX=1 -DY", "", NULL },
    { "--library m,dl --library-path=/x", "", "-lm -ldl -L/x", NULL },
    { "-Xlinker -rpath,/x --linker-options -s", "", "-Wl,-rpath,/x -Wl,-s", NULL },
    { "--compiler-options -Wall,-fPIC", "-Wall -fPIC", "", NULL },
    { "--optimize 3 --debug --compile --std c++17", "-O3 -g -c -std=c++17", "", NULL },
    { "-O 2 -std c++14 -std=c++20", "-O2 -std=c++14 -std=c++20", "", NULL },
    { "-O -O3 -Ofast", "-O -O3 -Ofast", "", NULL },
    { "-G", "-g -Xarch_device -O0", "", NULL },
    { "-Werror all-warnings -Werror cross-execution-space-call", "-Werror", "", NULL },
    { "-Werror", "-Werror", "", NULL },
    { "-Werror=unused", "-Werror=unused", "", NULL },
    { "-x c++", "-xc++", "", NULL },
    { "-m64 --threads 4 -t=0 -ccbin g++ -allow-unsupported-compiler", "", "", "-ccbin" },
    { "-Xptxas -v,-O3", "", "", "-Xptxas has no effect: no ptxas runs" },
    { "-Xptxas=-v --ptxas-options=-O3", "", "", "no ptxas runs" },
    { "-maxrregcount=32", "", "", "-maxrregcount has no effect" },
    { "--diag-suppress 177,20012", "", "", "-Wno-NAME" },
    { "-Xcudafe --diag_suppress=177", "", "", "front end" },
    { "-cudart static", "", "", "shared runtime" },
    { "-optf cc_args_c.opt -optf cc_args_empty.opt", "-DX=1 -Wall", "", NULL },
    { "-Wno-deprecated-gpu-targets -arch=native", "", "", NULL },
    { "-gencode=arch=compute_87,code=sm_87 -code=sm_87", "", "", NULL },
};

START_TEST(options_of_nvcc_mean_what_they_mean_there)
{
    g_autofree char *line = g_strdup_printf("cc %s cc_args_a.cu", nvcc[_i].options),
                    *link = g_strdup_printf("%s%scc_args_a.cu", nvcc[_i].link,
                                            *nvcc[_i].link ? " " : ""),
                    *notes = NULL;

    expect(line, nvcc[_i].compile, link);
    notes = joined(args.notes);
    if (nvcc[_i].note) {
        ck_assert_msg(strstr(notes, nvcc[_i].note) != NULL, "%s", notes);
    } else {
        ck_assert_str_eq(notes, "");
    }
}
END_TEST

START_TEST(a_note_is_given_once)
{
    ck_assert_msg(parse("cc -Xptxas -v -Xptxas -O3,-v cc_args_a.cu"), "%s", error);
    ck_assert_uint_eq(args.notes->len, 1);
}
END_TEST

START_TEST(options_of_nvcc_choose_what_is_made)
{
    ck_assert_msg(parse("cc --ptx -x cu cc_args_a.cu"), "%s", error);
    ck_assert(args.ptx && args.as_cuda && args.stop && !args.fatbin);
    ck_assert_int_eq(cc_kind_of(&args, "a.cpp"), CC_CUDA);
    ck_assert_int_eq(cc_kind_of(&args, "a.c"), CC_CUDA);
    ck_assert_int_eq(cc_kind_of(&args, "a.o"), CC_OBJECT);
    cc_args_clear(&args);
    ck_assert_msg(parse("cc -fatbin -dryrun -cudart none cc_args_a.cu"), "%s", error);
    ck_assert(args.fatbin && args.dry && args.verbose && args.no_cudart && !args.ptx);
}
END_TEST

static const struct {
    const char *line;
    gboolean rdc, stop, device_link;
} rdcs[] = {
    { "cc cc_args_a.cu", FALSE, FALSE, FALSE },
    { "cc -rdc=true cc_args_a.cu", TRUE, FALSE, FALSE },
    { "cc -rdc true cc_args_a.cu", TRUE, FALSE, FALSE },
    { "cc --relocatable-device-code=true cc_args_a.cu", TRUE, FALSE, FALSE },
    { "cc -fgpu-rdc cc_args_a.cu", TRUE, FALSE, FALSE },
    { "cc -rdc=true -rdc=false cc_args_a.cu", FALSE, FALSE, FALSE },
    { "cc -dc cc_args_a.cu", TRUE, TRUE, FALSE },
    { "cc --device-c cc_args_a.cu", TRUE, TRUE, FALSE },
    { "cc -dlink cc_args_b.o", FALSE, FALSE, TRUE },
    { "cc --device-link cc_args_b.o", FALSE, FALSE, TRUE },
};

START_TEST(relocatable_device_code_is_understood)
{
    ck_assert_msg(parse(rdcs[_i].line), "%s", error);
    ck_assert_int_eq(args.rdc, rdcs[_i].rdc);
    ck_assert_int_eq(args.stop, rdcs[_i].stop);
    ck_assert_int_eq(args.device_link, rdcs[_i].device_link);
    ck_assert_uint_eq(args.link->len, 1); /* the file */
}
END_TEST

START_TEST(the_device_runtime_is_no_library_of_ours)
{
    expect("cc -dc -O2 cc_args_a.cu -lcudadevrt -lm", "-c -O2", "cc_args_a.cu -lm");
}
END_TEST

START_TEST(kind_is_the_ending)
{
    ck_assert_int_eq(cc_kind_of(&args, "a.cu"), CC_CUDA);
    ck_assert_int_eq(cc_kind_of(&args, "a.b/a.cpp"), CC_CXX);
    ck_assert_int_eq(cc_kind_of(&args, "a.cc"), CC_CXX);
    ck_assert_int_eq(cc_kind_of(&args, "a.c"), CC_C);
    ck_assert_int_eq(cc_kind_of(&args, "a.o"), CC_OBJECT);
    ck_assert_int_eq(cc_kind_of(&args, "cu"), CC_OBJECT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cc_args");
    TCase *tc = tcase_create("core");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, target_is_this_machine_or_the_guest);
    tcase_add_test(tc, guest_programs_have_no_hooks);
    tcase_add_test(tc, linker_words_keep_their_order);
    tcase_add_test(tc, both_sides_get_what_both_need);
    tcase_add_test(tc, compile_only_stops);
    tcase_add_loop_test(tc, architecture_is_understood, 0, G_N_ELEMENTS(archs));
    tcase_add_test(tc, socs_are_a_list);
    tcase_add_loop_test(tc, fault_says_what_to_do, 0, G_N_ELEMENTS(faults));
    tcase_add_test(tc, nvcc_words_are_translated);
    tcase_add_loop_test(tc, options_of_nvcc_mean_what_they_mean_there, 0, G_N_ELEMENTS(nvcc));
    tcase_add_test(tc, a_note_is_given_once);
    tcase_add_test(tc, options_of_nvcc_choose_what_is_made);
    tcase_add_loop_test(tc, relocatable_device_code_is_understood, 0, G_N_ELEMENTS(rdcs));
    tcase_add_test(tc, the_device_runtime_is_no_library_of_ours);
    suite_add_tcase(suite, tc);
    tc = tcase_create("pure");
    tcase_add_test(tc, kind_is_the_ending);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
