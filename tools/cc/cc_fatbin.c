/* SPDX-License-Identifier: MIT */
#include "tools/cc/cc_fatbin.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* Where clang puts it: by itself, or for a device link. */
static gboolean section_is_fatbin(const char *name)
{
    return name && (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0);
}

static Elf_Data *fatbin_of(Elf *elf)
{
    Elf_Scn *scn = NULL;
    size_t names;
    GElf_Shdr shdr;

    if (!elf || elf_getshdrstrndx(elf, &names) != 0) {
        return NULL;
    }
    while ((scn = elf_nextscn(elf, scn)) != NULL) {
        if (gelf_getshdr(scn, &shdr) && section_is_fatbin(elf_strptr(elf, names, shdr.sh_name))) {
            return elf_rawdata(scn, NULL);
        }
    }
    return NULL;
}

gboolean cc_fatbin_take(const char *object, const char *out)
{
    int fd = open(object, O_RDONLY | O_CLOEXEC);
    Elf *elf;
    Elf_Data *data;
    gboolean ok;

    elf_version(EV_CURRENT);
    elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    data = fatbin_of(elf);
    ok = data && data->d_size > 0 &&
         g_file_set_contents(out, data->d_buf, (gssize)data->d_size, NULL);
    elf_end(elf);
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}
