/* SPDX-License-Identifier: MIT */
/* What an aarch64 program needs here: QEMU's user mode with -plugin, our plugin, our libraries for
 * aarch64 and Debian's (scripts/guest.sh makes both). */
#include "tools/run/run_user.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/paths.h"
#include "tools/run/run_board.h"

#define CMD "run"

static char *qemu_find(void)
{
    const char *own = g_getenv("VTEGRA_QEMU_USER");

    return g_find_program_in_path(own && *own ? own : "qemu-aarch64");
}

/* The folder with lib/ and sysroot/; NULL. */
static char *runtime_find(void)
{
    const char *own = g_getenv("VTEGRA_AARCH64");
    char *places[] = { g_strdup(own && *own ? own : "/nowhere"), paths_get("share/vtegra/aarch64"),
                       paths_get("../aarch64") };
    char *found = NULL;

    for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
        char *library = g_build_filename(places[i], "lib/board/libvtegra.so", NULL);

        if (!found && access(library, R_OK) == 0) {
            found = g_canonicalize_filename(places[i], NULL);
        }
        g_free(library);
        g_free(places[i]);
    }
    return found;
}

/* Debian's qemu-user 10.0 is built without plugins; 7.2 has them. */
static gboolean takes_plugins(const char *qemu)
{
    char *argv[] = { (char *)qemu, (char *)"-help", NULL }, *out = NULL;
    gboolean yes = g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out,
                                NULL, NULL, NULL) &&
                   out && strstr(out, "-plugin");

    g_free(out);
    return yes;
}

int run_user_check(const char *path)
{
    char *qemu = qemu_find(), *runtime = runtime_find(), *plugin = paths_get("lib/vtegra-user.so");
    int status = CMD_NOT_RUN;

    if (!qemu) {
        cmd_error(
            CMD,
            "%s is built for AArch64: qemu-aarch64 would run it (package qemu-user), but is not "
            "there. Or rebuild it here from its sources (vtegra cc, or nvcc on this machine)",
            path);
    } else if (!takes_plugins(qemu)) {
        cmd_error(CMD,
                  "%s does not take -plugin: Debian's qemu-user 10.0 is built without. The one of "
                  "bookworm, 7.2, has it; VTEGRA_QEMU_USER names another program",
                  qemu);
    } else if (access(plugin, R_OK) != 0) {
        cmd_error(CMD, "%s is missing: this vtegra was built without its part for QEMU", plugin);
    } else if (!runtime) {
        cmd_error(CMD,
                  "%s is built for AArch64, and there are no libraries for it: scripts/guest.sh "
                  "makes them, "
                  "VTEGRA_AARCH64 names another folder with lib/ and sysroot/",
                  path);
    } else {
        status = CMD_OK;
    }
    g_free(plugin);
    g_free(runtime);
    g_free(qemu);
    return status;
}

int run_user_exec(const char *path, char **argv, const char *soc)
{
    char *runtime = runtime_find(), *plugin = paths_get("lib/vtegra-user.so"), *qemu = qemu_find();
    char *socket = run_board_name("user");
    char *profiles = paths_get("share/vtegra/profiles");
    char *preload = g_build_filename(runtime, "lib/libvtegra-preload.so", NULL);
    GPtrArray *args = g_ptr_array_new();

    if (!socket) {
        cmd_error(CMD, "a name for the board: %s", g_strerror(errno));
        return CMD_FAILED;
    }
    g_ptr_array_add(args, qemu);
    g_ptr_array_add(args, (char *)"-L");
    g_ptr_array_add(args, g_build_filename(runtime, "sysroot", NULL));
    g_ptr_array_add(args, (char *)"-E");
    g_ptr_array_add(args, g_strdup_printf("LD_LIBRARY_PATH=%s/lib/board:%s/lib", runtime, runtime));
    if (access(preload, R_OK) == 0) {
        g_ptr_array_add(args, (char *)"-E");
        g_ptr_array_add(args, g_strconcat("LD_PRELOAD=", preload, NULL));
    }
    g_ptr_array_add(args, (char *)"-plugin");
    g_ptr_array_add(args, g_strdup_printf("%s,soc=%s,socket=%s", plugin, soc, socket));
    g_ptr_array_add(args, (char *)path);
    for (char **arg = argv + 1; *arg; arg++) {
        g_ptr_array_add(args, *arg);
    }
    g_ptr_array_add(args, NULL);
    g_setenv("VTEGRA_BOARD", socket, TRUE);
    g_setenv("VTEGRA_PROFILES", profiles, FALSE);
    execv(qemu, (char **)args->pdata);
    cmd_error(CMD, "cannot run %s: %s", qemu, g_strerror(errno));
    g_ptr_array_free(args, TRUE); /* what it holds goes with this process */
    g_free(preload);
    g_free(profiles);
    g_free(socket);
    g_free(plugin);
    g_free(runtime);
    return CMD_FAILED;
}
