/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/bad.sh: the device goes while a channel waits and memory is tracked. The guest
 * does what a hot-plug driver does: sees the attention button, switches the slot's power off (PCI
 * Express 5.0, 7.5.3), and on again when the next one is there. */
#include "qemu-plugin/baremetal/vtegra.h"

enum {
    SLOT_CONTROL = 0x18,
    ATTENTION = 1 << 16, /* slot status, button pressed; written back: cleared */
    PRESENT = 1 << 22,   /* slot status */
    POWER_OFF = 1 << 10 | 3 << 8,
    POWER_ON = 1 << 8,
};

static uintptr_t express_find(uintptr_t config)
{
    uint32_t at = load32((void *)(config + 0x34)) & 0xfc;

    while (at && (load32((void *)(config + at)) & 0xff) != 0x10) {
        at = load32((void *)(config + at)) >> 8 & 0xfc;
    }
    return config + at;
}

int main(void)
{
    uint32_t *semaphore = pages_new(1);
    uintptr_t slot;

    vtegra_open();
    channel_open();
    track(pages_new(4), 4);
    gpu_map((uintptr_t)semaphore, (uintptr_t)semaphore, 1, GPU_UNCACHED);
    method(0, HOST_SEM_ADDR_LO, (uint32_t)(uintptr_t)semaphore);
    method(0, HOST_SEM_ADDR_HI, 0);
    method(0, HOST_SEM_PAYLOAD_LO, 1); /* it is never written */
    method(0, HOST_SEM_EXECUTE, SEM_OP_ACQUIRE);
    submit();
    slot = express_find(vtegra_bridge()) + SLOT_CONTROL;
    print("ready\n");
    while (!(load32((void *)slot) & ATTENTION)) {
    }
    store32((void *)slot, POWER_OFF);
    while (control_get(CONTROL_ID) == CONTROL_MAGIC) {
    }
    print("gone\n");
    while (!(load32((void *)slot) & PRESENT)) { /* the monitor plugs another one in */
    }
    store32((void *)slot, ATTENTION | POWER_ON);
    vtegra_forget();
    while (!vtegra_there()) {
    }
    vtegra_open();
    print("back\n");
    return 0;
}
