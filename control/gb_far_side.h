/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated BSSs of a configuration and the wire to them. */
#ifndef CONTROL_GB_FAR_SIDE_H
#define CONTROL_GB_FAR_SIDE_H

#include "control/node_config.h"
#include "sim/gb_wire.h"

#include <stdbool.h>

struct gb_far_side {
    struct gb_wire wire;
    struct gb_wire_tap *taps;
    uint64_t delivered; /* LLC-PDUs that reached a cell */
};

/* A BSS for each NSE that the configuration emulates. False when there is no memory. */
bool gb_far_side_new(struct gb_far_side *far, const struct node_config *config, struct vport *port,
                     struct pcapng *capture);
void gb_far_side_free(struct gb_far_side *far);

#endif
