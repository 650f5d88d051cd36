/* SPDX-License-Identifier: MIT */
/* Headers that a source includes and that are not ours: where they come from, or what takes their
 * place. */
#include "tools/cc/cc_header.h"

#include <string.h>

#include "tools/cmd.h"

#define CMD "cc"

/* Libraries of Jetson Linux whose hardware or memory the board has not. */
static gboolean cc_header_absent_explain(const char *err)
{
    static const struct {
        const char *header, *why;
    } absent[] = {
        { "Argus/", "libargus: no camera is here (neither VI nor ISP)" },
        { "EGLStream/", "libargus: no camera is here (neither VI nor ISP)" },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(absent); i++) {
        g_autofree char *sign = g_strdup_printf("fatal error: '%s", absent[i].header);

        if (strstr(err, sign)) {
            cmd_error(CMD, "<%s...> is %s; docs/egl.md says what takes its place", absent[i].header,
                      absent[i].why);
            return TRUE;
        }
    }
    return FALSE;
}

void cc_header_explain(const char *err)
{
    static const struct {
        const char *folder, *package;
    } known[] = {
        { "thrust/", "libthrust-dev" },
        { "cub/", "libcub-dev" },
        { "cuda/", "libcu++-dev" },
        { "nv/", "libcu++-dev" },
    };

    for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autofree char *sign = g_strdup_printf("fatal error: '%s", known[i].folder);

        if (strstr(err, sign)) {
            cmd_error(CMD,
                      "<%s...> is NVIDIA's: Debian 12 has version 1.17 (apt-get install %s); newer "
                      "ones need nvcc",
                      known[i].folder, known[i].package);
            return;
        }
    }
    if (cc_header_absent_explain(err)) {
        return;
    }
    if (strstr(err, "fatal error: 'curand") || strstr(err, "fatal error: 'cu")) {
        cmd_error(CMD, "headers of NVIDIA's libraries need nvcc; docs/vtegra-cc.md lists ours");
    }
}
