/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings about a machine, each ok, warn or missing, with a remedy: a list that grows, and is printed. */
#ifndef APP_DOCTOR_FINDING_H
#define APP_DOCTOR_FINDING_H

#include "app/doctor/host_tree.h"

#include <stdbool.h>
#include <stdio.h>

enum { FINDING_MOST = 64 };

enum finding_verdict {
    FINDING_OK,
    FINDING_WARN,    /* works, but slower, or with less trustworthy figures */
    FINDING_MISSING, /* not there; the parts of gbflow that need it do not work */
    FINDING_VERDICTS,
};

struct finding {
    const char *name;
    enum finding_verdict verdict;
    bool is_needed;              /* missing, and gbflow does not work at all without it */
    char what[240], advice[240]; /* the finding, and its remedy */
};

struct findings {
    struct host_tree tree;
    struct finding list[FINDING_MOST];
    unsigned count;
};

/* Adds a finding to an examination. Findings beyond FINDING_MOST are left out. */

/* name: a literal. format: the finding's text, as of printf(). advice: the remedy. */
void finding_ok(struct findings *d, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void finding_warn(struct findings *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void finding_missing(struct findings *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Missing, and gbflow does not work at all without it (is_needed). */
void finding_unusable(struct findings *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* False: a finding with is_needed exists. */
bool finding_is_usable(const struct findings *d);

/* A table, or one JSON object of schema gbflow-doctor/1. */
void finding_print(const struct findings *d, FILE *out);
void finding_print_json(const struct findings *d, FILE *out);

#endif
