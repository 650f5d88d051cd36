/* SPDX-License-Identifier: MIT */
/* Addresses that were reserved: which, and why a kernel may not use one of them. */
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/virtual_internal.h"

static GArray *reservations; /* struct reservation */

void reservation_add(const struct reservation *reservation)
{
    if (!reservations) {
        reservations = g_array_new(FALSE, FALSE, sizeof(*reservation));
    }
    g_array_append_vals(reservations, reservation, 1);
}

void reservation_remove(guint index)
{
    g_array_remove_index(reservations, index);
}

struct reservation *reservation_at(uint64_t address, guint *index)
{
    for (guint i = 0; reservations && i < reservations->len; i++) {
        struct reservation *r = &g_array_index(reservations, struct reservation, i);

        if (address - r->base < r->size) {
            *index = i;
            return r;
        }
    }
    return NULL;
}

bool virtual_reservation(uint64_t address, uint64_t *base, size_t *size)
{
    guint i;
    const struct reservation *r = reservation_at(address, &i);

    if (r) {
        *base = r->base;
        *size = r->size;
    }
    return r != NULL;
}

const char *virtual_fault(uint64_t address)
{
    const struct region *r = region_at(address);
    guint i;

    if (!reservation_at(address, &i)) {
        return NULL;
    }
    return r && r->access == CU_MEM_ACCESS_FLAGS_PROT_NONE
               ? "Memory is mapped there, but no access to it was given."
           : r                        ? "Access to the memory there was given for reading only."
           : region_freed_at(address) ? "The memory there was unmapped before."
                                      : "The address is reserved, and no memory is mapped there.";
}
