/* SPDX-License-Identifier: MIT */
/* Values of findings and of what they are made from. */
#ifndef CHECKER_FINDING_H
#define CHECKER_FINDING_H

enum check_severity { CHECK_ADVICE, CHECK_WARNING, CHECK_ERROR };
/* What a rule stands on. INVENTED: hardware of ours, that no NVIDIA document has. */
enum check_standing { CHECK_DOCUMENTED, CHECK_MEASURED, CHECK_INFERRED, CHECK_INVENTED };

/* Table 2: what a managed region is attached to. */
enum check_attach {
    CHECK_ATTACH_NONE,
    CHECK_ATTACH_GLOBAL,
    CHECK_ATTACH_HOST,
    CHECK_ATTACH_SINGLE
};

#endif
