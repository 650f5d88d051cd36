/* SPDX-License-Identifier: MIT */
/* Functions of the program that we call. One that ends in a jump to sem_post() has it return to us,
 * as if we had called it: application_calls() knows these places. */
#ifndef SCHED_APPLICATION_H
#define SCHED_APPLICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/sched.h"

int application_main(int (*main)(int argc, char **argv, char **envp), int argc, char **argv,
                     char **envp);
void *application_start(void *(*start)(void *arg), void *arg);
int application_start_c11(int (*start)(void *arg), void *arg); /* and sources of GLib */
void application_data(void (*function)(void *data), void *data);
void application_pool(void (*function)(void *data, void *user_data), void *data, void *user_data);
void application_once(void (*routine)(void));

/* The latest of these in the calling thread. */
struct sched_called application_called(void);

/* Does the return address @pc lie in one of these? */
bool application_calls(uintptr_t pc);

#endif
