/* SPDX-License-Identifier: MIT */
/* sm FILE.ptx [base|avx2|avx512]: every kernel (const float *a, const float *b, float *c, int n) of
 * the file as a 256 x 256 matrix product on the SMs alone, behind a port that is a 4 MiB cache with
 * 16 ways and no model of anything. What is left of bench/matmul.cu when the rest of vtegra is
 * away:
 *
 *   nvcc -arch=sm_87 -ptx bench/matmul.cu -o matmul.ptx && sm matmul.ptx
 */
#include "model/igpu/sm.h"
#include "bench/loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 256
#define MEMORY (1u << 20)
#define BASE UINT64_C(0x200000000)
#define SETS 2048u
#define WAYS 16u

struct cache_set {
    uint64_t tag[WAYS];
    uint32_t recent, next;
    uint16_t dirty;
};

struct bench_port {
    struct bus_port port;
    uint8_t memory[MEMORY];
    struct cache_set set[SETS];
    uint8_t data[SETS][WAYS][BUS_LINE];
};

static uint8_t *line_fill(struct bench_port *p, struct cache_set *s, unsigned index, uint64_t tag)
{
    unsigned way = s->next++ % WAYS;
    uint8_t *d = p->data[index][way];

    if (s->dirty >> way & 1) {
        memcpy(p->memory + (s->tag[way] * BUS_LINE - BASE), d, BUS_LINE);
        s->dirty &= (uint16_t) ~(1u << way);
    }
    memcpy(d, p->memory + (tag * BUS_LINE - BASE), BUS_LINE);
    s->tag[way] = tag;
    s->recent = way;
    return d;
}

static uint8_t *line_at(struct bench_port *p, uint64_t va, bool write)
{
    uint64_t tag = va / BUS_LINE;
    unsigned index = (unsigned)(tag ^ tag / SETS) % SETS;
    struct cache_set *s = &p->set[index];
    uint8_t *d = NULL;

    for (unsigned i = 0; i < WAYS && !d; i++) {
        unsigned way = (s->recent + i) % WAYS;

        if (s->tag[way] == tag) {
            s->recent = way;
            d = p->data[index][way];
        }
    }
    d = d ? d : line_fill(p, s, index, tag);
    s->dirty |= (uint16_t)((unsigned)write << s->recent);
    return d;
}

static void cache_flush(struct bench_port *p)
{
    for (unsigned i = 0; i < SETS; i++) {
        struct cache_set *s = &p->set[i];

        for (unsigned way = 0; way < WAYS; way++) {
            if (s->dirty >> way & 1) {
                memcpy(p->memory + (s->tag[way] * BUS_LINE - BASE), p->data[i][way], BUS_LINE);
            }
            s->tag[way] = UINT64_MAX;
        }
        s->dirty = 0;
    }
}

static bool holds(uint64_t va)
{
    return va >= BASE && va - BASE < MEMORY;
}

static enum bus_status bench_load(struct bus_port *port, uint64_t va, unsigned sectors,
                                  unsigned how, const uint8_t **line)
{
    (void)sectors, (void)how;
    if (!holds(va)) {
        return BUS_FAULT;
    }
    *line = line_at((struct bench_port *)port, va, false);
    return BUS_OK;
}

static enum bus_status bench_store(struct bus_port *port, uint64_t va, const uint8_t *data,
                                   const struct bus_mask *mask, enum bus_scope scope)
{
    uint8_t *line;

    (void)scope;
    if (!holds(va)) {
        return BUS_FAULT;
    }
    line = line_at((struct bench_port *)port, va, true);
    for (unsigned i = 0; i < BUS_LINE; i++) {
        line[i] = mask->word[i / 64] >> i % 64 & 1 ? data[i] : line[i];
    }
    return BUS_OK;
}

static enum bus_status bench_atomic(struct bus_port *port, uint64_t va, enum bus_atomic_op op,
                                    unsigned size, uint64_t operand, uint64_t compare,
                                    unsigned how, uint64_t *old)
{
    (void)port, (void)va, (void)op, (void)size, (void)operand, (void)compare, (void)how,
        (void)old;
    return BUS_UNSUPPORTED; /* no kernel here has one */
}

static const struct bus_port_ops bench_ops = {
    .load = bench_load,
    .store = bench_store,
    .atomic = bench_atomic,
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double best_of(double best, double start)
{
    double ms = now_ms() - start;

    return ms < best ? ms : best;
}

struct params {
    uint64_t a, b, c;
    int32_t n;
};

/* One launch; false with a message if the kernel does not end well */
static bool launch(struct grid_program *p, struct bench_port *port, uint32_t entry,
                   struct grid_stats *stats)
{
    struct params param = { BASE, BASE + N * N * 4, BASE + 2 * N * N * 4, N };
    struct grid_desc d = {
        .entry = entry,
        .grid = { N / 16, N / 16, 1 },
        .block = { 16, 16, 1 },
        .param = &param,
        .param_bytes = sizeof(param),
        .shared_window = UINT64_C(1) << 56,
        .local_window = UINT64_C(2) << 56,
        .resident_blocks = 16,
        .sm_count = 8,
        .sm_version = 87,
    };
    struct grid *g = grid_new(p, &port->port, &d);
    enum grid_state s;

    while ((s = grid_run(g, 1u << 20)) == GRID_MORE) {
    }
    if (s != GRID_DONE) {
        printf("%s, line %u: %s\n", grid_fault(g)->func, grid_fault(g)->line,
               grid_fault(g)->reason ? grid_fault(g)->reason : "did not end");
    }
    *stats = *grid_stats(g);
    grid_free(g);
    cache_flush(port);
    return s == GRID_DONE;
}

static void run(struct grid_program *p, struct bench_port *port, uint32_t entry, const float *want,
                double loop_ms)
{
    struct grid_stats stats;
    double best = 1e9;
    int bad = 0;
    const float *c = (const float *)(const void *)port->memory + 2 * N * N;

    for (int i = 0; i < 5; i++) {
        double start = now_ms();

        if (!launch(p, port, entry, &stats)) {
            return;
        }
        best = best_of(best, start);
    }
    for (int i = 0; i < N * N; i++) {
        bad += c[i] != want[i];
    }
    printf("%-40s %8.2f ms  %5.2f x loop  %.3f ns a thread instruction  %.2f lines an access%s\n",
           p->module->funcs[entry]->name, best, best / loop_ms,
           best * 1e6 / (double)stats.thread_insts,
           (double)stats.mem_lines / (double)(stats.mem_insts ? stats.mem_insts : 1),
           bad ? "  WRONG" : "");
}

static char *file_read(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    char *text = malloc(16u << 20);

    *size = f && text ? fread(text, 1, 16u << 20, f) : 0;
    if (f) {
        fclose(f);
    }
    return text;
}

int main(int argc, char **argv)
{
    struct bench_port *port = calloc(1, sizeof(*port));
    float *a = port ? (float *)(void *)port->memory : NULL, *want = malloc(N * N * sizeof(float));
    struct ptx_error error = { .text = "cannot read it" };
    size_t size;
    char *text = file_read(argc > 1 ? argv[1] : "", &size);
    double start = now_ms(), loop_ms = 1e9;
    struct ptx_module *m = ptx_parse(text, size, &error);
    struct grid_program *p = m ? grid_program_new(m, &error) : NULL;

    if (!p || !a || !want || (argc > 2 && !sm_select_named(argv[2]))) {
        printf("%s: %s\n", argc > 1 ? argv[1] : "usage: sm FILE.ptx [base|avx2|avx512]",
               error.text);
        return 1;
    }
    printf("parse and decode %.2f ms\n", now_ms() - start);
    port->port.ops = &bench_ops;
    cache_flush(port);
    for (int i = 0; i < N * N; i++) { /* sums of these are exact in any order */
        a[i] = (float)(i % 7) * 0.5f;
        a[N * N + i] = (float)(i % 5) * 0.25f;
    }
    for (int i = 0; i < 5; i++) {
        start = now_ms();
        loop_matmul(a, a + N * N, want, N);
        loop_ms = best_of(loop_ms, start);
    }
    printf("%-40s %8.2f ms\n", "loop, gcc -O2", loop_ms);
    for (uint32_t i = 0; i < m->n_funcs; i++) {
        if (m->funcs[i]->is_entry && m->funcs[i]->n_params == 4) {
            run(p, port, i, want, loop_ms);
        }
    }
    grid_program_unref(p);
    free(text);
    free(want);
    free(port);
    return 0;
}
