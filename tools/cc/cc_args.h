/* SPDX-License-Identifier: MIT */
/* The command line of vtegra cc: ours, clang's and a little of nvcc's. */
#ifndef TOOLS_CC_ARGS_H
#define TOOLS_CC_ARGS_H

#include <glib.h>

enum cc_kind {
    CC_CUDA,
    CC_CXX,
    CC_C,
    CC_OBJECT /* and libraries: for the linker */
};

/**
 * struct cc_args - what was asked for
 * @compile: options for the compiler
 * @link: sources, objects and options for the linker, in their order
 * @inputs: indices into @link of what is a file
 * @out: -o, or NULL
 * @archs: sm_NN of each --arch, -arch and -gencode; may be empty. cc_targets_choose() completes it
 * @socs: of each --soc; may be empty
 * @as_many: @archs is the default, of which what does not compile may be left out
 * @aarch64: for the Linux guest, not for this machine
 * @rdc: device code may use that of other files (-rdc=true -dc)
 * @device_link: an object file is made that links device code, no program (-dlink)
 * @stop: nothing is linked (-c -S -E -fsyntax-only)
 * @ptx, @fatbin: instead of an object file, PTX or a fat binary is made of each source
 * @as_cuda: every source is CUDA, whatever its name (-x cu)
 * @dry: the commands are shown and not run
 * @no_cudart: the runtime is not linked
 * @notes: options that were read and have no effect, a sentence each
 */
struct cc_args {
    GPtrArray *compile, *link, *archs, *socs, *notes;
    GArray *inputs;
    char *out;
    int files; /* options came from so many */
    gboolean track, verbose, stop, aarch64, as_many, rdc, device_link;
    gboolean ptx, fatbin, as_cuda, dry, no_cudart;
};

/**
 * cc_args_parse - sort a command line
 * @argv: argv[0] is not looked at
 * @error: what is wrong and what to do; g_free() it
 *
 * Return: FALSE if something is wrong. cc_args_clear() frees in both cases.
 */
gboolean cc_args_parse(struct cc_args *args, int argc, char **argv, char **error);
void cc_args_clear(struct cc_args *args);

/** cc_kind_of - by the ending of the name, and -x cu */
enum cc_kind cc_kind_of(const struct cc_args *args, const char *file);

/** cc_is_input - is word @index of args->link a file? */
gboolean cc_is_input(const struct cc_args *args, guint index);

#endif
