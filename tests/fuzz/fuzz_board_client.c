/* SPDX-License-Identifier: MIT */
/* A server's packets: a welcome that is right but for some bits, then replies, records and
 * questions of any bytes. The client's calls answer, at worst as of a board that is lost. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "profiles/profile.h"
#include "runtime/hal/board/board.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DRAM_BYTES (UINT64_C(1) << 20)

static struct soc_profile *profile;
static int listener;
static const uint8_t *script;
static size_t script_bytes;

static void start(void)
{
    static char path[64];
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
    profile = profile_load("nano", NULL);
    snprintf(path, sizeof(path), "/tmp/fuzz_board_client_%d", (int)getpid());
    unlink(path);
    setenv(BOARD_SOCKET, path, 1);
    strcpy(address.sun_path, path);
    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (!profile || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 1) != 0) {
        abort();
    }
}

static void welcome_send(int peer)
{
    struct board_welcome w = { .magic = BOARD_MAGIC,
                               .version = BOARD_VERSION,
                               .arena_base = UINT64_C(0x200000000000),
                               .arena_bytes = UINT64_C(1) << 30,
                               .dram_base = 0x80000000,
                               .dram_bytes = DRAM_BYTES };
    int files[2];

    for (int i = 0; i < 2; i++) {
        files[i] = memfd_create("t", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (ftruncate(files[i], (off_t)DRAM_BYTES) != 0 ||
            fcntl(files[i], F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
            abort();
        }
    }
    if (script[0] & 1) {
        ((uint8_t *)&w)[script[1] % 48] ^= script[0];
    }
    board_send_files(peer, &w, sizeof(w), files);
    close(files[0]);
    close(files[1]);
}

/* 8 bytes a packet: its type, how many parts follow, result and values. */
static void *serve(void *unused)
{
    static const uint8_t more[BOARD_PACKET_MAX];
    struct board_hello hello;
    struct board_request r;
    int peer = accept(listener, NULL, NULL);

    board_receive(peer, &hello, sizeof(hello));
    welcome_send(peer);
    for (size_t at = 2; at + 8 <= script_bytes; at += 8) {
        const uint8_t *b = script + at;
        struct board_message m = { .type = b[0] % 6, .count = b[1] & 7, .result = (int8_t)b[2] };

        for (unsigned i = 0; i < 5; i++) {
            m.value[i] = (uint64_t)b[3 + i] << (b[1] >> 3);
        }
        if (m.type == BOARD_REPLY && board_receive(peer, &r, sizeof(r)) <= 0) {
            break;
        }
        if (board_send(peer, &m, sizeof(m), more,
                       m.type == BOARD_REPLY
                           ? 0
                           : (size_t)(b[2] & 7) * (m.type == BOARD_RECORDS ? 80 : 4)) != 0) {
            break;
        }
    }
    close(peer);
    return unused;
}

static void sink(void *opaque, const struct trace_record *record)
{
    (void)opaque;
    (void)record;
}

static void calls(struct hal *hal)
{
    struct hal_mem mem;
    struct hal_signal_slot slot;
    void *va;

    hal_observe(hal, TRACE_ALL, sink, NULL);
    hal_write32(hal, UNIT_HOST1X, 0, hal_read32(hal, UNIT_IGPU, 0));
    if (hal_mem_alloc(hal, HAL_MEM_PINNED, 4096, 4096, NULL, &mem) == 0) {
        hal_mem_find(hal, mem.cpu, &mem);
        hal_mem_free(hal, &mem);
    }
    va = hal_va_reserve(hal, 1 << 20, 4096, NULL);
    if (va) {
        hal_va_release(hal, va, 1 << 20);
    }
    hal_wait(hal, 1, 2, 3);
    hal_poll(hal, true);
    hal_note(hal, HAL_NOTE_WAITED, 1, 2);
    hal_look_wait(hal, 1, 2, 3);
    for (int i = 0; i < 3; i++) {
        hal_signal(hal, 1, &slot, 0, 0, true);
    }
    hal_settle(hal);
    hal_signal(hal, 1, &slot, 0, 0, true);
    hal_note(hal, HAL_NOTE_RELEASE, 1, 2);
    hal_time_ns(hal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pthread_t thread;
    struct hal *hal;

    if (!profile) {
        start();
    }
    if (size < 2) {
        return 0;
    }
    script = data;
    script_bytes = size;
    pthread_create(&thread, NULL, serve, NULL);
    hal = hal_open(&(struct hal_config){ .profile = profile });
    if (hal) {
        calls(hal);
        hal_close(hal);
    }
    pthread_join(thread, NULL);
    return 0;
}
