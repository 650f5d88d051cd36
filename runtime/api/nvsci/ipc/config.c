/* SPDX-License-Identifier: MIT */
#include "runtime/api/nvsci/ipc/config.h"

#include <string.h>

/* Every character of a name may stand in a socket's address and in a report. */
static bool name_take(const char *word, char name[IPC_NAME])
{
    size_t len = strlen(word);

    if (!len || len >= IPC_NAME) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!g_ascii_isgraph(word[i]) || word[i] == '/') {
            return false;
        }
    }
    memcpy(name, word, len + 1);
    return true;
}

static bool number_take(const char *word, uint64_t most, uint32_t *out)
{
    guint64 n;

    if (!g_ascii_string_to_unsigned(word, 10, 1, most, &n, NULL)) {
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

/* Return: what is wrong with the line, NULL: nothing. */
static const char *line_take(char *const *word, guint words, struct ipc_channel *c)
{
    if (!strcmp(word[0], "INTER_CHIP") || !strcmp(word[0], "INTER_CHIP_PCIE") ||
        !strcmp(word[0], "INTER_VM")) {
        return "only INTER_PROCESS and INTER_THREAD are supported: there is one SoC and one system";
    }
    c->threads = !strcmp(word[0], "INTER_THREAD");
    if (!c->threads && strcmp(word[0], "INTER_PROCESS") != 0) {
        return "a line begins with INTER_PROCESS or INTER_THREAD";
    }
    if (words != 5) {
        return "a line has a kind, two endpoints, the number of frames and the bytes of a frame";
    }
    if (!name_take(word[1], c->name[0]) || !name_take(word[2], c->name[1])) {
        return "an endpoint's name has 1 to 63 visible characters and no /";
    }
    if (!number_take(word[3], IPC_FRAMES, &c->frames)) {
        return "the number of frames is 1 to 4096";
    }
    if (!number_take(word[4], IPC_FRAME_BYTES, &c->frame_size)) {
        return "a frame has 1 to 1048576 bytes";
    }
    return (uint64_t)c->frames * c->frame_size > IPC_RING_BYTES / 2 ? "a channel has at most 64 MiB"
                                                                    : NULL;
}

const struct ipc_channel *ipc_config_find(const GArray *channels, const char *name, unsigned *side)
{
    for (guint i = 0; i < channels->len; i++) {
        const struct ipc_channel *c = &g_array_index(channels, struct ipc_channel, i);

        for (*side = 0; *side < 2; (*side)++) {
            if (!strcmp(c->name[*side], name)) {
                return c;
            }
        }
    }
    return NULL;
}

static const char *channel_add(GArray *channels, const struct ipc_channel *c)
{
    unsigned side;

    if (!strcmp(c->name[0], c->name[1]) || ipc_config_find(channels, c->name[0], &side) ||
        ipc_config_find(channels, c->name[1], &side)) {
        return "an endpoint stands in one line, once";
    }
    if (channels->len >= IPC_ENDPOINTS / 2) {
        return "there are at most 500 endpoints";
    }
    g_array_append_val(channels, *c);
    return NULL;
}

/* Words between blanks; a # ends the line. */
static GPtrArray *words_of(char *line)
{
    GPtrArray *words = g_ptr_array_new();

    line[strcspn(line, "#")] = 0;
    for (char *word = strtok_r(line, " \t\r", &line); word; word = strtok_r(NULL, " \t\r", &line)) {
        g_ptr_array_add(words, word);
    }
    return words;
}

GArray *ipc_config_parse(const char *text, const char *name, char **error)
{
    GArray *channels = g_array_new(FALSE, FALSE, sizeof(struct ipc_channel));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const char *wrong = NULL;

    for (unsigned i = 0; lines[i] && !wrong; i++) {
        GPtrArray *words = words_of(lines[i]);
        struct ipc_channel c = { 0 };

        if (words->len) {
            wrong = line_take((char *const *)words->pdata, words->len, &c);
            wrong = wrong ? wrong : channel_add(channels, &c);
        }
        if (wrong) {
            *error = g_strdup_printf("%s:%u: %s", name, i + 1, wrong);
        }
        g_ptr_array_unref(words);
    }
    if (wrong) {
        g_array_unref(channels);
        return NULL;
    }
    return channels;
}
