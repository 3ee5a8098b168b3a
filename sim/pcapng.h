/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes captures as pcapng with nanosecond timestamps: one section, named interfaces. */
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

#define PCAPNG_ETHERNET 1   /* link types */
#define PCAPNG_RAW_IP   101 /* packets begin with an IP header */

/* Creates the file, with one Ethernet interface of this name (index 0). 0, or a positive errno. */
int pcapng_open(struct pcapng *p, const char *path, const char *interface_name);

/* Writes one frame. Failures are kept until pcapng_close(). */
void pcapng_write(struct pcapng *p, int64_t at_ns, const uint8_t *frame, size_t octets);

/* One more interface; their indices count up. */
void pcapng_add_interface(struct pcapng *p, const char *name, uint16_t link_type);

enum pcapng_direction { PCAPNG_UNKNOWN, PCAPNG_IN, PCAPNG_OUT };

struct pcapng_packet {
    uint32_t interface;
    int64_t at_ns;
    const uint8_t *octets;
    size_t kept_octets, octets_in_all;
    const char *comment; /* NULL: none */
    enum pcapng_direction direction;
};

/* Writes one packet with what is known of it. */
void pcapng_write_packet(struct pcapng *p, const struct pcapng_packet *packet);

/* Closes the file; 0, or a positive errno when anything could not be written. No effect when it was never
 * opened. */
int pcapng_close(struct pcapng *p);

#endif
