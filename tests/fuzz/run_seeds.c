/* SPDX-License-Identifier: MIT */
/* A fuzzer's seeds, each once, in a build without libFuzzer: FOLDER... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned inputs;

static int file_run(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    uint8_t *data;
    size_t size;

    if (!file || fstat(fileno(file), &st)) {
        perror(path);
        return 1;
    }
    data = malloc((size_t)st.st_size);
    size = fread(data, 1, (size_t)st.st_size, file);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one, where it crashes */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    inputs++;
    return 0;
}

static int folder_run(const char *folder)
{
    struct dirent **names;
    int n = scandir(folder, &names, NULL, alphasort), failed = 0;
    char path[4096];
    struct stat st;

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
        if (!stat(path, &st) && S_ISREG(st.st_mode)) {
            failed |= file_run(path);
        }
        free(names[i]);
    }
    if (n >= 0) {
        free(names);
    }
    return failed || n < 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        failed |= folder_run(argv[i]);
    }
    printf("%u inputs\n", inputs);
    return failed;
}
