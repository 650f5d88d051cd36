/* SPDX-License-Identifier: MIT */
/* Cube maps: from a direction to a face, and from a face to the one beside it. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "model/tex/tex_internal.h"

/* Cube maps: the face that the direction's largest part names, and the place on it (CUDA
 * Programming Guide, Cubemap Textures). */
uint32_t tex_cube_face(double x, double y, double z, double *s, double *t)
{
    double ax = fabs(x), ay = fabs(y), az = fabs(z), m, sc, tc;
    uint32_t face;

    if (az >= ax && az >= ay) { /* equal parts: z before y before x (measured) */
        face = 4 + (z < 0);
        m = az;
        sc = z < 0 ? -x : x;
        tc = -y;
    } else if (ay >= ax) {
        face = 2 + (y < 0);
        m = ay;
        sc = x;
        tc = y < 0 ? -z : z;
    } else {
        face = x < 0;
        m = ax;
        sc = x < 0 ? z : -z;
        tc = -y;
    }
    m = m > 0 ? m : 1;
    *s = (sc / m + 1) / 2;
    *t = (tc / m + 1) / 2;
    return face;
}

/* The direction of a place on a face; @s, @t from -1 to 1, or beyond. */
static void cube_direction(uint32_t face, double s, double t, double d[3])
{
    const double all[6][3] = { { 1, -t, -s }, { -1, -t, s }, { s, 1, t },
                               { s, -1, -t }, { s, -t, 1 },  { -s, -t, -1 } };

    memcpy(d, all[face], sizeof(all[face]));
}

/* A texel beside a face, on the face that lies there; false: at a cube's corner there is none. */
bool tex_cube_neighbour(const struct tex_level *l, int64_t at[3])
{
    int64_t n = l->width;
    bool x = at[0] < 0 || at[0] >= n, y = at[1] < 0 || at[1] >= n;
    double d[3], s, t;

    if (x && y) {
        return false;
    }
    if (x || y) {
        cube_direction((uint32_t)(at[2] % 6), (2 * (double)at[0] + 1) / (double)n - 1,
                       (2 * (double)at[1] + 1) / (double)n - 1, d);
        at[2] = at[2] / 6 * 6 + tex_cube_face(d[0], d[1], d[2], &s, &t);
        at[0] = CLAMP((int64_t)(s * (double)n), 0, n - 1);
        at[1] = CLAMP((int64_t)(t * (double)n), 0, n - 1);
    }
    return true;
}
