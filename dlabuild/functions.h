/* SPDX-License-Identifier: MIT */
/* Functions of one number, by the names that ONNX has for them: for tables, and for the reference.
 */
#ifndef DLABUILD_FUNCTIONS_H
#define DLABUILD_FUNCTIONS_H

#include <glib.h>

/**
 * struct build_function - a function
 * @key, @value: attributes of the operator for arg[0] and arg[1], and their defaults
 * @positive: it is for numbers above 0
 */
struct build_function {
    const char *name;
    double (*f)(double x, const double *arg);
    const char *key[2];
    float value[2];
    gboolean positive;
};

/* NULL if there is none. */
const struct build_function *build_function_find(const char *name);

#endif
