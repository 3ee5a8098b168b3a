/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/shard/buffers.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__
#endif
#endif

#ifdef __SANITIZE_THREAD__
#include <errno.h>
#include <pthread.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>
#include <stdlib.h>
#include <string.h>

/* A stack behind a lock. */
struct stack {
    pthread_mutex_t lock;
    unsigned count;
    void *objects[];
};

static int stack_alloc(struct rte_mempool *pool)
{
    struct stack *stack = malloc(sizeof(*stack) + pool->size * sizeof(stack->objects[0]));
    if (!stack)
        return -ENOMEM;
    pthread_mutex_init(&stack->lock, NULL);
    stack->count = 0;
    pool->pool_data = stack;
    return 0;
}

static void stack_free(struct rte_mempool *pool)
{
    free(pool->pool_data);
}

static int stack_put(struct rte_mempool *pool, void *const *objects, unsigned count)
{
    struct stack *stack = pool->pool_data;
    pthread_mutex_lock(&stack->lock);
    memcpy(stack->objects + stack->count, objects, count * sizeof(objects[0]));
    stack->count += count;
    pthread_mutex_unlock(&stack->lock);
    return 0;
}

static int stack_take(struct rte_mempool *pool, void **objects, unsigned count)
{
    struct stack *stack = pool->pool_data;
    int rc = -ENOBUFS;
    pthread_mutex_lock(&stack->lock);
    if (stack->count >= count) {
        stack->count -= count;
        memcpy(objects, stack->objects + stack->count, count * sizeof(objects[0]));
        rc = 0;
    }
    pthread_mutex_unlock(&stack->lock);
    return rc;
}

static unsigned stack_count(const struct rte_mempool *pool)
{
    return ((const struct stack *)pool->pool_data)->count;
}

static const struct rte_mempool_ops stack_ops = {
    .name = "locked",
    .alloc = stack_alloc,
    .free = stack_free,
    .enqueue = stack_put,
    .dequeue = stack_take,
    .get_count = stack_count,
};

RTE_MEMPOOL_REGISTER_OPS(stack_ops)

void buffers_choose(void)
{
    rte_mbuf_set_user_mempool_ops(stack_ops.name);
}
#else
void buffers_choose(void)
{
}
#endif
