/* SPDX-License-Identifier: MIT */
#include "tests/test_check_board.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/bus.h"
#include "runtime/observe/check.h"
#include "tests/hal_leases.h"

#define ARENA ((char *)0x200000000000)
#define ARENA_SIZE (UINT64_C(64) << 20)
#define REGIONS 32

struct hal {
    struct hal_mem mem[REGIONS];
    uint64_t count[REGIONS][3], bytes[REGIONS][3]; /* exact CPU accesses, by enum access_kind */
    unsigned regions;
    size_t used;
    bool coherent, open;
    char *lost;
    uint32_t grids;
    struct check *check;
    pthread_mutex_t lock;
};

static struct hal board = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* As the board's: empty memory takes the place. */
bool hal_mem_lost(struct hal *hal, const void *cpu)
{
    if (!hal->lost || (uintptr_t)cpu - (uintptr_t)hal->lost >= HAL_PAGE) {
        return false;
    }
    mmap(hal->lost, HAL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
         0);
    hal->lost = NULL;
    return true;
}

bool hal_mem_find(struct hal *hal, const void *cpu, struct hal_mem *out)
{
    for (unsigned i = 0; i < hal->regions; i++) {
        if ((uintptr_t)cpu - (uintptr_t)hal->mem[i].cpu < hal->mem[i].size) {
            *out = hal->mem[i];
            return true;
        }
    }
    return false;
}

static void emit(enum trace_event event, uint32_t agent, uint32_t region, uint64_t a, uint64_t b,
                 uint64_t c, uint64_t d)
{
    struct trace_record r = {
        .event = event, .agent = agent, .region = region, .time_ns = 1000, .arg = { a, b, c, d }
    };

    check_sink(board.check, &r);
}

void hal_note(struct hal *hal, enum hal_note what, uint64_t a, uint64_t b)
{
    (void)hal, (void)what, (void)a, (void)b;
}

uint64_t hal_time_ns(struct hal *hal)
{
    (void)hal;
    return 0;
}

void hal_cpu_access(struct hal *hal, const void *cpu, size_t len, enum access_kind told)
{
    enum access_kind access = told & 3; /* whether it is a flag is nothing to this board */
    struct hal_mem mem;

    if (hal_mem_find(hal, cpu, &mem)) {
        pthread_mutex_lock(&hal->lock);
        hal->count[mem.id - 1][access]++;
        hal->bytes[mem.id - 1][access] += len;
        pthread_mutex_unlock(&hal->lock);
        if (access == ACCESS_ATOMIC && !mem.cpu_cached) {
            emit(TRACE_EVENT_CPU_UNCACHED_ATOMIC, BUS_AGENT_CPU, mem.id, mem.bus, len, 0, 0);
        }
    }
}

static void flush_counts(void)
{
    for (unsigned i = 0; i < board.regions; i++) {
        uint64_t *n = board.count[i], *b = board.bytes[i];

        if (n[ACCESS_LOAD]) {
            emit(TRACE_EVENT_SUM_READ, BUS_AGENT_CPU, i + 1, b[ACCESS_LOAD], n[ACCESS_LOAD], 0, 0);
        }
        if (n[ACCESS_STORE] + n[ACCESS_ATOMIC]) {
            emit(TRACE_EVENT_SUM_WRITE, BUS_AGENT_CPU, i + 1, b[ACCESS_STORE] + b[ACCESS_ATOMIC],
                 n[ACCESS_STORE] + n[ACCESS_ATOMIC], 0, 0);
        }
        if (n[ACCESS_ATOMIC]) {
            emit(TRACE_EVENT_SUM_PORT, BUS_AGENT_CPU, i + 1, 0, 0, 0, n[ACCESS_ATOMIC]);
        }
        memset(n, 0, sizeof(board.count[i]));
        memset(b, 0, sizeof(board.bytes[i]));
    }
}

static void board_exit(void)
{
    flush_counts();
    check_close(board.check);
}

static bool resolve(void *opaque, const struct hal_mem *mem, void *cpu, bool write)
{
    (void)opaque, (void)cpu, (void)write;
    return mprotect(mem->cpu, mem->size, PROT_READ | PROT_WRITE) == 0;
}

static void board_open(void)
{
    struct soc_profile profile = { .soc = { .name = "testboard", .marketing = "Test Board" } };
    struct check_config config = {
        .profile = &profile,
        .os = "linux",
        .policy = "lazy",
        .evict = "never",
        .report_path = getenv("BOARD_REPORT"),
        .json_path = getenv("BOARD_JSON"),
        .trace_path = getenv("BOARD_TRACE"),
    };
    const char *signal_name = getenv("BOARD_SIGNAL");

    if (board.open) {
        return;
    }
    board.open = true;
    board.coherent = getenv("BOARD_COHERENT") != NULL;
    profile.soc.io_coherent = board.coherent;
    profile.gpu.cc_major = board.coherent ? 8 : 6;
    profile.gpu.cc_minor = board.coherent ? 7 : 2;
    profile.cpu.line_bytes = 64;
    profile.timing.cpu_hit_ps = 1000;
    profile.timing.cpu_miss_ps = 16000;
    profile.timing.cpu_uncached_ps = 47900;
    strcpy(profile.rules.managed_touch_signal, signal_name ? signal_name : "SIGSEGV");
    board.check = check_open(&config);
    if (mmap(ARENA, ARENA_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) != ARENA) {
        abort();
    }
    check_fault_install(board.check, &board, getenv("BOARD_RESOLVE") ? resolve : NULL, NULL);
    check_hooks_install(board.check, &board, (uintptr_t)ARENA, ARENA_SIZE);
    atexit(board_exit);
}

static struct hal_mem *region_new(enum hal_mem_kind kind, void *cpu, size_t size)
{
    struct hal_mem *mem = &board.mem[board.regions];

    mem->size = (size + HAL_PAGE - 1) / HAL_PAGE * HAL_PAGE;
    mem->cpu = cpu ? cpu : ARENA + board.used;
    mem->bus = 0x80000000 + board.used;
    mem->kind = kind;
    mem->registered = cpu != NULL;
    mem->cpu_cached = kind == HAL_MEM_MANAGED || (kind == HAL_MEM_PINNED && board.coherent);
    mem->id = ++board.regions;
    board.used += cpu ? 0 : mem->size;
    emit(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, mem->id, mem->bus, mem->size, mem->cpu_cached,
         0);
    return mem;
}

static void *allocate(enum hal_mem_kind kind, size_t size, const char *api)
{
    struct check_region region = { .size = size, .api = api, .caller = check_caller_get() };

    board_open();
    region.mem = *region_new(kind, NULL, size);
    region.attached = kind == HAL_MEM_MANAGED ? CHECK_ATTACH_GLOBAL : CHECK_ATTACH_NONE;
    mprotect(region.mem.cpu, region.mem.size,
             kind == HAL_MEM_DEVICE ? PROT_NONE : PROT_READ | PROT_WRITE);
    check_region_add(board.check, &region);
    return region.mem.cpu;
}

void *cudaMalloc(size_t size)
{
    return allocate(HAL_MEM_DEVICE, size, "cuMemAlloc");
}

void *cudaMallocHost(size_t size)
{
    return allocate(HAL_MEM_PINNED, size, "cuMemHostAlloc");
}

void *cudaMallocManaged(size_t size)
{
    return allocate(HAL_MEM_MANAGED, size, "cuMemAllocManaged");
}

void *cudaHostRegister(void *memory, size_t size)
{
    struct check_region region = { .size = size, .api = "cuMemHostRegister" };

    board_open();
    region.caller = check_caller_get();
    region.mem = *region_new(HAL_MEM_PINNED, memory, size);
    region.mem.cpu_cached = true;
    check_region_add(board.check, &region);
    return memory;
}

void cudaFree(void *memory)
{
    struct check_caller caller = check_caller_get();
    struct hal_mem mem;

    if (hal_mem_find(&board, memory, &mem)) {
        flush_counts();
        check_region_remove(board.check, mem.id, &caller);
        board.mem[mem.id - 1].size = 0;
    }
}

static void protect_managed(int prot, uint32_t grid_id)
{
    for (unsigned i = 0; i < board.regions; i++) {
        if (board.mem[i].kind == HAL_MEM_MANAGED) {
            mprotect(board.mem[i].cpu, board.mem[i].size, prot);
            check_managed_state(board.check, board.mem[i].id, grid_id != 0, grid_id, 0);
        }
    }
}

void cudaLaunchKernel(const char *name)
{
    struct check_kernel kernel = { .name = name, .grid = { 4, 1, 1 }, .block = { 32, 1, 1 } };

    board_open();
    kernel.grid_id = ++board.grids;
    kernel.caller = check_caller_get();
    check_kernel(board.check, &kernel);
    protect_managed(PROT_NONE, kernel.grid_id);
}

void cudaDeviceSynchronize(void)
{
    protect_managed(PROT_READ | PROT_WRITE, 0);
}

void board_lose(void *page)
{
    board.lost = page;
    mprotect(page, HAL_PAGE, PROT_NONE);
}
