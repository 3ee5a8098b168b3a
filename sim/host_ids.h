/* SPDX-License-Identifier: BSD-3-Clause */
/* The IPv4 identification of the next packet (RFC 791 section 3.1), one counter per destination. */
#ifndef SIM_HOST_IDS_H
#define SIM_HOST_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct host_ids_row {
    uint32_t address;
    uint16_t next;
    bool is_used;
};

struct host_ids {
    struct host_ids_row *rows; /* open addressing; at most half full */
    uint32_t mask;
    uint32_t count, max;
    uint16_t shared; /* counter of the destinations without a row */
};

/* For at most max destinations; memory grows with them. False: no memory. */
bool host_ids_new(struct host_ids *ids, uint32_t max);
void host_ids_free(struct host_ids *ids);

/* Returns the next identification; *is_full: the destination has no counter of its own. Ends the program when
 * memory is short. */
uint16_t host_ids_take(struct host_ids *ids, uint32_t address, bool *is_full);

#endif
