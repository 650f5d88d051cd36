/* SPDX-License-Identifier: MIT */
/* Which objects live; devices and versions. */
#include "runtime/api/nvmedia5/objects.h"

#include "include/drive-os-5/nvmedia_2d_nvscisync.h"
#include "include/drive-os-5/nvmedia_eglstream.h"
#include "include/drive-os-5/nvmedia_image_nvscibuf.h"

struct NvMediaDevice {
    int unused; /* the SoC's engines have no state of a device's */
};

static GMutex lock;
static GHashTable *live; /* object -> its type + 1 */

void objects_add(const void *object, enum object_type type)
{
    g_mutex_lock(&lock);
    live = live ? live : g_hash_table_new(NULL, NULL);
    g_hash_table_insert(live, (gpointer)object, GUINT_TO_POINTER(type + 1u));
    g_mutex_unlock(&lock);
}

bool objects_has(const void *object, enum object_type type)
{
    bool has;

    g_mutex_lock(&lock);
    has = live && GPOINTER_TO_UINT(g_hash_table_lookup(live, object)) == type + 1u;
    g_mutex_unlock(&lock);
    return has;
}

bool objects_remove(const void *object, enum object_type type)
{
    bool has;

    g_mutex_lock(&lock);
    has = live && GPOINTER_TO_UINT(g_hash_table_lookup(live, object)) == type + 1u &&
          g_hash_table_remove(live, object);
    g_mutex_unlock(&lock);
    return has;
}

void *objects_find(enum object_type type, bool (*match)(const void *, const void *),
                   const void *what)
{
    gpointer object, value;
    void *found = NULL;
    GHashTableIter i;

    g_mutex_lock(&lock);
    if (live) {
        g_hash_table_iter_init(&i, live);
        while (!found && g_hash_table_iter_next(&i, &object, &value)) {
            found = GPOINTER_TO_UINT(value) == type + 1u && match(object, what) ? object : NULL;
        }
    }
    g_mutex_unlock(&lock);
    return found;
}

NvMediaStatus refuse(NvMediaStatus status, const char *api, const char *why)
{
    return (NvMediaStatus)engine_refuse((int)status, api, why);
}

/* --- devices ---------------------------------------------------------------------------------- */

NvMediaDevice *NvMediaDeviceCreate(void)
{
    NvMediaDevice *device = g_new0(NvMediaDevice, 1);

    objects_add(device, OBJECT_DEVICE);
    return device;
}

void NvMediaDeviceDestroy(NvMediaDevice *device)
{
    if (objects_remove(device, OBJECT_DEVICE)) {
        g_free(device);
    } else {
        refuse(NVMEDIA_STATUS_BAD_PARAMETER, __func__, "device is none, or was destroyed");
    }
}

/* --- versions --------------------------------------------------------------------------------- */

static NvMediaStatus version_give(NvMediaVersion *version, unsigned major, unsigned minor,
                                  const char *api)
{
    if (!version) {
        return refuse(NVMEDIA_STATUS_BAD_PARAMETER, api, "version is NULL");
    }
    *version = (NvMediaVersion){ (uint8_t)major, (uint8_t)minor };
    return NVMEDIA_STATUS_OK;
}

#define VERSION(function, name)                                        \
    NvMediaStatus function(NvMediaVersion *version)                    \
    {                                                                  \
        return version_give(version, NVMEDIA_##name##_VERSION_MAJOR,   \
                            NVMEDIA_##name##_VERSION_MINOR, __func__); \
    }
VERSION(NvMediaReleaseGetVersion, RELEASE)
VERSION(NvMediaCoreGetVersion, CORE)
VERSION(NvMediaSurfaceGetVersion, SURFACE)
VERSION(NvMediaImageGetVersion, IMAGE)
VERSION(NvMediaImageNvSciBufGetVersion, IMAGENVSCIBUF)
VERSION(NvMedia2DGetVersion, 2D)
VERSION(NvMedia2DNvSciSyncGetVersion, 2D_NVSCISYNC)
VERSION(NvMediaEglStreamGetVersion, EGLSTREAM)
