/* SPDX-License-Identifier: MIT */
typedef struct {
    const char *dli_fname;
} Dl_info;
static inline int dladdr(const void *at, Dl_info *info)
{
    (void)at, (void)info;
    return 0;
}
/* Under a name of its own: wasi-libc of Debian 13 declares realpath(), that of Debian 12 does not.
 */
static inline char *page_realpath(const char *path, char *to)
{
    (void)path, (void)to;
    return (char *)0;
}
#define realpath page_realpath
