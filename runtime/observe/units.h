/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_OBSERVE_UNITS_H
#define RUNTIME_OBSERVE_UNITS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * units_without - the code of an object with hooks that has none
 * @address: in the object
 * @files: names of source files are added; g_free() each
 * @functions: of code without debug information, functions by name
 *
 * Return: false: its debug information does not say which code has hooks. Under the checker's lock.
 */
bool units_without(uintptr_t address, GPtrArray *files, GPtrArray *functions);

#endif
