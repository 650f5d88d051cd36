/* SPDX-License-Identifier: MIT */
/* Kernels that use a frame of an EGLStream while it is another end's. */
#ifndef CHECKER_FRAME_RULE_H
#define CHECKER_FRAME_RULE_H

#include "trace/record.h"

struct checker;
struct frame_rules;

/* Who may use the frame: its producer; no one, it is with the stream; the consumer, to read; no
 * one, the consumer has released it. */
enum frame_owner { FRAME_PRODUCER, FRAME_STREAM, FRAME_CONSUMER, FRAME_RELEASED };

/**
 * struct frame_turn - a frame changes hands
 * @region: its memory; @frame: which frame in it; @number: the stream's count
 * @grids: the newest grid that was launched: those behind it find @owner
 * @producer_channel: the hardware's, of the stream in which the producer has presented it
 */
struct frame_turn {
    uint32_t region, grids, producer_channel;
    enum frame_owner owner;
    uint64_t frame, number;
};

/* Findings go to @c, which is not owned. */
struct frame_rules *frame_rules_new(struct checker *c);
void frame_rules_free(struct frame_rules *s); /* NULL: nothing */
void frame_rules_turn(struct frame_rules *s, const struct frame_turn *turn);
/* Sums of grids, and stores of the CPU at @pc. */
void frame_rules_take(struct frame_rules *s, const struct trace_record *t, uint64_t pc);

#endif
