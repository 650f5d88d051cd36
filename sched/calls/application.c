/* SPDX-License-Identifier: MIT */
#include "sched/calls/application.h"

/* In a section of their own, whose bounds the linker names. */
#define CALLS __attribute__((noinline, section("calls_of_application")))
/* Behind the call: so it is none that jumps, and there is a place to return to. */
#define STAYS() __asm__ volatile("" ::: "memory")
extern const char __start_calls_of_application[], __stop_calls_of_application[];

CALLS int application_main(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
{
    int result = main(argc, argv, envp);

    STAYS();
    return result;
}

CALLS void *application_start(void *(*start)(void *), void *arg)
{
    void *result = start(arg);

    STAYS();
    return result;
}

CALLS int application_start_c11(int (*start)(void *), void *arg)
{
    int result = start(arg);

    STAYS();
    return result;
}

CALLS void application_data(void (*function)(void *), void *data)
{
    function(data);
    STAYS();
}

CALLS void application_pool(void (*function)(void *, void *), void *data, void *user_data)
{
    function(data, user_data);
    STAYS();
}

CALLS void application_once(void (*routine)(void))
{
    routine();
    STAYS();
}

bool application_calls(uintptr_t pc)
{
    return pc - (uintptr_t)__start_calls_of_application <
           (uintptr_t)__stop_calls_of_application - (uintptr_t)__start_calls_of_application;
}
