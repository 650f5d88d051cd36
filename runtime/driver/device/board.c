/* SPDX-License-Identifier: MIT */
#include "runtime/driver/device/board.h"

#include <glib.h>
#include <string.h>

#include "profiles/profile.h"

static struct {
    struct soc_profile *profile;
    char system[16];
} board;

const struct soc_profile *board_profile(void)
{
    return board.profile;
}

const char *board_system(void)
{
    return board.system;
}

void board_begin(struct soc_profile *profile)
{
    board.profile = profile;
}

bool board_system_choose(const char *system)
{
    g_auto(GStrv) systems = g_strsplit(board.profile->soc.os, ",", -1);

    for (char **s = systems; *s; s++) {
        if (!strcmp(g_strstrip(*s), system)) {
            g_strlcpy(board.system, system, sizeof(board.system));
            profile_system_set(board.profile, system);
            return true;
        }
    }
    return false;
}
