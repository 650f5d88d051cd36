/* SPDX-License-Identifier: MIT */
/* vtegra stats: a board's DRAM as tegrastats and free -m show it, and what can still be allocated.
 */
#include <stdio.h>
#include <string.h>

#include "profiles/profile.h"
#include "runtime/preload/memory_text.h"
#include "tools/cmd.h"
#include "trace/note.h"
#include "trace/reader.h"
#include "trace/record.h"

#define CMD "stats"
#define MIB 20

static const char description[] = "Without TRACE the board at rest. TRACE is a file of `vtegra run "
                                  "--trace`: a line of tegrastats for each change of\n"
                                  "what CUDA has allocated, in virtual time, then the board at its "
                                  "highest use. A trace does not have the program's\n"
                                  "own CPU memory: give it by --host-memory.\n"
                                  "\n"
                                  "Examples:\n"
                                  "  vtegra stats --soc nano --rest 600\n"
                                  "  vtegra stats --host-memory 2048 t.txt";

struct stats {
    struct memory_figures now;
    GHashTable *regions; /* id -> bytes in MiB, at least 1 byte kept as a pointer */
    char *soc;
    uint64_t time_ns, most;
};

static void tegrastats_print(const struct memory_figures *m, uint64_t time_ns)
{
    uint64_t used = m->total - memory_free(m);

    printf("%" G_GUINT64_FORMAT ".%06u ms RAM %u/%uMB SWAP %u/%uMB\n", time_ns / 1000000,
           (unsigned)(time_ns % 1000000), (unsigned)(used >> MIB), (unsigned)(m->total >> MIB),
           (unsigned)((m->swap_total - m->swap_free) >> MIB), (unsigned)(m->swap_total >> MIB));
}

static void free_print(const struct memory_figures *m)
{
    uint64_t free_bytes = memory_free(m);

    printf("%15s%12s%12s\n", "total", "used", "free");
    printf("Mem:  %9u%12u%12u\n", (unsigned)(m->total >> MIB),
           (unsigned)((m->total - free_bytes) >> MIB), (unsigned)(free_bytes >> MIB));
    printf("Swap: %9u%12u%12u\n", (unsigned)(m->swap_total >> MIB),
           (unsigned)((m->swap_total - m->swap_free) >> MIB), (unsigned)(m->swap_free >> MIB));
}

static void estimate_print(const struct memory_figures *m)
{
    uint64_t host = m->host + m->rest;

    printf("device (NvMapMemUsed) %u MiB, host (used less device) %u MiB\n",
           (unsigned)(m->device >> MIB), (unsigned)(host >> MIB));
    printf("cudaMemGetInfo: %u MiB free of %u, swap left out\n", (unsigned)(memory_free(m) >> MIB),
           (unsigned)(m->total >> MIB));
    printf("allocatable: %u MiB: total less device%s (CUDA for Tegra 2.2)\n",
           (unsigned)(memory_allocatable(m) >> MIB),
           host > m->swap_free ? ", less host memory beyond the free swap" : "");
}

static void region_note(struct stats *s, struct note *n)
{
    const char *id = note_get(n, "id"), *kind = note_get(n, "kind");
    uint64_t bytes = g_ascii_strtoull(note_get(n, "len") ? note_get(n, "len") : "0", NULL, 10);

    if (!id || g_strcmp0(kind, "pageable") == 0 || g_strcmp0(kind, "driver") == 0 ||
        g_strcmp0(note_get(n, "registered"), "1") == 0) {
        return;
    }
    g_hash_table_insert(s->regions, g_strdup(id), g_memdup2(&bytes, sizeof(bytes)));
    s->now.device += bytes;
    s->most = MAX(s->most, s->now.device);
    tegrastats_print(&s->now, s->time_ns);
}

static void free_note(struct stats *s, struct note *n)
{
    const char *id = note_get(n, "id");
    const uint64_t *bytes = id ? g_hash_table_lookup(s->regions, id) : NULL;

    if (bytes) {
        s->now.device -= *bytes;
        g_hash_table_remove(s->regions, id);
        tegrastats_print(&s->now, s->time_ns);
    }
}

static bool board_take(struct stats *s, const char *soc)
{
    GError *error = NULL;
    struct soc_profile *p = profile_load(soc, &error);

    if (!p) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return false;
    }
    s->now.total = p->memory.dram_bytes - p->memory.carveout_bytes;
    g_free(s->soc);
    s->soc = g_strdup(p->soc.name);
    profile_free(p);
    return true;
}

static void stats_take(void *opaque, const struct trace_record *record, struct note *note)
{
    struct stats *s = opaque;

    if (record) {
        s->time_ns = record->time_ns;
        return;
    }
    if (strcmp(note->name, "run") == 0 && !s->soc && note_get(note, "soc")) {
        board_take(s, note_get(note, "soc"));
    } else if (strcmp(note->name, "region") == 0) {
        region_note(s, note);
    } else if (strcmp(note->name, "free") == 0) {
        free_note(s, note);
    }
    note_clear(note);
}

static bool trace_replay(struct stats *s, const char *path)
{
    g_autofree char *why = NULL;
    unsigned long lines;

    if (trace_read(path, stats_take, s, &lines, &why)) {
        cmd_error(CMD, "%s", why);
        return false;
    }
    if (!s->soc) {
        cmd_error(CMD, "%s: no @run line at its beginning: not a trace file of a whole run", path);
        return false;
    }
    s->now.device = s->most;
    return true;
}

int cmd_stats(int argc, char **argv)
{
    struct stats s = { 0 };
    g_autofree char *soc = NULL;
    gint rest = 0, swap = 0, host = 0;
    const GOptionEntry entries[] = {
        { "soc", 0, 0, G_OPTION_ARG_STRING, &soc,
          "virtual SoC, or a profile file (orin, or that of TRACE)", "SOC" },
        { "rest", 0, 0, G_OPTION_ARG_INT, &rest, "DRAM that the rest of the system has (0)",
          "MIB" },
        { "swap", 0, 0, G_OPTION_ARG_INT, &swap, "free swap space (0)", "MIB" },
        { "host-memory", 0, 0, G_OPTION_ARG_INT, &host, "DRAM of the program's own CPU memory (0)",
          "MIB" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    gboolean ok;

    if (!cmd_options(CMD, "[TRACE] - a board's memory: tegrastats, free -m, what can be allocated",
                     description, entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc > 2 || rest < 0 || swap < 0 || host < 0) {
        cmd_error(CMD, "one trace file at most, and figures from 0 on; see vtegra stats --help");
        return CMD_USAGE;
    }
    s.now.rest = (uint64_t)rest << MIB;
    s.now.swap_total = s.now.swap_free = (uint64_t)swap << MIB;
    s.now.host = (uint64_t)host << MIB;
    s.regions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    ok = (!soc && argc == 2) || board_take(&s, soc ? soc : "orin");
    if (ok && argc == 2) {
        ok = trace_replay(&s, argv[1]);
    } else if (ok) {
        tegrastats_print(&s.now, 0);
    }
    if (ok) {
        printf("\n%s\n", s.soc);
        free_print(&s.now);
        estimate_print(&s.now);
    }
    g_hash_table_destroy(s.regions);
    g_free(s.soc);
    return ok ? CMD_OK : CMD_FOUND;
}
