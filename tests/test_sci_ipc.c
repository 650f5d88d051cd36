/* SPDX-License-Identifier: MIT */
/* libnvsciipc.so.1: two ends in two threads and in two processes. Source: DRIVE OS API
 * reference 6.0.10, nvsciipc.h. */
#include <check.h>
#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/nvsciipc.h"
#include "tests/suite.h"

#define OK(call) ck_assert_uint_eq(call, NvSciError_Success)

enum { FRAME = 64, FRAMES = 4 };

static char config[] = "/tmp/test_sci_ipc_XXXXXX";

static void setup(void)
{
    FILE *f = fdopen(mkstemp(strcpy(config, "/tmp/test_sci_ipc_XXXXXX")), "w");

    fprintf(f, "INTER_THREAD left right %d %d\nINTER_PROCESS up down %d %d\n", FRAMES, FRAME,
            FRAMES, FRAME);
    fclose(f);
    setenv("VTEGRA_NVSCIIPC_CFG", config, 1);
    OK(NvSciIpcInit());
}

static void teardown(void)
{
    NvSciIpcDeinit();
    unlink(config);
}

static NvSciIpcEndpoint open_end(const char *name)
{
    NvSciIpcEndpoint end;

    OK(NvSciIpcOpenEndpoint(name, &end));
    OK(NvSciIpcResetEndpointSafe(end));
    return end;
}

/* Blocks as programs do: events first, then the descriptor. */
static uint32_t wait_event(NvSciIpcEndpoint end, uint32_t mask)
{
    struct pollfd fd = { .events = POLLIN };
    uint32_t events;

    OK(NvSciIpcGetLinuxEventFd(end, &fd.fd));
    for (;;) {
        OK(NvSciIpcGetEventSafe(end, &events));
        if (events & mask) {
            return events;
        }
        ck_assert_int_eq(poll(&fd, 1, 50000), 1);
    }
}

/* Both ends in one thread: the handshake goes on in NvSciIpcGetEventSafe() of each. */
static void establish(NvSciIpcEndpoint a, NvSciIpcEndpoint b)
{
    uint32_t got[2] = { 0, 0 }, events;

    for (int i = 0; i < 1000 && !(got[0] & got[1] & NV_SCI_IPC_EVENT_CONN_EST); i++) {
        OK(NvSciIpcGetEventSafe(a, &events));
        got[0] |= events;
        OK(NvSciIpcGetEventSafe(b, &events));
        got[1] |= events;
    }
    ck_assert_uint_eq(got[0] & got[1] & NV_SCI_IPC_EVENT_CONN_EST, NV_SCI_IPC_EVENT_CONN_EST);
}

static void send_frame(NvSciIpcEndpoint end, const char *text)
{
    uint32_t n;

    OK(NvSciIpcWriteSafe(end, text, (uint32_t)strlen(text) + 1, &n));
    ck_assert_uint_eq(n, strlen(text) + 1);
}

static void expect_frame(NvSciIpcEndpoint end, const char *text)
{
    char frame[FRAME];
    uint32_t n;

    wait_event(end, NV_SCI_IPC_EVENT_READ);
    OK(NvSciIpcReadSafe(end, frame, FRAME, &n));
    ck_assert_uint_eq(n, FRAME);
    ck_assert_str_eq(frame, text);
    for (size_t i = strlen(text); i < FRAME; i++) {
        ck_assert_int_eq(frame[i], 0); /* a short write fills the frame with zeros */
    }
}

/* Whichever end is reset first. */
START_TEST(both_ends_are_established)
{
    NvSciIpcEndpoint a, b;
    const char *first = _i & 1 ? "left" : "right", *second = _i & 1 ? "right" : "left";
    uint32_t events;

    OK(NvSciIpcOpenEndpoint(first, &a));
    if (_i & 2) {
        OK(NvSciIpcResetEndpointSafe(a));
        OK(NvSciIpcGetEventSafe(a, &events));
        ck_assert_uint_eq(events, 0);
    }
    OK(NvSciIpcOpenEndpoint(second, &b));
    OK(NvSciIpcResetEndpointSafe(b));
    if (!(_i & 2)) {
        OK(NvSciIpcResetEndpointSafe(a));
    }
    establish(a, b);
    OK(NvSciIpcGetEventSafe(a, &events));
    ck_assert_uint_eq(events,
                      NV_SCI_IPC_EVENT_WRITE | NV_SCI_IPC_EVENT_WRITE_EMPTY); /* CONN_EST once */
    send_frame(a, "hello");
    expect_frame(b, "hello");
    send_frame(b, "there");
    expect_frame(a, "there");
    NvSciIpcCloseEndpoint(a);
    NvSciIpcCloseEndpoint(b);
}
END_TEST

static void *other_thread(void *opaque)
{
    NvSciIpcEndpoint end = open_end("right");

    (void)opaque;
    wait_event(end, NV_SCI_IPC_EVENT_CONN_EST);
    for (int i = 0; i < 100; i++) {
        char text[16];

        snprintf(text, sizeof(text), "%d", i);
        expect_frame(end, text);
        wait_event(end, NV_SCI_IPC_EVENT_WRITE);
        send_frame(end, text);
    }
    NvSciIpcCloseEndpoint(end);
    return NULL;
}

START_TEST(two_threads_pass_frames)
{
    NvSciIpcEndpoint end = open_end("left");
    pthread_t thread;

    pthread_create(&thread, NULL, other_thread, NULL);
    wait_event(end, NV_SCI_IPC_EVENT_CONN_EST);
    for (int i = 0; i < 100; i++) {
        char text[16];

        snprintf(text, sizeof(text), "%d", i);
        wait_event(end, NV_SCI_IPC_EVENT_WRITE);
        send_frame(end, text);
        expect_frame(end, text);
    }
    pthread_join(thread, NULL);
    NvSciIpcCloseEndpoint(end);
}
END_TEST

static pid_t start_peer(void (*run)(NvSciIpcEndpoint end))
{
    pid_t pid = fork();

    if (pid == 0) {
        NvSciIpcEndpoint end = open_end("down");

        wait_event(end, NV_SCI_IPC_EVENT_CONN_EST);
        run(end);
        _exit(0);
    }
    return pid;
}

static void echo(NvSciIpcEndpoint end)
{
    for (int i = 0; i < 1000; i++) {
        char frame[FRAME];
        uint32_t n;

        wait_event(end, NV_SCI_IPC_EVENT_READ);
        OK(NvSciIpcReadSafe(end, frame, FRAME, &n));
        wait_event(end, NV_SCI_IPC_EVENT_WRITE);
        OK(NvSciIpcWriteSafe(end, frame, FRAME, &n));
    }
    wait_event(end, NV_SCI_IPC_EVENT_CONN_RESET);
}

START_TEST(two_processes_pass_frames)
{
    NvSciIpcEndpoint end = open_end("up");
    pid_t pid = start_peer(echo);
    int status;

    wait_event(end, NV_SCI_IPC_EVENT_CONN_EST);
    for (int i = 0; i < 1000; i++) {
        char text[16];

        snprintf(text, sizeof(text), "%d", i);
        send_frame(end, text);
        expect_frame(end, text);
    }
    NvSciIpcCloseEndpoint(end);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

static void stay(NvSciIpcEndpoint end)
{
    send_frame(end, "here");
    pause();
}

/* A process that is killed is noticed, and another one can take its place. */
START_TEST(a_killed_process_resets_the_connection)
{
    NvSciIpcEndpoint end = open_end("up");
    uint32_t n;

    for (int i = 0; i < 20; i++) {
        pid_t pid = start_peer(stay);

        wait_event(end, NV_SCI_IPC_EVENT_CONN_EST);
        expect_frame(end, "here");
        kill(pid, SIGKILL);
        wait_event(end, NV_SCI_IPC_EVENT_CONN_RESET);
        ck_assert_uint_eq(NvSciIpcWriteSafe(end, "x", 1, &n), NvSciError_ConnectionReset);
        waitpid(pid, NULL, 0);
        OK(NvSciIpcResetEndpointSafe(end));
    }
    NvSciIpcCloseEndpoint(end);
}
END_TEST

START_TEST(a_full_channel_takes_no_more)
{
    NvSciIpcEndpoint a = open_end("left"), b = open_end("right");
    uint32_t n, events;
    char frame[FRAME];

    establish(a, b);
    ck_assert_uint_eq(NvSciIpcReadSafe(b, frame, FRAME, &n), NvSciError_InsufficientMemory);
    for (int i = 0; i < FRAMES; i++) {
        send_frame(a, "full");
    }
    ck_assert_uint_eq(NvSciIpcWriteSafe(a, "x", 1, &n), NvSciError_InsufficientMemory);
    ck_assert_uint_eq(n, 0);
    OK(NvSciIpcGetEventSafe(a, &events));
    ck_assert_uint_eq(events, 0);
    OK(NvSciIpcReadSafe(b, frame, 2, &n)); /* a short read drops the rest of the frame */
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(frame[1], 'u');
    ck_assert_uint_eq(wait_event(a, NV_SCI_IPC_EVENT_WRITE), NV_SCI_IPC_EVENT_WRITE);
    NvSciIpcCloseEndpoint(a);
    NvSciIpcCloseEndpoint(b);
}
END_TEST

START_TEST(frames_can_be_written_in_place)
{
    NvSciIpcEndpoint a = open_end("left"), b = open_end("right");
    volatile void *frame;
    const volatile void *got;

    establish(a, b);
    OK(NvSciIpcWriteGetNextFrame(a, &frame));
    strcpy((char *)(uintptr_t)frame, "in place");
    OK(NvSciIpcWriteAdvance(a));
    wait_event(b, NV_SCI_IPC_EVENT_READ);
    OK(NvSciIpcReadGetNextFrame(b, &got));
    ck_assert_str_eq((const char *)(uintptr_t)got, "in place");
    OK(NvSciIpcReadAdvance(b));
    ck_assert_uint_eq(NvSciIpcReadGetNextFrame(b, &got), NvSciError_InsufficientMemory);
    NvSciIpcCloseEndpoint(a);
    NvSciIpcCloseEndpoint(b);
}
END_TEST

/* What was sent before a close is read, unless the close takes it back. */
START_TEST(frames_outlive_their_sender)
{
    NvSciIpcEndpoint a = open_end("left"), b = open_end("right");
    uint32_t events, n;
    char frame[FRAME];

    establish(a, b);
    send_frame(a, "last words");
    OK(NvSciIpcCloseEndpointSafe(a, _i));
    OK(NvSciIpcGetEventSafe(b, &events));
    ck_assert_uint_eq(events, NV_SCI_IPC_EVENT_CONN_RESET | (_i ? 0 : NV_SCI_IPC_EVENT_READ));
    if (!_i) {
        expect_frame(b, "last words");
    }
    ck_assert_uint_eq(NvSciIpcReadSafe(b, frame, FRAME, &n), NvSciError_ConnectionReset);
    NvSciIpcCloseEndpoint(b);
}
END_TEST

START_TEST(a_name_is_open_once)
{
    NvSciIpcEndpoint a = open_end("left"), b;
    NvSciIpcEndpointInfo info;

    ck_assert_uint_eq(NvSciIpcOpenEndpoint("left", &b), NvSciError_Busy);
    ck_assert_uint_eq(NvSciIpcOpenEndpoint("nowhere", &b), NvSciError_NoSuchEntry);
    OK(NvSciIpcGetEndpointInfo(a, &info));
    ck_assert_uint_eq(info.nframes, FRAMES);
    ck_assert_uint_eq(info.frame_size, FRAME);
    NvSciIpcCloseEndpoint(a);
    OK(NvSciIpcOpenEndpoint("left", &b));
    ck_assert_uint_eq(NvSciIpcGetEndpointInfo(a, &info), NvSciError_BadParameter); /* stale */
    ck_assert(a != b);
    NvSciIpcCloseEndpoint(b);
}
END_TEST

/* Two runs with --shared are two machines: an endpoint of one is not open on the other. */
START_TEST(each_shared_board_has_endpoints_of_its_own)
{
    NvSciIpcEndpoint end;

    setenv("VTEGRA_SHARED", "1", 1);
    for (int i = 0; i < 2; i++) {
        NvSciIpcDeinit();
        setenv("VTEGRA_BOARD", i ? "@one" : "@two", 1);
        OK(NvSciIpcInit());
        OK(NvSciIpcOpenEndpoint("up", &end));
        ck_assert_uint_eq(NvSciIpcOpenEndpoint("up", &end), NvSciError_Busy);
    }
    unsetenv("VTEGRA_SHARED");
    unsetenv("VTEGRA_BOARD");
}
END_TEST

/* The name in /proc/net/unix that ends so; without its "@". */
static void abstract_name(const char *end, char *name, size_t size)
{
    FILE *f = fopen("/proc/net/unix", "r");
    char line[512], mine[32];

    snprintf(mine, sizeof(mine), "@vtsci-%u-", (unsigned)getuid());
    *name = '\0';
    while (fgets(line, sizeof(line), f)) {
        char *at = strstr(line, mine);

        line[strcspn(line, "\n")] = '\0';
        if (at && g_str_has_suffix(at, end)) {
            g_strlcpy(name, at + 1, size);
        }
    }
    fclose(f);
}

/* Only root can be another user, who has taken the name. */
START_TEST(an_endpoint_of_another_user_is_none_of_ours)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    NvSciIpcEndpoint end;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

    if (getuid() != 0) {
        return;
    }
    OK(NvSciIpcOpenEndpoint("up", &end));
    abstract_name("-up", at.sun_path + 1, sizeof(at.sun_path) - 1);
    OK(NvSciIpcCloseEndpointSafe(end, false));
    ck_assert_int_eq(seteuid(65534), 0);
    ck_assert_int_eq(
        bind(fd, (struct sockaddr *)&at,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(at.sun_path + 1))),
        0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_uint_eq(NvSciIpcOpenEndpoint("up", &end), NvSciError_AccessDenied);
    close(fd);
    OK(NvSciIpcOpenEndpoint("up", &end));
}
END_TEST

START_TEST(a_channel_that_was_not_reset_is_not_used)
{
    NvSciIpcEndpoint a;
    uint32_t n;
    char c;

    OK(NvSciIpcOpenEndpoint("left", &a));
    ck_assert_uint_eq(NvSciIpcReadSafe(a, &c, 1, &n), NvSciError_ConnectionReset);
    ck_assert_uint_eq(NvSciIpcWriteSafe(a, &c, 1, &n), NvSciError_ConnectionReset);
    NvSciIpcCloseEndpoint(a);
}
END_TEST

START_TEST(bad_arguments_answer_their_codes)
{
    NvSciIpcEndpoint a = open_end("left");
    char frame[FRAME + 1] = "";
    uint32_t n;
    int32_t fd;
    NvSciEventNotifier *notifier;

    ck_assert_uint_eq(NvSciIpcOpenEndpoint(NULL, &a), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcOpenEndpoint("left", NULL), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcWriteSafe(a, NULL, 1, &n), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcWriteSafe(a, frame, 0, &n), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcWriteSafe(a, frame, FRAME + 1, &n), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcReadSafe(a, frame, 1, NULL), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcGetEventSafe(a, NULL), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcGetEventSafe(0, &n), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcGetLinuxEventFd(a ^ 8, &fd), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcResetEndpointSafe(77), NvSciError_BadParameter);
    ck_assert_uint_eq(NvSciIpcGetEventNotifier(a, &notifier), NvSciError_NotInitialized);
    NvSciIpcCloseEndpoint(a);
    NvSciIpcCloseEndpoint(a);
    NvSciIpcDeinit();
    ck_assert_uint_eq(NvSciIpcOpenEndpoint("left", &a), NvSciError_NotInitialized);
    OK(NvSciIpcInit());
}
END_TEST

static void count(void *cookie)
{
    ++*(int *)cookie;
}

START_TEST(a_service_waits_for_endpoints_and_local_events)
{
    NvSciEventLoopService *service;
    NvSciEventNotifier *notifier[2];
    NvSciLocalEvent *local;
    NvSciIpcEndpoint a, b = open_end("right");
    bool happened[2];
    int called = 0;

    OK(NvSciEventLoopServiceCreateSafe(1, NULL, &service));
    OK(NvSciIpcOpenEndpointWithEventService("left", &a, &service->EventService));
    OK(NvSciIpcGetEventNotifier(a, &notifier[0]));
    OK(service->EventService.CreateLocalEvent(&service->EventService, &local));
    notifier[1] = local->eventNotifier;
    ck_assert_uint_eq(service->WaitForMultipleEvents(notifier, 2, 1000, happened),
                      NvSciError_Timeout);
    OK(local->Signal(local));
    OK(service->WaitForMultipleEvents(notifier, 2, -1, happened));
    ck_assert(!happened[0] && happened[1]);
    OK(NvSciIpcResetEndpointSafe(a));
    establish(a, b);
    send_frame(b, "x");
    OK(service->WaitForEvent(notifier[0], -1));
    /* A handler runs in the thread that waits for something else. */
    OK(notifier[1]->SetHandler(notifier[1], count, &called, 0));
    OK(local->Signal(local));
    OK(service->WaitForEvent(notifier[0], -1));
    ck_assert_int_eq(called, 1);
    notifier[0]->Delete(notifier[0]);
    local->Delete(local);
    service->EventService.Delete(&service->EventService);
    NvSciIpcCloseEndpoint(a);
    NvSciIpcCloseEndpoint(b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_ipc");
    TCase *t = tcase_create("endpoints");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, both_ends_are_established, 0, 4);
    tcase_add_test(t, two_threads_pass_frames);
    tcase_add_test(t, two_processes_pass_frames);
    tcase_add_test(t, a_killed_process_resets_the_connection);
    tcase_add_test(t, a_full_channel_takes_no_more);
    tcase_add_test(t, frames_can_be_written_in_place);
    tcase_add_loop_test(t, frames_outlive_their_sender, 0, 2);
    tcase_add_test(t, a_name_is_open_once);
    tcase_add_test(t, each_shared_board_has_endpoints_of_its_own);
    tcase_add_test(t, an_endpoint_of_another_user_is_none_of_ours);
    tcase_add_test(t, a_channel_that_was_not_reset_is_not_used);
    tcase_add_test(t, bad_arguments_answer_their_codes);
    tcase_add_test(t, a_service_waits_for_endpoints_and_local_events);
    suite_add_tcase(s, t);
    return suite_main(s);
}
