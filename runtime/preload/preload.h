/* SPDX-License-Identifier: MIT */
/* libvtegra-preload.so: who gets SIGSEGV, SIGBUS and SIGTRAP.
 *
 * `vtegra run` preloads it. It stands in front of the C library's signal functions, so that the
 * virtual board's handler stays first however the application sets its own; the application sees
 * the actions and masks that it set. The runtime finds vtegra_preload() with dlsym().
 */
#ifndef RUNTIME_PRELOAD_PRELOAD_H
#define RUNTIME_PRELOAD_PRELOAD_H

#include <signal.h>
#include <stdbool.h>

#include "runtime/track/track.h"

struct memory_figures;
typedef void vtegra_memory_fn(struct memory_figures *out);
typedef void vtegra_handler(int sig, siginfo_t *info, void *context);

/**
 * struct vtegra_preload - what the fault handler needs
 * @claim: @handler is first for @sig from now on; NULL gives the signal back to the application
 * @action: the action the application has set for @sig
 * @reset: the application's action for @sig becomes SIG_DFL (SA_RESETHAND)
 * @blocked: has this thread of the application blocked @sig?
 * @at_exit: @report is called when this process leaves by _exit(), which skips atexit(); it returns
 * the exit status, @status or another
 * @track: the objects with compiler hooks that were enlisted (runtime/track/track.h), the last one
 * first; @listener is called for each that comes from now on, and finds it in the list
 * @memory: who is asked, from now on, for what /proc/meminfo shows (runtime/preload/memory_text.h)
 * @real_sigaction, @real_sigmask: the C library's own
 */
struct vtegra_preload {
    unsigned version;
    int (*claim)(int sig, vtegra_handler *handler);
    void (*action)(int sig, struct sigaction *out);
    void (*reset)(int sig);
    bool (*blocked)(int sig);
    void (*at_exit)(int (*report)(int status));
    const struct vtegra_track_object *(*track)(vtegra_track_enlist_fn *listener);
    void (*memory)(vtegra_memory_fn *figures);
    int (*real_sigaction)(int sig, const struct sigaction *act, struct sigaction *old);
    int (*real_sigmask)(int how, const sigset_t *set, sigset_t *old);
};

#define VTEGRA_PRELOAD_VERSION 4

typedef const struct vtegra_preload *vtegra_preload_fn(void);
vtegra_preload_fn vtegra_preload;

#endif
