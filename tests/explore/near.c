/* SPDX-License-Identifier: MIT */
/* A plugin that has GLib among its own libraries, and a program that has not: its functions are in
 * no common order of libraries. Usage: near */
#ifdef PLUGIN
#include <glib.h>

int plugin(void);
int plugin(void)
{
    GMutex m;
    int r;

    g_mutex_init(&m);
    g_mutex_lock(&m);
    r = !g_mutex_trylock(&m);
    g_mutex_unlock(&m);
    return r;
}
#else
#include <dlfcn.h>
#include <string.h>

int main(void)
{
    void *handle = dlopen("./near.so", RTLD_NOW | RTLD_LOCAL),
         *symbol = handle ? dlsym(handle, "plugin") : NULL;
    int (*plugin)(void);

    memcpy(&plugin, &symbol, sizeof(plugin));
    return plugin && plugin() ? 0 : 1;
}
#endif
