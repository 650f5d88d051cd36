/* SPDX-License-Identifier: MIT */
/* An instruction reads all its operands before it writes any: PTX gives the registers of one
 * instruction no order. Each row of alias_rows.h runs with destinations in registers of their own
 * that begin as copies of sources, and then in those sources' registers, in every rotation and
 * every reversed rotation: equal results. Where nothing reads the sources later the decoder lets
 * destinations take their places by itself. Each set of handlers has its turn.
 */
#include "model/igpu/sm.h"
#include "model/regs/texture.h"
#include "tests/alias_rows.h"
#include "tests/grid_rig.h"
#include "tests/test_grid.h"
#include <check.h>
#include <glib.h>
#include <string.h>

#define OPERANDS_MAX 40u

/* Memory: 8 bytes a lane and operand for results and for sources, then what addresses point to */
#define OUT RIG_BASE
#define IN (RIG_BASE + 0x10000)
#define DATA (RIG_BASE + 0x20000)
#define TEXTURE (RIG_BASE + 0x30000)
#define SURFACE (TEXTURE + TEX_HEADER_BYTES)
#define TEXELS (RIG_BASE + 0x40000)
#define BYTES 0x50000u
#define TEXELS_ACROSS 32u
#define PITCH (TEXELS_ACROSS * 16u)

/* Of shared memory: 64 bytes a lane, then an mbarrier a lane */
#define SHARED_BYTES 2048u

static struct rig rig;
static uint8_t data[TEXTURE - DATA];

static uint32_t hash(uint32_t a, uint32_t b)
{
    uint32_t h = (a + 1) * 2654435761u ^ (b + 7) * 0x85ebca6bu;

    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 13;
}

/* --- operands --- */

/**
 * struct operands - of a row
 * @n: of the text; the guard is one more
 * @as: of a destination: the source whose register it takes or begins with, or itself
 */
struct operands {
    const struct alias_row *row;
    unsigned n, as[OPERANDS_MAX];
    bool guarded;
};

static char kind_of(const struct operands *o, unsigned i)
{
    return i < o->n ? o->row->kinds[i] : 'p';
}

static bool is_written(char kind)
{
    return strchr("WLPH", kind);
}

static char class_of(char kind)
{
    return kind == 'H'                  ? 'h'
           : strchr("Ww", kind)         ? 'r'
           : strchr("zncmixhko", kind)  ? 'r'
           : kind == 'P' || kind == 'p' ? 'p'
                                        : 'd';
}

static unsigned operands_all(const struct operands *o)
{
    return o->n + o->guarded;
}

static void operands_init(struct operands *o, const struct alias_row *row)
{
    *o = (struct operands){ .row = row,
                            .n = (unsigned)strlen(row->kinds),
                            .guarded = strchr(row->text, '@') };
    ck_assert_uint_lt(operands_all(o), OPERANDS_MAX);
    for (unsigned i = 0; i < OPERANDS_MAX; i++) {
        o->as[i] = i;
    }
}

/* Destination j of a class takes its source turn + j, or turn - j. Return: sources of the class
 * with most of them */
static unsigned operands_turn(struct operands *o, unsigned turn, bool reversed)
{
    unsigned most = 0;

    for (const char *c = "rdp"; *c; c++) {
        unsigned source[OPERANDS_MAX], n = 0, j = 0;

        for (unsigned i = 0; i < operands_all(o); i++) {
            if (class_of(kind_of(o, i)) == *c && !is_written(kind_of(o, i))) {
                source[n++] = i;
            }
        }
        for (unsigned i = 0; i < o->n && j < n; i++) {
            if (class_of(kind_of(o, i)) == *c && is_written(kind_of(o, i))) {
                o->as[i] = source[(turn + (reversed ? n - j : j)) % n];
                j++;
            }
        }
        most = MAX(most, n);
    }
    return most;
}

/* Lane's value of source @i, less the address of the variable that it points into */
static uint64_t source_value(char kind, unsigned i, unsigned lane)
{
    uint64_t scattered = lane * 11 % 32 * 80;
    float x = (float)(lane * 5 % 32) + 0.25f;
    uint32_t bits;

    switch (kind) {
    case 'z':
    case 'k':
        return 0;
    case 'n':
        return 32;
    case 'c':
        return 31;
    case 'm':
        return UINT32_MAX;
    case 'i':
        return (lane * 7 + i) % 32;
    case 'x':
        memcpy(&bits, &x, sizeof(bits));
        return bits;
    case 's':
        return 64;
    case 'h':
    case 'g':
        return lane * 5 % 32 * 64;
    case 'o':
    case 'O':
        return lane % 3 * 16;
    case 'q':
        return SHARED_BYTES + 8 * lane;
    case 'a':
        return DATA + scattered;
    case 'v':
        return *(uint64_t *)rig_at(&rig, DATA + scattered);
    case 'b':
        return DATA + 16 * lane;
    case 'd':
        return DATA + 8 * lane;
    case 'u':
        return DATA + 64;
    case 't':
        return TEXTURE;
    case 'f':
        return SURFACE;
    default:
        return (uint64_t)hash(i + 50, lane) << 32 | hash(i, lane);
    }
}

static void memory_make(void)
{
    struct tex_header h = { .magic = TEX_MAGIC,
                            .channel = TEX_U32,
                            .channels = 4,
                            .address = { TEX_CLAMP, TEX_CLAMP, TEX_CLAMP },
                            .levels = 1,
                            .width = TEXELS_ACROSS,
                            .height = TEXELS_ACROSS,
                            .depth = 1,
                            .layers = 1,
                            .pitch = PITCH,
                            .pitch_align = PITCH,
                            .slice = PITCH * TEXELS_ACROSS,
                            .level = { TEXELS } };

    for (unsigned i = 0; i < (BYTES - (DATA - RIG_BASE)) / 4; i++) {
        *(uint32_t *)rig_at(&rig, DATA + 4 * i) = hash(i, 99);
    }
    memcpy(rig_at(&rig, TEXTURE), &h, sizeof(h));
    h.flags = TEX_SURFACE;
    memcpy(rig_at(&rig, SURFACE), &h, sizeof(h));
    memcpy(data, rig_at(&rig, DATA), sizeof(data));
}

static void memory_fill(const struct operands *o)
{
    memset(rig_at(&rig, OUT), 0, 2 * OPERANDS_MAX * 256);
    memcpy(rig_at(&rig, DATA), data, sizeof(data));
    for (unsigned i = 0; i < operands_all(o); i++) {
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t v = source_value(kind_of(o, i), i, lane);

            memcpy(rig_at(&rig, IN + (i * 32 + lane) * 8), &v, 8);
        }
    }
}

static void setup(void)
{
    rig_init(&rig);
    memory_make();
}

static void teardown(void)
{
    rig_free(&rig);
}

/* --- text --- */

static const char head[] =
    HEAD ".func (.param .b32 d) f(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\n"
         "ld.param.b32 %r0, [a];\nld.param.b32 %r1, [b];\nmad.lo.u32 %r0, %r0, 3, %r1;\n"
         "st.param.b32 [d], %r0;\nret;\n}\n"
         ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
         ".reg .b32 %r<41>;\n.reg .b64 %d<41>;\n.reg .pred %p<41>;\n.reg .b16 %h<41>;\n"
         ".reg .b64 %out, %in, %generic;\n.reg .b32 %lane, %at, %v;\n.reg .b64 %base;\n"
         ".shared .align 16 .b8 sh[2304];\n.local .align 16 .b8 lo[64];\n"
         "ld.param.u64 %out, [out];\nld.param.u64 %in, [in];\nmov.u32 %lane, %tid.x;\n"
         "mad.wide.u32 %out, %lane, 8, %out;\nmad.wide.u32 %in, %lane, 8, %in;\n"
         "mov.u32 %at, sh;\nmad.lo.u32 %at, %lane, 64, %at;\nmov.u64 %base, lo;\n";

/* Shared and local memory hold words that differ; of each lane an mbarrier */
static void memory_append(GString *s)
{
    for (unsigned i = 0; i < 16; i++) {
        g_string_append_printf(s,
                               "mad.lo.u32 %%v, %%lane, %u, %u;\nst.shared.u32 [%%at+%u], %%v;\n"
                               "st.local.u32 [%%base+%u], %%v;\n",
                               hash(i, 1), hash(i, 2), 4 * i, 4 * i);
    }
    g_string_append(s, "mov.u32 %at, sh;\nmad.lo.u32 %at, %lane, 8, %at;\n"
                       "mbarrier.init.shared.b64 [%at+2048], 40;\nbar.sync 0;\n");
}

static void register_append(GString *s, const struct operands *o, unsigned i)
{
    g_string_append_printf(s, "%%%c%u", class_of(kind_of(o, i)), i);
}

/* The variable that an operand points into: 32 bits, or generic */
static void variable_append(GString *s, char kind, unsigned i)
{
    const char *name = strchr("hkgq", kind) ? "sh" : "lo";

    if (strchr("hko", kind)) {
        g_string_append_printf(s, "mov.u32 %%at, %s;\nadd.u32 %%r%u, %%r%u, %%at;\n", name, i, i);
    } else if (strchr("gqO", kind)) {
        g_string_append_printf(s,
                               "mov.u64 %%base, %s;\ncvta.%s.u64 %%base, %%base;\n"
                               "add.u64 %%d%u, %%d%u, %%base;\n",
                               name, *name == 's' ? "shared" : "local", i, i);
    }
}

static void source_append(GString *s, const struct operands *o, unsigned i)
{
    char kind = kind_of(o, i), c = class_of(kind);

    if (c == 'd') {
        g_string_append_printf(s, "ld.global.u64 %%d%u, [%%in+%u];\n", i, i * 256);
    } else {
        g_string_append_printf(s, "ld.global.u32 %%r%u, [%%in+%u];\n", i, i * 256);
    }
    if (c == 'p') {
        g_string_append_printf(s, "and.b32 %%r%u, %%r%u, 1;\nsetp.ne.u32 %%p%u, %%r%u, 0;\n", i, i,
                               i, i);
    }
    variable_append(s, kind, i);
}

/* What a register holds, to @at of the lane's results */
static void result_append(GString *s, const struct operands *o, unsigned i, unsigned at)
{
    char c = class_of(kind_of(o, i));

    if (c == 'p') {
        g_string_append_printf(s, "selp.u32 %%v, 1, 0, %%p%u;\nst.global.u32 [%%out+%u], %%v;\n", i,
                               at * 256);
    } else {
        g_string_append_printf(s, "st.global.%s [%%out+%u], %%%c%u;\n",
                               c == 'd'   ? "b64"
                               : c == 'h' ? "b16"
                                          : "b32",
                               at * 256, c, i);
    }
}

static void operand_append(GString *s, const struct operands *o, unsigned i, bool in_place)
{
    register_append(s, o, in_place ? o->as[i] : i);
}

static void instruction_append(GString *s, const struct operands *o, bool in_place)
{
    for (const char *t = o->row->text; *t;) {
        if (*t == '@') {
            g_string_append(s, "@");
            operand_append(s, o, o->n, false);
            g_string_append(s, " ");
            t++;
        } else if (*t == '$') {
            char *end;
            unsigned i = (unsigned)strtoul(t + 1, &end, 10), last = i;

            last = *end == '-' ? (unsigned)strtoul(end + 1, &end, 10) : i;
            for (unsigned k = i; k <= last; k++) {
                g_string_append(s, k > i ? ", " : "");
                operand_append(s, o, k, in_place);
            }
            t = end;
        } else {
            g_string_append_c(s, *t++);
        }
    }
    g_string_append_c(s, '\n');
}

enum way {
    APART,    /* registers of their own, sources are read once more behind */
    IN_PLACE, /* of sources */
    LAST_USE, /* registers of their own, sources are not read behind */
};

static char *kernel_text(const struct operands *o, enum way way)
{
    GString *s = g_string_new(head);

    memory_append(s);
    for (unsigned i = 0; i < operands_all(o); i++) {
        if (!is_written(kind_of(o, i))) {
            source_append(s, o, i);
        }
    }
    for (unsigned i = 0; i < o->n && way == APART; i++) {
        char c = class_of(kind_of(o, i));

        if (o->as[i] != i) {
            g_string_append_printf(s, "mov.%s %%%c%u, %%%c%u;\n",
                                   c == 'p'   ? "pred"
                                   : c == 'd' ? "b64"
                                              : "b32",
                                   c, i, c, o->as[i]);
        }
    }
    instruction_append(s, o, way == IN_PLACE);
    for (unsigned i = 0; i < o->n; i++) {
        if (is_written(kind_of(o, i))) {
            result_append(s, o, way == IN_PLACE ? o->as[i] : i, i);
        }
    }
    for (unsigned i = 0; i < operands_all(o) && way == APART; i++) {
        if (!is_written(kind_of(o, i))) {
            result_append(s, o, i, OPERANDS_MAX + i);
        }
    }
    g_string_append(s, "ret;\n}\n");
    return g_string_free(s, FALSE);
}

/* --- runs --- */

struct result {
    uint64_t value[OPERANDS_MAX][32];
    uint8_t data[TEXTURE - DATA];
};

static void row_run(const struct operands *o, enum way way, struct result *r)
{
    static const uint64_t param[] = { OUT, IN };
    struct rig_launch l = { .block = { 32 }, .param = param, .param_bytes = sizeof(param) };
    char *text = kernel_text(o, way);

    memory_fill(o);
    rig_launch(&rig, text, &l);
    memcpy(r->value, rig_at(&rig, OUT), sizeof(r->value));
    memcpy(r->data, rig_at(&rig, DATA), sizeof(r->data));
    g_free(text);
}

static bool lane_counts(const struct operands *o, unsigned lane)
{
    return !o->guarded || (source_value('p', o->n, lane) & 1);
}

/* @all: also lanes in which the guard is false */
static void results_compare(const struct operands *o, const struct result *want,
                            const struct result *have, bool all, const char *what)
{
    for (unsigned i = 0; i < o->n; i++) {
        for (unsigned lane = 0; lane < 32; lane++) {
            ck_assert_msg(!is_written(kind_of(o, i)) || !(all || lane_counts(o, lane)) ||
                              want->value[i][lane] == have->value[i][lane],
                          "%s, $0 in the place of $%u: lane %u of $%u is %#" G_GINT64_MODIFIER
                          "x, alone %#" G_GINT64_MODIFIER "x (%s)",
                          o->row->text, o->as[0], lane, i, have->value[i][lane],
                          want->value[i][lane], what);
        }
    }
    ck_assert_msg(memcmp(want->data, have->data, sizeof(want->data)) == 0, "%s: memory (%s)",
                  o->row->text, what);
}

/* Turns of a row from its last source back: more than this repeat what others do. */
#define TURNS 8u

static void turns_run(const struct alias_row *row, const char *set, unsigned limit)
{
    static struct result apart, in_place;
    struct operands o;
    unsigned n;

    operands_init(&o, row);
    n = operands_turn(&o, 0, false);
    for (unsigned turn = 0; turn < 2 * MIN(n, limit); turn++) {
        operands_init(&o, row);
        operands_turn(&o, n - 1 - turn / 2, turn & 1);
        row_run(&o, APART, &apart);
        row_run(&o, IN_PLACE, &in_place);
        results_compare(&o, &apart, &in_place, true, set);
    }
    operands_init(&o, row);
    row_run(&o, APART, &apart);
    row_run(&o, LAST_USE, &in_place);
    results_compare(&o, &apart, &in_place, false, set);
}

START_TEST(destinations_take_the_place_of_sources)
{
    static const char *const sets[] = { "avx512", "avx2", "base" };
    unsigned limit = TURNS; /* of the best set; of the others, to see that they are alike */

    for (unsigned k = 0; k < G_N_ELEMENTS(sets); k++) {
        if (sm_select_named(sets[k])) {
            turns_run(&alias_rows[_i], sets[k], limit);
            limit = 2;
        }
    }
}
END_TEST

Suite *alias_suite(void)
{
    Suite *s = suite_create("alias");
    TCase *t = tcase_create("alias");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, destinations_take_the_place_of_sources, 0, G_N_ELEMENTS(alias_rows));
    suite_add_tcase(s, t);
    return s;
}
