/* SPDX-License-Identifier: MIT */
#include "checker/rules/engine_fault.h"

#include <glib.h>
#include <inttypes.h>

#include "model/values.h"

/* Arm SMMU architecture 2.0 (IHI 0062), 16.5.5 SMMU_CBn_FSR and 16.5.8 SMMU_CBn_FSYNR0. */
enum { FSR_TF = 1 << 1, FSR_AFF = 1 << 2, FSR_PF = 1 << 3, FSR_EF = 1 << 4, FSYNR0_WNR = 1 << 4 };

static const char *const words[BUS_AGENT_COUNT] = {
#define AGENT(NAME, name, words) [BUS_AGENT_##NAME] = words,
#define ENGINE(NAME, name, words, ...) [BUS_AGENT_##NAME] = words,
#include "model/engines.h"
};

static const bool explained[BUS_AGENT_COUNT] = {
#define EXPLAINED(NAME) [BUS_AGENT_##NAME] = true,
#include "model/engines.h"
};

bool engine_fault_unexplained(const struct trace_record *t)
{
    return (t->event == TRACE_EVENT_SMMU_FAULT || t->event == TRACE_EVENT_SMMU_GLOBAL_FAULT) &&
           t->agent < BUS_AGENT_COUNT && words[t->agent] && !explained[t->agent];
}

static const char *context_reason(uint64_t fsr)
{
    return fsr & FSR_TF    ? "nothing is mapped there"
           : fsr & FSR_PF  ? "the mapping does not permit it"
           : fsr & FSR_AFF ? "the page's access flag is clear"
           : fsr & FSR_EF  ? "reading the page tables failed"
                           : "the translation failed";
}

char *engine_fault_text(const struct trace_record *t)
{
    bool global = t->event == TRACE_EVENT_SMMU_GLOBAL_FAULT;
    bool write = global ? t->arg[3] : t->arg[3] & FSYNR0_WNR;
    const char *who = t->agent < BUS_AGENT_COUNT && words[t->agent] ? words[t->agent] : "an engine";

    return g_strdup_printf("%s: the SMMU refused a %s at IOVA 0x%" PRIx64
                           " with StreamID 0x%" PRIx64 ": %s (%s 0x%" PRIx64 ")",
                           who, write ? "store" : "load", t->arg[1], t->arg[0],
                           global ? "no stream mapping takes this StreamID"
                                  : context_reason(t->arg[2]),
                           global ? "sGFSR" : "FSR", t->arg[2]);
}
