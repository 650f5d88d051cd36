/* SPDX-License-Identifier: MIT */
/* The matrix of error codes: `cuda_codes [SECTION]`. Results of NVIDIA's driver are kept in
 * tests/golden/cuda_codes_<driver>.txt. */
#include "cuda_codes.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECTION_SECONDS 20

const char codes_ptx[] = ".version 7.0\n"
                         ".target sm_75\n"
                         ".address_size 64\n"
                         ".visible .global .align 4 .u32 counter;\n"
                         ".visible .const .align 4 .b8 table[64];\n"
                         ".extern .shared .align 16 .b8 pool[];\n"
                         ".visible .entry add(.param .u64 p, .param .u32 n)\n"
                         "{\n"
                         "    .reg .b32 %r<5>;\n"
                         "    .reg .b64 %d<5>;\n"
                         "    ld.param.u64 %d1, [p];\n"
                         "    ld.param.u32 %r1, [n];\n"
                         "    cvta.to.global.u64 %d2, %d1;\n"
                         "    mov.u32 %r2, %tid.x;\n"
                         "    mul.wide.u32 %d3, %r2, 4;\n"
                         "    add.s64 %d4, %d2, %d3;\n"
                         "    ld.global.u32 %r3, [%d4];\n"
                         "    add.s32 %r4, %r3, %r1;\n"
                         "    st.global.u32 [%d4], %r4;\n"
                         "    ret;\n"
                         "}\n"
                         ".visible .entry dynamic(.param .u64 p)\n"
                         "{\n"
                         "    .reg .b32 %r<3>;\n"
                         "    .reg .b64 %d<3>;\n"
                         "    mov.u32 %r1, 5;\n"
                         "    st.shared.u32 [pool], %r1;\n"
                         "    ld.shared.u32 %r2, [pool];\n"
                         "    ld.param.u64 %d1, [p];\n"
                         "    cvta.to.global.u64 %d2, %d1;\n"
                         "    st.global.u32 [%d2], %r2;\n"
                         "    ret;\n"
                         "}\n"
                         ".visible .entry wide(.param .u8 a, .param .u64 b,\n"
                         "    .param .align 4 .b8 c[20])\n"
                         "{\n"
                         "    ret;\n"
                         "}\n";

void code_before(const char *call)
{
    printf("%s: ", call);
    fflush(stdout);
}

CUresult code_after(CUresult code)
{
    const char *name = NULL;

    if (cuGetErrorName(code, &name) == CUDA_SUCCESS && name) {
        printf("%s\n", strcmp(name, "CUDA_SUCCESS") ? name + strlen("CUDA_ERROR_") : "OK");
    } else {
        printf("code %d\n", (int)code);
    }
    fflush(stdout);
    return code;
}

void value_print(const char *what, long long value)
{
    printf("    %s = %lld\n", what, value);
    fflush(stdout);
}

static void section_child(const struct codes_section *section)
{
    CUcontext context;

    alarm(SECTION_SECONDS);
    if (section->context >= 1 && cuInit(0) != CUDA_SUCCESS) {
        printf("cuInit failed\n");
        exit(1);
    }
    if (section->context >= 2 && (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
                                  cuCtxSetCurrent(context) != CUDA_SUCCESS)) {
        printf("no primary context\n");
        exit(1);
    }
    section->run();
    fflush(stdout);
    _exit(0);
}

static void section_run(const struct codes_section *section)
{
    int status = 0;

    printf("\n[%s]\n", section->name);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        section_child(section);
    }
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status)) {
        printf("signal %s\n", WTERMSIG(status) == SIGALRM ? "SIGALRM (hangs)" : "SIGSEGV");
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct codes_section *const groups[] = { codes_device, codes_memory, codes_work,
                                                   codes_virtual, codes_array };

    for (size_t i = 0; i < COUNT(groups); i++) {
        for (const struct codes_section *s = groups[i]; s->name; s++) {
            if (argc < 2 || strncmp(argv[1], s->name, strlen(argv[1])) == 0) {
                section_run(s);
            }
        }
    }
    return 0;
}
