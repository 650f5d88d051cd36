/* SPDX-License-Identifier: MIT */
/* photo WIDTH HEIGHT > photo.ppm: a still life by ray tracing, for demos that want a picture with edges,
 * gradients and noise. Any other PPM does as well. No libm, so every machine makes the same bytes. */
#include <stdio.h>
#include <stdlib.h>

struct vec {
    double x, y, z;
};

static struct vec add(struct vec a, struct vec b, double s)
{
    return (struct vec){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static double dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double root(double v)
{
    double r = v > 1 ? v : 1;

    for (int i = 0; i < 40; i++) {
        r = 0.5 * (r + v / r);
    }
    return r;
}

static struct vec unit(struct vec a)
{
    return add((struct vec){ 0, 0, 0 }, a, 1 / root(dot(a, a)));
}

static const struct ball {
    struct vec at;
    double radius;
    struct vec colour;
} balls[] = {
    { { -1.1, 0.9, 4.2 }, 0.9, { 0.85, 0.25, 0.15 } },
    { { 0.9, 0.7, 3.4 }, 0.7, { 0.95, 0.75, 0.20 } },
    { { 0.1, 0.35, 2.5 }, 0.35, { 0.35, 0.65, 0.25 } },
    { { 2.4, 1.2, 5.8 }, 1.2, { 0.30, 0.35, 0.75 } },
};

#define BALLS (sizeof(balls) / sizeof(*balls))

/* Distance to the nearest ball, its index in *hit; below 0 if none. */
static double nearest(struct vec from, struct vec dir, unsigned *hit)
{
    double best = -1;

    for (unsigned i = 0; i < BALLS; i++) {
        struct vec oc = add(from, balls[i].at, -1);
        double b = dot(oc, dir), c = dot(oc, oc) - balls[i].radius * balls[i].radius, d = b * b - c;
        double t = d > 0 ? -b - root(d) : -1;

        if (t > 1e-4 && (best < 0 || t < best)) {
            best = t;
            *hit = i;
        }
    }
    return best;
}

static struct vec shade(struct vec at, struct vec normal, struct vec colour)
{
    struct vec light = unit((struct vec){ -0.5, 0.9, -0.6 });
    unsigned ignored;
    double lit = dot(normal, light);

    lit = lit > 0 && nearest(at, light, &ignored) < 0 ? lit : 0;
    return add((struct vec){ 0, 0, 0 }, colour, 0.25 + 0.75 * lit);
}

static struct vec trace(struct vec from, struct vec dir, int depth)
{
    unsigned hit = 0;
    double t = nearest(from, dir, &hit);
    struct vec colour, at, normal;

    if (t > 0) {
        at = add(from, dir, t);
        normal = unit(add(at, balls[hit].at, -1));
        colour = shade(at, normal, balls[hit].colour);
        if (depth > 0) {
            struct vec mirror = add(dir, normal, -2 * dot(dir, normal));

            colour = add(colour, trace(at, unit(mirror), depth - 1), 0.2);
        }
        return colour;
    }
    if (dir.y < -1e-3) { /* a chequered table */
        at = add(from, dir, -from.y / dir.y);
        hit = ((unsigned)(int)(at.x + 1000) + (unsigned)(int)(at.z + 1000)) & 1;
        colour = hit ? (struct vec){ 0.75, 0.70, 0.62 } : (struct vec){ 0.35, 0.28, 0.22 };
        return shade(at, (struct vec){ 0, 1, 0 }, colour);
    }
    return (struct vec){ 0.45 + 0.3 * dir.y, 0.6 + 0.25 * dir.y, 0.8 + 0.2 * dir.y };
}

static int level(double v, unsigned noise)
{
    int l = (int)(v * 255) + (int)(noise % 13) - 6;

    return l < 0 ? 0 : l > 255 ? 255 : l;
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 512, height = argc > 2 ? atoi(argv[2]) : 512;
    unsigned noise = 1;

    if (width < 1 || height < 1 || width > 8192 || height > 8192) {
        fprintf(stderr, "photo: width and height must be 1..8192\n");
        return 2;
    }
    printf("P6\n%d %d\n255\n", width, height);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            struct vec dir = unit((struct vec){ (x - width * 0.5) / height,
                                                (height * 0.5 - y) / height - 0.15, 1 });
            struct vec c = trace((struct vec){ 0.3, 1.6, -1 }, dir, 2);

            noise = noise * 1664525 + 1013904223;
            putchar(level(c.x, noise >> 9));
            putchar(level(c.y, noise >> 13));
            putchar(level(c.z, noise >> 17));
        }
    }
    return ferror(stdout) ? 1 : 0;
}
