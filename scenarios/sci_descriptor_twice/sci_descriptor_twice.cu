// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <nvscibuf.h>

#define OK(call)                                                             \
    do {                                                                     \
        if ((call) != NvSciError_Success) {                                  \
            printf("%s failed\n", #call);                                    \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static NvSciBufAttrList raw_list(NvSciBufModule module, bool cpu)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    uint64_t size = 4096;
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
    };
    NvSciBufAttrList list;

    OK(NvSciBufAttrListCreate(module, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, 4));
    return list;
}

static NvSciIpcEndpoint ends[2];

static void connect_ends()
{
    const char *names[] = { "itc_test_0", "itc_test_1" };
    uint32_t events[2] = { 0, 0 }, now;

    OK(NvSciIpcInit());
    for (int i = 0; i < 2; i++) {
        OK(NvSciIpcOpenEndpoint(names[i], &ends[i]));
        OK(NvSciIpcResetEndpointSafe(ends[i]));
    }
    for (int i = 0; !(events[0] & events[1] & NV_SCI_IPC_EVENT_CONN_EST); i ^= 1) {
        OK(NvSciIpcGetEventSafe(ends[i], &now));
        events[i] |= now;
    }
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciBufObjIpcExportDescriptor descriptor;
    NvSciBufModule module;
    NvSciBufAttrList theirs, list, result, conflict;
    NvSciBufObj buffer, first, second = NULL;
    void *bytes;
    size_t len;

    connect_ends();
    OK(NvSciBufModuleOpen(&module));
    theirs = raw_list(module, true);
    OK(NvSciBufAttrListIpcExportUnreconciled(&theirs, 1, ends[1], &bytes, &len));
    OK(NvSciBufAttrListIpcImportUnreconciled(module, ends[0], bytes, len, &list));
    OK(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
    OK(NvSciBufObjAlloc(result, &buffer));
    OK(NvSciBufObjIpcExport(buffer, NvSciBufAccessPerm_Auto, ends[0], &descriptor));
    OK(NvSciBufObjIpcImport(ends[1], &descriptor, result, NvSciBufAccessPerm_Auto, 0, &first));
    if (fixed) {
        OK(NvSciBufObjIpcExport(buffer, NvSciBufAccessPerm_Auto, ends[0], &descriptor));
    }
    NvSciBufObjIpcImport(ends[1], &descriptor, result, NvSciBufAccessPerm_Auto, 0, &second);
    printf("%s\n", second ? "two objects" : "one object");
    NvSciBufObjFree(second);
    NvSciBufObjFree(first);
    NvSciBufObjFree(buffer);
    NvSciBufAttrListFreeDesc(bytes);
    NvSciBufAttrListFree(theirs);
    NvSciBufAttrListFree(list);
    NvSciBufAttrListFree(result);
    NvSciBufModuleClose(module);
    NvSciIpcCloseEndpoint(ends[0]);
    NvSciIpcCloseEndpoint(ends[1]);
    return 0;
}
