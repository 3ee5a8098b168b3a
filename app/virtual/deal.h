/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker a frame of Gn comes in at, in virtual time: as a port deals it out that knows nothing of
 * tunnels. */
#ifndef APP_VIRTUAL_DEAL_H
#define APP_VIRTUAL_DEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deal {
    unsigned workers;
    bool is_in_turn; /* one after the other, whatever it is */
    unsigned next;
};

/* By its outer addresses and UDP ports, the same for one flow. */
unsigned deal_frame(struct deal *deal, const uint8_t *frame, size_t octets);

#endif
