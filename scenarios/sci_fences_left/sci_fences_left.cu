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

static NvSciSyncObj sync_object(NvSciSyncModule module)
{
    NvSciSyncAttrList lists[] = { sync_list(module, NvSciSyncAccessPerm_SignalOnly, false),
                                  sync_list(module, NvSciSyncAccessPerm_WaitOnly, true) };
    NvSciSyncAttrList conflict;
    NvSciSyncObj object;

    OK(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object, &conflict));
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    return object;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence fences[8] = {};
    NvSciSyncModule module;
    NvSciSyncObj object;

    OK(NvSciSyncModuleOpen(&module));
    object = sync_object(module);
    for (NvSciSyncFence &fence : fences) {
        OK(NvSciSyncObjGenerateFence(object, &fence));
        OK(NvSciSyncObjSignal(object));
    }
    for (NvSciSyncFence &fence : fences) {
        if (fixed) {
            NvSciSyncFenceClear(&fence);
        }
    }
    NvSciSyncObjFree(object);
    NvSciSyncModuleClose(module); /* <-- found here */
    return 0;
}
