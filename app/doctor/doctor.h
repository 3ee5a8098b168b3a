/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a machine offers gbflow: findings, each ok, to be warned of, or missing, with what to do about it. It
 * looks at /sys and /proc alone and changes nothing.
 */
#ifndef APP_DOCTOR_DOCTOR_H
#define APP_DOCTOR_DOCTOR_H

#include "app/doctor/host_tree.h"

#include <stdbool.h>
#include <stdio.h>

enum { DOCTOR_FINDINGS = 64 };

enum doctor_verdict {
    DOCTOR_OK,
    DOCTOR_WARN,    /* it works; slower, or with figures that say less */
    DOCTOR_MISSING, /* it is not there; what needs it does not work */
    DOCTOR_VERDICTS,
};

struct doctor_finding {
    const char *name;
    enum doctor_verdict verdict;
    bool is_needed; /* missing, and gbflow does not work at all without */
    char what[160], advice[240];
};

struct doctor {
    struct host_tree tree;
    struct doctor_finding findings[DOCTOR_FINDINGS];
    unsigned count;
};

/* Looks at the machine below root ("": this one). */
void doctor_examine(struct doctor *d, const char *root);

/* Whether nothing that gbflow needs is missing. */
bool doctor_is_usable(const struct doctor *d);

/* ok, warn, missing. */
const char *doctor_verdict_name(enum doctor_verdict verdict);

/* A table, or one JSON object of schema gbflow-doctor/1. */
void doctor_print(const struct doctor *d, FILE *out);
void doctor_print_json(const struct doctor *d, FILE *out);

#endif
