/* SPDX-License-Identifier: MIT */
#ifndef CHECKER_DEMANGLE_H
#define CHECKER_DEMANGLE_H

/* The name a developer wrote: "_ZN2ns3addIfLi4EEEvPT_" -> "ns::add<float, 4>". Parameters are left
 * out. What is not a name of the Itanium C++ ABI, or beyond this reader, comes back as it is (or
 * with
 * "<...>" for its template arguments). g_free(). */
char *demangle(const char *name);

/* The same for each such name inside a sentence. */
char *demangle_text(const char *text);

#endif
