/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow doctor`: findings about the machine, each ok, warn or missing, with a remedy. It reads /sys, /proc
 * and the presence of Python, and changes nothing. It starts a device only if it is asked about one.
 */
#ifndef APP_DOCTOR_DOCTOR_H
#define APP_DOCTOR_DOCTOR_H

#include "app/doctor/finding.h"

/* Examines the machine whose /sys, /proc and /usr are below root ("": this one). */
void doctor_examine(struct findings *d, const char *root);

/* Adds findings about IOMMU, vfio-pci and network cards. */
void doctor_devices_examine(struct findings *d);

/*
 * Asks the driver of a device (gn.port) what a node of so many workers would get of it: queues, spread of
 * frames, offloads, MTU. Starts DPDK and, for a moment, the device; to be called once.
 */
void doctor_port_examine(struct findings *d, const char *name, unsigned workers);

#endif
