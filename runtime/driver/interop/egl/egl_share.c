/* SPDX-License-Identifier: MIT */
/* The page that two processes have of an EGLStream, and the descriptor by which the second one gets
 * it: EGL_KHR_stream_cross_process_fd, 3.10.1.1.
 *
 * The descriptor is a socket with one message in it: the page's memory, and an end of a pair of
 * sockets by which each process sees that the other one has ended. Who takes the message has used
 * the descriptor up. */
#include "runtime/driver/interop/egl/egl_share.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/driver/core/report.h"

#define MAGIC UINT64_C(0x4d545347454d5456) /* "VTMEGSTM" */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* What the descriptor carries. @bytes: both have to mean the same by a page. */
struct ticket {
    uint64_t magic, bytes, board;
};

/* --- the state -------------------------------------------------------------------------------- */

static bool page_lock(struct share_page *page)
{
    int error = pthread_mutex_lock(&page->lock);

    if (error == EOWNERDEAD) { /* in the middle of it */
        page->s.base = EGL_STREAM_DISCONNECTED;
        error = pthread_mutex_consistent(&page->lock);
    }
    return !error;
}

/* Not poll(), in front of which sched/ stands: that is a switch point, and the page's lock is held
 * here, on which another process of the run would sleep with the turn. */
static bool peer_gone(const struct egl_share *share)
{
    static const struct timespec now;
    struct pollfd fd = { .fd = share->alive };

    return syscall(SYS_ppoll, &fd, 1, &now, NULL, 0) == 1 && (fd.revents & POLLHUP);
}

/* "If a process which has successfully connected a consumer or producer terminates ... the state
 * becomes DISCONNECTED"; one that has connected none "has no effect". */
static bool peer_missing(const struct egl_share *share)
{
    uint32_t peer = 3 - share->number;

    return (share->page->side[0] == peer || share->page->side[1] == peer) && peer_gone(share);
}

void egl_state_take(struct egl_object *o)
{
    struct egl_share *share = o->share;
    uint64_t before = o->s.producer_frame;

    if (!share) {
        return;
    }
    share->locked = page_lock(share->page);
    o->s = share->page->s;
    if (!share->locked || !egl_stream_sane(&o->s)) {
        egl_stream_init(&o->s);
        egl_stream_disconnect(&o->s);
    }
    o->s.duplicate = share->number == 2;
    o->s.apart = share->page->side[1] && share->page->side[1] != share->number;
    if (o->s.base != EGL_STREAM_DISCONNECTED && peer_missing(share)) {
        egl_stream_disconnect(&o->s);
    }
    if (o->s.producer_frame != before) {
        egl_sync_signal(o);
    }
}

void egl_state_give(struct egl_object *o)
{
    struct egl_share *share = o->share;

    if (share && share->locked) {
        share->page->s = o->s;
        share->locked = false;
        pthread_mutex_unlock(&share->page->lock);
    }
}

void egl_state_look(struct egl_object *o)
{
    egl_state_take(o);
    egl_state_give(o);
}

void egl_state_connected(struct egl_object *o, bool producer)
{
    if (o->share) {
        o->share->page->side[producer] = o->share->number;
    }
}

/* --- the descriptor --------------------------------------------------------------------------- */

static struct share_page *page_map(int fd)
{
    void *p = mmap(NULL, sizeof(struct share_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return p == MAP_FAILED ? NULL : p;
}

static struct share_page *page_new(const struct egl_stream *s, uint64_t board, int *fd)
{
    pthread_mutexattr_t attributes;
    struct share_page *page = NULL;

    *fd = memfd_create("vtegra-eglstream", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd >= 0 && !ftruncate(*fd, sizeof(*page)) && !fcntl(*fd, F_ADD_SEALS, SEALS)) {
        page = page_map(*fd);
    }
    if (!page) {
        return NULL;
    }
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&page->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    page->magic = MAGIC;
    page->board = board;
    page->s = *s;
    return page;
}

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
};

/* Return: the end of a pair that the message waits in; -1. */
static int ticket_send(const struct ticket *t, const int files[2])
{
    union control control = { .head = { .cmsg_len = CMSG_LEN(2 * sizeof(int)),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS } };
    struct iovec io = { (void *)t, sizeof(*t) };
    struct msghdr m = { .msg_iov = &io,
                        .msg_iovlen = 1,
                        .msg_control = control.bytes,
                        .msg_controllen = sizeof(control.bytes) };
    int ends[2];

    memcpy(CMSG_DATA(&control.head), files, 2 * sizeof(int));
    /* The program's end may be inherited: that is one way to another process. */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) {
        return -1;
    }
    if (sendmsg(ends[0], &m, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)sizeof(*t)) {
        close(ends[1]);
        ends[1] = -1;
    }
    close(ends[0]);
    return ends[1];
}

int egl_share_new(struct egl_object *o)
{
    struct ticket t = { .magic = MAGIC, .bytes = sizeof(struct share_page) };
    struct egl_share *share;
    int alive[2] = { -1, -1 }, files[2], fd = -1;
    uint32_t process;

    if (!core_is_up() || !hal_shared_board(core_hal(), &t.board, &process)) {
        return -ENOTSUP;
    }
    share = g_new0(struct egl_share, 1);
    share->page = page_new(&o->s, t.board, &files[0]);
    if (share->page && !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, alive)) {
        files[1] = alive[1];
        fd = ticket_send(&t, files);
        close(alive[1]);
    }
    if (files[0] >= 0) {
        close(files[0]);
    }
    share->alive = alive[0];
    share->number = 1;
    o->share = share;
    if (fd < 0) {
        egl_share_free(o);
        return -ENOMEM;
    }
    share->page->process[0] = process;
    return fd;
}

/* Return: a ticket lies in it, which stays there. Any other file is left as it is. */
static bool ticket_peek(int fd, struct ticket *t)
{
    return fd >= 0 && recv(fd, t, sizeof(*t), MSG_PEEK | MSG_DONTWAIT) == (ssize_t)sizeof(*t) &&
           t->magic == MAGIC;
}

static bool ticket_take(int fd, int files[2])
{
    struct ticket t;
    union control control = { 0 };
    struct iovec io = { &t, sizeof(t) };
    struct msghdr m = { .msg_iov = &io,
                        .msg_iovlen = 1,
                        .msg_control = control.bytes,
                        .msg_controllen = sizeof(control.bytes) };

    if (recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(t) ||
        !CMSG_FIRSTHDR(&m) || control.head.cmsg_type != SCM_RIGHTS ||
        control.head.cmsg_len != CMSG_LEN(2 * sizeof(int))) {
        return false;
    }
    memcpy(files, CMSG_DATA(&control.head), 2 * sizeof(int));
    return true;
}

static struct share_page *page_open(int fd, uint64_t board)
{
    struct share_page *page = NULL;
    struct stat st;

    if (!fstat(fd, &st) && st.st_size == (off_t)sizeof(*page) &&
        (fcntl(fd, F_GET_SEALS) & SEALS) == SEALS) {
        page = page_map(fd);
    }
    if (page && (page->magic != MAGIC || page->board != board)) {
        munmap(page, sizeof(*page));
        page = NULL;
    }
    return page;
}

static bool board_is_mine(uint64_t board, uint32_t *process)
{
    uint64_t mine = 0;

    if (core_is_up() && hal_shared_board(core_hal(), &mine, process) && mine == board) {
        return true;
    }
    if (core_is_up()) {
        report_error(CUDA_ERROR_NOT_SUPPORTED, "eglCreateStreamFromFileDescriptorKHR",
                     "EGL_KHR_stream_cross_process_fd",
                     "a stream of another process, which has a board of its own: give all "
                     "processes one board (vtegra run --shared, or --board SOCKET for each)");
    }
    return false;
}

static enum egl_stream_result no_ticket(int fd)
{
    if (core_is_up()) {
        report_error(CUDA_ERROR_INVALID_VALUE, "eglCreateStreamFromFileDescriptorKHR",
                     "EGL_KHR_stream_cross_process_fd",
                     "descriptor %d is none of a stream, or a stream was made of it before. A "
                     "number means nothing in another process: that inherits the descriptor, or "
                     "receives it through a Unix socket (SCM_RIGHTS)",
                     fd);
    }
    return EGL_STREAM_BAD_ATTRIBUTE;
}

enum egl_stream_result egl_share_open(struct egl_object *o, int fd)
{
    enum egl_stream_result result;
    struct egl_share *share;
    struct ticket t;
    uint32_t process;
    int files[2];

    if (!ticket_peek(fd, &t) || t.bytes != sizeof(struct share_page)) {
        return no_ticket(fd);
    }
    if (!board_is_mine(t.board, &process)) {
        return EGL_STREAM_BAD_ALLOC;
    }
    if (!ticket_take(fd, files)) {
        return no_ticket(fd);
    }
    share = g_new0(struct egl_share, 1);
    share->page = page_open(files[0], t.board);
    close(files[0]);
    share->alive = files[1];
    share->number = 2;
    o->share = share;
    if (!share->page) {
        egl_share_free(o);
        return EGL_STREAM_BAD_ATTRIBUTE;
    }
    egl_state_take(o);
    result = egl_stream_from_fd(&o->s);
    if (!result) {
        share->page->process[1] = process;
    }
    egl_state_give(o);
    if (result) {
        egl_share_free(o);
    }
    return result;
}

void egl_share_free(struct egl_object *o)
{
    struct egl_share *share = o->share;

    if (share) {
        if (share->page) {
            munmap(share->page, sizeof(*share->page));
        }
        if (share->alive >= 0) {
            close(share->alive);
        }
        g_clear_pointer(&o->share, g_free);
    }
}

struct share_pass *share_entry_find(struct share_pass *all, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].serial && all[i].id == id) {
            return &all[i];
        }
    }
    return NULL;
}

/* If no process has taken it, it is taken back. */
void share_entry_end(struct share_pass *entry)
{
    struct hal_pass pass;

    if (entry->serial && !hal_import(core_hal(), entry->token, 0, &pass)) {
        if (pass.mem.id) {
            hal_mem_free(core_hal(), &pass.mem);
        }
        if (pass.syncpt) {
            hal_release(core_hal(), HAL_CLAIM_SYNCPT, pass.syncpt);
        }
    }
    *entry = (struct share_pass){ 0 };
}

void egl_sync_signal(struct egl_object *o)
{
    if (o->sync) {
        o->sync->signaled = true;
        wait_acted();
    }
}
