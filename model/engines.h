/* SPDX-License-Identifier: MIT */
/* Reads engines.def, and of a build that has more engines (tests) their list after it. No include guard: each
 * reader defines the macros it wants; all are undefined afterwards. */
#ifndef UNIT
#define UNIT(NAME)
#endif
#ifndef AGENT
#define AGENT(...)
#endif
#ifndef ENGINE
#define ENGINE(...)
#endif
#ifndef EVENT
#define EVENT(...)
#endif
#ifndef RULE
#define RULE(...)
#endif
#ifndef EXPLAINED
#define EXPLAINED(...)
#endif
#include "model/engines.def"
#ifdef VTEGRA_ENGINES_MORE
#include VTEGRA_ENGINES_MORE
#endif
#undef UNIT
#undef AGENT
#undef ENGINE
#undef EVENT
#undef RULE
#undef EXPLAINED
