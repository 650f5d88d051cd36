/* SPDX-License-Identifier: MIT */
#include "runtime/driver/core/notifier.h"

#define HOOKS_MAX 16u

/* The functions of one event, and their number. */
#define NOTIFY_ADD(event, result, parameters)            \
    static result(*event##_hooks[HOOKS_MAX]) parameters; \
    static unsigned event##_count;                       \
                                                         \
    void notify_##event##_add(result(*hook) parameters)  \
    {                                                    \
        for (unsigned i = 0; i < event##_count; i++) {   \
            if (event##_hooks[i] == hook) {              \
                return;                                  \
            }                                            \
        }                                                \
        g_assert(event##_count < HOOKS_MAX);             \
        event##_hooks[event##_count++] = hook;           \
    }

/* One event: NOTIFY(its name, (parameters), (arguments)). */
#define NOTIFY(event, parameters, arguments)           \
    NOTIFY_ADD(event, void, parameters)                \
                                                       \
    void notify_##event parameters                     \
    {                                                  \
        for (unsigned i = 0; i < event##_count; i++) { \
            event##_hooks[i] arguments;                \
        }                                              \
    }

/* The same, of functions that answer. */
#define NOTIFY_ANY(event)                              \
    NOTIFY_ADD(event, bool, (void))                    \
                                                       \
    bool notify_##event(void)                          \
    {                                                  \
        bool any = false;                              \
                                                       \
        for (unsigned i = 0; i < event##_count; i++) { \
            any |= event##_hooks[i]();                 \
        }                                              \
        return any;                                    \
    }

NOTIFY(signal, (void), ())
NOTIFY(service, (void), ())
NOTIFY_ANY(pump)
NOTIFY_ANY(function_wait)
NOTIFY_ANY(release)
NOTIFY(stuck_text, (GString * text), (text))
NOTIFY(stuck, (struct fence fence, bool spinning, const struct check_caller *caller),
       (fence, spinning, caller))
NOTIFY(deadlock, (struct context * context, struct fence fence, bool spinning),
       (context, fence, spinning))
NOTIFY(lost, (void), ())
NOTIFY(synced, (void), ())
NOTIFY(covered, (void), ())
NOTIFY(thread_gone, (unsigned thread), (thread))
NOTIFY(context_gone, (struct context * context), (context))
NOTIFY(region_gone, (const struct region *region), (region))
NOTIFY(stored, (uint64_t dst, size_t bytes, const struct channel *channel), (dst, bytes, channel))
NOTIFY(launching, (void), ())
NOTIFY(copying, (const struct region *src, const struct region *dst), (src, dst))
