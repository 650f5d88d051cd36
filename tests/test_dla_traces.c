/* SPDX-License-Identifier: MIT */
/* The published register traces of nvdla/hw (verif/tests/trace_tests), when they lie beside the
 * project: memory images, register writes by name, and the CRC-32 of the result. They are read as
 * data; the project holds none of them. */
#include "model/dla/regs.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#ifndef NVDLA_DATA
#define NVDLA_DATA "../shared/nvdla"
#endif
#define TRACES NVDLA_DATA "/traces"
#define MAX_TRACES 512

static char *trace_name[MAX_TRACES]; /* "nv_small/sdp_..." */
static int trace_count;
static int *skipped; /* shared with the processes in which checks run */

/* Skipped: one of its data files is not there. What else keeps a trace from running is a failure.
 */
struct verdict {
    enum { PASSED, FAILED, SKIPPED } kind;
    char text[2048];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those of one configuration, in a folder of its name. */
static void list_config(const char *config)
{
    char path[1024];
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof(path), "%s/%s", TRACES, config);
    d = opendir(path);
    while (d && (e = readdir(d)) && trace_count < MAX_TRACES) {
        if (e->d_name[0] != '.' &&
            asprintf(&trace_name[trace_count], "%s/%s", config, e->d_name) > 0) {
            trace_count++;
        }
    }
    if (d) {
        closedir(d);
    }
}

static void list_traces(void)
{
    const struct dla_config *cfg;

    for (size_t i = 0; (cfg = dla_config_at(i)); i++) {
        list_config(cfg->name);
    }
    qsort(trace_name, (size_t)trace_count, sizeof(*trace_name), by_name);
}

static void stop(struct verdict *v, int kind, const char *what, const char *which)
{
    v->kind = kind;
    snprintf(v->text, sizeof(v->text), "%s %s", what, which);
}

/* {offset:0x10, size:4, payload:0x00 0x01 0x02 0x03} */
static void load(struct rig *rig, const char *trace, const char *file, uint64_t base,
                 struct verdict *v)
{
    char path[1024], *line = NULL, *p;
    size_t room = 0;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s/%s", TRACES, trace, file);
    f = fopen(path, "r");
    if (!f) {
        stop(v, SKIPPED, "no file", file);
        return;
    }
    while (getline(&line, &room, f) > 0) {
        uint64_t at;

        p = strstr(line, "offset:");
        if (!p) {
            continue;
        }
        at = base + strtoull(p + 7, NULL, 16);
        p = strstr(p, "payload:");
        for (p = p ? p + 8 : NULL; p && *p && *p != '}';) {
            char *end;
            uint8_t byte = (uint8_t)strtoul(p, &end, 16);

            if (end == p) {
                p++;
                continue;
            }
            rig_put(rig, at++, &byte, 1);
            p = end;
        }
    }
    free(line);
    fclose(f);
}

/* A trace may fill memory with numbers first and clear the part of the output then. */
static void clear(struct rig *rig, uint64_t at, uint64_t len)
{
    static const uint8_t zeros[4096];

    for (uint64_t n; len; at += n, len -= n) {
        n = len < sizeof(zeros) ? len : sizeof(zeros);
        rig_put(rig, at, zeros, (size_t)n);
    }
}

static int intr_bit(const char *name)
{
    static const struct {
        const char *name;
        int bit;
    } bits[] = { { "SDP_0", 0 },       { "SDP_1", 1 },      { "CDP_0", 2 },
                 { "CDP_1", 3 },       { "PDP_0", 4 },      { "PDP_1", 5 },
                 { "BDMA_0", 6 },      { "BDMA_1", 7 },     { "CDMA_DAT_0", 16 },
                 { "CDMA_DAT_1", 17 }, { "CDMA_WT_0", 18 }, { "CDMA_WT_1", 19 },
                 { "CACC_0", 20 },     { "CACC_1", 21 } };

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        if (strcasecmp(bits[i].name, name) == 0) {
            return bits[i].bit;
        }
    }
    return -1;
}

/* One line of the .cfg file. */
static void step(struct rig *rig, const struct dla_config *cfg, struct dla_regs *regs,
                 const char *trace, const char *line, struct verdict *v)
{
    char name[128], file[256], expect[16];
    unsigned long long a, n, crc;
    uint32_t offset;

    if (sscanf(line, " reg_write(%127[^,], %llx", name, &a) == 2) {
        if (!dla_regs_find(cfg, name, &offset)) {
            stop(v, FAILED, "no register", name);
            return;
        }
        dla_regs_write(regs, offset, (uint32_t)a);
    } else if (sscanf(line, " poll_reg_equal(%127[^,], %llx", name, &a) == 2) {
        ck_assert(dla_regs_find(cfg, name, &offset));
        ck_assert_uint_eq(dla_regs_read(regs, offset), a);
    } else if (sscanf(line, " mem_load(%*[^,], %llx, \"%255[^\"]\"", &a, file) == 2) {
        load(rig, trace, file, a, v);
    } else if (sscanf(line, " mem_init(%*[^,], %llx, %llx, %15[A-Z_]", &a, &n, expect) == 3) {
        if (strcmp(expect, "ALL_ZERO") != 0) {
            stop(v, FAILED, "memory pattern", expect);
        }
        clear(rig, a, n);
    } else if (sscanf(line, " intr_notify(%127[^,],", name) == 1) {
        int bit = intr_bit(name);

        ck_assert_msg(bit >= 0, "%s", name);
        ck_assert(dla_regs_find(cfg, "NVDLA_GLB.S_INTR_STATUS_0", &offset));
        if (!(dla_regs_read(regs, offset) >> bit & 1)) {
            const struct dla_error *e = dla_regs_fault(regs);

            v->kind = FAILED;
            snprintf(v->text, sizeof(v->text), "no interrupt %s: %s.%s = %" PRId64 ", %s", name,
                     e ? e->unit : "?", e ? e->field : "?", e ? e->value : 0,
                     e ? e->rule : "nothing ran");
        }
        dla_regs_write(regs, offset, 1u << bit);
    } else if (sscanf(line, " check_crc(%*[^,], %*[^,], %llx, %llx, %llx", &a, &n, &crc) == 3) {
        uint32_t ours = rig_crc(rig, a, n);

        if (v->kind == SKIPPED && !v->text[0] && ours == crc) {
            v->kind = PASSED;
        } else if (ours != crc) {
            v->kind = FAILED;
            snprintf(v->text, sizeof(v->text), "CRC 0x%08" PRIx32 ", published 0x%08llx", ours,
                     crc);
        }
    }
}

/* The element-wise stage and its table are options of the hardware: three of the traces need them.
 */
static struct dla_config config_for(const char *trace)
{
    char name[64];
    struct dla_config cfg;

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(trace, "/"), trace);
    cfg = *dla_config_find(name);
    if (strstr(trace, "_ew_")) {
        cfg.sdp_ew = cfg.sdp_lut = true;
    }
    return cfg;
}

static struct verdict run(const char *trace)
{
    struct verdict v = { .kind = SKIPPED };
    struct dla_config cfg = config_for(trace);
    char path[1024], *line = NULL;
    size_t room = 0;
    struct rig rig;
    struct dla_regs *regs;
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s/%s.cfg", TRACES, trace, strchr(trace, '/') + 1);
    f = fopen(path, "r");
    if (!f) {
        stop(&v, FAILED, "no file", path);
        return v;
    }
    rig_init(&rig);
    regs = dla_regs_new(&cfg, &rig.port);
    while (getline(&line, &room, f) > 0 && v.kind != FAILED && !v.text[0]) {
        if (!strstr(line, "//") || strstr(line, "//") > strchr(line, '(')) {
            step(&rig, &cfg, regs, trace, line, &v);
        }
    }
    free(line);
    fclose(f);
    dla_regs_free(regs);
    rig_free(&rig);
    return v;
}

/* No trace disagrees, so there is no list of exceptions. */
START_TEST(a_trace_gives_its_published_crc)
{
    const char *name = trace_name[_i];
    struct verdict v = run(name);

    if (v.kind == SKIPPED && v.text[0]) {
        printf("skipped %s: %s\n", name, v.text);
        ++*skipped;
        return;
    }
    ck_assert_msg(v.kind == PASSED, "%s: %s", name, v.text[0] ? v.text : "checks nothing");
}
END_TEST

int main(void)
{
    Suite *s;
    TCase *t;
    SRunner *r;
    int failed;

    list_traces();
    if (!trace_count) {
        printf("skipped: no published traces in %s\n", TRACES);
        return 77;
    }
    skipped =
        mmap(NULL, sizeof(*skipped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (skipped == MAP_FAILED) {
        return 1;
    }
    s = suite_create("dla_traces");
    t = tcase_create("traces");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_trace_gives_its_published_crc, 0, trace_count);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    printf("%d traces: %d give their CRC, %d disagree, %d lack a data file\n", trace_count,
           trace_count - failed - *skipped, failed, *skipped);
    srunner_free(r);
    return failed != 0;
}
