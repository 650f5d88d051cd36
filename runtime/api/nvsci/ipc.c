/* SPDX-License-Identifier: MIT */
/* libnvsciipc.so.1: endpoints. Source: DRIVE OS API reference 6.0.10, nvsciipc.h. No function here
 * blocks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/nvsciipc.h"
#include "runtime/api/nvsci/common.h"
#include "runtime/api/nvsci/event.h"
#include "runtime/api/nvsci/ipc/link.h"

struct endpoint {
    struct sci_object object;
    GMutex lock;
    struct ipc_link link;
    bool looked;           /* the program has asked for events since its last frame */
    gint64 alone_since_us; /* the first question for events without a connection; 0: none */
    bool alone_said;
    NvSciEventService *service;
};

static GMutex init_lock;
static GArray *channels; /* struct ipc_channel; NULL: not initialised */
static unsigned inits;
static uint32_t realm;

/* Where there is no file: the endpoints that NVIDIA's test programs use (DRIVE OS,
 * /etc/nvsciipc.cfg; inferred). */
static const char defaults[] = "INTER_PROCESS ipc_test_0 ipc_test_1 64 1536\n"
                               "INTER_PROCESS ipc_test_a_0 ipc_test_a_1 64 1536\n"
                               "INTER_PROCESS ipc_test_b_0 ipc_test_b_1 64 1536\n"
                               "INTER_PROCESS ipc_test_c_0 ipc_test_c_1 64 1536\n"
                               "INTER_THREAD itc_test_0 itc_test_1 64 1536\n"
                               "INTER_PROCESS nvscisync_a_0 nvscisync_a_1 16 24576\n"
                               "INTER_PROCESS nvscibuf_ipc_A_B nvscibuf_ipc_B_A 16 24576\n"
                               "INTER_PROCESS nvscistream_0 nvscistream_1 16 24576\n";

static char *config_text(char **name)
{
    const char *own = getenv("VTEGRA_NVSCIIPC_CFG");
    char *text = NULL;

    *name = g_strdup(own ? own : "/etc/nvsciipc.cfg");
    if (!g_file_get_contents(*name, &text, NULL, NULL) && !own) {
        g_free(*name);
        *name = g_strdup("(built in)");
        text = g_strdup(defaults);
    }
    return text;
}

/* Programs of different files do not meet, even where names are equal, nor do those of two runs
 * with --shared: their boards are two machines. The name of such a board is one that no other user
 * can guess, so the endpoints' are, too. */
static uint32_t realm_of(const char *name)
{
    g_autofree char *path = g_canonicalize_filename(name, NULL);
    const char *shared = getenv("VTEGRA_SHARED"), *board = getenv("VTEGRA_BOARD");
    g_autofree char *all =
        g_strconcat(path, "\n", shared && strcmp(shared, "1") == 0 ? board : NULL, NULL);

    return g_str_hash(all);
}

NvSciError NvSciIpcInit(void)
{
    g_autofree char *name = NULL, *text = NULL, *error = NULL;
    NvSciError result = NvSciError_Success;

    g_mutex_lock(&init_lock);
    if (!channels) {
        text = config_text(&name);
        channels = text ? ipc_config_parse(text, name, &error) : NULL;
        realm = realm_of(name);
        result = channels ? NvSciError_Success
                 : text   ? NvSciError_InvalidState
                          : NvSciError_NoSuchEntry;
    }
    inits += channels != NULL;
    g_mutex_unlock(&init_lock);
    if (result != NvSciError_Success) {
        sci_error(__func__, result,
                  error ? error : "VTEGRA_NVSCIIPC_CFG names no file that can be read");
    }
    return result;
}

void NvSciIpcDeinit(void)
{
    g_mutex_lock(&init_lock);
    if (inits && !--inits) {
        g_array_unref(channels);
        channels = NULL;
    }
    g_mutex_unlock(&init_lock);
}

/* Both ends of a channel of threads lie in one process: each process has its own. */
static uint32_t realm_for(const struct ipc_channel *channel)
{
    return channel->threads ? realm * 31 + (uint32_t)getpid() : realm;
}

static void endpoint_free(void *opaque)
{
    struct endpoint *e = opaque;

    ipc_link_close(&e->link);
    g_mutex_clear(&e->lock);
    g_free(e);
}

static NvSciError open_channel(const char *name, struct endpoint *e)
{
    const struct ipc_channel *channel;
    unsigned side;
    int error;

    g_mutex_lock(&init_lock);
    channel = channels ? ipc_config_find(channels, name, &side) : NULL;
    error = channel ? ipc_link_open(&e->link, channel, side, realm_for(channel)) : 0;
    g_mutex_unlock(&init_lock);
    if (!channel) {
        return channels ? NvSciError_NoSuchEntry : NvSciError_NotInitialized;
    }
    return error == -EADDRINUSE ? NvSciError_Busy
           : error == -EPERM    ? NvSciError_AccessDenied
           : error              ? NvSciError_InsufficientResource
                                : NvSciError_Success;
}

static NvSciError open_endpoint(const char *api, const char *name, NvSciIpcEndpoint *handle,
                                NvSciEventService *service)
{
    struct endpoint *e;
    NvSciError error;

    if (!name || !handle || strnlen(name, IPC_NAME) == IPC_NAME) {
        return sci_error(api, NvSciError_BadParameter, NULL);
    }
    e = g_new0(struct endpoint, 1);
    error = open_channel(name, e);
    if (error != NvSciError_Success) {
        g_free(e);
        return sci_error(api, error,
                         error == NvSciError_Busy ? "the endpoint is open already"
                         : error == NvSciError_AccessDenied
                             ? "a process of another user has the name of this endpoint; another "
                               "configuration file, or vtegra run --shared, gives another name"
                         : error == NvSciError_NoSuchEntry
                             ? "no line of the configuration file has it"
                             : NULL);
    }
    g_mutex_init(&e->lock);
    e->service = service;
    sci_object_init(&e->object, SCI_IPC_ENDPOINT, endpoint_free);
    *handle = (NvSciIpcEndpoint)(uintptr_t)sci_handle_new(&e->object);
    return NvSciError_Success;
}

NvSciError NvSciIpcOpenEndpoint(const char *endpoint, NvSciIpcEndpoint *handle)
{
    return open_endpoint(__func__, endpoint, handle, NULL);
}

NvSciError NvSciIpcOpenEndpointWithEventService(const char *endpoint, NvSciIpcEndpoint *handle,
                                                NvSciEventService *eventService)
{
    if (!eventService) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    return open_endpoint(__func__, endpoint, handle, eventService);
}

/* With its lock, which endpoint_put() releases. */
static struct endpoint *endpoint_get(const char *api, NvSciIpcEndpoint handle, NvSciError *error)
{
    struct endpoint *e = sci_handle_get((const void *)(uintptr_t)handle, SCI_IPC_ENDPOINT);

    if (!e) {
        *error = sci_error(api, channels ? NvSciError_BadParameter : NvSciError_NotInitialized,
                           "not an open endpoint");
        return NULL;
    }
    g_mutex_lock(&e->lock);
    *error = NvSciError_Success;
    return e;
}

static void endpoint_put(struct endpoint *e)
{
    g_mutex_unlock(&e->lock);
    sci_unref(e);
}

NvSciError NvSciIpcCloseEndpointSafe(NvSciIpcEndpoint handle, bool clear)
{
    NvSciError error;
    struct endpoint *e = endpoint_get(__func__, handle, &error);

    if (!e) {
        return error;
    }
    if (clear && e->link.state == IPC_LINK_UP) {
        ipc_ring_clear(&e->link.ring);
    }
    endpoint_put(e);
    sci_handle_free((const void *)(uintptr_t)handle, SCI_IPC_ENDPOINT);
    return NvSciError_Success;
}

void NvSciIpcCloseEndpoint(NvSciIpcEndpoint handle)
{
    if (!sci_handle_free((const void *)(uintptr_t)handle, SCI_IPC_ENDPOINT)) {
        sci_error(__func__, NvSciError_BadParameter, "not an open endpoint");
    }
}

static NvSciError ipc_reset(const char *api, NvSciIpcEndpoint handle)
{
    NvSciError error;
    struct endpoint *e = endpoint_get(api, handle, &error);

    if (e) {
        ipc_link_reset(&e->link);
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcResetEndpointSafe(NvSciIpcEndpoint handle)
{
    return ipc_reset(__func__, handle);
}

void NvSciIpcResetEndpoint(NvSciIpcEndpoint handle)
{
    ipc_reset(__func__, handle);
}

/* --- frames --- */

static const char not_up[] =
    "the connection is not established: call NvSciIpcResetEndpointSafe(), then "
    "NvSciIpcGetEventSafe() until it gives NV_SCI_IPC_EVENT_CONN_EST";

/* Frames of an end that has gone. */
static bool left_over(const struct ipc_link *link)
{
    return link->ring.memory && ipc_ring_readable(&link->ring) > 0;
}

/* The endpoint with a frame to read (or with room for one); else NULL and the error. */
static struct endpoint *ipc_ready(const char *api, NvSciIpcEndpoint handle, bool write,
                                  NvSciError *error)
{
    struct endpoint *e = endpoint_get(api, handle, error);
    int frames;

    if (!e) {
        return NULL;
    }
    ipc_link_pump(&e->link);
    if (e->link.state != IPC_LINK_UP && (write || !left_over(&e->link))) {
        *error = sci_error(api, NvSciError_ConnectionReset, not_up);
        endpoint_put(e);
        return NULL;
    }
    frames = write ? ipc_ring_writable(&e->link.ring) : ipc_ring_readable(&e->link.ring);
    if (frames < 0) {
        ipc_link_corrupt(&e->link);
        *error =
            sci_error(api, NvSciError_ConnectionReset, "the other end has damaged the channel");
    } else if (!frames && e->looked) {
        *error = NvSciError_InsufficientMemory; /* how a loop ends that reads all there is */
    } else if (!frames) {
        *error = sci_error(api, NvSciError_InsufficientMemory,
                           write ? "no frame is free: wait for NV_SCI_IPC_EVENT_WRITE"
                                 : "no frame has come: wait for NV_SCI_IPC_EVENT_READ");
    }
    if (frames <= 0) {
        endpoint_put(e);
        return NULL;
    }
    return e;
}

static bool size_fits(NvSciIpcEndpoint handle, size_t size)
{
    NvSciIpcEndpointInfo info;

    return size && (NvSciIpcGetEndpointInfo(handle, &info) != NvSciError_Success ||
                    size <= info.frame_size);
}

static NvSciError read_frame(const char *api, NvSciIpcEndpoint handle, void *buf, size_t size,
                             uint32_t *bytes)
{
    NvSciError error;
    struct endpoint *e;

    if (!buf || !bytes || !size_fits(handle, size)) {
        return sci_error(api, NvSciError_BadParameter, NULL);
    }
    e = ipc_ready(api, handle, false, &error);
    if (!e) {
        *bytes = 0;
        return error;
    }
    memcpy(buf, (const void *)(uintptr_t)ipc_ring_next_read(&e->link.ring), size);
    ipc_ring_read_done(&e->link.ring);
    ipc_link_wake(&e->link);
    *bytes = (uint32_t)size;
    endpoint_put(e);
    return NvSciError_Success;
}

static NvSciError write_frame(const char *api, NvSciIpcEndpoint handle, const void *buf,
                              size_t size, uint32_t *bytes)
{
    NvSciError error;
    struct endpoint *e;
    char *frame;

    if (!buf || !bytes || !size_fits(handle, size)) {
        return sci_error(api, NvSciError_BadParameter, NULL);
    }
    e = ipc_ready(api, handle, true, &error);
    if (!e) {
        *bytes = 0;
        return error;
    }
    frame = (char *)(uintptr_t)ipc_ring_next_write(&e->link.ring);
    memcpy(frame, buf, size);
    memset(frame + size, 0, e->link.ring.frame_size - size);
    ipc_ring_write_done(&e->link.ring);
    ipc_link_wake(&e->link);
    *bytes = (uint32_t)size;
    endpoint_put(e);
    return NvSciError_Success;
}

NvSciError NvSciIpcReadSafe(NvSciIpcEndpoint handle, void *buf, uint32_t size, uint32_t *bytes)
{
    return read_frame(__func__, handle, buf, size, bytes);
}

NvSciError NvSciIpcRead(NvSciIpcEndpoint handle, void *buf, size_t size, int32_t *bytes)
{
    return read_frame(__func__, handle, buf, size, (uint32_t *)bytes);
}

NvSciError NvSciIpcWriteSafe(NvSciIpcEndpoint handle, const void *buf, uint32_t size,
                             uint32_t *bytes)
{
    return write_frame(__func__, handle, buf, size, bytes);
}

NvSciError NvSciIpcWrite(NvSciIpcEndpoint handle, const void *buf, size_t size, int32_t *bytes)
{
    return write_frame(__func__, handle, buf, size, (uint32_t *)bytes);
}

NvSciError NvSciIpcReadGetNextFrame(NvSciIpcEndpoint handle, const volatile void **buf)
{
    NvSciError error;
    struct endpoint *e;

    if (!buf) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    e = ipc_ready(__func__, handle, false, &error);
    if (e) {
        *buf = ipc_ring_next_read(&e->link.ring);
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcWriteGetNextFrame(NvSciIpcEndpoint handle, volatile void **buf)
{
    NvSciError error;
    struct endpoint *e;

    if (!buf) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    e = ipc_ready(__func__, handle, true, &error);
    if (e) {
        *buf = ipc_ring_next_write(&e->link.ring);
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcReadAdvance(NvSciIpcEndpoint handle)
{
    NvSciError error;
    struct endpoint *e = ipc_ready(__func__, handle, false, &error);

    if (e) {
        ipc_ring_read_done(&e->link.ring);
        ipc_link_wake(&e->link);
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcWriteAdvance(NvSciIpcEndpoint handle)
{
    NvSciError error;
    struct endpoint *e = ipc_ready(__func__, handle, true, &error);

    if (e) {
        ipc_ring_write_done(&e->link.ring);
        ipc_link_wake(&e->link);
        endpoint_put(e);
    }
    return error;
}

/* --- events --- */

static uint32_t events_of(struct ipc_link *link)
{
    uint32_t events = 0;

    ipc_link_pump(link);
    events |= link->established ? NV_SCI_IPC_EVENT_CONN_EST : 0;
    events |= link->broken ? NV_SCI_IPC_EVENT_CONN_RESET : 0;
    events |= link->corrupt ? NV_SCI_IPC_EVENT_ASYNC_ERROR : 0;
    link->established = link->broken = false;
    events |= left_over(link) ? NV_SCI_IPC_EVENT_READ : 0;
    if (link->state == IPC_LINK_UP) {
        events |= ipc_ring_writable(&link->ring) > 0 ? NV_SCI_IPC_EVENT_WRITE : 0;
        events |= ipc_ring_unread(&link->ring) == 0 ? NV_SCI_IPC_EVENT_WRITE_EMPTY : 0;
    }
    return events;
}

#define ALONE_US (2 * G_USEC_PER_SEC)

/* For a program that polls an endpoint without a peer: one line, once, on how to start the peer. */
static void alone_say(struct endpoint *e)
{
    const struct ipc_channel *channel = &e->link.channel;
    gint64 now = g_get_monotonic_time();

    if (e->link.state == IPC_LINK_UP || channel->threads || e->alone_said) {
        return;
    }
    e->alone_since_us = e->alone_since_us ? e->alone_since_us : now;
    if (now - e->alone_since_us > ALONE_US) {
        e->alone_said = true;
        fprintf(stderr,
                "vtegra: NvSciIpc endpoint %s: no process has opened and reset the other end, %s, "
                "for 2 s. Start both processes under one `vtegra run --shared`, with one "
                "configuration file (VTEGRA_NVSCIIPC_CFG)\n",
                channel->name[e->link.side], channel->name[!e->link.side]);
    }
}

static NvSciError get_event(const char *api, NvSciIpcEndpoint handle, uint32_t *events)
{
    NvSciError error;
    struct endpoint *e;

    if (!events) {
        return sci_error(api, NvSciError_BadParameter, NULL);
    }
    e = endpoint_get(api, handle, &error);
    if (e) {
        *events = events_of(&e->link);
        e->looked = true;
        alone_say(e);
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcGetEvent(NvSciIpcEndpoint handle, uint32_t *events)
{
    return get_event(__func__, handle, events);
}

NvSciError NvSciIpcGetEventSafe(NvSciIpcEndpoint handle, uint32_t *events)
{
    return get_event(__func__, handle, events);
}

NvSciError NvSciIpcGetAsyncErrors(NvSciIpcEndpoint handle, uint32_t *errors)
{
    NvSciError error;
    struct endpoint *e;

    if (!errors) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    e = endpoint_get(__func__, handle, &error);
    if (e) {
        *errors = e->link.corrupt ? NvSciError_InconsistentData : 0;
        e->link.corrupt = false;
        endpoint_put(e);
    }
    return error;
}

/* The reference has it for QNX alone. */
NvSciError NvSciIpcEnableNotification(NvSciIpcEndpoint handle, bool flag)
{
    NvSciError error;
    struct endpoint *e = endpoint_get(__func__, handle, &error);

    (void)flag;
    if (e) {
        endpoint_put(e);
        error = sci_error(__func__, NvSciError_NotSupported, "QNX only");
    }
    return error;
}

NvSciError NvSciIpcGetEndpointInfo(NvSciIpcEndpoint handle, NvSciIpcEndpointInfo *info)
{
    NvSciError error;
    struct endpoint *e;

    if (!info) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    e = endpoint_get(__func__, handle, &error);
    if (e) {
        *info = (NvSciIpcEndpointInfo){ e->link.channel.frames, e->link.channel.frame_size };
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcGetLinuxEventFd(NvSciIpcEndpoint handle, int32_t *fd)
{
    NvSciError error;
    struct endpoint *e;

    if (!fd) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    e = endpoint_get(__func__, handle, &error);
    if (e) {
        if (e->service) {
            error =
                sci_error(__func__, NvSciError_NotPermitted, "the endpoint has an event service");
        } else {
            *fd = e->link.poll;
        }
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcGetEventNotifier(NvSciIpcEndpoint handle, NvSciEventNotifier **eventNotifier)
{
    NvSciError error;
    struct endpoint *e;

    if (!eventNotifier) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    e = endpoint_get(__func__, handle, &error);
    if (e) {
        struct NvSciNativeEvent native = { .fd = e->link.poll };

        error = e->service && e->service->CreateNativeEventNotifier
                    ? e->service->CreateNativeEventNotifier(e->service, &native, eventNotifier)
                    : sci_error(__func__, NvSciError_NotInitialized,
                                "the endpoint has no event service");
        endpoint_put(e);
    }
    return error;
}

NvSciError NvSciIpcCheckVersionCompatibility(uint32_t majorVer, uint32_t minorVer,
                                             bool *isCompatible)
{
    if (!isCompatible) {
        return sci_error(__func__, NvSciError_BadParameter, NULL);
    }
    *isCompatible = majorVer == NvSciIpcMajorVersion && minorVer <= NvSciIpcMinorVersion;
    return NvSciError_Success;
}
