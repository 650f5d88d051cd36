/* SPDX-License-Identifier: MIT */
#include "tools/run/program_check.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/app/elf_info.h"
#include "tools/cmd.h"
#include "tools/paths.h"
#include "tools/run/run_user.h"

#define CMD "run"

/* Why a static runtime of NVIDIA's cannot run here (it checks that it talks to NVIDIA's driver). */
static void static_cudart_error(const char *path)
{
    char *lib = paths_get("lib");

    cmd_error(
        CMD,
        "%s contains NVIDIA's static CUDA runtime, which works with no driver but "
        "NVIDIA's.\n"
        "  Relink it, without a change to its build files:\n"
        "    NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS -cudart shared\" make -B      (nvcc links "
        "libcudart.so), or\n"
        "    NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS -L%s\" make -B      (nvcc links our "
        "libcudart_static.a)\n"
        "  With CMake: cmake --build DIR --clean-first in place of make -B.",
        path, lib);
    g_free(lib);
}

int program_check(const char *path, gboolean silicon, gboolean *user)
{
    GError *error = NULL;
    struct elf_info *elf = elf_info_read(path, &error);
    int status = CMD_NOT_RUN;
    struct stat st;

    if (!elf) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return CMD_NOT_RUN;
    }
    if (elf->kind == ELF_KIND_SCRIPT) {
        status = CMD_OK;
    } else if (elf->kind == ELF_KIND_NONE) {
        cmd_error(CMD, "%s is no program: neither an ELF file nor a script that starts with #!",
                  path);
    } else if (strcmp(elf->machine_name, "AArch64") == 0 &&
               strcmp(ELF_HOST_MACHINE, "AArch64") != 0 && elf->kind != ELF_KIND_OTHER &&
               !silicon) {
        *user = TRUE;
        status = run_user_check(path);
    } else if (strcmp(elf->machine_name, ELF_HOST_MACHINE) != 0) {
        cmd_error(CMD,
                  "%s is built for %s; this machine runs " ELF_HOST_MACHINE
                  ". Rebuild it here from its sources "
                  "(vtegra cc, or nvcc on this machine)",
                  path, elf->machine_name);
    } else if (elf->kind == ELF_KIND_OTHER) {
        cmd_error(CMD, "%s is an object file or core dump, not a linked program", path);
    } else if (elf->cudart == ELF_CUDART_STATIC_NVIDIA && !silicon) {
        static_cudart_error(path);
    } else if (stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0) {
        cmd_error(CMD, "%s is setuid or setgid: the loader would ignore our libraries", path);
    } else {
        status = CMD_OK;
    }
    elf_info_free(elf);
    return status;
}
