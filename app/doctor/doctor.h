/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow doctor`: findings about the machine, each ok, warn or missing, with a remedy. It reads /sys, /proc
 * and the presence of Python, and changes nothing.
 */
#ifndef APP_DOCTOR_DOCTOR_H
#define APP_DOCTOR_DOCTOR_H

#include "app/doctor/host_tree.h"

#include <stdbool.h>
#include <stdio.h>

enum { DOCTOR_FINDINGS = 64 };

enum doctor_verdict {
    DOCTOR_OK,
    DOCTOR_WARN,    /* works, but slower, or with less trustworthy figures */
    DOCTOR_MISSING, /* not there; the parts of gbflow that need it do not work */
    DOCTOR_VERDICTS,
};

struct doctor_finding {
    const char *name;
    enum doctor_verdict verdict;
    bool is_needed;              /* missing, and gbflow does not work at all without it */
    char what[160], advice[240]; /* the finding, and its remedy */
};

struct doctor {
    struct host_tree tree;
    struct doctor_finding findings[DOCTOR_FINDINGS];
    unsigned count;
};

/* Examines the machine whose /sys, /proc and /usr are below root ("": this one). */
void doctor_examine(struct doctor *d, const char *root);

/* False: a finding with is_needed exists. */
bool doctor_is_usable(const struct doctor *d);

/* ok, warn, missing. */
const char *doctor_verdict_name(enum doctor_verdict verdict);

/* A table, or one JSON object of schema gbflow-doctor/1. */
void doctor_print(const struct doctor *d, FILE *out);
void doctor_print_json(const struct doctor *d, FILE *out);

#endif
