/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults of ESP on a port: of each reason for which it drops packets, one packet since a worker last told of
 * it. A packet whose reason has one already costs a comparison.
 */
#ifndef DATAPLANE_ESP_FAULTS_H
#define DATAPLANE_ESP_FAULTS_H

#include "dataplane/base/drop.h"
#include "dataplane/esp/sa_params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULTS_FIRST  DROP_ESP_MISSING
#define FAULTS_COUNT  (DROP_ESP_DEVICE - DROP_ESP_MISSING + 1)
#define FAULTS_NO_SPI 0

/* A packet that was dropped. */
struct fault {
    struct sa_address address; /* the source of one that came, the destination of one that was to leave */
    uint32_t spi;
    bool is_ipv6, is_out;
};

struct faults {
    uint32_t seen; /* bit reason - FAULTS_FIRST: there is one */
    struct fault list[FAULTS_COUNT];
};

/* Packets that were dropped on a port since the last news of the reason, and one of them. */
struct faults_news {
    struct fault one;
    uint64_t count;
    uint16_t reason, port; /* enum drop, enum msg_port */
};

/* Whether the reason is one of ESP, and no packet of it is noted. faults NULL: false. */
static inline bool faults_wants(const struct faults *faults, enum drop reason)
{
    unsigned i = (unsigned)reason - FAULTS_FIRST;
    return faults && i < FAULTS_COUNT && !(faults->seen >> i & 1);
}

/* Notes an IP packet, whole on arrival or before it leaves. */
void faults_note_packet(struct faults *faults, enum drop reason, const uint8_t *ip, size_t octets,
                        bool is_out);

/* Notes a packet of an association, when its own headers are no longer there. */
void faults_note_sa(struct faults *faults, enum drop reason, const struct sa_params *params);

#endif
