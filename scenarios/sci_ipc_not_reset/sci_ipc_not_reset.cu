// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <nvscibuf.h>
#include <nvsciipc.h>

#define OK(call)                                                             \
    do {                                                                     \
        if ((call) != NvSciError_Success) {                                  \
            printf("%s failed\n", #call);                                    \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

int main(int argc, char **)
{
    bool fixed = argc > 1;
    const char *names[] = { "itc_test_0", "itc_test_1" };
    NvSciIpcEndpoint ends[2];
    uint32_t events[2] = { 0, 0 }, now, bytes;
    NvSciBufModule module; // brings the board up

    OK(NvSciBufModuleOpen(&module));
    OK(NvSciIpcInit());
    for (int i = 0; i < 2; i++) {
        OK(NvSciIpcOpenEndpoint(names[i], &ends[i]));
        if (fixed) {
            OK(NvSciIpcResetEndpointSafe(ends[i]));
        }
    }
    for (int i = 0; fixed && !(events[0] & events[1] & NV_SCI_IPC_EVENT_CONN_EST); i ^= 1) {
        OK(NvSciIpcGetEventSafe(ends[i], &now));
        events[i] |= now;
    }
    if (NvSciIpcWriteSafe(ends[0], "frame", 6, &bytes) == NvSciError_Success) {
        printf("%u bytes\n", bytes);
    }
    NvSciIpcCloseEndpoint(ends[0]);
    NvSciIpcCloseEndpoint(ends[1]);
    NvSciIpcDeinit();
    NvSciBufModuleClose(module);
    return 0;
}
