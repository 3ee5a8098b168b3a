/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst of one association computed: by IPsec-mb, in a call of its device, or in a queue of it. */
#include "dataplane/base/bytes.h"
#include "dataplane/esp/esp.h"
#include "dataplane/esp/sa.h"

#include <rte_branch_prediction.h>
#include <rte_cryptodev.h>
#include <rte_mbuf.h>
#include <string.h>

#define IDLE_POLLS 10000 /* of a queue that stands still: some 100 us, more than a card takes for a burst */

/* Frames that fail from here on have a wrong ICV. */
static void mark_wrong(struct rte_mbuf **frames, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        frames[i]->ol_flags |= RTE_MBUF_F_RX_SEC_OFFLOAD_FAILED;
}

/* A burst under way in a queue. */
struct pass {
    struct rte_crypto_op *ops[ESP_BURST]; /* those that have come back, in front */
    unsigned put, back;
};

/* Notes an operation that the queue gives back. False: it is of an earlier burst, which gave it up. */
static bool pass_take(struct pass *pass, struct rte_crypto_op *op)
{
    unsigned i = pass->back;
    while (i < pass->put && pass->ops[i] != op)
        i++;
    if (i == pass->put)
        return false;
    pass->ops[i] = pass->ops[pass->back];
    pass->ops[pass->back++] = op;
    return true;
}

/* Gives operations to the queue and takes them back, until all are back or the queue stands still. */
static void pass_wait(const struct sa_queue *queue, uint8_t device, struct pass *pass, unsigned ready)
{
    struct rte_crypto_op *got[ESP_BURST];
    for (unsigned idle = 0; pass->back < ready && idle < IDLE_POLLS; idle++) {
        unsigned put = pass->put == ready
                           ? 0
                           : rte_cryptodev_enqueue_burst(device, queue->number, pass->ops + pass->put,
                                                         (uint16_t)(ready - pass->put));
        unsigned count = rte_cryptodev_dequeue_burst(device, queue->number, got, ESP_BURST);
        pass->put += put;
        if (put + count > 0)
            idle = 0;
        for (unsigned i = 0; i < count; i++)
            if (!pass_take(pass, got[i])) {
                rte_pktmbuf_free(got[i]->sym->m_src);
                rte_mempool_put(queue->ops, got[i]);
            }
    }
}

/* Leaves out the frames that the queue has not given back, [back, ready). Those that it has not taken either
 * are freed; it owns the others. */
static void leave_out_refused(struct rte_mbuf **frames, unsigned *count, const struct pass *pass,
                              unsigned ready)
{
    for (unsigned i = pass->put; i < ready; i++)
        rte_pktmbuf_free(pass->ops[i]->sym->m_src);
    memmove(frames + pass->back, frames + ready, (*count - ready) * sizeof(frames[0]));
    *count -= ready - pass->back;
}

/* Gives each operation the next vector of the association. */
static void put_ivs(struct sa_ivs *ivs, struct rte_crypto_op **ops, unsigned count)
{
    uint8_t blocks[ESP_BURST][AES_BLOCK_SIZE] = {0};
    uint64_t first = atomic_fetch_add_explicit(&ivs->next, count, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++)
        bytes_put_u64(blocks[i], first + i);
    aes128_encrypt(&ivs->key, (size_t)count * AES_BLOCK_SIZE, blocks[0], blocks[0]);
    for (unsigned i = 0; i < count; i++)
        memcpy(rte_crypto_op_ctod_offset(ops[i], uint8_t *, SA_IV_OFFSET), blocks[i], AES_BLOCK_SIZE);
}

static unsigned compute_queued(struct sa *sa, const struct sa_queue *queue, struct rte_mbuf **frames,
                               unsigned *count)
{
    struct rte_mbuf *done[ESP_BURST];
    struct rte_ipsec_group groups[ESP_BURST];
    const struct rte_ipsec_session *session = &sa->queued;
    struct pass pass = {.put = 0};
    unsigned all = *count;
    if (rte_crypto_op_bulk_alloc(queue->ops, RTE_CRYPTO_OP_TYPE_SYMMETRIC, pass.ops, (uint16_t)all) == 0) {
        rte_pktmbuf_free_bulk(frames, all);
        *count = 0;
        return 0;
    }
    unsigned ready = rte_ipsec_pkt_crypto_prepare(session, frames, pass.ops, (uint16_t)all);
    mark_wrong(frames, ready, all);
    if (sa->has_ivs)
        put_ivs(&sa->ivs, pass.ops, ready);
    pass_wait(queue, sa->device->id, &pass, ready);
    if (unlikely(pass.back < ready))
        leave_out_refused(frames, count, &pass, ready);
    rte_mempool_put_bulk(queue->ops, (void **)pass.ops + pass.put, all - pass.put);
    if (pass.back == 0)
        return 0;
    rte_ipsec_pkt_crypto_group((const struct rte_crypto_op **)(uintptr_t)pass.ops, done, groups,
                               (uint16_t)pass.back); /* one group: of one session */
    memcpy(frames, done, pass.back * sizeof(done[0]));
    rte_mempool_put_bulk(queue->ops, (void **)pass.ops, pass.back);
    return rte_ipsec_pkt_process(session, frames, (uint16_t)pass.back);
}

unsigned sa_compute(struct sa *sa, const struct sa_queue *queue, struct rte_mbuf **frames, unsigned *count)
{
    if (*count == 0)
        return 0;
    if (sa->device->is_direct)
        return (sa->params.is_inbound ? sa_gcm_open : sa_gcm_seal)(sa, frames, *count);
    if (!sa->device->is_at_once || sa->has_ivs)
        return compute_queued(sa, queue, frames, count);
    unsigned ready = rte_ipsec_pkt_cpu_prepare(&sa->session, frames, (uint16_t)*count);
    mark_wrong(frames, ready, *count);
    return ready == 0 ? 0 : rte_ipsec_pkt_process(&sa->session, frames, (uint16_t)ready);
}

/* rte_ipsec has put the upper half of an extended number before the ICV. */
bool sa_is_dummy(const struct sa *sa, const struct rte_mbuf *frame)
{
    unsigned behind = SA_ICV_OCTETS + (sa->params.has_esn && !sa->device->is_direct ? 4 : 0) + 1;
    return frame->data_len >= behind &&
           *rte_pktmbuf_mtod_offset(frame, const uint8_t *, frame->data_len - behind) == ESP_NO_NEXT;
}
