/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes Ethernet captures as pcapng with nanosecond timestamps: one section, named interfaces. */
#ifndef SIM_PCAPNG_H
#define SIM_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pcapng {
    FILE *file;
    bool has_failed;
};

/* Creates the file, with one interface of this name (index 0). 0, or a positive errno. */
int pcapng_open(struct pcapng *p, const char *path, const char *interface_name);

/* Writes one frame. Failures are kept until pcapng_close(). */
void pcapng_write(struct pcapng *p, int64_t at_ns, const uint8_t *frame, size_t octets);

/* Closes the file; 0, or a positive errno when anything could not be written. No effect when it was never
 * opened. */
int pcapng_close(struct pcapng *p);

#endif
