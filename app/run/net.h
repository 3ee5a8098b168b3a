/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a run: between server, GGSN and SGSN, and between a mobile's host and its radio. They delay
 * packets, and may lose or reorder users' packets. */
#ifndef APP_RUN_NET_H
#define APP_RUN_NET_H

#include "app/run/scenario_config.h"
#include "dataplane/base/rng.h"
#include "sim/loop.h"

struct run_links {
    /* late_: delayed acknowledgements, in place of internet_down or air_up; slow_: reordered packets. */
    struct delay_line internet_down, internet_up, gn_down, gn_up, air_up, late_up, late_down, slow_down;
    struct rng internet, gn; /* chance on either */
};

typedef void run_links_out(void *arg, const uint8_t *packet, size_t octets, int64_t now);

#endif
