/* SPDX-License-Identifier: MIT */
/* Loaded into a board (LD_PRELOAD) to hold it up where a loaded machine may: BOARD_SHIM=end it ends
 * at its start, listen it sleeps between bind() and listen(). Other programs are left alone. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int is(const char *what)
{
    const char *how = getenv("BOARD_SHIM");
    char name[256] = "";

    return readlink("/proc/self/exe", name, sizeof(name) - 1) > 0 &&
           strstr(name, "/vtegra-board") && how && strcmp(how, what) == 0;
}

__attribute__((constructor)) static void begin(void)
{
    if (is("end")) {
        _exit(3);
    }
}

int listen(int fd, int backlog)
{
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "listen");

    if (is("listen")) {
        sleep(1);
    }
    return real(fd, backlog);
}
