/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ivshmem=FILE,ram=FILE: the board by the public plugin interface alone, for a QEMU that exports no
 * internals (built without modules).
 *
 * The guest's RAM is a file of the user's, which QEMU maps into this process, where engines reach
 * it. The window is the memory of an ivshmem-plain device, a file as well. Registers are no memory:
 * a load must find today's value, and a store must be carried out even if it changes no byte. The
 * interface calls back after an access, without the register's value or a physical address that
 * holds for every version. So QEMU's own view of that file is closed (mprotect): the guest's access
 * stops at its host instruction, whatever the guest's mapping. A load finds the register read into
 * memory when it goes on; a store is taken from memory when QEMU calls back after it, and the page
 * is closed again.
 *
 * What the CPU does with its caches is seen as the other way (cpu.c), where the interface shows its
 * registers: from QEMU 9.0 on (walk.c).
 *
 * While a page is open another thread would get by unseen: all CPUs must run in one thread. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "qemu-plugin/cpu.h"
#include "qemu-plugin/walk.h"

/* What an access takes where nothing else measures time: of memory, of a register (about what PCI
 * Express needs). */
enum { MEMORY_NS = 10, REGISTER_NS = 1000 };
#define RAM_PA UINT64_C(0x40000000) /* of -M virt */

/* @guest: as QEMU maps it for the guest, closed; @words: the same file once more, open
 * @stopped: an access has stopped at @at and not come back; @store: it is one */
static struct {
    uint8_t *guest;
    volatile uint32_t *words;
    bool stopped, store;
    uint64_t at;
    struct sigaction before;
    pthread_t thread;
    bool running;
} window;

/* --- one access --- */

#if defined(__x86_64__)
/* Page fault error code, bit 1: a write (Intel SDM 3A, 4.7). */
static bool is_store(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_ERR] & 2;
}
#else
#define HOST_UNKNOWN
static bool is_store(const ucontext_t *context)
{
    return context == NULL;
}
#endif

static void page_protect(uint64_t at, int protection)
{
    mprotect(window.guest + at / PAGE * PAGE, PAGE, protection);
}

/* On the CPU's own thread, between two host instructions: no lock of anybody is held. */
static void window_stops(int signal, siginfo_t *info, void *context)
{
    uint64_t at = (uint64_t)((uint8_t *)info->si_addr - window.guest);
    int error = errno;

    (void)signal;
    if (at >= WINDOW_BYTES) { /* not ours: QEMU's end, as without the plugin */
        sigaction(SIGSEGV, &window.before, NULL);
        return;
    }
    if (window.stopped) { /* no callback: the monitor looked, or an instruction like dc zva */
        page_protect(window.at, PROT_NONE);
    }
    window.stopped = true;
    window.at = at & ~UINT64_C(3);
    window.store = is_store(context);
    if (!window.store) {
        window.words[window.at / 4] = board_read(window.at);
    }
    page_protect(at, PROT_READ | PROT_WRITE);
    errno = error;
}

static void access_end(uint64_t pc, unsigned bytes)
{
    window.stopped = false;
    page_protect(window.at, PROT_NONE);
    if (bytes < 4 || (bytes > 4 && !window.store)) {
        board_lock();
        report_window_access(pc, window.at, bytes, window.store);
        board_unlock();
    }
    for (unsigned i = 0; window.store && i < bytes / 4; i++) {
        board_write(window.at + i * 4, window.words[window.at / 4 + i]);
    }
}

/* After every access of the guest, nearly all of them elsewhere. */
static void shared_accessed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t va, void *pc)
{
    if (__builtin_expect(window.stopped, 0)) {
        shared_cpu = cpu;
        access_end((uintptr_t)pc & ~UINT64_C(3), 1u << qemu_plugin_mem_size_shift(info));
        board_tick(REGISTER_NS);
    } else if (board.tracked_pages) {
        cpu_accessed(cpu, info, va, pc);
    }
    if (__builtin_expect(board.timer_armed, 0)) {
        board_tick(MEMORY_NS);
    }
}

static void shared_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (!window.running) {
        window.running = true;
        window.thread = pthread_self();
    } else if (!pthread_equal(window.thread, pthread_self())) {
        fprintf(stderr,
                "vtegra: ivshmem= needs all CPUs in one thread: -accel tcg,thread=single\n");
        _exit(1);
    }
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        void *pc =
            board.opt.cpu ? cpu_insn_watch(insn) : (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn);

        qemu_plugin_register_vcpu_mem_cb(insn, shared_accessed, PLUGIN_NO_REGS, PLUGIN_MEM_RW, pc);
    }
}

/* --- start --- */

struct mapping {
    uint8_t *start;
    uint64_t bytes;
    bool shared;
};

/* One line of proc(5) maps: "start-end perms offset dev inode   path". Pieces of one mapping follow
 * each other. */
static void mapping_take(const char *line, const char *path, struct mapping *m)
{
    uint64_t start, end;
    char flag;
    int at = 0;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*3c%c %*s %*s %*s %n", &start, &end, &flag, &at) <
            3 ||
        at == 0 || strcmp(line + at, path) != 0) {
        return;
    }
    if (!m->start) {
        m->start = (uint8_t *)(uintptr_t)start;
    }
    if (m->start + m->bytes == (uint8_t *)(uintptr_t)start) {
        m->bytes += end - start;
        m->shared = flag == 's';
    }
}

/* Where QEMU has mapped a file. */
static bool mapping_find(const char *file, struct mapping *m)
{
    g_autofree char *maps = NULL;
    g_auto(GStrv) lines = NULL;
    char *path = realpath(file, NULL);

    *m = (struct mapping){ 0 };
    if (path && g_file_get_contents("/proc/self/maps", &maps, NULL, NULL)) {
        lines = g_strsplit(maps, "\n", -1);
        for (char **line = lines; *line; line++) {
            mapping_take(*line, path, m);
        }
    }
    free(path);
    return m->start != NULL;
}

static bool ram_find(void)
{
    struct mapping m;

    if (!mapping_find(board.opt.ram, &m)) {
        fprintf(stderr,
                "vtegra: ram=%s is not this machine's RAM: add -object memory-backend-file,id=ram,"
                "share=on,size=BYTES,mem-path=%s -machine memory-backend=ram\n",
                board.opt.ram, board.opt.ram);
        return false;
    }
    board.ram = m.start;
    board.ram_pa = RAM_PA;
    board.ram_bytes = m.bytes;
    return true;
}

static bool window_find(void)
{
    const char *file = board.opt.ivshmem;
    struct mapping m;
    void *words;
    int fd;

    if (!mapping_find(file, &m) || !m.shared || m.bytes != WINDOW_BYTES) {
        fprintf(stderr,
                "vtegra: ivshmem=%s is no shared memory of this machine of 64 MiB: add -object "
                "memory-backend-file,id=window,share=on,size=64M,mem-path=%s -device "
                "ivshmem-plain,memdev=window\n",
                file, file);
        return false;
    }
    fd = open(file, O_RDWR | O_CLOEXEC);
    words = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (words == MAP_FAILED) {
        fprintf(stderr, "vtegra: ivshmem=%s: %s\n", file, strerror(errno));
        return false;
    }
    close(fd);
    window.words = words;
    window.guest = m.start;
    return true;
}

/* The first CPU is there: so are the files. */
static void cpu_begins(qemu_plugin_id_t id, unsigned cpu)
{
    struct sigaction stop = { .sa_sigaction = window_stops, .sa_flags = SA_SIGINFO };

    (void)id;
    if (board.opt.cpu && cpu < CPUS_MAX) {
        cpus[cpu] = cpu_new(cpu, NULL);
        if (!walk_registers_find()) {
            exit(1);
        }
    }
    if (window.guest) {
        return;
    }
    if (!ram_find() || !window_find() || sigaction(SIGSEGV, &stop, &window.before) != 0 ||
        mprotect(window.guest, WINDOW_BYTES, PROT_NONE) != 0) {
        exit(1);
    }
}

bool shared_start(qemu_plugin_id_t id)
{
#ifdef HOST_UNKNOWN
    fprintf(stderr, "vtegra: ivshmem= is made for x86-64 hosts\n");
    return false;
#endif
    board.platform = true; /* bus address = physical address */
    board.epoch = 1;
    board.watching = true; /* all of the guest's code, from the beginning */
    qemu_plugin_register_vcpu_init_cb(id, cpu_begins);
    qemu_plugin_register_vcpu_tb_trans_cb(id, shared_translated);
    return true;
}
