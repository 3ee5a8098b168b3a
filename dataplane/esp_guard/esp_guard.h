/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP on the ports of a worker: a guard of each port that has rules. It collects the fragments that ESP must
 * see whole, passes IKE to control, and tells control of packets that were dropped.
 */
#ifndef DATAPLANE_ESP_GUARD_ESP_GUARD_H
#define DATAPLANE_ESP_GUARD_ESP_GUARD_H

#include "dataplane/base/budget.h"
#include "dataplane/base/moment.h"
#include "dataplane/esp/esp.h"
#include "dataplane/ports/port.h"
#include "dataplane/worker/guards.h"
#include "dataplane/worker/msg.h"

#include <stdbool.h>
#include <stdint.h>

#define ESP_GUARD_IKE_PER_S     100 /* frames with IKE of a source */
#define ESP_GUARD_IKE_BURST     50
#define ESP_GUARD_IKE_ALL_PER_S 1000
#define ESP_GUARD_IKE_ALL_BURST 100
#define ESP_GUARD_FAULT_NS      MOMENT_SECOND /* at least, between two messages of a reason */

struct rte_mempool;
struct worker;

struct guard {
    struct esp esp;
    struct port_guard calls;
    uint64_t *drops, *unsent; /* of the port, by enum drop */
    struct worker *worker;
    enum msg_port port;
    struct budget ike_budget; /* of frames for the daemon */
    struct faults faults;
    struct guard_told {
        int64_t at_ns;  /* the last message of a reason */
        uint64_t count; /* packets of which it and those before told */
    } told[FAULTS_COUNT];
};

/* Of a worker; rules, ops and has_ike are the caller's, who sets them before. */
struct esp_guard {
    struct rules *rules[MSG_PORTS]; /* the first ones; NULL: the port has no ESP */
    struct rte_mempool *ops;        /* of struct rte_crypto_op */
    bool has_ike;                   /* IKE is punted, and passes */
    struct guard guards[MSG_PORTS];
};

/* The guards of a worker's configuration; esp must outlive the worker. */
struct guards esp_guard_of(struct esp_guard *esp);

#endif
