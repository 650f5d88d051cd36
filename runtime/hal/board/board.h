/* SPDX-License-Identifier: MIT */
/* hal/board: the model runs in a server, `vtegra board`, and this is how a program talks to it.
 *
 * One Unix socket of packets (SOCK_SEQPACKET), one struct below a packet, so each arrives whole or
 * not at all. The client says who it is, the server answers with what the two share: the files of
 * memory, and at which addresses of the client's its pages lie. Then requests, each with one reply;
 * between the two the server may send records, and questions (who is next?), which the client
 * answers at once. INTERRUPT has no reply and comes at any time. POST has none either: its
 * records come with the next reply, and the board does it before any request that a program sends
 * afterwards, this program or another one.
 *
 * Both sides are little-endian with 64-bit numbers; x86-64 and aarch64 have the same layout, which
 * the checks of sizes below pin. The sides need not trust each other: sizes and numbers are checked
 * before they are used, and whoever breaks the rules is left. */
#ifndef RUNTIME_HAL_BOARD_BOARD_H
#define RUNTIME_HAL_BOARD_BOARD_H

#include <pthread.h>
#include <stdint.h>

#include "runtime/hal.h"
#include "runtime/hal/board/address.h"

#define BOARD_MAGIC 0x44425456u /* "VTBD" */
#define BOARD_VERSION 7u        /* another one is refused */
#define BOARD_TURN                                                                \
    "VTEGRA_TURN" /* sched/processes/round.h: the processes of the run take turns \
                   */

/* Of flags. CHOOSE, DRAW: the client decides under SEEDED policies. PROBE: it only asks for the
 * welcome, there is no board and there are no files. COUNT: with PROBE: its text says what the
 * board has given out. TURNS: it takes turns with all other clients of its run: only one of them
 * asks at a time. */
enum { BOARD_CHOOSE = 1, BOARD_DRAW = 2, BOARD_PROBE = 4, BOARD_COUNT = 8, BOARD_TURNS = 16 };

/**
 * struct board_hello - client to server, first
 * @profile_hash: board_profile_hash() of the client's; both sides work with the same figures
 * @contract_hash, @contract_time: contract_here of the client's (contract/contract.h)
 */
struct board_hello {
    uint32_t magic, version, policy, evict;
    uint64_t seed, profile_hash, contract_hash;
    uint32_t flags, contract_time;
    char soc[32];
};

enum { BOARD_SAME_PROCESS = 1 }; /* the client's addresses are the server's: its pages are there */

/**
 * struct board_welcome - server to client; with it come the files of DRAM and of the CPU's views
 * @status: 0, or -errno: then @text says why, there are no files, and the server hangs up
 * @flags: BOARD_SAME_PROCESS
 * @arena_base, @arena_bytes: where memory lies in the client's address space
 * @board: as hal_shared_board(); @process: the client's number there
 * @dram_base, @dram_bytes: bus addresses; offset 0 of both files is @dram_base
 */
struct board_welcome {
    uint32_t magic, version;
    int32_t status;
    uint32_t flags;
    uint64_t arena_base, arena_bytes, dram_base, dram_bytes, board;
    uint32_t process, reserved;
    char text[192];
};

/* What a request asks for; its arguments, and its reply's values. Each is the function of hal.h of
 * that name. */
enum board_op {
    BOARD_READ32,  /* unit, offset -> value */
    BOARD_WRITE32, /* unit, offset, value */
    BOARD_CLAIM,   /* enum hal_claim, index -> index */
    BOARD_RELEASE, /* enum hal_claim, index */
    BOARD_ALLOC,   /* kind, size, align, at -> struct hal_mem: cpu, size, bus, id, kind, cached */
    BOARD_FREE,    /* id */
    BOARD_VA_RESERVE,   /* size, align, hint -> va */
    BOARD_VA_RELEASE,   /* va, size */
    BOARD_IOMMU_MAP,    /* unit, id, offset, len, prot -> iova */
    BOARD_IOMMU_UNMAP,  /* unit, iova, len */
    BOARD_IOMMU_SYNCPT, /* unit, syncpt -> iova */
    BOARD_EXPORT,       /* id or 0, syncpt or 0, rights and BOARD_OFTEN, two notes -> token */
    BOARD_UNEXPORT,     /* token */
    BOARD_IMPORT, /* token, rights at least -> ALLOC's but [5]: cached, rights << 8, BOARD_OFTEN,
                     syncpt << 32;
                     two notes */
    BOARD_IOMMU_FAULT, /* unit -> smmu's address, fsr and fsynr, cbfrsynra and cb, iova, flags */
    BOARD_CLEAN,       /* va, len */
    BOARD_CLEAN_INVALIDATE, /* va, len */
    BOARD_INVALIDATE,       /* va, len */
    BOARD_ACCESS,           /* va, len, enum access_kind */
    BOARD_NOTE,             /* enum hal_note, a, b */
    BOARD_WAIT,             /* syncpt, threshold, timeout, hal_look_wait() */
    BOARD_POLL,             /* must_progress */
    BOARD_TIME,             /* -> ns */
    BOARD_TIME_ADVANCE,     /* ns */
    BOARD_OBSERVE,          /* mask, TRACE_FOREIGN as well; 0: no sink */
    BOARD_LINE,             /* va, lines -> flags, dirty bytes, those of the lines that are dirty */
    BOARD_COUNTS,           /* -> programs, memory, its bytes, channels, syncpoints, passes */
    BOARD_DUMP,             /* TEXT packets, then the reply */
    BOARD_SIGNAL,           /* syncpt, va of the slot, payload, start -> payload */
    BOARD_OP_COUNT,
    BOARD_ANSWER = 0x100, /* to CHOOSE or DRAW: the number */
    BOARD_INTERRUPT,      /* on; no reply */
    BOARD_POST, /* as SIGNAL, no reply: of a program that has had one to a SIGNAL, and is asked no
                   questions. One that it may not make breaks the rules */
};

enum { BOARD_OFTEN = 0x10000 };

#define BOARD_POSTS_MAX 64u /* without a reply in between: their records wait for it */

struct board_request {
    uint32_t op, thread; /* hal_note(THREAD) of the caller */
    uint64_t arg[6];
};

enum board_type { BOARD_REPLY, BOARD_RECORDS, BOARD_ASK_CHOOSE, BOARD_ASK_DRAW, BOARD_TEXT };

#define BOARD_VALUES 8

/* Of a message's flags. TELL: another program looks for races with this one: BOARD_NOTE says what
 * this one's CPU has waited for. */
enum { BOARD_TELL = 1 };

/**
 * struct board_message - server to client
 * @count: of what follows: RECORDS struct board_record, and REPLY the last of them, ASK_CHOOSE
 *         uint32_t, TEXT bytes; else 0
 * @result: REPLY: what the function returns; ASK_DRAW: enum cache_kind
 * @time_ns: REPLY: virtual time after the request, of BOARD_WAIT at least that before it
 * @flags: REPLY: BOARD_TELL
 */
struct board_message {
    uint32_t type, count;
    int64_t result;
    uint64_t time_ns, value[BOARD_VALUES];
    uint32_t flags, reserved;
};

/* As struct trace_record. */
struct board_record {
    uint32_t event, agent, region, channel;
    uint64_t time_ns, arg[6];
    uint32_t thread, process;
};

_Static_assert(sizeof(struct board_hello) == 80, "one layout for all");
_Static_assert(sizeof(struct board_welcome) == 256, "one layout for all");
_Static_assert(sizeof(struct board_request) == 56, "one layout for all");
_Static_assert(sizeof(struct board_message) == 96, "one layout for all");
_Static_assert(sizeof(struct board_record) == 80, "one layout for all");
_Static_assert(TRACE_ARGS == 6, "a record has room for all arguments");

#define BOARD_RECORDS_MAX 512u
#define BOARD_FOREIGN_MAX 65536u /* records of other programs that wait for a reply */
#define BOARD_AGENTS_MAX 1024u
#define BOARD_TEXT_MAX 32768u
#define BOARD_PACKET_MAX \
    (sizeof(struct board_message) + BOARD_RECORDS_MAX * sizeof(struct board_record))

/* wire.c */
uint64_t board_profile_hash(const struct soc_profile *profile);
/* One packet of two parts, @more may be empty. Return: 0; -errno: -EPIPE the other side is gone. */
int board_send(int fd, const void *head, size_t head_bytes, const void *more, size_t more_bytes);
/* Return: bytes; -ECONNRESET the other side is gone; -EMSGSIZE it was longer than @max. */
int64_t board_receive(int fd, void *packet, size_t max);
int board_send_files(int fd, const void *head, size_t bytes, const int files[2]);
/* @files are -1 where none came. */
int64_t board_receive_files(int fd, void *packet, size_t max, int files[2]);

/**
 * struct board_host - a process that serves a board and sees the accesses of its client's CPU by
 * itself (qemu-plugin/user: there the client is a guest program in this very address space)
 * @lock: whoever uses @hal holds it
 * @hal: the client's board; NULL: there is none
 */
struct board_host {
    pthread_mutex_t lock;
    struct hal *hal;
};

struct board;

/* @profile: not owned; @host: NULL, or where to show the program's board. */
struct board *board_new(const struct soc_profile *profile, struct board_host *host);
void board_free(struct board *board); /* no program has it */
unsigned board_programs(struct board *board);
/* Programs of that user may have the board, too; before the first is greeted. */
void board_allow(struct board *board, uint32_t user);

/**
 * board_greet - take a client's greeting; one that only asks (BOARD_PROBE) is answered
 * @fd: connected socket
 * Return: 1: it wants a board, board_serve() is next; 0: it only asked; -EPROTO: it was refused,
 * after a line on stderr, or has hung up without a word.
 */
int board_greet(struct board *board, int fd, struct board_hello *hello);

/**
 * board_serve - be the board for a client until it goes; in a thread for each client
 * @fd: connected socket; stays open
 *
 * The first finds the board as after power-up. Those that come while it is there share it, if their
 * policy is the same, and if it is seeded, they take turns; when the last has gone the board is,
 * too.
 * Return: 0 when the client has ended in order, -EPROTO after a line on stderr when it was refused
 * or broke the rules.
 */
int board_serve(struct board *board, int fd, const struct board_hello *hello);

#endif
