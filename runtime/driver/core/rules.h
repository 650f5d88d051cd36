/* SPDX-License-Identifier: MIT */
/* What Tegra does not have, and what the API then answers: one table. */
#ifndef RUNTIME_DRIVER_CORE_RULES_H
#define RUNTIME_DRIVER_CORE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "include/cuda.h"
#include "runtime/observe/check.h"

enum rule_condition {
    RULE_ALWAYS,
    RULE_OWN_BOARD, /* no other process has it: vtegra run without --shared or --board */
    RULE_NOT_IO_COHERENT, /* compute capability below 7.2 */
    RULE_QNX,
    RULE_NO_CONCURRENT_MANAGED, /* gpu.concurrent_managed_access = 0 */
    RULE_NO_MANAGED,
    RULE_NO_POOLS,
    RULE_NO_VIRTUAL, /* gpu.virtual_memory_management = 0 */
    RULE_NO_COOPERATIVE,
    RULE_NO_HOST_REGISTER,
    RULE_NO_EVENT_IPC, /* by edition, system and SoC: model/rules/features.def */
    RULE_NO_MEMORY_IPC,
    RULE_NO_SHAREABLE,
    RULE_NO_RDMA,
    RULE_DISCRETE, /* gpu.integrated = 0 */
};

/**
 * struct rule - an API on a kind of board
 * @api: entry point, or a prefix that ends in '*', or an option of one
 * ("cuEventCreate:interprocess")
 * @result: the documented answer
 * @section: where that stands; @text: why, and what to use instead
 */
struct rule {
    const char *api;
    enum rule_condition condition;
    CUresult result;
    const char *section;
    enum check_standing standing;
    const char *text, *todo;
};

/* All of them, rules_table.c. */
extern const struct rule rule_table[];
extern const size_t rule_count;

struct soc_profile;
/* Does the board with profile @p (RULE_ALWAYS: any) under the system @os lack what @rule names? */
bool rule_holds(const struct rule *rule, const struct soc_profile *p, const char *os);

/* The rule that forbids @api on this board, NULL if none. */
const struct rule *rule_find(const char *api);
/* The same for a GPU with these figures. */
const struct rule *rule_find_on(const char *api, const struct soc_profile *profile);
/* The same without RULE_OWN_BOARD: what the board itself lacks, however it was started. */
const struct rule *rule_find_of_board(const char *api, const struct soc_profile *profile);

/* Tells the report that @api was called and does not exist: only @rule's texts and standing count. */
void rule_report(const struct rule *rule, const char *api);

/* rule_check - CUDA_SUCCESS, or the rule's answer, which the report has then */
CUresult rule_check(const char *api);

#endif
