/* SPDX-License-Identifier: MIT */
/* libnvscievent.so.1: services, notifiers and waits, over file descriptors. Source: DRIVE OS API
 * reference 6.0.10, nvscievent.h. A wait runs the handlers of all notifiers of its service, in its
 * own thread. */
#include "runtime/api/nvsci/event.h"

#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/api/nvsci/common.h"

struct notifier;

/* The table is first: its address is what programs have. */
struct service {
    NvSciEventLoopService table;
    GMutex lock;
    GPtrArray *notifiers; /* all that were not deleted */
    int refs;             /* the program's, and one for each notifier */
};

struct notifier {
    NvSciEventNotifier table;
    struct service *service;
    int fd;
    bool local; /* an eventfd of our own, to be read */
    void (*callback)(void *cookie);
    void *cookie;
};

struct local {
    NvSciLocalEvent table;
    int fd;
};

static void service_unref(struct service *s)
{
    if (g_atomic_int_dec_and_test(&s->refs)) {
        g_ptr_array_unref(s->notifiers);
        g_mutex_clear(&s->lock);
        g_free(s);
    }
}

static NvSciError notifier_set_handler(NvSciEventNotifier *table, void (*callback)(void *cookie),
                                       void *cookie, uint32_t priority)
{
    struct notifier *n = (struct notifier *)table;

    if (!n || priority >= NV_SCI_EVENT_PRIORITIES) {
        return sci_error("NvSciEventNotifier::SetHandler", NvSciError_BadParameter, NULL);
    }
    g_mutex_lock(&n->service->lock);
    n->callback = callback;
    n->cookie = cookie;
    g_mutex_unlock(&n->service->lock);
    return NvSciError_Success;
}

static void notifier_delete(NvSciEventNotifier *table)
{
    struct notifier *n = (struct notifier *)table;

    if (n) {
        g_mutex_lock(&n->service->lock);
        g_ptr_array_remove(n->service->notifiers, n);
        g_mutex_unlock(&n->service->lock);
        service_unref(n->service);
        g_free(n);
    }
}

static struct notifier *notifier_new(struct service *s, int fd, bool local)
{
    struct notifier *n = g_new0(struct notifier, 1);

    n->table = (NvSciEventNotifier){ notifier_set_handler, notifier_delete };
    n->service = s;
    n->fd = fd;
    n->local = local;
    g_atomic_int_inc(&s->refs);
    g_mutex_lock(&s->lock);
    g_ptr_array_add(s->notifiers, n);
    g_mutex_unlock(&s->lock);
    return n;
}

static NvSciError create_native(NvSciEventService *table, NvSciNativeEvent *event,
                                NvSciEventNotifier **out)
{
    if (!table || !event || !out) {
        return sci_error("NvSciEventService::CreateNativeEventNotifier", NvSciError_BadParameter,
                         NULL);
    }
    *out = &notifier_new((struct service *)table, event->fd, false)->table;
    return NvSciError_Success;
}

static NvSciError local_signal(NvSciLocalEvent *table)
{
    uint64_t one = 1;

    if (!table) {
        return sci_error("NvSciLocalEvent::Signal", NvSciError_BadParameter, NULL);
    }
    return write(((struct local *)table)->fd, &one, sizeof(one)) == sizeof(one)
               ? NvSciError_Success
               : NvSciError_TryItAgain;
}

static void local_delete(NvSciLocalEvent *table)
{
    struct local *l = (struct local *)table;

    if (l) {
        l->table.eventNotifier->Delete(l->table.eventNotifier);
        close(l->fd);
        g_free(l);
    }
}

static NvSciError create_local(NvSciEventService *table, NvSciLocalEvent **out)
{
    struct local *l;
    int fd;

    if (!table || !out) {
        return sci_error("NvSciEventService::CreateLocalEvent", NvSciError_BadParameter, NULL);
    }
    fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (fd < 0) {
        return sci_error("NvSciEventService::CreateLocalEvent", NvSciError_InsufficientResource,
                         NULL);
    }
    l = g_new0(struct local, 1);
    l->fd = fd;
    l->table = (NvSciLocalEvent){ &notifier_new((struct service *)table, fd, true)->table,
                                  local_signal, local_delete };
    *out = &l->table;
    return NvSciError_Success;
}

static NvSciError create_timer(NvSciEventService *table, NvSciTimerEvent **out)
{
    (void)table;
    (void)out;
    return sci_error("NvSciEventService::CreateTimerEvent", NvSciError_NotSupported,
                     "no edition of the API has a function for timers");
}

static NvSciError create_loop(NvSciEventLoopService *table, NvSciEventLoop **out)
{
    (void)table;
    (void)out;
    return sci_error("NvSciEventLoopService::CreateEventLoop", NvSciError_NotSupported,
                     "a service is its only loop");
}

static void service_delete(NvSciEventService *table)
{
    if (table) {
        service_unref((struct service *)table);
    }
}

/* --- waiting --- */

static int64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC,
                  &t); /* the virtual clock, where `vtegra run` stands in front of it */
    return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

/* Takes the event: of a local one. An endpoint's stays until NvSciIpcGetEvent(). */
static void event_claim(const struct notifier *n)
{
    uint64_t count;

    if (n->local && read(n->fd, &count, sizeof(count)) < 0) {
        return; /* another thread was first */
    }
}

/* Descriptors: those that are waited for, then those that have handlers. */
struct watched {
    GArray *fd; /* struct pollfd */
    GPtrArray *notifier;
};

static void watched_add(struct watched *w, struct notifier *n)
{
    struct pollfd fd = { .fd = n->fd, .events = POLLIN };

    g_array_append_val(w->fd, fd);
    g_ptr_array_add(w->notifier, n);
}

static void watched_fill(struct watched *w, struct service *s, NvSciEventNotifier *const *wanted,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        watched_add(w, (struct notifier *)wanted[i]);
    }
    g_mutex_lock(&s->lock);
    for (guint i = 0; i < s->notifiers->len; i++) {
        struct notifier *n = s->notifiers->pdata[i];
        bool also = n->callback;

        for (size_t j = 0; also && j < count; j++) {
            also = wanted[j] != &n->table;
        }
        if (also) {
            watched_add(w, n);
        }
    }
    g_mutex_unlock(&s->lock);
}

/* Return: is one of the first @count among what happened? */
static bool event_serve(const struct watched *w, size_t count, bool *happened)
{
    bool any = false;

    for (guint i = 0; i < w->fd->len; i++) {
        struct notifier *n = w->notifier->pdata[i];

        if (!g_array_index(w->fd, struct pollfd, i).revents) {
            continue;
        }
        event_claim(n);
        if (n->callback) {
            n->callback(n->cookie);
        }
        if (i < count) {
            any = true;
            if (happened) {
                happened[i] = true;
            }
        }
    }
    return any;
}

static NvSciError wait_some(const char *api, struct service *s, NvSciEventNotifier *const *wanted,
                            size_t count, int64_t us, bool *happened)
{
    int64_t end = us < 0 ? 0 : now_us() + us;
    NvSciError result = NvSciError_TryItAgain;

    for (size_t i = 0; happened && i < count; i++) {
        happened[i] = false;
    }
    while (result == NvSciError_TryItAgain) {
        struct watched w = { g_array_new(FALSE, TRUE, sizeof(struct pollfd)), g_ptr_array_new() };
        int64_t left = us < 0 ? -1 : MAX(end - now_us(), 0);
        int n;

        watched_fill(&w, s, wanted, count);
        n = poll((struct pollfd *)(void *)w.fd->data, w.fd->len,
                 us < 0 ? -1 : (int)MIN((left + 999) / 1000, INT32_MAX));
        if (n < 0 && errno != EINTR) {
            result = sci_error(api, NvSciError_InvalidState,
                               "an endpoint or event of the service is closed");
        } else if (n > 0 && event_serve(&w, count, happened)) {
            result = NvSciError_Success;
        } else if (n == 0) {
            result = NvSciError_Timeout;
        }
        g_array_unref(w.fd);
        g_ptr_array_unref(w.notifier);
    }
    return result;
}

static NvSciError wait_checked(const char *api, struct service *s,
                               NvSciEventNotifier *const *wanted, size_t count, int64_t us,
                               bool *happened)
{
    for (size_t i = 0; i < count; i++) {
        struct notifier *n = wanted ? (struct notifier *)wanted[i] : NULL;

        s = s || !n ? s : n->service;
        if (!n || n->service != s) {
            return sci_error(api, NvSciError_BadParameter,
                             "notifiers of one service are waited for");
        }
    }
    if (us < NV_SCI_EVENT_INFINITE_WAIT || (!count && !s)) {
        return sci_error(api, NvSciError_BadParameter, NULL);
    }
    return wait_some(api, s, wanted, count, us, happened);
}

static NvSciError wait_for_event(NvSciEventNotifier *notifier, int64_t us)
{
    return wait_checked("NvSciEventLoopService::WaitForEvent", NULL, &notifier, 1, us, NULL);
}

static NvSciError wait_for_multiple(NvSciEventNotifier *const *notifiers, size_t count, int64_t us,
                                    bool *happened)
{
    if (!notifiers || !count || !happened) {
        return sci_error("NvSciEventLoopService::WaitForMultipleEvents", NvSciError_BadParameter,
                         NULL);
    }
    return wait_checked("NvSciEventLoopService::WaitForMultipleEvents", NULL, notifiers, count, us,
                        happened);
}

static NvSciError wait_for_multiple_ext(NvSciEventService *service,
                                        NvSciEventNotifier *const *notifiers, size_t count,
                                        int64_t us, bool *happened)
{
    if (!service || (count && (!notifiers || !happened))) {
        return sci_error("NvSciEventLoopService::WaitForMultipleEventsExt", NvSciError_BadParameter,
                         NULL);
    }
    return wait_checked("NvSciEventLoopService::WaitForMultipleEventsExt",
                        (struct service *)service, notifiers, count, us, happened);
}

/* --- entries --- */

static NvSciError service_new(const char *api, size_t loops, NvSciEventLoopService **out)
{
    struct service *s;

    if (!out || loops != 1) {
        return sci_error(api, NvSciError_BadParameter, "a service has one loop");
    }
    s = g_new0(struct service, 1);
    s->table = (NvSciEventLoopService){
        .EventService = { create_native, create_local, create_timer, service_delete },
        .CreateEventLoop = create_loop,
        .WaitForEvent = wait_for_event,
        .WaitForMultipleEvents = wait_for_multiple,
        .WaitForMultipleEventsExt = wait_for_multiple_ext,
    };
    s->refs = 1;
    s->notifiers = g_ptr_array_new();
    g_mutex_init(&s->lock);
    *out = &s->table;
    return NvSciError_Success;
}

NvSciError NvSciEventLoopServiceCreate(size_t maxEventLoops,
                                       NvSciEventLoopService **newEventLoopService)
{
    return service_new(__func__, maxEventLoops, newEventLoopService);
}

/* @config: NULL or a thread attribute on QNX; Linux has no use for it. */
NvSciError NvSciEventLoopServiceCreateSafe(size_t maxEventLoops, void *config,
                                           NvSciEventLoopService **newEventLoopService)
{
    (void)config;
    return service_new(__func__, maxEventLoops, newEventLoopService);
}

NvSciError NvSciEventLoopServiceCreateSafeX(size_t maxEventLoops, void *config,
                                            NvSciEventLoopService **newEventLoopService)
{
    (void)config;
    return service_new(__func__, maxEventLoops, newEventLoopService);
}

NvSciError NvSciEventMoveNotifier(NvSciEventService *oldEventService,
                                  NvSciEventService *newEventService,
                                  NvSciEventNotifier *eventNotifier)
{
    struct notifier *n = (struct notifier *)eventNotifier;
    struct service *from = (struct service *)oldEventService,
                   *to = (struct service *)newEventService;

    if (!from || !to || !n || n->service != from) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    g_mutex_lock(&from->lock);
    g_ptr_array_remove(from->notifiers, n);
    g_mutex_unlock(&from->lock);
    g_atomic_int_inc(&to->refs);
    g_mutex_lock(&to->lock);
    n->service = to;
    g_ptr_array_add(to->notifiers, n);
    g_mutex_unlock(&to->lock);
    service_unref(from);
    return NvSciError_Success;
}

NvSciError NvSciEventCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                               bool *isCompatible)
{
    if (!isCompatible) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    *isCompatible = majorVer == NvSciEventMajorVersion && minorVer <= NvSciEventMinorVersion;
    return NvSciError_Success;
}
