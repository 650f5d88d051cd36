/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vtegra-user.so, a plugin for qemu-aarch64 (user mode): the board for an aarch64 program, with
 * every load and store of its CPU seen.
 *
 * The program and the board are in one process and one address space: QEMU translates the program's
 * instructions, its addresses are the host's. Its runtime reaches the board by a Unix socket like
 * that of any other process (runtime/hal/board); the pages of memory are there already. A thread of
 * ours serves. */
#include <errno.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "qemu-plugin/qemu_abi.h"
#include "runtime/hal/board/board.h"
#include "runtime/hal/share.h"

/* Of the plugin interface: 7.2 has 1. Newer ones run it too, where the binary takes -plugin at all.
 */
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct plugin_info *info, int argc, char **argv);

static struct {
    struct soc_profile *profile;
    char *path;
    int listener;
    struct board_host host;
    struct board *board;
    uint64_t base, bytes; /* of the arena, the same for every board; bytes 0: not known yet */
} user = { .listener = -1, .host = { .lock = PTHREAD_MUTEX_INITIALIZER } };

/* --- the CPU --- */

/* After the access. Most are not the board's: one comparison. */
static void user_accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t va, void *unused)
{
    (void)vcpu;
    (void)unused;
    if (va - user.base >= __atomic_load_n(&user.bytes, __ATOMIC_RELAXED)) {
        return;
    }
    pthread_mutex_lock(&user.host.lock);
    if (user.host.hal) {
        hal_accessed(user.host.hal, (const void *)(uintptr_t)va,
                     (size_t)1 << qemu_plugin_mem_size_shift(info),
                     qemu_plugin_mem_is_store(info) ? ACCESS_STORE : ACCESS_LOAD);
    }
    pthread_mutex_unlock(&user.host.lock);
}

static void user_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), user_accessed,
                                         PLUGIN_NO_REGS, PLUGIN_MEM_RW, NULL);
    }
}

/* --- the board --- */

static void *user_serve(void *unused)
{
    for (;;) {
        int fd = accept4(user.listener, NULL, NULL, SOCK_CLOEXEC);
        struct board_hello hello;

        if (fd < 0) {
            return unused;
        }
        if (board_greet(user.board, fd, &hello) > 0) {
            board_serve(user.board, fd, &hello);
        }
        close(fd);
    }
}

/* Signals are the program's: QEMU handles them on its own threads. */
static bool thread_start(void)
{
    sigset_t all, before;
    pthread_t thread;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    err = pthread_create(&thread, NULL, user_serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (err == 0) {
        pthread_detach(thread);
    }
    return err == 0;
}

static bool socket_open(const char *path)
{
    struct sockaddr_un address;
    int err = board_address(path, &address);

    user.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (!err && (user.listener < 0 ||
                 bind(user.listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
                 listen(user.listener, 4) != 0)) {
        err = -errno;
    }
    if (err) {
        fprintf(stderr, "vtegra: socket=%s: %s\n", path, strerror(-err));
    }
    return !err;
}

/* Where every board of this profile has its memory: one is opened and closed to know. */
static bool arena_find(void)
{
    struct hal *hal =
        hal_open(&(struct hal_config){ .profile = user.profile, .policy = HAL_POLICY_LAZY });

    if (hal) {
        hal_arena_bounds(hal, &user.base, &user.bytes);
        hal_close(hal);
    }
    return hal != NULL;
}

static void user_ends(qemu_plugin_id_t id, void *unused)
{
    (void)id;
    (void)unused;
    if (*user.path != '@') { /* a name without a file */
        unlink(user.path);
    }
}

/* --- start --- */

static bool options_parse(int argc, char **argv)
{
    const char *soc = "orin";
    GError *error = NULL;

    for (int i = 0; i < argc; i++) {
        if (g_str_has_prefix(argv[i], "soc=")) {
            soc = argv[i] + strlen("soc=");
        } else if (g_str_has_prefix(argv[i], "socket=")) {
            user.path = g_strdup(argv[i] + strlen("socket="));
        } else {
            fprintf(stderr, "vtegra: unknown argument %s; there are soc, socket\n", argv[i]);
            return false;
        }
    }
    if (!user.path || !*user.path) {
        fprintf(stderr,
                "vtegra: socket=PATH says where the program finds its board (VTEGRA_BOARD)\n");
        return false;
    }
    user.profile = profile_load(soc, &error);
    if (!user.profile) {
        fprintf(stderr, "vtegra: %s\n", error->message);
        g_error_free(error);
    }
    return user.profile != NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct plugin_info *info, int argc, char **argv)
{
    if (info->system_emulation || strcmp(info->target_name, "aarch64") != 0) {
        fprintf(stderr,
                "vtegra: this plugin is for qemu-aarch64, not %s%s; qemu-system-aarch64 takes "
                "vtegra-qemu.so\n",
                info->system_emulation ? "qemu-system-" : "qemu-", info->target_name);
        return -1;
    }
    if (!options_parse(argc, argv)) {
        return -1;
    }
    user.board = board_new(user.profile, &user.host);
    if (!arena_find() || !socket_open(user.path) || !thread_start()) {
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, user_translated);
    qemu_plugin_register_atexit_cb(id, user_ends, NULL);
    return 0;
}
