/* SPDX-License-Identifier: MIT */
/* -fatbin: the container of device code by itself, for cuModuleLoad(). */
#ifndef TOOLS_CC_FATBIN_H
#define TOOLS_CC_FATBIN_H

#include <glib.h>

/** cc_fatbin_take - write the fat binary of @object, a relocatable ELF file, to @out. FALSE if it
 * has none or @out cannot be written */
gboolean cc_fatbin_take(const char *object, const char *out);

#endif
