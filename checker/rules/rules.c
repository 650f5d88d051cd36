/* SPDX-License-Identifier: MIT */
#include "checker/rules/rules.h"

#include <stddef.h>

const struct check_rule check_rules[CHECK_RULE_COUNT] = {
#define RULE(id, name, severity, standing, section, text, todo) \
    [CHECK_RULE_##id] = { name, CHECK_##severity, CHECK_##standing, section, text, todo },
#include "checker/rules/rules.def"
#undef RULE
};

const char *const check_rules_made[] = {
    "cudla-after-error",
    "cudla-alignment",
    "cudla-block-linear",
    "cudla-context-reset",
    "cudla-destroy-in-flight",
    "cudla-device-code",
    "cudla-dla1-loadable",
    "cudla-dgpu",
    "cudla-duplicate-fences",
    "cudla-edition",
    "cudla-error-ignored",
    "cudla-freed-registered",
    "cudla-graph",
    "cudla-hang",
    "cudla-hybrid-events",
    "cudla-hybrid-tensors",
    "cudla-in-place",
    "cudla-managed-memory",
    "cudla-not-a-registration",
    "cudla-not-registered",
    "cudla-one-signal-event",
    "cudla-overrun",
    "cudla-per-thread-stream",
    "cudla-read-only",
    "cudla-registered-twice",
    "cudla-skip-lock",
    "cudla-statistics-buffer",
    "cudla-tensor-too-small",
    "cudla-unload-in-flight",
    "cudla-unregister-in-flight",
    "cudla-vmm",
    "interrupted",
    "livelock",
    "lock-order",
    "unsupported-api",
    NULL,
};
