/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about links: next hops, the tap, and frames of control. */
#ifndef DATAPLANE_WORKER_LINK_ORDERS_H
#define DATAPLANE_WORKER_LINK_ORDERS_H

#include "dataplane/worker/msg.h"

struct worker;

/* Carries out MSG_NSVC_MAC, MSG_GN_HOP, MSG_TAP, or MSG_SEND_FRAME and MSG_GN_SEND, whose buffers it owns
 * then. 0, or -1: another message, unknown NS-VC or port, too many destinations, no room at the port, or no
 * next hop. */
int link_orders_apply(struct worker *w, const struct msg *msg, int64_t now);

#endif
