/* SPDX-License-Identifier: BSD-3-Clause */
/* The far side of Gb: the emulated BSSs of a configuration and the wire to them. */
#ifndef APP_VIRTUAL_GB_FAR_SIDE_H
#define APP_VIRTUAL_GB_FAR_SIDE_H

#include "control/config/node_config.h"
#include "sim/gb_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The worker at whose port a frame from Gn arrives, in virtual time: like RSS of a port that does not parse
 * GTP-U. */

struct deal {
    unsigned workers;
    bool is_in_turn; /* frames arrive at the workers in turn, whatever their flow; fragments by hash */
    unsigned next;
};

/* The worker, by a hash of outer addresses and UDP ports, unless is_in_turn. */
unsigned gb_far_side_deal(struct deal *deal, const uint8_t *frame, size_t octets);

/* Options that the node's configuration does not have; all may be zero. */
struct gb_far_side_options {
    int64_t delay_ns;                     /* of the wire, one way */
    bool is_in_turn;                      /* frames from BSSs arrive at the workers' ports in turn */
    const struct radio_config *radios;    /* one for each cell of the configuration; NULL: no radio at all */
    const struct bss_policy *policies;    /* likewise */
    const struct bss_calls_config *calls; /* likewise; one without channels is a cell without calls */
    struct bss_ops
        ops; /* deliver, on_down and on_discard with their arg, each may be NULL; send is not used */
};

struct gb_far_side {
    struct gb_wire wire;
    struct gb_wire_tap *taps;
    struct bss_ops ops;
    struct bss *delivering; /* during ops.deliver() */
    uint64_t delivered;     /* LLC-PDUs that reached a mobile */
};

/* A BSS for each NSE that the configuration emulates, in front of a port for each worker. False when there is
 * no memory. The far side must not move. */
bool gb_far_side_new(struct gb_far_side *far, const struct node_config *config, struct vport *ports,
                     struct capture_writer *capture, const struct gb_far_side_options *options);
void gb_far_side_free(struct gb_far_side *far);

/* The BSS that has a cell, NULL when its NSE is not emulated. */
struct bss *gb_far_side_bss(const struct gb_far_side *far, const struct node_config *config, uint16_t cell);

#endif
