/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow doctor`: findings about the machine, each ok, warn or missing, with a remedy. It reads /sys, /proc
 * and the presence of Python, and changes nothing.
 */
#ifndef APP_DOCTOR_DOCTOR_H
#define APP_DOCTOR_DOCTOR_H

#include "app/doctor/host.h"

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

/* A table, or one JSON object of schema gbflow-doctor/1. */
void doctor_print(const struct doctor *d, FILE *out);
void doctor_print_json(const struct doctor *d, FILE *out);

/* The parts of an examination. Each adds its findings. */

void doctor_cpu_examine(struct doctor *d);     /* instructions, counter, frequency */
void doctor_cores_examine(struct doctor *d);   /* CPUs, their isolation, SMT */
void doctor_memory_examine(struct doctor *d);  /* memory, huge pages, NUMA */
void doctor_limits_examine(struct doctor *d);  /* limits and rights of a process, Python for reports */
void doctor_devices_examine(struct doctor *d); /* IOMMU, vfio-pci, network cards */

/* Adds a finding to an examination. Findings beyond DOCTOR_FINDINGS are left out. */

/* name: a literal. format: the finding's text, as of printf(). advice: the remedy. */
void doctor_ok(struct doctor *d, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_warn(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void doctor_missing(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Missing, and gbflow does not work at all without it (is_needed). */
void doctor_unusable(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
