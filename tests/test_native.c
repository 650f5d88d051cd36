/* SPDX-License-Identifier: MIT */
/* Kernels compiled and interpreted: on every SoC, under every eviction policy, at any step, they
 * leave the same bytes, errors, times and records. Usage: test_native [kernels [first seed [level
 * of optimisation]]]; 77: no compiler.
 *
 * One start of the compiler serves many kernels: their texts are put together, each with names of
 * its own, as one library of this program.
 */
#include <dlfcn.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/igpu/grid.h"
#include "profiles/profile.h"
#include "tests/native_kernel.h"
#include "tests/soc_rig.h"

#define BATCH 50u

static const char *const socs[] = { "tx2", "xavier", "orin", "thor" };
static const unsigned classes[] = { TRACE_ALL, TRACE_ALL & ~TRACE_ACCESS,
                                    TRACE_WORK | TRACE_FAULT };
static const enum evict policies[] = { EVICT_NEVER, EVICT_LRU, EVICT_SEEDED };

/* What a run shows to the outside */
struct outcome {
    GArray *records;
    uint8_t memory[3][RIG_DATA_BYTES];
    struct soc_totals totals;
    struct chan_error error;
    uint64_t ns;
};

/* @quantum: instructions a step; @late: steps until the compiled code comes; @classes: what is
 * told: an access that is not takes shorter ways */
struct variant {
    const struct soc_profile *profile;
    enum evict evict;
    uint32_t quantum, step_limit;
    unsigned late, classes;
};

static soc_door *door_now; /* of the kernel that runs; NULL: interpreted */
static bool door_late;

static soc_door *compile(void *opaque, uint64_t code_id, const char *text, const char *flags)
{
    (void)opaque, (void)code_id, (void)text, (void)flags;
    return door_late ? NULL : door_now;
}

static void sink(void *opaque, const struct trace_record *record)
{
    struct trace_record r;

    memset(&r, 0, sizeof(r)); /* no padding */
    r.event = record->event;
    r.agent = record->agent;
    r.region = record->region;
    r.channel = record->channel;
    r.time_ns = record->time_ns;
    memcpy(r.arg, record->arg, sizeof(r.arg));
    r.thread = record->thread;
    g_array_append_val((GArray *)opaque, r);
}

static void steps(struct rig *rig, const struct variant *v)
{
    for (unsigned i = 0; i < 100000; i++) {
        if (i == v->late && door_late && door_now) {
            soc_compiled(rig->soc, 1, door_now);
        }
        if (soc_step(rig->soc, v->quantum) != SOC_PROGRESS) {
            return;
        }
    }
}

static void outcome_find(struct outcome *o, const struct native_kernel *k, const struct variant *v,
                         soc_door *door)
{
    struct rig rig;
    struct qmd q = { .code_id = 1,
                     .entry = 1,
                     .grid = { k->grid, 1, 1 },
                     .block = { k->block, 1, 1 },
                     .grid_id = 1,
                     .resident_blocks = 2,
                     .step_limit_lo = v->step_limit };
    const uint64_t param[] = { RIG_VA, RIG_VA + RIG_DATA_BYTES - NATIVE_BUF };

    door_now = door;
    door_late = v->late > 0;
    rig_open_profile(&rig, v->profile, v->evict, 7);
    for (unsigned i = 0; i < RIG_DATA_BYTES; i++) {
        rig.dram[i] = rig.view[i] = rig.uncached[i] = (uint8_t)(i * 37 >> 3);
    }
    o->records = g_array_new(FALSE, FALSE, sizeof(struct trace_record));
    soc_observe(rig.soc, v->classes, sink, o->records);
    soc_compile_hook(rig.soc, compile, NULL, 0);
    rig_launch(&rig, &q, k->text, param, G_N_ELEMENTS(param));
    steps(&rig, v);
    soc_counts_flush(rig.soc);
    memcpy(o->memory[0], rig.dram, RIG_DATA_BYTES);
    rig_method(&rig, 0, HOST_MEM_OP_D, MEM_OP_D(MEM_OP_L2_FLUSH_DIRTY));
    rig_submit(&rig);
    rig_run(&rig);
    memcpy(o->memory[1], rig.dram, RIG_DATA_BYTES);
    memcpy(o->memory[2], rig.view, RIG_DATA_BYTES);
    soc_totals(rig.soc, &o->totals);
    o->error = rig_error(&rig);
    o->ns = soc_time_ns(rig.soc);
    rig_close(&rig);
}

static const char *outcome_differs(const struct outcome *a, const struct outcome *b)
{
    unsigned n = MIN(a->records->len, b->records->len);

    for (unsigned i = 0; i < n; i++) {
        if (memcmp(&g_array_index(a->records, struct trace_record, i),
                   &g_array_index(b->records, struct trace_record, i),
                   sizeof(struct trace_record)) != 0) {
            return "a record";
        }
    }
    return a->records->len != b->records->len                       ? "the number of records"
           : memcmp(a->memory, b->memory, sizeof(a->memory)) != 0   ? "memory"
           : memcmp(&a->totals, &b->totals, sizeof(a->totals)) != 0 ? "the totals"
           : memcmp(&a->error, &b->error, sizeof(a->error)) != 0    ? "the error"
           : a->ns != b->ns                                         ? "the time"
                                                                    : NULL;
}

static uint64_t insts(const struct outcome *o)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < o->records->len; i++) {
        const struct trace_record *r = &g_array_index(o->records, struct trace_record, i);

        n = r->event == TRACE_EVENT_GRID_END ? r->arg[2] : n;
    }
    return n;
}

static bool run_both(const struct native_kernel *k, const struct variant *v, soc_door *door,
                     uint32_t seed, uint64_t *n)
{
    static struct outcome a, b;
    const char *what;

    outcome_find(&a, k, v, NULL);
    outcome_find(&b, k, v, door);
    if (n) {
        *n = insts(&a);
    }
    what = outcome_differs(&a, &b);
    if (what) {
        printf("kernel %u, %s, evict %d, quantum %u, step limit %u, compiled from step %u on, told "
               "%#x: %s differs\n",
               seed, v->profile->soc.name, v->evict, v->quantum, v->step_limit, v->late, v->classes,
               what);
    }
    g_array_free(a.records, TRUE);
    g_array_free(b.records, TRUE);
    return !what;
}

/* With steps, a step limit and an arrival of the code that the seed chooses. */
static bool kernel_test(const struct native_kernel *k, struct soc_profile *const *profiles,
                        soc_door *door, uint32_t seed)
{
    GRand *rand = g_rand_new_with_seed(seed ^ 0x5eed);
    uint64_t n = 0;
    bool good = true;

    for (unsigned s = 0; s < G_N_ELEMENTS(socs); s++) {
        for (unsigned p = 0; p < G_N_ELEMENTS(policies); p++) {
            struct variant v = { .profile = profiles[s],
                                 .evict = policies[p],
                                 .quantum = 100000,
                                 .classes =
                                     classes[g_rand_int_range(rand, 0, G_N_ELEMENTS(classes))] };

            if (g_rand_boolean(rand)) {
                v.quantum = (uint32_t)g_rand_int_range(rand, 1, 200);
                v.late = (unsigned)g_rand_int_range(rand, 0, 4);
            }
            if (n && g_rand_boolean(rand)) {
                v.step_limit = (uint32_t)g_rand_int_range(rand, 1, (gint32)MIN(n, 1u << 20) + 1);
            }
            good = run_both(k, &v, door, seed, v.step_limit ? NULL : &n) && good;
        }
    }
    g_rand_free(rand);
    return good;
}

/* --- the compiler --- */

static char *kernel_text(const struct native_kernel *k, unsigned i)
{
    struct ptx_error error = { .text = "" };
    struct ptx_module *m = ptx_parse(k->text, strlen(k->text), &error);
    struct grid_program *p = m ? grid_program_new(m, &error) : NULL;
    char *text, *all = NULL;

    if (!p) {
        printf("line %u: %s\n%s", error.pos.line, error.text, k->text);
        exit(1);
    }
    text = grid_program_text(p, 1);
    if (text) {
        all = g_strdup_printf(
            "#define native_0 n0_%u\n#define native_1 n1_%u\n#define native_door door_%u\n%s"
            "#undef native_0\n#undef native_1\n#undef native_door\n",
            i, i, i, text);
    }
    g_free(text);
    grid_program_unref(p);
    return all;
}

/* Return: a library with door_0, door_1 ... */
static void *batch_compile(const char *folder, const char *source, char level)
{
    g_autofree char *c = g_build_filename(folder, "batch.c", NULL);
    g_autofree char *so = g_build_filename(folder, "batch.so", NULL);
    g_autofree char *command =
        g_strdup_printf("clang-19 -std=gnu17 -O%c -w -fPIC -shared -nostdlib -Wl,-z,defs "
                        "-ffp-contract=off -fno-strict-aliasing "
                        "-fno-trapping-math -fno-math-errno %s -I%s -o %s %s",
                        level, grid_compile_flags(), PROJECT_DIR, so, c);
    void *library;

    if (!g_file_set_contents(c, source, -1, NULL) || system(command) != 0 ||
        !(library = dlopen(so, RTLD_NOW))) {
        printf("cannot compile: %s\n", dlerror());
        exit(1);
    }
    g_unlink(c);
    g_unlink(so);
    return library;
}

static bool batch_test(struct soc_profile *const *profiles, const char *folder, uint32_t seed,
                       unsigned n, char level)
{
    struct native_kernel k[BATCH];
    GString *source = g_string_new(NULL);
    void *library;
    bool good = true;

    for (unsigned i = 0; i < n; i++) {
        g_autofree char *text = NULL;

        native_kernel_make(&k[i], seed + i);
        text = kernel_text(&k[i], i);
        g_string_append(source, text ? text : "");
    }
    library = batch_compile(folder, source->str, level);
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *name = g_strdup_printf("door_%u", i);
        union {
            void *symbol;
            soc_door *door;
        } at = { .symbol = dlsym(library, name) };

        if (!at.symbol) {
            printf("kernel %u: nothing of it is compiled\n", seed + i);
            good = false;
        } else {
            good = kernel_test(&k[i], profiles, at.door, seed + i) && good;
        }
        g_free(k[i].text);
    }
    dlclose(library);
    g_string_free(source, TRUE);
    return good;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 50;
    uint32_t first = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    struct soc_profile *profiles[G_N_ELEMENTS(socs)];
    g_autofree char *compiler = g_find_program_in_path("clang-19");
    g_autofree char *folder = g_dir_make_tmp("vtegra-native-XXXXXX", NULL);
    bool good = true;

    if (!compiler || !grid_compile_flags() || !folder) {
        printf("no clang-19, or a processor without AVX2: nothing is compiled\n");
        return 77;
    }
    for (unsigned s = 0; s < G_N_ELEMENTS(socs); s++) {
        profiles[s] = profile_load(socs[s], NULL);
        g_assert(profiles[s]);
    }
    for (unsigned i = 0; i < n; i += BATCH) {
        good = batch_test(profiles, folder, first + i, MIN(BATCH, n - i),
                          argc > 3 ? argv[3][0] : '2') &&
               good;
    }
    for (unsigned s = 0; s < G_N_ELEMENTS(socs); s++) {
        profile_free(profiles[s]);
    }
    g_rmdir(folder);
    printf("%u kernels, seeds from %u on: %s\n", n, first, good ? "no difference" : "DIFFERENT");
    return good ? 0 : 1;
}
