/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP on a port (RFC 4303), at a worker: frames that have come lose it before anything reads them, frames
 * that leave get it last. Bursts go through a crypto device whole, sorted by association; frames of one
 * association stay in order.
 */
#ifndef DATAPLANE_ESP_ESP_H
#define DATAPLANE_ESP_ESP_H

#include "dataplane/base/drop.h"
#include "dataplane/esp/faults.h"
#include "dataplane/esp/rules.h"

#include <stdint.h>

#define ESP_BURST 64 /* PORT_BURST */

struct rte_crypto_op;
struct rte_mbuf;
struct rte_mempool;

struct esp {
    struct rules *rules;
    struct rte_mempool *ops, *buffers; /* of the devices' queues; of copies */
    /* A frame with IKE at a port of the node (RFC 7296 clause 2, RFC 3948 clause 2.2), for which no rule is
     * asked. Returns DROP_IKE, and it is the function's, or why it is dropped. NULL: IKE is as other packets
     * are. */
    enum drop (*take_ike)(void *arg, struct rte_mbuf *frame, uint64_t source);
    void *arg;
    struct faults *faults; /* NULL: none are noted */
    uint16_t queue;        /* of the devices: the worker's number */
};

/*
 * Takes the frames of a burst, Ethernet without a VLAN tag, in one buffer each. Those that may come, without
 * ESP, are moved to the front, in order but for those that had ESP, which come behind the others; returns
 * their number. The others are freed, and counted in drops[] by enum drop.
 */
unsigned esp_receive(const struct esp *esp, struct rte_mbuf **frames, unsigned count, uint64_t *drops);

/* The same for frames that leave: with ESP where the rules say so, in order within an association. */
unsigned esp_send(const struct esp *esp, struct rte_mbuf **frames, unsigned count, uint64_t *drops);

#endif
