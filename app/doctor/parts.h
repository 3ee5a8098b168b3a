/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of an examination, and how they add findings. What does not fit in DOCTOR_FINDINGS is left out.
 */
#ifndef APP_DOCTOR_PARTS_H
#define APP_DOCTOR_PARTS_H

#include "app/doctor/doctor.h"

/* name is a literal; what it is follows as of printf(). */
void doctor_ok(struct doctor *d, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_warn(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void doctor_missing(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Missing, and gbflow does not work without. */
void doctor_unusable(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void doctor_cpu_examine(struct doctor *d);     /* instructions, counter, frequency */
void doctor_cores_examine(struct doctor *d);   /* cores, their isolation, what runs below */
void doctor_memory_examine(struct doctor *d);  /* memory, huge pages, NUMA */
void doctor_limits_examine(struct doctor *d);  /* limits and rights of a process, Python for reports */
void doctor_devices_examine(struct doctor *d); /* IOMMU, vfio-pci, network cards */

#endif
