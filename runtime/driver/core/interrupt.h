/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM: who stops a program that hangs wants to know where. SIGABRT: a failed assert
 * and an uncaught exception end here, when the report is wanted most. */
#ifndef RUNTIME_DRIVER_CORE_INTERRUPT_H
#define RUNTIME_DRIVER_CORE_INTERRUPT_H

/* The board is up: from now on the signals write the report before they kill. A program that
 * has a handler of its own, or ignores them, keeps that. */
void interrupt_install(void);

/* The core's lock is held: report what runs and die, if a signal has come; else nothing. */
void interrupt_service(void);

#endif
