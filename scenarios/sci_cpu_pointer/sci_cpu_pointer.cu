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

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciBufModule module;
    NvSciBufAttrList list, conflict;
    NvSciBufObj buffer;
    void *pointer;

    OK(NvSciBufModuleOpen(&module));
    list = raw_list(module, fixed); // NeedCpuAccess
    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &buffer, &conflict));
    if (NvSciBufObjGetCpuPtr(buffer, &pointer) == NvSciError_Success) {
        printf("%d\n", *(char *)pointer);
    }
    NvSciBufObjFree(buffer);
    NvSciBufAttrListFree(list);
    NvSciBufModuleClose(module);
    return 0;
}
