/* SPDX-License-Identifier: MIT */
/* libstdc++'s streams, as track_libc.c; the names are those of the C++ ABI. In a file of its own: a
 * C program has none of them. */
#include "runtime/track/track_internal.h"

#define EXPORT TRACK_EXPORT

/* std::ostream &std::ostream::write(const char *, std::streamsize) */
extern void *__real__ZNSo5writeEPKcl(void *stream, const char *s, long n);
EXPORT void *__wrap__ZNSo5writeEPKcl(void *stream, const char *s, long n);
EXPORT void *__wrap__ZNSo5writeEPKcl(void *stream, const char *s, long n)
{
    if (n > 0 && track_touches(s, (size_t)n)) {
        track_loads(s, (size_t)n, TRACK_CALLER);
    }
    return __real__ZNSo5writeEPKcl(stream, s, n);
}

/* std::istream &std::istream::read(char *, std::streamsize), std::istream::gcount() */
extern void *__real__ZNSi4readEPcl(void *stream, char *s, long n);
extern long _ZNKSi6gcountEv(const void *stream);
EXPORT void *__wrap__ZNSi4readEPcl(void *stream, char *s, long n);
EXPORT void *__wrap__ZNSi4readEPcl(void *stream, char *s, long n)
{
    void *result;

    if (n <= 0 || !track_touches(s, (size_t)n)) {
        return __real__ZNSi4readEPcl(stream, s, n);
    }
    result = __real__ZNSi4readEPcl(stream, s, n);
    track_stores(s, (size_t)_ZNKSi6gcountEv(stream), TRACK_CALLER);
    return result;
}

/* strlen() would be __wrap_strlen(). */
extern size_t __real_strlen(const char *s);

/* std::ostream &operator<<(std::ostream &, const char *) */
extern void *__real__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream,
                                                                            const char *s);
EXPORT void *__wrap__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream,
                                                                            const char *s);
EXPORT void *__wrap__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream,
                                                                            const char *s)
{
    if (track_inside(s)) {
        track_loads(s, __real_strlen(s) + 1, TRACK_CALLER);
    }
    return __real__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(stream, s);
}
