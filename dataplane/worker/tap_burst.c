/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/tap_burst.h"

#include <rte_mbuf.h>

void tap_burst_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_kind kind,
                   int64_t now)
{
    if (likely(!tap_is_on(tap)))
        return;
    for (unsigned i = 0; i < count; i++)
        tap_put_gb(tap, rte_pktmbuf_mtod(frames[i], const uint8_t *), rte_pktmbuf_data_len(frames[i]), kind,
                   now);
}
