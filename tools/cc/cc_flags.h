/* SPDX-License-Identifier: MIT */
/* The words that vtegra cc adds to a command of clang's. Each function appends to @argv. */
#ifndef TOOLS_CC_FLAGS_H
#define TOOLS_CC_FLAGS_H

#include <glib.h>

#include "tools/cc/cc_args.h"

void cc_add(GPtrArray *argv, const char *word);
void cc_add_all(GPtrArray *argv, const GPtrArray *words);
/** cc_add_host - of @words those that a file of C or C++ may have */
void cc_add_host(GPtrArray *argv, const GPtrArray *words);
/** cc_add_path - @prefix and the path of our own file @relative, as one word */
void cc_add_path(GPtrArray *argv, const char *prefix, const char *relative);

/** cc_target_machine - the guest's, if it is for one. FALSE after saying what is missing */
gboolean cc_target_machine(GPtrArray *argv, const struct cc_args *args);
/** cc_runtime_flags - where libcudart is, now and when the program runs. FALSE as above */
gboolean cc_runtime_flags(GPtrArray *argv, const struct cc_args *args);
/** cc_cuda_flags - for a file with kernels; @first: index of the first target of args->archs */
void cc_cuda_flags(GPtrArray *argv, const struct cc_args *args, guint first);
void cc_optimisation(GPtrArray *argv, const struct cc_args *args);

void cc_track_inline(GPtrArray *argv, const struct cc_args *args);
void cc_track_flags(GPtrArray *argv, gboolean cuda);
/** cc_track_library - the library with our __tsan_* functions. FALSE after saying that there is
 * none */
gboolean cc_track_library(GPtrArray *argv);

#endif
