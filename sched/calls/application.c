/* SPDX-License-Identifier: MIT */
#include "sched/calls/application.h"

/* In a section of their own, whose bounds the linker names. */
#define CALLS __attribute__((noinline, section("calls_of_application")))
/* Behind the call: so it is none that jumps, and there is a place to return to. */
#define STAYS() __asm__ volatile("" ::: "memory")
extern const char __start_calls_of_application[], __stop_calls_of_application[];

static _Thread_local struct sched_called latest __attribute__((tls_model("initial-exec")));

struct sched_called application_called(void)
{
    return latest;
}

static void called(uintptr_t function, void *data)
{
    latest.function = function;
    latest.data = data;
}

CALLS int application_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
{
    int result;

    called((uintptr_t)main, NULL);
    result = main(argc, argv, envp);
    STAYS();
    return result;
}

CALLS void *application_start(void *(*start)(void *), void *arg)
{
    void *result;

    called((uintptr_t)start, arg);
    result = start(arg);
    STAYS();
    return result;
}

CALLS int application_start_c11(int (*start)(void *), void *arg)
{
    int result;

    called((uintptr_t)start, arg);
    result = start(arg);
    STAYS();
    return result;
}

CALLS void application_data(void (*function)(void *), void *data)
{
    called((uintptr_t)function, data);
    function(data);
    STAYS();
}

CALLS void application_pool(void (*function)(void *, void *), void *data, void *user_data)
{
    called((uintptr_t)function, data);
    function(data, user_data);
    STAYS();
}

CALLS void application_once(void (*routine)(void))
{
    struct sched_called outer = latest;

    called((uintptr_t)routine, NULL);
    routine();
    latest = outer;
    STAYS();
}

bool application_calls(uintptr_t pc)
{
    return pc - (uintptr_t)__start_calls_of_application <
           (uintptr_t)__stop_calls_of_application - (uintptr_t)__start_calls_of_application;
}
