/* SPDX-License-Identifier: MIT */
#include "runtime/driver/core/notifier.h"

#define NOTIFIERS_MAX 16u

static const struct notifier *notifiers[NOTIFIERS_MAX];
static unsigned count;

void notifier_add(const struct notifier *notifier)
{
    for (unsigned i = 0; i < count; i++) {
        if (notifiers[i] == notifier) {
            return;
        }
    }
    g_assert(count < NOTIFIERS_MAX);
    notifiers[count++] = notifier;
}

/* One event: NOTIFY(its name, (parameters), (arguments)). */
#define NOTIFY(event, parameters, arguments)   \
    void notify_##event parameters             \
    {                                          \
        for (unsigned i = 0; i < count; i++) { \
            if (notifiers[i]->event) {         \
                notifiers[i]->event arguments; \
            }                                  \
        }                                      \
    }

/* The same, of functions that answer. */
#define NOTIFY_ANY(event)                                        \
    bool notify_##event(void)                                    \
    {                                                            \
        bool any = false;                                        \
                                                                 \
        for (unsigned i = 0; i < count; i++) {                   \
            any |= notifiers[i]->event && notifiers[i]->event(); \
        }                                                        \
        return any;                                              \
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
