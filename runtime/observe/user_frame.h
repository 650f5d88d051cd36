/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_OBSERVE_USER_FRAME_H
#define RUNTIME_OBSERVE_USER_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct check;

/**
 * user_frame_pc - the application's place of a hooked access
 * @pc: the hook's return address, on the calling thread's stack
 * @many: callers distinguish such an access from others at the same @pc
 *
 * @pc itself, unless it lies in a function of a system header that was not inlined (std::copy at
 * -O0): then where the application called that. Without debug information it is @pc.
 */
uintptr_t user_frame_pc(struct check *c, uintptr_t pc, bool *many);

/* Does a return address lie in a function of a system header? */
bool user_frame_foreign(struct check *c, uintptr_t pc);

#endif
