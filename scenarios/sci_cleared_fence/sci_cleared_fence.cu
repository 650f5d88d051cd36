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
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncModule module;
    NvSciSyncCpuWaitContext context;
    NvSciSyncObj object;

    OK(NvSciSyncModuleOpen(&module));
    OK(NvSciSyncCpuWaitContextAlloc(module, &context));
    object = sync_object(module);
    if (fixed) {
        OK(NvSciSyncObjGenerateFence(object, &fence));
        OK(NvSciSyncObjSignal(object));
    }
    OK(NvSciSyncFenceWait(&fence, context, -1)); /* <-- found here */
    if (!fixed) {
        OK(NvSciSyncObjGenerateFence(object, &fence));
        OK(NvSciSyncObjSignal(object));
    }
    NvSciSyncFenceClear(&fence);
    NvSciSyncObjFree(object);
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncModuleClose(module);
    return 0;
}
