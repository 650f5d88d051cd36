/* SPDX-License-Identifier: MIT */
/* The GPUs of a run: which there are, and how they reach and used a region. */
#include <inttypes.h>

#include "checker/run/run.h"

const char *run_gpu_name(const struct run *r)
{
    return r->facts.discrete ? "dGPU" : "iGPU";
}

enum rules_caching run_dgpu_caching(const struct run *r, const struct run_region *region)
{
    struct rules_facts facts = r->facts;

    facts.attached = true;
    return rules_caching(&facts, run_rules_kind(region->kind), RULES_DGPU);
}

char *run_stream_text(uint32_t stream)
{
    uint32_t device = stream >> RUN_STREAM_DEVICE,
             number = stream & ((1u << RUN_STREAM_DEVICE) - 1);

    return device ? g_strdup_printf("stream %" PRIu32 " of device %" PRIu32, number, device)
                  : g_strdup_printf("stream %" PRIu32, number);
}

const char *run_stream_nonblocking(const struct run *r, uint32_t stream)
{
    return g_hash_table_lookup(r->nonblocking, GUINT_TO_POINTER(stream));
}

bool run_igpu_uncached(const struct run *r, const struct run_region *region)
{
    return region->kind != RUN_DRIVER && rules_caching(&r->facts, run_rules_kind(region->kind),
                                                       rules_gpu_side(&r->facts)) == RULES_UNCACHED;
}

bool run_is_pinned(const struct run_region *region)
{
    return region->kind == RUN_PINNED || region->kind == RUN_REGISTERED;
}

struct run_count run_gpu_count(const struct run_region *region)
{
    const struct run_count *i = &region->agent[BUS_AGENT_IGPU], *d = &region->agent[BUS_AGENT_DGPU];

    return (struct run_count){ .read_bytes = i->read_bytes + d->read_bytes,
                               .write_bytes = i->write_bytes + d->write_bytes };
}

bool run_only_igpu(const struct run_region *region)
{
    const struct run_count gpu = run_gpu_count(region);
    const struct run_count *cpu = &region->agent[BUS_AGENT_CPU];
    uint64_t others = 0;

    for (unsigned agent = 0; agent < BUS_AGENT_DRIVER; agent++) {
        const struct run_count *n = &region->agent[agent];
        bool other = agent != BUS_AGENT_CPU && !agent_is_gpu(agent) && !agent_is_front_end(agent);

        others += other ? n->read_bytes + n->write_bytes : 0;
    }
    return gpu.read_bytes + gpu.write_bytes > 0 && others == 0 &&
           region->copied_in + region->copied_out == 0 && cpu->read_ops + cpu->write_ops == 0 &&
           region->spared.snoops + region->clean.lines + region->clean_invalidate.lines == 0;
}
