// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciBufObj buffer;
    struct users users;
    cudaExternalMemory_t memory;

    sci_open();
    OK(cudaFree(nullptr)); // brings the context up
    users.gpu = fixed;
    buffer = buffer_new(users);
    if (fixed) {
        OK(buffer_import(buffer, users.bytes, &memory));
        OK(cudaDestroyExternalMemory(memory));
    } else {
        GIVES(cudaErrorInvalidValue, buffer_import(buffer, users.bytes, &memory));
    }
    NvSciBufObjFree(buffer);
    sci_close();
    return 0;
}
