/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/memory/pool.h"

#include <assert.h>

#define PRIVATE_OCTETS 64

static_assert(sizeof(struct n_pdu) <= PRIVATE_OCTETS, "the private area holds it");

struct rte_mempool *pool_new(const char *name, unsigned count)
{
    unsigned cache = count >= 4096 ? 256 : 0;
    return rte_pktmbuf_pool_create(name, count, cache, PRIVATE_OCTETS,
                                   RTE_PKTMBUF_HEADROOM + POOL_DATA_OCTETS, SOCKET_ID_ANY);
}
