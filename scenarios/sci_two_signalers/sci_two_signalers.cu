// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <nvscisync.h>

#define OK(call)                                                             \
    do {                                                                     \
        if ((call) != NvSciError_Success) {                                  \
            printf("%s failed\n", #call);                                    \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static NvSciSyncAttrList sync_list(NvSciSyncModule module, NvSciSyncAccessPerm perm, bool timestamps)
{
    bool cpu = true;
    NvSciSyncAttrKeyValuePair pairs[] = {
        { NvSciSyncAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciSyncAttrKey_WaiterRequireTimestamps, &timestamps, sizeof(timestamps) },
    };
    NvSciSyncAttrList list;

    OK(NvSciSyncAttrListCreate(module, &list));
    OK(NvSciSyncAttrListSetAttrs(list, pairs, 3));
    return list;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncModule module;
    NvSciSyncAttrList lists[2], result, conflict = NULL;

    OK(NvSciSyncModuleOpen(&module));
    lists[0] = sync_list(module, NvSciSyncAccessPerm_SignalOnly, false);
    lists[1] = sync_list(module, fixed ? NvSciSyncAccessPerm_WaitOnly : NvSciSyncAccessPerm_WaitSignal, false);
    if (NvSciSyncAttrListReconcile(lists, 2, &result, &conflict) == NvSciError_Success) {
        NvSciSyncAttrListFree(result);
    } else {
        printf("%zu lists do not fit\n", NvSciSyncAttrListGetSlotCount(conflict));
        NvSciSyncAttrListFree(conflict);
    }
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    NvSciSyncModuleClose(module);
    return 0;
}
