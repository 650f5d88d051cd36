/* SPDX-License-Identifier: MIT */
/* cuGetProcAddress: the newest form of a function that a CUDA version knows, by its plain name. */
#include <string.h>

#include "runtime/api/cuda/proc_address.h"

struct symbol {
    const char *name;
    int since;
    void (*address)(void);
};

/* Only addresses are taken: the true prototypes are in cuda.h. */
#define SYMBOL(name, since) void name(void);
#include "runtime/api/cuda/cuda.def"

static const struct symbol symbols[] = {
#define SYMBOL(name, since) { #name, since, name },
#include "runtime/api/cuda/cuda.def"
};

/* What follows the plain name: "", "_v2", "_ptsz", "_v2_ptds". False if it is another function's.
 */
static bool suffix_read(const char *suffix, bool *per_thread)
{
    if (suffix[0] == '_' && suffix[1] == 'v') {
        for (suffix += 2; *suffix >= '0' && *suffix <= '9'; suffix++) {
        }
    }
    *per_thread = strcmp(suffix, "_ptds") == 0 || strcmp(suffix, "_ptsz") == 0;
    return *per_thread || *suffix == 0;
}

/* A name that itself carries a suffix is no function's plain name. */
static bool name_is_plain(const char *name)
{
    const char *last = strrchr(name, '_');
    bool per_thread;

    return !last || !suffix_read(last, &per_thread);
}

/* The newest form of @name that @version knows, among the per-thread ones or the others. */
static enum proc_answer forms_search(const char *name, int version, bool per_thread,
                                     void (**address)(void))
{
    const size_t len = strlen(name);
    enum proc_answer answer = PROC_UNKNOWN;
    int newest = 0;

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        const struct symbol *s = &symbols[i];
        bool is_per_thread;
        if (strncmp(s->name, name, len) != 0 || !suffix_read(s->name + len, &is_per_thread) ||
            is_per_thread != per_thread) {
            continue;
        }
        if (s->since <= version && s->since > newest) {
            newest = s->since;
            *address = s->address;
            answer = PROC_FOUND;
        } else if (answer == PROC_UNKNOWN) {
            answer = PROC_TOO_NEW;
        }
    }
    return answer;
}

/* Asked for per-thread forms, NVIDIA's driver gives no other form of a function that has one, not
 * even to a version before them (tests/golden/cuda_procs_580.159.04.txt). */
enum proc_answer proc_address_find(const char *name, int version, bool per_thread,
                                   void (**address)(void))
{
    enum proc_answer answer = PROC_UNKNOWN;

    *address = NULL;
    if (!name_is_plain(name)) {
        return PROC_UNKNOWN;
    }
    if (per_thread) {
        answer = forms_search(name, version, true, address);
    }
    return answer == PROC_UNKNOWN ? forms_search(name, version, false, address) : answer;
}
