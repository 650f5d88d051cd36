/* SPDX-License-Identifier: MIT */
/* Buffers that a kernel and the DLA, or other engines, hand to each other: by NvSci with and
 * without SKIP flags, or by copies. */
#include "tools/advise/advise.h"

#include "checker/print/json_writer.h"
#include "checker/run/run.h"

static void way_verdict_put(const struct advise_way *w, const struct advise_board *board,
                            GString *s)
{
    double nvsci = charge_way_ns(&w->shared, CHARGE_WAY_NVSCI, board->profile);
    double skip = charge_way_ns(&w->shared, CHARGE_WAY_SKIP, board->profile);
    double copies = charge_way_ns(&w->shared, CHARGE_WAY_COPIES, board->profile);
    double error = 1 + board->percent / 100;

    if (copies > nvsci * error) {
        g_string_append_printf(s, "    -> sharing saves %.0f %% of a copy\n",
                               100 * (1 - nvsci / copies));
    } else if (nvsci > copies * error) {
        g_string_append_printf(s,
                               "    -> copies save %.0f %%: the calls cost more than the bytes\n",
                               100 * (1 - copies / nvsci));
    } else {
        g_string_append(s, "    -> sharing and copies differ by less than the error\n");
    }
    if (nvsci > skip * error) {
        g_string_append_printf(s, "    -> SKIP flags save %.0f %% more, where they are allowed\n",
                               100 * (1 - skip / nvsci));
    }
}

static void way_put(const struct advise_way *w, const struct advise_board *board, GString *s)
{
    g_autofree char *size = run_size_text(w->shared.size);

    g_string_append_printf(s, "  #%u  %s %s%s%s, used by several engines\n", w->number, w->api,
                           size, *w->where ? " at " : "", w->where);
    g_string_append_printf(s, "    %" G_GUINT64_FORMAT " %s\n", w->shared.frames,
                           w->shared.frames == 1 ? "frame" : "frames");
    g_string_append_printf(s, "    %-22s%9s\n", "a frame", "all");
    for (unsigned way = 0; way < CHARGE_WAYS; way++) {
        g_string_append_printf(s, "    %-21s%s", charge_way_text(way),
                               way == CHARGE_WAY_NVSCI && w->nvsci ? "*" : " ");
        advise_time_put(s, charge_way_ns(&w->shared, way, board->profile));
        g_string_append_printf(s, "  %s\n", charge_way_rule(way, board->profile));
    }
    way_verdict_put(w, board, s);
}

void advise_ways_text(const struct advise_run *a, const struct advise_board *board, GString *out)
{
    for (guint i = 0; i < a->ways->len; i++) {
        way_put(&g_array_index(a->ways, struct advise_way, i), board, out);
    }
}

static void way_json(const struct advise_way *w, const struct advise_board *board,
                     struct json_writer *out)
{
    json_writer_begin(out, '{');
    json_writer_key(out, "buffer");
    json_writer_int(out, w->number);
    json_writer_key(out, "frames");
    json_writer_int(out, (int64_t)w->shared.frames);
    json_writer_key(out, "nvsci");
    json_writer_bool(out, w->nvsci);
    json_writer_key(out, "frame_ns");
    json_writer_begin(out, '{');
    for (unsigned way = 0; way < CHARGE_WAYS; way++) {
        json_writer_key(out, charge_way_text(way));
        json_writer_int(out, (int64_t)(charge_way_ns(&w->shared, way, board->profile) + 0.5));
    }
    json_writer_end(out, '}');
    json_writer_end(out, '}');
}

void advise_ways_json(const struct advise_run *a, const struct advise_board *board,
                      struct json_writer *w)
{
    json_writer_key(w, "engines");
    json_writer_begin(w, '[');
    for (guint i = 0; i < a->ways->len; i++) {
        way_json(&g_array_index(a->ways, struct advise_way, i), board, w);
    }
    json_writer_end(w, ']');
}
