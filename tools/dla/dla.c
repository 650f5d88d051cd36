/* SPDX-License-Identifier: MIT */
/* vtegra dla: loadables for people. */
#include "tools/dla/dla.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiles/nearest.h"
#include "tools/cmd.h"

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {
    { "inspect", "what is in a loadable: tensors, memories, tasks, every operation", dla_inspect },
    { "build", "make a loadable from an ONNX model or a JSON description of layers", dla_build },
    { "run", "run a loadable on the bit-exact DLA: image in, image out, dumps of layers", dla_run },
    { "diff", "compare two outputs or two folders of dumps: the first difference, and how many",
      dla_diff },
};

static void dla_usage(FILE *out)
{
    fputs("Usage: vtegra dla VERB [ARGUMENTS]\n\nVerbs:\n", out);
    for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
        fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
    }
    fputs("\nvtegra dla VERB --help says more.\n", out);
}

/* Weights and buffers of layers come and go by megabytes. They stay in the heap, of which the
 * kernel may make large pages; else a third of the time goes to pages that are zeroed again and
 * again. Without effect on results: all of this is a hint. */
static void heap_prepare(void)
{
    const size_t room = (size_t)256 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    char *start;

    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    start = malloc(room);
    if (start) {
        uintptr_t first = ((uintptr_t)start + page - 1) / page * page;

        madvise((char *)first, room - page, MADV_HUGEPAGE);
        free(start);
    }
}

int cmd_dla(int argc, char **argv)
{
    const char *names[G_N_ELEMENTS(verbs) + 1] = { NULL };
    const char *near;

    if (argc < 2) {
        dla_usage(stderr);
        return CMD_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        dla_usage(stdout);
        return CMD_OK;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
        names[i] = verbs[i].name;
        if (strcmp(argv[1], verbs[i].name) == 0) {
            heap_prepare();
            return verbs[i].run(argc - 1, argv + 1);
        }
    }
    near = nearest_word(argv[1], names);
    cmd_error("dla", "no verb \"%s\"%s%s%s (vtegra dla --help lists all)", argv[1],
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return CMD_USAGE;
}
