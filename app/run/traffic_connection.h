/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections of traffic over TCP or QUIC: what items of several kinds share of them. */
#ifndef APP_RUN_TRAFFIC_CONNECTION_H
#define APP_RUN_TRAFFIC_CONNECTION_H

#include "app/run/traffic.h"
#include "sim/quic_session.h"

/* Sets the mobile's port for QUIC, NULL for TCP. False: out of memory. */
bool traffic_connection_quic(struct run_app *app, struct quic_session_port **port);

/* An observer that writes the series of the item's connections, and counts goodput unless it is_up. */
struct app_record_observer traffic_connection_observer(struct run_app *app);

/* Ends a line of the text report with the round-trip time of the senders, if the record has one. */
void traffic_connection_print_rtt(const struct app_record_tcp *record);

/* The list `tcp` of a struct summary, and the series of connections. */
extern const struct field traffic_connection_results[], traffic_connection_series[];

#endif
