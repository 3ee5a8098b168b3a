/* SPDX-License-Identifier: BSD-3-Clause */
/* Control's end of the rings to one worker: messages go out in the order of the calls, also when the ring is
 * full for a while. */
#ifndef CONTROL_CORE_CORE_LINK_H
#define CONTROL_CORE_CORE_LINK_H

#include "dataplane/worker/msg.h"

#include <stddef.h>

struct core_link {
    struct msg_rings *rings; /* the worker's */
    struct msg *backlog;     /* waits for room: backlog[head .. count) */
    size_t head, count, cap;
};

/* Puts a message on its way; takes over a buffer in it. Ends the program when there is no memory. */
void core_link_put(struct core_link *link, const struct msg *msg);

/* Hands what waits to the ring as far as there is room; how many. */
unsigned core_link_flush(struct core_link *link);

/* Frees what waits, with the buffers in it. The rings are the worker's. */
void core_link_fini(struct core_link *link);

#endif
