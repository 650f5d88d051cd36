/* SPDX-License-Identifier: MIT */
/*
 * Stands where clang expects NVIDIA's assembler. The virtual SoC runs PTX, so there is no machine
 * code to make: an empty file makes our fatbinary (beside this) to leave it out.
 */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *out = NULL;
    FILE *file;

    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--output-file") == 0 || strcmp(argv[i], "-o") == 0) {
            out = argv[++i];
        }
    }
    if (!out) {
        fprintf(stderr, "ptxas (vtegra): no --output-file given\n");
        return 1;
    }
    file = fopen(out, "wb");
    if (!file || fclose(file) != 0) {
        perror(out);
        return 1;
    }
    return 0;
}
