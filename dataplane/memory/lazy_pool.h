/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packet buffers for virtual time: as many as pool_new() would make, but a buffer is made, and its memory
 * touched, when it is taken for the first time. Buffers are taken last in, first out, so a run touches as
 * many as it has in use at once. Not for hardware: the memory is not pinned. One thread uses a pool.
 */
#ifndef DATAPLANE_MEMORY_LAZY_POOL_H
#define DATAPLANE_MEMORY_LAZY_POOL_H

#include <stdint.h>

struct rte_mempool;

/* A pool of `count` buffers, as of pool_new() but with room for data_octets behind the headroom; NULL: out of
 * memory. The caller frees it by rte_mempool_free(). */
struct rte_mempool *lazy_pool_new(const char *name, unsigned count, uint16_t data_octets);

/* How many buffers of such a pool have been made. */
unsigned lazy_pool_made(const struct rte_mempool *pool);

#endif
