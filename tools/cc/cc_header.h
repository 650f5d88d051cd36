/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_CC_HEADER_H
#define TOOLS_CC_HEADER_H

/* One line on stderr where @err, the compiler's messages, names a header of NVIDIA's that is not
 * ours. */
void cc_header_explain(const char *err);

#endif
