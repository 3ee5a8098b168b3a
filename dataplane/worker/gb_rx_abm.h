/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from the BSS of links in acknowledged mode. */
#ifndef DATAPLANE_WORKER_GB_RX_ABM_H
#define DATAPLANE_WORKER_GB_RX_ABM_H

#include "dataplane/worker/gb_rx_llc.h"

/* Finds the link of an I, S or U frame, reads its header, and adds the job of a ciphered I frame. */
enum drop gb_rx_abm_prepare(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, size_t octets);

/* Whether the link of a right I frame takes it, and has not had it: one that is sent again proves nothing. */
bool gb_rx_abm_is_new(const struct worker *w, const struct gb_rx_llc *in);

/* Whether a frame is for a link in acknowledged mode, not for control. */
static inline bool gb_rx_abm_has(const struct gb_rx_llc *in)
{
    return in->link && (in->llc.format != LLC_U || llc_is_of_link(in->llc.command));
}

/* Takes an I, S or U frame whose FCS is right. DROP_NONE: ownership was taken. */
enum drop gb_rx_abm_take(struct worker *w, const struct gb_rx_llc *in, int64_t now);

#endif
