/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages of a memif link's peer on the link's way up, before DPDK's driver hears them. The driver takes
 * them as they are: a ring beyond its region, a region longer than its file, and fewer rings than the port
 * has queues. Workers then use the rings of the peer before, which ended the process in a test. Descriptors
 * in the rings of a link that is up are not tested.
 */
#ifndef DATAPLANE_PORTS_MEMIF_LINK_H
#define DATAPLANE_PORTS_MEMIF_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMIF_LINK_OCTETS  128 /* of a message */
#define MEMIF_LINK_REGIONS 32
#define MEMIF_LINK_QUEUES  32 /* at most, a bit each */

enum memif_link_kind {
    MEMIF_LINK_ACK = 1,
    MEMIF_LINK_HELLO,
    MEMIF_LINK_INIT,
    MEMIF_LINK_ADD_REGION,
    MEMIF_LINK_ADD_RING,
    MEMIF_LINK_CONNECT,
    MEMIF_LINK_CONNECTED,
    MEMIF_LINK_DISCONNECT,
};

struct memif_link {
    bool is_server; /* the port is, its peer is the client */
    bool is_begun;  /* HELLO or INIT has come */
    bool is_up;     /* CONNECT or CONNECTED has come */
    uint16_t queues, region_count;
    uint64_t region_octets[MEMIF_LINK_REGIONS];
    uint32_t rings[2]; /* a bit for each queue: those to the client, those from it */
};

/* That came with a message. */
struct memif_link_files {
    unsigned count;
    uint64_t octets; /* of the last */
};

/* The next message, and the files that came with it. NULL: the driver may hear it; else why not,
 * a static text. */
const char *memif_link_take(struct memif_link *link, const uint8_t message[MEMIF_LINK_OCTETS],
                            const struct memif_link_files *files);

#endif
