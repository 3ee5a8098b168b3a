/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/fixture_orders.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define N201_U_OCTETS 1520
#define QUEUE_OCTETS  64000

void fixture_orders_die(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

void fixture_orders_send(struct worker *worker, const struct msg *order, int64_t now)
{
    struct msg answer;
    if (!msg_put(worker->rings.to_worker, order))
        fixture_orders_die("the ring is full");
    while (worker_step(worker, now) <= now)
        ;
    if (!msg_take(worker->rings.to_control, &answer) || answer.answer.status != 0)
        fixture_orders_die("the worker refused an order");
}

struct msg fixture_orders_ms(uint32_t slot, uint16_t bvc)
{
    return (struct msg){.type = MSG_MS_ADD,
                        .slot = slot,
                        .ms = {.tlli = 0xc0000000 + slot,
                               .bvc = bvc,
                               .n201_u = N201_U_OCTETS,
                               .queue_limit_octets = QUEUE_OCTETS}};
}

struct msg fixture_orders_pdp(uint32_t slot, uint32_t teid)
{
    return (struct msg){.type = MSG_PDP_ADD,
                        .slot = slot,
                        .pdp = {.ms = slot,
                                .sgsn_ip = FIXTURE_ORDERS_SGSN_IP,
                                .teid = teid,
                                .ggsn_ip = FIXTURE_ORDERS_GGSN_IP,
                                .nsapi = 5,
                                .sapi = 3,
                                .qclass = QCLASS_BACKGROUND,
                                .pfi = N_PDU_NO_PFI}};
}

void fixture_orders_gb(struct worker *worker, uint32_t cells, const struct gb_flow *flow, int64_t now)
{
    struct msg nsvc = {.type = MSG_NSVC_ADD};
    nsvc.nsvc = (struct gb_nsvc_params){.local_ip = FIXTURE_ORDERS_SGSN_IP,
                                        .remote_ip = FIXTURE_ORDERS_GGSN_IP,
                                        .remote_port = 23000,
                                        .data_weight = 1};
    fixture_orders_send(worker, &(struct msg){.type = MSG_NSE_ADD}, now);
    fixture_orders_send(worker, &nsvc, now);
    fixture_orders_send(worker, &(struct msg){.type = MSG_NSVC_STATE, .is_usable = true}, now);
    for (uint32_t i = 0; i < cells; i++) {
        struct msg bvc_flow = {.type = MSG_BVC_FLOW, .slot = i, .flow = *flow};
        fixture_orders_send(worker, &(struct msg){.type = MSG_BVC_ADD, .slot = i, .bvc = {.bvci = i + 2}},
                            now);
        fixture_orders_send(worker, &(struct msg){.type = MSG_BVC_STATE, .slot = i, .is_unblocked = true},
                            now);
        fixture_orders_send(worker, &bvc_flow, now);
    }
}
