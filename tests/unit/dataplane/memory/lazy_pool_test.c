/* SPDX-License-Identifier: BSD-3-Clause */
/* A lazy pool gives what pool_new() gives, and makes no more buffers than were in use at once. */
#include "control/base/eal.h"
#include "dataplane/memory/pool.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { BUFFERS = 5000 };

static struct rte_mbuf *taken[BUFFERS];

static int open_pool(void **state)
{
    static char name[] = "lazy0";
    *state = pool_lazy_new(name, BUFFERS, POOL_DATA_OCTETS);
    name[4]++;
    return *state ? 0 : -1;
}

static int close_pool(void **state)
{
    rte_mempool_free(*state);
    return 0;
}

static void take(struct rte_mempool *pool, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        taken[i] = rte_pktmbuf_alloc(pool);
        assert_non_null(taken[i]);
    }
}

static void put(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        rte_pktmbuf_free(taken[i]);
}

/* Rows in sequence: so many are taken and put back; then so many have been made. */
TEST_WITH(buffers_are_made_by_need, open_pool, close_pool)
{
    static const struct {
        unsigned taken, made;
    } rows[] = {{0, 0},      {1, 1}, {1, 1}, {3, 3}, {2, 3}, {100, 100}, {7, 100}, {BUFFERS, BUFFERS},
                {1, BUFFERS}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        take(*state, rows[i].taken);
        assert_int_equal(rte_mempool_avail_count(*state), BUFFERS - rows[i].taken);
        put(rows[i].taken);
        assert_int_equal(rte_mempool_avail_count(*state), BUFFERS);
        assert_int_equal(pool_lazy_made(*state), rows[i].made);
    }
}

TEST_WITH(the_limit_holds, open_pool, close_pool)
{
    struct rte_mbuf *burst[4];
    take(*state, BUFFERS - 3);
    assert_int_not_equal(rte_pktmbuf_alloc_bulk(*state, burst, 4), 0);
    assert_int_equal(rte_pktmbuf_alloc_bulk(*state, burst, 3), 0);
    assert_null(rte_pktmbuf_alloc(*state));
    rte_pktmbuf_free_bulk(burst, 3);
    put(BUFFERS - 3);
    assert_int_equal(rte_mempool_avail_count(*state), BUFFERS);
}

/* 24 octets of DPDK, mbuf, record, headroom and data, in whole cache lines; a buffer begins with a line. */
TEST_WITH(buffers_lie_close, open_pool, close_pool)
{
    const size_t octets = 24 + sizeof(struct rte_mbuf) + 64 + RTE_PKTMBUF_HEADROOM + POOL_DATA_OCTETS;
    take(*state, 3);
    for (unsigned i = 0; i < 2; i++) {
        const char *low = (char *)RTE_MIN(taken[i], taken[i + 1]),
                   *high = (char *)RTE_MAX(taken[i], taken[i + 1]);
        assert_int_equal((uintptr_t)low % RTE_CACHE_LINE_SIZE, 0);
        assert_int_equal(high - low, RTE_ALIGN_CEIL(octets, RTE_CACHE_LINE_SIZE));
    }
    put(3);
}

/* Each buffer is filled with its number up to its last octet, then all are read. */
TEST_WITH(no_two_buffers_overlap, open_pool, close_pool)
{
    take(*state, 200);
    for (unsigned i = 0; i < 200; i++) {
        assert_ptr_equal(taken[i]->pool, *state);
        assert_int_equal(taken[i]->buf_len, RTE_PKTMBUF_HEADROOM + POOL_DATA_OCTETS);
        memset(taken[i]->buf_addr, (int)i, taken[i]->buf_len);
        memset(pool_n_pdu(taken[i]), (int)i, sizeof(struct n_pdu));
    }
    for (unsigned i = 0; i < 200; i++) {
        const uint8_t *bytes = taken[i]->buf_addr;
        assert_ptr_equal(pool_mbuf(pool_n_pdu(taken[i])), taken[i]);
        assert_int_equal(*(const uint8_t *)pool_n_pdu(taken[i]), i);
        for (unsigned k = 0; k < taken[i]->buf_len; k++)
            if (bytes[k] != i)
                fail_msg("octet %u of buffer %u", k, i);
    }
    put(200);
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

static int stop(void **state)
{
    eal_stop();
    return 0;
}

UNIT_MAIN(start, stop)
