/* SPDX-License-Identifier: MIT */
#include "runtime/observe/last_call.h"

#include <elfutils/libdwfl.h>
#include <link.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/inside.h"
#include "runtime/observe/own_stack.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/source.h"

#define CODE_MOST 65536u /* bytes of a function that are looked at */
#define JUMPS 4u         /* from one function of the program to the next */

bool last_call_from(uintptr_t pc)
{
    const struct vtegra_sched *sched = check_sched();

    return sched && sched->called(pc, &(struct sched_called){ 0 });
}

/* --- the function ----------------------------------------------------------------------------- */

static bool word_at(uintptr_t at, uintptr_t *word)
{
    struct iovec local = { word, sizeof(*word) }, remote = { (void *)at, sizeof(*word) };

    return process_vm_readv(gettid(), &local, 1, &remote, 1, 0) == (ssize_t)sizeof(*word);
}

static bool is_of_cxx(uintptr_t pc)
{
    struct dl_find_object found;

    return _dl_find_object((void *)pc, &found) == 0 && found.dlfo_link_map &&
           strstr(found.dlfo_link_map->l_name, "/libstdc++.so") != NULL;
}

/* std::thread: the thread begins in libstdc++, which calls the third virtual function of its
 * argument (<bits/std_thread.h>, struct thread::_State: two destructors, _M_run). */
static uintptr_t thread_function(const struct sched_called *called)
{
    uintptr_t table, function;

    return word_at((uintptr_t)called->data, &table) &&
                   word_at(table + 2 * sizeof(uintptr_t), &function)
               ? function
               : 0;
}

/* --- its last jump ---------------------------------------------------------------------------- */

struct jump_search {
    uintptr_t function, jump, to;
};

/* jmp and jcc with a distance of 32 bits, or by a slot of the linker's (-fno-plt); @n: bytes there.
 * @to: where it goes, 0: by a slot */
static bool is_jump(const uint8_t *code, size_t n, uintptr_t at, uintptr_t *to)
{
    unsigned opcode = code[0] == 0xe9 ? 1 : 2;
    bool slot = n > 1 && code[0] == 0xff && code[1] == 0x25;
    int32_t distance;

    if (n < opcode + sizeof(distance) ||
        (code[0] != 0xe9 && !slot && !(code[0] == 0x0f && (code[1] & 0xf0) == 0x80))) {
        return false;
    }
    memcpy(&distance, code + opcode, sizeof(distance));
    *to = slot ? 0 : at + opcode + sizeof(distance) + (uintptr_t)(intptr_t)distance;
    return true;
}

/* Bytes that look like a jump out of the function, to code of the same file, are one. */
static void jump_search(void *opaque)
{
    struct jump_search *s = opaque;
    Dwfl_Module *mod = source_module(s->function);
    GElf_Off offset;
    GElf_Sym sym;
    uintptr_t start, to;

    if (!mod || !dwfl_module_addrinfo(mod, s->function, &offset, &sym, NULL, NULL, NULL) ||
        sym.st_size > CODE_MOST) {
        return;
    }
    start = s->function - offset;
    for (size_t i = 0; i < sym.st_size; i++) {
        if (is_jump((const uint8_t *)start + i, sym.st_size - i, start + i, &to) &&
            (!to || (to - start >= sym.st_size && source_module(to) == mod))) {
            s->jump = start + i;
            s->to = to;
        }
    }
}

/* As a return address. */
static uintptr_t last_jump(struct check *c, uintptr_t function,
                           bool (*is_program)(struct check *c, uintptr_t pc))
{
    uintptr_t place = is_program(c, function + 1) ? function + 1 : 0;
    struct jump_search s = { .to = function };

    for (unsigned i = 0; i < JUMPS && s.to; i++) {
        s = (struct jump_search){ .function = s.to };
        check_lock(c);
        own_stack_call(jump_search, &s);
        check_unlock(c);
        if (s.jump && is_program(c, s.jump + 1)) {
            place = s.jump + 1;
        }
    }
    return place;
}

static uintptr_t thread_made(struct check *c, const struct sched_stack *made,
                             bool (*is_program)(struct check *c, uintptr_t pc))
{
    for (unsigned i = 0; i < SCHED_FRAMES && made->pc[i]; i++) {
        if (is_program(c, made->pc[i])) {
            return made->pc[i];
        }
    }
    return 0;
}

uintptr_t last_call_place(struct check *c, uintptr_t pc,
                          bool (*is_program)(struct check *c, uintptr_t pc))
{
    const struct vtegra_sched *sched = check_sched();
    struct sched_called called = { 0 };
    uintptr_t function, place = 0;

    if (!sched || !sched->called(pc, &called)) {
        return 0;
    }
    function = check_function               ? check_function
               : is_of_cxx(called.function) ? thread_function(&called)
                                            : called.function;
    if (function) {
        place = last_jump(c, function, is_program);
    }
    return place ? place : thread_made(c, &called.made, is_program);
}
