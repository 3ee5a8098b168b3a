/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds a finding to an examination. Findings beyond DOCTOR_FINDINGS are left out. */
#ifndef APP_DOCTOR_FINDING_H
#define APP_DOCTOR_FINDING_H

#include "app/doctor/doctor.h"

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
