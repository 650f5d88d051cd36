/* SPDX-License-Identifier: MIT */
/*
 * damaged VTEGRA PROGRAM FLIPS: runs PROGRAM under VTEGRA with damaged device code: FLIPS times with one to three bits
 * of it flipped, then cut off (zeros) at 20 places. Every run must end by itself: a signal, a hang and a silent
 * failure are failures of ours. The damage is drawn from a fixed seed, so a failure can be repeated: its file stays.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RIGHT "sum 12500000.0\n"

static unsigned char *whole, *damaged;
static size_t size, start, length; /* of the file; of its device code */
static uint64_t state = 0x7467726165ULL;
static unsigned ends[256];

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t draw(uint64_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ULL;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return (z ^ z >> 31) % below;
}

static bool file_read(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");

    if (!f || fstat(fileno(f), &st) != 0) {
        return false;
    }
    size = (size_t)st.st_size;
    whole = malloc(size);
    damaged = malloc(size);
    size = fread(whole, 1, size, f);
    fclose(f);
    return size > sizeof(Elf64_Ehdr);
}

/* The section that holds the device code: the same name from nvcc and clang. */
static bool section_find(void)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, section;

    memcpy(&head, whole, sizeof(head));
    memcpy(&names, whole + head.e_shoff + head.e_shstrndx * sizeof(names), sizeof(names));
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, whole + head.e_shoff + i * sizeof(section), sizeof(section));
        if (strcmp((char *)whole + names.sh_offset + section.sh_name, ".nv_fatbin") == 0) {
            start = section.sh_offset;
            length = section.sh_size;
            return length > 100;
        }
    }
    return false;
}

static bool file_write(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0777);
    bool ok = fd >= 0 && write(fd, damaged, size) == (ssize_t)size;

    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

static void child(const char *vtegra, const char *path)
{
    int out = open("damaged.out", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    dup2(out, 1);
    dup2(out, 2);
    alarm(60); /* survives exec: a hang is a signal */
    execl(vtegra, vtegra, "run", "--steps", "200000", "--", path, (char *)NULL);
    _exit(125);
}

/* Why the run is no good; NULL if it is. */
static const char *run(const char *vtegra, const char *path)
{
    static char text[1 << 16];
    int status;
    ssize_t n;
    pid_t pid = fork();
    int fd;

    if (pid == 0) {
        child(vtegra, path);
    }
    waitpid(pid, &status, 0);
    fd = open("damaged.out", O_RDONLY);
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    if (WIFSIGNALED(status)) {
        return strsignal(WTERMSIG(status));
    }
    ends[WEXITSTATUS(status)]++;
    if (WEXITSTATUS(status) == 0) {
        return strstr(text, RIGHT) ? NULL : "status 0 without the right answer";
    }
    if (WEXITSTATUS(status) != 1) {
        return "neither 0 nor the program's own 1";
    }
    /* It either says which call failed, or which element is wrong (a flipped constant is still PTX). */
    if (strstr(text, ": cudaError") && !strstr(text, "vtegra: error: ") &&
        !strstr(text, ": cudaErrorInvalidDeviceFunction")) { /* whole PTX, but without the kernel */
        return "an error of the API without a word of ours why";
    }
    return strstr(text, ": cudaError") || strstr(text, "c[") ? NULL : "the program says nothing";
}

static int try(const char *vtegra, const char *program, const char *what, unsigned number)
{
    char path[256];
    const char *why;

    snprintf(path, sizeof(path), "%.200s-%s-%u", program, what, number);
    if (!file_write(path)) {
        printf("cannot write %s: %s\n", path, strerror(errno));
        return 1;
    }
    why = run(vtegra, path);
    if (why) {
        printf("FAIL %s: %s\n", path, why);
        return 1;
    }
    unlink(path);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned flips = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
    int failed = 0;

    if (argc != 4 || !file_read(argv[2]) || !section_find()) {
        fprintf(stderr, "usage: damaged VTEGRA PROGRAM FLIPS; PROGRAM has a section .nv_fatbin\n");
        return 2;
    }
    for (unsigned i = 0; i < flips; i++) {
        memcpy(damaged, whole, size);
        for (uint64_t bits = 1 + draw(3); bits > 0; bits--) {
            /* Every other time in the headers, which are short but matter most. */
            damaged[start + draw(i % 2 ? 100 : length)] ^= (unsigned char)(1 << draw(8));
        }
        failed += try(argv[1], argv[2], "flip", i);
    }
    for (unsigned i = 0; i < 20; i++) {
        size_t at = length * i / 20;

        memcpy(damaged, whole, size);
        memset(damaged + start + at, 0, length - at);
        failed += try(argv[1], argv[2], "cut", i);
    }
    printf("%u right all the same, %u with an error, %d failed\n", ends[0], ends[1], failed);
    return failed != 0;
}
