/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of an examination. Each adds its findings. */
#ifndef APP_DOCTOR_PARTS_H
#define APP_DOCTOR_PARTS_H

#include "app/doctor/doctor.h"

void doctor_cpu_examine(struct doctor *d);     /* instructions, counter, frequency */
void doctor_cores_examine(struct doctor *d);   /* CPUs, their isolation, SMT */
void doctor_memory_examine(struct doctor *d);  /* memory, huge pages, NUMA */
void doctor_limits_examine(struct doctor *d);  /* limits and rights of a process, Python for reports */
void doctor_devices_examine(struct doctor *d); /* IOMMU, vfio-pci, network cards */

#endif
