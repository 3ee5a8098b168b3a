/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/memory/pool.h"
#include "dataplane/base/n_pdu.h"

#include <assert.h>
#include <errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define POOL_PRIVATE_OCTETS 64 /* of struct n_pdu */

#define CACHED_FROM 2048 /* buffers; other lcores cannot use what one lcore caches */

static_assert(sizeof(struct n_pdu) <= POOL_PRIVATE_OCTETS, "the private area holds it");

struct rte_mempool *pool_new_on(const char *name, unsigned count, int numa_node)
{
    unsigned cache = count >= CACHED_FROM ? 256 : 0;
    return rte_pktmbuf_pool_create(name, count, cache, POOL_PRIVATE_OCTETS,
                                   RTE_PKTMBUF_HEADROOM + POOL_DATA_OCTETS, numa_node);
}

struct rte_mempool *pool_new(const char *name, unsigned count)
{
    return pool_new_on(name, count, SOCKET_ID_ANY);
}

bool pool_make_room(struct rte_mbuf *mbuf, struct pool_room room)
{
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    if (pool_has_room(mbuf, bytes, octets, room))
        return true;
    if (room.before + octets + room.behind > mbuf->buf_len)
        return false;
    memmove((uint8_t *)mbuf->buf_addr + room.before, bytes, octets);
    mbuf->data_off = room.before;
    return true;
}

#define OPS_NAME "gbflow_lazy"

/* Invariant: free_count + (count - made) buffers can be taken. */
struct lazy {
    unsigned free_count, made, count;
    uint8_t *region; /* of the buffers' headers, one behind the other */
    rte_mempool_populate_obj_cb_t *add;
    void *add_arg;
    void *free[]; /* the latest freed is the last */
};

static int on_alloc(struct rte_mempool *pool)
{
    pool->pool_data = calloc(1, sizeof(struct lazy) + pool->size * sizeof(void *));
    return pool->pool_data ? 0 : -ENOMEM;
}

static void on_free(struct rte_mempool *pool)
{
    free(pool->pool_data);
}

static int on_populate(struct rte_mempool *pool, unsigned most, void *region, rte_iova_t unused_iova,
                       size_t unused_octets, rte_mempool_populate_obj_cb_t *add, void *add_arg)
{
    struct lazy *lazy = pool->pool_data;
    lazy->region = region;
    lazy->count = most;
    lazy->add = add;
    lazy->add_arg = add_arg;
    return (int)most;
}

static size_t stride_octets(const struct rte_mempool *pool)
{
    return (size_t)pool->header_size + pool->elt_size + pool->trailer_size;
}

static void make_one(struct rte_mempool *pool, struct lazy *lazy)
{
    uint8_t *buffer = lazy->region + lazy->made * stride_octets(pool) + pool->header_size;
    lazy->add(pool, lazy->add_arg, buffer, (rte_iova_t)(uintptr_t)buffer);
    rte_pktmbuf_init(pool, NULL, buffer, lazy->made++);
    lazy->free[lazy->free_count++] = buffer;
}

static int on_enqueue(struct rte_mempool *pool, void *const *buffers, unsigned count)
{
    struct lazy *lazy = pool->pool_data;
    for (unsigned i = 0; i < count; i++)
        lazy->free[lazy->free_count++] = buffers[i];
    return 0;
}

static int on_dequeue(struct rte_mempool *pool, void **buffers, unsigned count)
{
    struct lazy *lazy = pool->pool_data;
    if (count > lazy->free_count + (lazy->count - lazy->made))
        return -ENOBUFS;
    while (lazy->free_count < count)
        make_one(pool, lazy);
    for (unsigned i = 0; i < count; i++)
        buffers[i] = lazy->free[--lazy->free_count];
    return 0;
}

static unsigned on_count(const struct rte_mempool *pool)
{
    const struct lazy *lazy = pool->pool_data;
    return lazy->free_count + (lazy->count - lazy->made);
}

static const struct rte_mempool_ops lazy_ops = {
    .name = OPS_NAME,
    .alloc = on_alloc,
    .free = on_free,
    .enqueue = on_enqueue,
    .dequeue = on_dequeue,
    .get_count = on_count,
    .populate = on_populate,
};

/*
 * DPDK's header of a buffer is at the end of the cache line before it, not in a line of its own: a buffer
 * begins with a line, as struct rte_mbuf must.
 */
#define FIRST_OCTETS (RTE_CACHE_LINE_SIZE - sizeof(struct rte_mempool_objhdr))

static unsigned buffer_octets(unsigned data_room_octets)
{
    unsigned octets = sizeof(struct rte_mbuf) + POOL_PRIVATE_OCTETS + data_room_octets;
    unsigned whole =
        RTE_ALIGN_CEIL(octets + (unsigned)sizeof(struct rte_mempool_objhdr), RTE_CACHE_LINE_SIZE);
    return whole - (unsigned)sizeof(struct rte_mempool_objhdr);
}

static void unmap(struct rte_mempool_memhdr *chunk, void *unused_arg)
{
    munmap((uint8_t *)chunk->addr - FIRST_OCTETS, FIRST_OCTETS + chunk->len);
}

static bool add_region(struct rte_mempool *pool)
{
    size_t octets = pool->size * stride_octets(pool);
    uint8_t *region = mmap(NULL, FIRST_OCTETS + octets, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return false;
    uint8_t *first = region + FIRST_OCTETS;
    if (rte_mempool_populate_iova(pool, (char *)first, (rte_iova_t)(uintptr_t)first, octets, unmap, NULL) > 0)
        return true;
    munmap(region, FIRST_OCTETS + octets);
    return false;
}

/*
 * Not at the program's start: the place of a pool's operations in DPDK's table must be the same in all
 * processes that share memory, and DPDK's tools do not have these.
 */
static bool have_operations(void)
{
    static bool are_registered;
    if (!are_registered)
        are_registered = rte_mempool_register_ops(&lazy_ops) >= 0;
    return are_registered;
}

struct rte_mempool *pool_lazy_new(const char *name, unsigned count, uint16_t data_octets)
{
    struct rte_pktmbuf_pool_private rooms = {
        .mbuf_data_room_size = (uint16_t)(RTE_PKTMBUF_HEADROOM + data_octets),
        .mbuf_priv_size = POOL_PRIVATE_OCTETS,
    };
    struct rte_mempool *pool =
        rte_mempool_create_empty(name, count, buffer_octets(rooms.mbuf_data_room_size), 0, sizeof(rooms),
                                 SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_CACHE_ALIGN | RTE_MEMPOOL_F_NO_SPREAD);
    if (!pool)
        return NULL;
    rte_pktmbuf_pool_init(pool, &rooms);
    if (have_operations() && rte_mempool_set_ops_byname(pool, OPS_NAME, NULL) == 0 && add_region(pool))
        return pool;
    rte_mempool_free(pool);
    return NULL;
}

unsigned pool_lazy_made(const struct rte_mempool *pool)
{
    return ((const struct lazy *)pool->pool_data)->made;
}
