/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest to talk to, for the tests of vtegra vm: says that it is ready, gives back each key in
 * capitals, ends at a full stop with the number of keys before it. */
#include "qemu-plugin/baremetal/bare.h"

#define UART 0x09000000u /* PL011: data, flags (RXFE = bit 4: nothing there) */
#define UART_FLAGS 0x09000018u

int main(void)
{
    int keys = 0;

    print("vtegra: ready\n");
    for (;;) {
        char key;

        while (load32((volatile void *)(uintptr_t)UART_FLAGS) & 1u << 4) {
        }
        key = (char)load32((volatile void *)(uintptr_t)UART);
        if (key == '.') {
            print("\n");
            return keys;
        }
        print("%c", key >= 'a' && key <= 'z' ? key - 32 : key);
        keys++;
    }
}
