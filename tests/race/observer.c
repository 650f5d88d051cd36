/* SPDX-License-Identifier: MIT */
#include "tests/race/observer.h"
#include "model/igpu/sm.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct observed {
    struct oracle *oracle;
    char **line; /* of the text, from 0 */
    uint32_t block_threads;
    /* bar.warp.sync, by warp: lanes that have come, and lanes that are through but run it again */
    GHashTable *warp;
} seen;

struct meeting {
    uint32_t here, through;
};

static sm_handler *const *real;

/* The opcode of an instruction's line as words, "ld" "acquire" ..., behind its guard. */
struct words {
    char *text, **word, *operands;
};

static struct words words_of(uint32_t line)
{
    const char *s = seen.line[line - 1];
    struct words w;
    size_t n;

    s += strspn(s, " \t");
    if (*s == '@') {
        s += strcspn(s, " ");
        s += strspn(s, " ");
    }
    n = strcspn(s, " ;");
    w.text = g_strndup(s, n);
    w.operands = g_strdup(s + n);
    w.word = g_strsplit(w.text, ".", -1);
    return w;
}

static void words_free(struct words *w)
{
    g_free(w->text);
    g_free(w->operands);
    g_strfreev(w->word);
}

static bool has(const struct words *w, const char *word)
{
    return g_strv_contains((const char *const *)w->word, word);
}

/* Operand @i, an immediate; @otherwise if there is none */
static uint32_t immediate(const struct words *w, unsigned i, uint32_t otherwise)
{
    const char *s = w->operands;

    while (s && i--) {
        s = strchr(s, ',');
        s = s ? s + 1 : NULL;
    }
    return s ? (uint32_t)strtoul(s + strspn(s, " "), NULL, 0) : otherwise;
}

static enum oracle_scope scope_of(const struct words *w, enum oracle_scope otherwise)
{
    return has(w, "cta")                   ? ORACLE_CTA
           : has(w, "gpu") || has(w, "gl") ? ORACLE_GPU
           : has(w, "sys")                 ? ORACLE_SYS
                                           : otherwise;
}

static uint32_t thread_of(const struct warp *w, uint32_t lane)
{
    return (uint32_t)w->block->linear * seen.block_threads + w->id * WARP_LANES + lane;
}

static void addresses_of(const struct ptx_uop *u, const uint8_t *rf, uint64_t at[WARP_LANES])
{
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint8_t *slot = rf + u->a;

        at[l] = u->flags & PTX_MEM_A32
                    ? ((const uint32_t *)(const void *)slot)[l] + (uint32_t)u->imm
                    : ((const uint64_t *)(const void *)slot)[l] + (uint64_t)u->imm;
    }
}

/* PTX ISA 9.7.9 and 9.7.13: no qualifier is weak; volatile is relaxed.sys; atom and red are
 * relaxed.gpu */
static struct oracle_access access_of(const struct ptx_uop *u, const struct words *w)
{
    bool copy = strcmp(w->word[0], "cp") == 0;
    struct oracle_access a = {
        .bytes = u->size,
        .write = strcmp(w->word[0], "ld") != 0,
        .atomic = strcmp(w->word[0], "atom") == 0 || strcmp(w->word[0], "red") == 0,
        .red = strcmp(w->word[0], "red") == 0,
        .acquire = has(w, "acquire") || has(w, "acq_rel"),
        .release = has(w, "release") || has(w, "acq_rel"),
        .shared = has(w, "shared"),
        .async = copy,
    };

    if (a.atomic || has(w, "relaxed") || a.acquire || a.release) {
        a.scope = scope_of(w, ORACLE_GPU);
    } else if (has(w, "volatile")) {
        a.scope = ORACLE_SYS;
    }
    if (copy) {
        a.write = a.shared = u->op == PTX_UOP_ST_SHARED;
    }
    return a;
}

/* 8.2.3: a vector is an access for each element. */
static void memory_feed(const struct warp *w, const struct ptx_uop *u, const struct words *words,
                        uint32_t line, uint32_t m, const uint64_t at[WARP_LANES])
{
    struct oracle_access a = access_of(u, words);

    a.line = line;
    for (; m; m &= m - 1) {
        uint32_t lane = lane_first(m);

        for (unsigned k = 0; k < MAX(u->vec, 1u); k++) {
            a.thread = thread_of(w, lane);
            a.at = at[lane] + k * a.bytes;
            oracle_access(seen.oracle, &a);
        }
    }
}

/* cp.async that reads fewer bytes than it writes (9.7.9.25.3.1) */
static void copy_feed(const struct warp *w, const struct ptx_uop *u, uint32_t line, uint32_t m,
                      const uint8_t *rf)
{
    struct oracle_access a = { .line = line, .async = true };
    const uint32_t *to = (const uint32_t *)(const void *)(rf + u->d),
                   *bytes = (const uint32_t *)(const void *)(rf + u->b);
    const uint64_t *from = (const uint64_t *)(const void *)(rf + u->a),
                   *offset = (const uint64_t *)(const void *)(rf + u->c);

    for (; m; m &= m - 1) {
        uint32_t l = lane_first(m);

        a.thread = thread_of(w, l);
        a.shared = a.write = true;
        a.bytes = u->size;
        a.at = to[l] + (uint32_t)u->imm;
        oracle_access(seen.oracle, &a);
        a.shared = a.write = false;
        a.bytes = MIN(bytes[l], u->size);
        a.at = from[l] + offset[l];
        if (a.bytes) {
            oracle_access(seen.oracle, &a);
        }
    }
}

/* "m16n16k16": the numbers behind the two letters, which are of the part */
static uint32_t shape_of(const struct words *w, char letter)
{
    for (char **s = w->word; *s; s++) {
        const char *at = **s == 'm' && (*s)[1] >= '0' && (*s)[1] <= '9' ? strchr(*s, letter) : NULL;

        if (at) {
            return (uint32_t)strtoul(at + 1, NULL, 10);
        }
    }
    return 0;
}

/* PTX ISA 9.7.14.4: rows of 16-bit or 32-bit elements; b has k rows of n, the others m rows of k or
 * n; .col swaps. Which thread accesses a row is open, and all threads wait for each other: none of
 * the warp is told apart. */
static void tile_feed(const struct warp *w, const struct ptx_uop *u, const struct words *words,
                      struct oracle_access a, uint32_t lane, const uint8_t *rf)
{
    uint32_t rows = shape_of(words, has(words, "b") ? 'k' : 'm');
    uint32_t length = shape_of(words, has(words, "a") ? 'k' : 'n');
    uint32_t size = has(words, "f32") ? 4 : 2;
    uint64_t stride;

    if (has(words, "col")) {
        uint32_t swap = rows;

        rows = length;
        length = swap;
    }
    stride = u->flags & PTX_MATRIX_STRIDE
                 ? ((const uint32_t *)(const void *)(rf + u->a))[lane] * (uint64_t)size
                 : length * size;
    a.bytes = length * size;
    a.thread = thread_of(w, lane);
    a.at = u->flags & PTX_MATRIX_A32 ? ((const uint32_t *)(const void *)(rf + u->d))[lane]
                                     : ((const uint64_t *)(const void *)(rf + u->d))[lane];
    for (uint32_t i = 0; i < rows; i++) {
        oracle_access(seen.oracle, &a);
        a.at += stride;
    }
}

static void matrix_feed(const struct warp *w, const struct ptx_uop *u, const struct words *words,
                        uint32_t line, uint32_t m, const uint8_t *rf)
{
    struct oracle_access a = { .line = line, .shared = has(words, "shared"), .bytes = 16 };
    bool wmma = strcmp(words->word[0], "wmma") == 0;

    if (m != w->live) {
        return;
    }
    a.write = has(words, "store") || strcmp(words->word[0], "stmatrix") == 0;
    oracle_warp_barrier(seen.oracle, thread_of(w, 0), m);
    if (wmma) {
        tile_feed(w, u, words, a, lane_first(m), rf);
    }
    for (uint32_t l = 0; l < (wmma ? 0 : u->vec * 8u); l++) {
        a.thread = thread_of(w, l);
        a.at = u->flags & PTX_MATRIX_A32 ? ((const uint32_t *)(const void *)(rf + u->d))[l]
                                         : ((const uint64_t *)(const void *)(rf + u->d))[l];
        oracle_access(seen.oracle, &a);
    }
    oracle_warp_barrier(seen.oracle, thread_of(w, 0), m);
}

static void barrier_feed(const struct warp *w, const struct words *words, uint32_t m)
{
    bool red = has(words, "red"), arrives = has(words, "arrive");
    uint32_t id = immediate(words, red ? 1 : 0, 0);
    uint32_t count = red ? 0 : immediate(words, 1, 0);

    for (; m; m &= m - 1) {
        oracle_barrier(seen.oracle, thread_of(w, lane_first(m)), id, count, arrives);
    }
}

static void warp_barrier_feed(const struct warp *w, const struct ptx_uop *u,
                              const struct words *words, uint32_t m)
{
    gint64 key = (gint64)(w->block->linear << 8 | w->id);
    struct meeting *at = g_hash_table_lookup(seen.warp, &key);
    uint32_t members = immediate(words, 0, 0) & w->live, fresh;

    if (!at) {
        at = g_new0(struct meeting, 1);
        g_hash_table_insert(seen.warp, g_memdup2(&key, sizeof(key)), at);
    }
    if (u->flags & PTX_SYNC_ACTIVE) { /* lanes at several places go on together */
        at->through &= ~m;
        return;
    }
    fresh = m & ~at->through;
    at->through &= ~m;
    at->here |= fresh;
    if ((members & ~at->here) == 0 && members) {
        oracle_warp_barrier(seen.oracle, thread_of(w, 0), members);
        at->here &= ~members;
        at->through |=
            members & ~m ? members : 0; /* not all in one place: each runs it once more */
    }
}

static void mbarrier_feed(const struct warp *w, const struct ptx_uop *u, const struct words *words,
                          uint32_t m, const uint64_t at[WARP_LANES], const uint8_t *rf)
{
    uint32_t pass = *(const uint32_t *)(const void *)(rf + u->d);

    for (; m; m &= m - 1) {
        uint32_t lane = lane_first(m), thread = thread_of(w, lane);

        if (u->op == PTX_UOP_MBARRIER_INIT) {
            oracle_mbarrier_init(seen.oracle, thread, at[lane], immediate(words, 1, 1));
        } else if (u->op == PTX_UOP_MBARRIER_ARRIVE) {
            oracle_mbarrier_arrive(seen.oracle, thread, at[lane], words->word[0][0] == 'c');
        } else if (pass >> lane & 1) {
            oracle_mbarrier_pass(seen.oracle, thread, at[lane]);
        }
    }
}

/* cp.async.commit_group, wait_group, wait_all: all else of these is a fence.proxy, or nothing */
static void nop_feed(const struct warp *w, const struct words *words, uint32_t m)
{
    for (; m; m &= m - 1) {
        uint32_t thread = thread_of(w, lane_first(m));

        if (has(words, "commit_group")) {
            oracle_commit(seen.oracle, thread);
        } else if (has(words, "wait_group")) {
            oracle_wait(seen.oracle, thread, immediate(words, 0, 0));
        } else if (has(words, "wait_all")) {
            oracle_wait(seen.oracle, thread, UINT32_MAX);
        }
    }
}

static void exit_feed(const struct warp *w, uint32_t m)
{
    for (; m; m &= m - 1) {
        oracle_exit(seen.oracle, thread_of(w, lane_first(m)));
    }
}

static void feed(const struct warp *w, const struct ptx_uop *u, const struct words *words,
                 uint32_t line, uint32_t m, const uint64_t at[WARP_LANES], const uint8_t *rf)
{
    switch ((enum ptx_uop_op)u->op) {
    case PTX_UOP_LD_GLOBAL:
    case PTX_UOP_LD_GLOBAL_32:
    case PTX_UOP_LD_GLOBAL_64:
    case PTX_UOP_LD_SHARED:
    case PTX_UOP_LD_SHARED_32:
    case PTX_UOP_ST_GLOBAL:
    case PTX_UOP_ST_GLOBAL_32:
    case PTX_UOP_ST_SHARED:
    case PTX_UOP_ST_SHARED_32:
    case PTX_UOP_ATOM_GLOBAL:
    case PTX_UOP_ATOM_SHARED:
        memory_feed(w, u, words, line, m, at);
        break;
    case PTX_UOP_MATRIX_LOAD:
    case PTX_UOP_MATRIX_STORE:
    case PTX_UOP_LDMATRIX:
        matrix_feed(w, u, words, line, m, rf);
        break;
    case PTX_UOP_FENCE:
        for (; m; m &= m - 1) {
            oracle_fence(seen.oracle, thread_of(w, lane_first(m)), scope_of(words, ORACLE_GPU));
        }
        break;
    case PTX_UOP_BAR_SYNC:
    case PTX_UOP_BAR_ARRIVE:
    case PTX_UOP_BAR_RED_POPC:
    case PTX_UOP_BAR_RED_PRED:
        barrier_feed(w, words, m);
        break;
    case PTX_UOP_BAR_WARP_SYNC:
        warp_barrier_feed(w, u, words, m);
        break;
    case PTX_UOP_MBARRIER_INIT:
    case PTX_UOP_MBARRIER_ARRIVE:
    case PTX_UOP_MBARRIER_WAIT:
        mbarrier_feed(w, u, words, m, at, rf);
        break;
    case PTX_UOP_CP_ASYNC:
        copy_feed(w, u, line, m, rf);
        break;
    case PTX_UOP_NOP:
        nop_feed(w, words, m);
        break;
    case PTX_UOP_RET:
    case PTX_UOP_EXIT:
        exit_feed(w, m);
        break;
    default:
        break;
    }
}

static bool has_address(enum ptx_uop_op op)
{
    return (op >= PTX_UOP_LD_GLOBAL && op <= PTX_UOP_ATOM_SHARED) ||
           (op >= PTX_UOP_MBARRIER_INIT && op <= PTX_UOP_MBARRIER_WAIT);
}

/* Waits for an mbarrier are known behind the handler, all else before it: a barrier's last lane
 * lets others on. */
static const struct ptx_uop *observe(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                     uint32_t m)
{
    uint32_t line = w->frame->code->func->inst[u->inst].pos.line;
    struct words words = words_of(line);
    bool late = u->op == PTX_UOP_MBARRIER_WAIT;
    uint64_t at[WARP_LANES] = { 0 };
    const struct ptx_uop *next;

    if (has_address((enum ptx_uop_op)u->op)) {
        addresses_of(u, rf, at);
    }
    if (!late) {
        feed(w, u, &words, line, m, at, rf);
    }
    next = real[u->op](w, u, rf, m);
    if (late) {
        feed(w, u, &words, line, m, at, rf);
    }
    words_free(&words);
    return next;
}

static sm_handler *observing[PTX_UOP_COUNT];

static bool is_observed(enum ptx_uop_op op)
{
    return (op >= PTX_UOP_LD_GLOBAL && op <= PTX_UOP_FENCE) || op == PTX_UOP_RET ||
           op == PTX_UOP_EXIT || op == PTX_UOP_NOP || op == PTX_UOP_CP_ASYNC ||
           op == PTX_UOP_MATRIX_LOAD || op == PTX_UOP_MATRIX_STORE || op == PTX_UOP_LDMATRIX ||
           (op >= PTX_UOP_BAR_SYNC && op <= PTX_UOP_BAR_WARP_SYNC) ||
           (op >= PTX_UOP_MBARRIER_INIT && op <= PTX_UOP_MBARRIER_WAIT);
}

static void handlers_wrap(void)
{
    real = sm_handlers;
    for (unsigned i = 0; i < PTX_UOP_COUNT; i++) {
        observing[i] = is_observed((enum ptx_uop_op)i) ? observe : real[i];
    }
    sm_handlers = observing;
}

struct oracle *observer_run(struct rig *r, const char *ptx, const struct rig_launch *l)
{
    uint32_t blocks = MAX(l->grid[0], 1u);
    struct grid_program *p = rig_program(ptx);
    struct grid *g = rig_grid(r, p, l);
    enum grid_state s;

    seen.line = g_strsplit(ptx, "\n", -1);
    seen.block_threads = l->block[0];
    seen.oracle = oracle_new(blocks, l->block[0]);
    seen.warp = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    handlers_wrap();
    s = rig_run(g);
    sm_handlers = real;
    ck_assert_msg(s == GRID_DONE, "state %d, line %u: %s", (int)s, grid_fault(g)->line,
                  grid_fault(g)->reason ? grid_fault(g)->reason : "");
    g_hash_table_unref(seen.warp);
    g_strfreev(seen.line);
    grid_free(g);
    grid_program_unref(p);
    return seen.oracle;
}
