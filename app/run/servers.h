/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Servers at several distances: the one-way delay between the GGSN and the server of an item of traffic. It
 * is that of the item, else of its mobile, else of the network; a range is drawn once, by the seed, for each
 * item or mobile.
 */
#ifndef APP_RUN_SERVERS_H
#define APP_RUN_SERVERS_H

#include "app/run/run.h"
#include "control/report/field.h"

#include <stddef.h>
#include <stdint.h>

/* The delay of a mobile's items without one of their own; that of an item, whose mobile has its own by then.
 */
int64_t run_servers_of_mobile(const struct run_mobile *mobile);
int64_t run_servers_of_item(const struct run_mobile *mobile, const struct scenario_config_traffic *item);

/*
 * How much longer an IP packet takes between its server and the GGSN than network.server_delay; may be
 * negative. The item is known by the server's port, or the identifier of an echo; a packet of none of them,
 * as those of QUIC, is of the mobile.
 */
int64_t run_servers_more_ns(const struct run_mobile *mobile, enum radio_way way, const uint8_t *packet,
                            size_t octets);

/* The list `servers` of a struct summary. */
extern const struct field run_servers_results[];

#endif
