/* SPDX-License-Identifier: MIT */
/* A plugin that has GLib among its own libraries, and a program that has not: its functions are in
 * no common order of libraries. Usage: near */
#ifdef PLUGIN
#include <glib.h>

static int called;

static gboolean end(gpointer loop)
{
    called++;
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

static void job(gpointer n, gpointer m)
{
    called += n == m;
}

int plugin(void);
int plugin(void)
{
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GThreadPool *pool = g_thread_pool_new(job, &called, 1, TRUE, NULL);
    GMutex m;
    int r;

    g_idle_add(end, loop);
    g_main_loop_run(loop);
    g_main_loop_unref(loop);
    g_thread_pool_push(pool, &called, NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    if (called != 2) {
        return 0;
    }
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
