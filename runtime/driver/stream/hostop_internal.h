/* SPDX-License-Identifier: MIT */
/* Between hostop.c (host functions are queued, and have a thread) and hostop_run.c (they run). */
#ifndef RUNTIME_DRIVER_STREAM_HOSTOP_INTERNAL_H
#define RUNTIME_DRIVER_STREAM_HOSTOP_INTERNAL_H

#include "runtime/driver/stream/stream_internal.h"

struct hostop {
    uint64_t serial, launch; /* launch: struct launched, order; 0: none of the application's */
    struct context *context;
    struct channel *channel;
    CUstream stream;
    struct fence after, end;
    uint32_t threshold; /* of the channel's host syncpoint */
    GArray *known;
    CUhostFn fn;
    CUstreamCallback callback;
    hostop_fn *internal;
    void (*covered)(struct context *context); /* before a function of the application runs */
    void *data;
    CUresult status;
    struct channel_hold *hold; /* NULL: it never was in a channel */
};

/* hostop_run.c. The lock is held. */
void hostop_queue(struct hostop *op); /* its channel is known */
void hostop_free(struct hostop *op);
/* The oldest operation that may run now; @user: functions of the application, too. */
struct hostop *hostop_due(bool user);
void hostop_begin(struct hostop *op); /* takes it out of the queue */
void hostop_run_internal(struct hostop *op);
void hostop_run_user(struct hostop *op);     /* lets the lock go meanwhile */
void hostop_function_set(struct hostop *op); /* the application's that runs */
struct hostop *hostop_running(void);         /* the same; NULL: none */
struct hostop *hostop_oldest(void);          /* of a queue that is not empty */
bool hostop_queued(void);                    /* is one of the application's? */
bool hostop_waits(void);                     /* and none runs? */
bool hostop_sleeper(void);                   /* has hostop_attend() been called since? */
unsigned hostop_dozed(void); /* called so often since a function of the application ran */
void hostop_look(void);      /* waits for a queued one, a while */
void hostop_sleep(void);     /* for any time */

#endif
