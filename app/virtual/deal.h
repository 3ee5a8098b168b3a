/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker at whose port a frame from Gn arrives, in virtual time: like RSS of a port that does not parse
 * GTP-U. */
#ifndef APP_VIRTUAL_DEAL_H
#define APP_VIRTUAL_DEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deal {
    unsigned workers;
    bool is_in_turn; /* frames arrive at the workers in turn, whatever their flow; fragments by hash */
    unsigned next;
};

/* The worker, by a hash of outer addresses and UDP ports, unless is_in_turn. */
unsigned deal_frame(struct deal *deal, const uint8_t *frame, size_t octets);

#endif
