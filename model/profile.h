/* SPDX-License-Identifier: MIT */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/**
 * struct soc_profile - the figures of one SoC, as plain data
 *
 * One member struct a section and one field a key of profile.def, so `gpu.l2_bytes` in a file is
 * `profile->gpu.l2_bytes` here. Text is an array of its longest length plus the final zero. The
 * struct owns nothing and may be copied. profiles/profile.h loads one from a file with every value
 * inside the limits of profile.def.
 */
#define PROFILE_FIELD_U32(name, max) uint32_t name;
#define PROFILE_FIELD_U64(name, max) uint64_t name;
#define PROFILE_FIELD_BOOL(name, max) bool name;
#define PROFILE_FIELD_STR(name, max) char name[(max) + 1];
#define SECTION(section) struct {
#define OPTIONAL_SECTION(section) struct {
#define KEY(section, name, type, min, max, unit, text) PROFILE_FIELD_##type(name, max)
#define SECTION_END(section) \
    }                        \
    section;
struct soc_profile {
#include "model/profile.def"
};
#undef SECTION
#undef OPTIONAL_SECTION
#undef KEY
#undef SECTION_END

/** soc_profile_cc - compute capability as one number: 62, 72, 87, 110 */
static inline unsigned soc_profile_cc(const struct soc_profile *profile)
{
    return profile->gpu.cc_major * 10 + profile->gpu.cc_minor;
}

/** soc_profile_discrete - has the GPU memory of its own? In a loaded profile: gpu.integrated is 0
 */
static inline bool soc_profile_discrete(const struct soc_profile *profile)
{
    return profile->gpu.vidmem_bytes != 0;
}

/** soc_profile_system_bytes - DRAM that CUDA may allocate: pinned, managed, shared memory; where
 * the GPU is integrated also device memory */
static inline uint64_t soc_profile_system_bytes(const struct soc_profile *profile)
{
    return profile->memory.dram_bytes - profile->memory.carveout_bytes;
}

/** soc_profile_device_bytes - what cuDeviceTotalMem() answers: a discrete GPU's own memory, else
 * the DRAM that all share (CUDA for Tegra 3.3) */
static inline uint64_t soc_profile_device_bytes(const struct soc_profile *profile)
{
    return soc_profile_discrete(profile) ? profile->gpu.vidmem_bytes
                                         : soc_profile_system_bytes(profile);
}

/** soc_profile_gpus - 1; 2 where a discrete GPU stands beside the integrated one (DRIVE) */
static inline unsigned soc_profile_gpus(const struct soc_profile *profile)
{
    return profile->dgpu.cc_major ? 2 : 1;
}

/**
 * soc_profile_gpu - the board as one of its GPUs has it
 * @gpu: 0: the only one, or the integrated one; 1: the discrete one beside it
 *
 * [gpu] and [texture] are that GPU's, and so are [memory]'s bus, clock and bandwidth. All else is
 * the board's.
 */
static inline struct soc_profile soc_profile_gpu(const struct soc_profile *profile, unsigned gpu)
{
    struct soc_profile p = *profile;

    if (gpu == 1) {
        _Static_assert(sizeof(p.gpu) == sizeof(p.dgpu) &&
                           sizeof(p.texture) == sizeof(p.dgpu_texture),
                       "the keys of both are those of profile_gpu.def and profile_texture.def");
        memcpy(&p.gpu, &profile->dgpu, sizeof(p.gpu));
        memcpy(&p.texture, &profile->dgpu_texture, sizeof(p.texture));
        p.memory.bus_bits = profile->dgpu_memory.bus_bits;
        p.memory.clock_khz = profile->dgpu_memory.clock_khz;
        p.memory.bandwidth_mb_s = profile->dgpu_memory.bandwidth_mb_s;
    }
    return p;
}

#endif
