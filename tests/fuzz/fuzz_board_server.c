/* SPDX-License-Identifier: MIT */
/* A client's packets: a greeting that is right but for some bits, and requests of any bytes. The
 * server serves them or hangs up. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/contract.h"
#include "profiles/profile.h"
#include "runtime/hal/board/board.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct soc_profile *profile;
static int pair[2];

static void *serve(void *unused)
{
    struct board *board = board_new(profile, NULL);
    struct board_hello greeting;

    if (board_greet(board, pair[1], &greeting) > 0) {
        board_serve(board, pair[1], &greeting);
    }
    board_free(board);
    close(pair[1]);
    return unused;
}

/* What the server says is taken and thrown away. */
static void *drain(void *unused)
{
    static unsigned char packet[BOARD_PACKET_MAX];
    int files[2];

    while (board_receive_files(pair[0], packet, sizeof(packet), files) > 0) {
        for (int i = 0; i < 2; i++) {
            if (files[i] >= 0) {
                close(files[i]);
            }
        }
    }
    return unused;
}

static struct board_hello hello(void)
{
    return (struct board_hello){ .magic = BOARD_MAGIC,
                                 .version = BOARD_VERSION,
                                 .policy = HAL_POLICY_LAZY,
                                 .evict = EVICT_LRU,
                                 .profile_hash = board_profile_hash(profile),
                                 .contract_hash = contract_here.hash,
                                 .contract_time = contract_here.time };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct board_request r;
    struct board_hello h;
    pthread_t server, reader;

    if (!profile) {
        setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
        profile = profile_load("nano", NULL);
    }
    if (!profile || size < 2 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return 0;
    }
    h = hello();
    if (data[0] & 1) {
        ((uint8_t *)&h)[data[1] % sizeof(h)] ^= data[0];
    }
    pthread_create(&server, NULL, serve, NULL);
    pthread_create(&reader, NULL, drain, NULL);
    board_send(pair[0], &h, sizeof(h), NULL, 0);
    for (size_t at = 2; at < size; at += 8) {
        /* 8 bytes a request: the operation, which argument is large, small arguments */
        const uint8_t *from = data + at;
        size_t n = size - at < 8 ? size - at : 8;
        uint8_t b[8] = { 0 };

        memcpy(b, from, n);
        r = (struct board_request){ .op = b[0] % (BOARD_OP_COUNT + 2), .thread = b[1] & 3 };
        if (b[0] >= 0xf8) { /* an answer, an interrupt, and what does not exist */
            r.op = BOARD_ANSWER + b[0] % 4;
        }
        for (unsigned i = 0; i < 6; i++) {
            r.arg[i] = (uint64_t)b[2 + i] << (b[1] >> 2 & 31) % 48;
        }
        if (board_send(pair[0], &r, b[1] & 0x80 ? n * 5 : sizeof(r), NULL, 0) != 0) {
            break;
        }
    }
    shutdown(pair[0], SHUT_WR);
    pthread_join(server, NULL);
    pthread_join(reader, NULL);
    close(pair[0]);
    return 0;
}
