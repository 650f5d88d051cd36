/* SPDX-License-Identifier: MIT */
/* Whose code a call comes from: the program's, or vtegra's own libraries. */
#include "sched/calls/application.h"
#include "sched/calls/front.h"

#include "runtime/track/track.h"

#include <link.h>

/* PASSES_ON: a host function of the program may be called through it. A heap that is not the C
 * library's counts as ours: to record its locks takes memory. */
enum whose { THE_PROGRAMS, OURS, PASSES_ON };

static enum whose name_whose(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (strncmp(name, "libcudart.so", 12) == 0) {
        return PASSES_ON;
    }
    return strncmp(name, "libvtegra", 9) == 0 || strncmp(name, "libcuda.so", 10) == 0 ||
                   strncmp(name, "libgcc_s.so", 11) == 0 ||
                   /* its lock is taken to read a stack */ strncmp(name, "libdw", 5) == 0 ||
                   strncmp(name, "libelf", 6) == 0 || strncmp(name, "libcudla.so", 11) == 0 ||
                   strncmp(name, "libEGL_vtegra", 13) == 0 ||
                   strncmp(name, "libjemalloc.so", 14) == 0
               ? OURS
               : THE_PROGRAMS;
}

/* A function of the program that ends in a call makes a jump of it: what is called then returns to
 * whoever called the function. */
static bool calls_application(uintptr_t pc)
{
    const struct sched_board *board = turn_board;

    return application_calls(pc) ||
           (board && pc >= (uintptr_t)board->calls && pc < (uintptr_t)board->calls_end);
}

bool front_called(uintptr_t pc, struct sched_called *out)
{
    bool calls = calls_application(pc);

    if (calls) {
        *out = application_called();
        out->made = turn_self ? turn_self->created_at : (struct sched_stack){ 0 };
    }
    return calls;
}

struct object_of_pc {
    uintptr_t start, end;
    enum whose whose;
};

static bool object_has(const struct object_of_pc *o, uintptr_t pc)
{
    return pc >= o->start && pc < o->end;
}

/* Return: whose code @pc is; @o: all of it. */
static enum whose whose_of(uintptr_t pc, struct object_of_pc *o)
{
    struct dl_find_object found;

    *o = (struct object_of_pc){ .whose = THE_PROGRAMS };
    if (_dl_find_object((void *)pc, &found) == 0 && found.dlfo_link_map) {
        *o = (struct object_of_pc){ (uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end,
                                    name_whose(found.dlfo_link_map->l_name) };
    }
    return o->whose;
}

bool front_is_ours(uintptr_t pc)
{
    /* Two, for calls of one library through another take turns. */
    static _Thread_local struct object_of_pc last[2] __attribute__((tls_model("initial-exec")));
    /* A signal handler that comes in between finds half of an answer, and leaves it alone. */
    static _Thread_local volatile bool in_use __attribute__((tls_model("initial-exec")));
    struct object_of_pc own;
    enum whose whose;

    if (calls_application(pc)) {
        return false;
    }
    if (in_use) {
        whose = whose_of(pc, &own);
    } else {
        in_use = true;
        atomic_signal_fence(memory_order_seq_cst);
        if (!object_has(&last[0], pc)) {
            own = last[0];
            last[0] = last[1];
            last[1] = own;
        }
        whose = object_has(&last[0], pc) ? last[0].whose : whose_of(pc, &last[0]);
        atomic_signal_fence(memory_order_seq_cst);
        in_use = false;
    }
    return whose == OURS || (whose == PASSES_ON && !(turn_self && turn_self->in_application));
}

/* The compiler hooks, which may stand between the program and us: of each object that has any. */
static struct vtegra_track_caller *caller_hooks;

/* Objects are loaded one after the other. */
SCHED_EXPORT void vtegra_track_enlist_caller(struct vtegra_track_caller *caller)
{
    caller->next = caller_hooks;
    __atomic_store_n(&caller_hooks, caller, __ATOMIC_RELEASE);
}

uintptr_t front_program(uintptr_t pc)
{
    const struct vtegra_track_caller *caller = __atomic_load_n(&caller_hooks, __ATOMIC_ACQUIRE);
    uintptr_t program = pc;

    for (; caller && program == pc; caller = caller->next) {
        program = caller->program(pc);
    }
    return program;
}
