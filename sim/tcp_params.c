/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_params.h"

#include "dataplane/base/moment.h"

#include <stddef.h>

#define MILLISECOND (MOMENT_SECOND / 1000)

enum { RECEIVE_WINDOW_MAX_OCTETS = 1 << 30, CWND_MAX_SEGMENTS = 65535 };

struct tcp_params tcp_params_default(void)
{
    return (struct tcp_params){
        .mss_octets = 1460,
        .sack = true,
        .timestamps = true,
        .receive_window_octets = 65535,
        .delayed_ack_segments = 2,
        .delayed_ack_timeout_ns = 200 * MILLISECOND,
        .initial_cwnd_segments = 3,
        .limited_transmit = true,
        .restart_after_idle = true,
        .initial_rto_ns = MOMENT_SECOND,
        .min_rto_ns = MOMENT_SECOND,
        .max_rto_ns = 60 * MOMENT_SECOND,
        .time_wait_ns = 60 * MOMENT_SECOND,
        .max_syn_retries = 6,
        .max_retries = 15,
    };
}

const char *tcp_params_fault(const struct tcp_params *p)
{
    const struct {
        bool is_good;
        const char *what;
    } rows[] = {
        {p->mss_octets >= TCP_MSS_MIN_OCTETS && p->mss_octets <= TCP_MSS_MAX_OCTETS, "mss_octets"},
        {p->sack || p->stack == TCP_STACK_RFC, "stack"},
        {p->cc == TCP_CC_NEWRENO || p->stack == TCP_STACK_RFC, "cc"},
        {!p->has_hystart || p->stack == TCP_STACK_RFC, "has_hystart"},
        {!p->has_prr || (p->sack && p->stack == TCP_STACK_RFC), "has_prr"},
        {!p->has_rack || (p->sack && p->stack == TCP_STACK_RFC), "has_rack"},
        {p->receive_window_octets >= p->mss_octets && p->receive_window_octets <= RECEIVE_WINDOW_MAX_OCTETS,
         "receive_window_octets"},
        {p->delayed_ack_segments >= 1, "delayed_ack_segments"},
        {p->delayed_ack_timeout_ns >= 0, "delayed_ack_timeout_ns"},
        {p->initial_cwnd_segments >= 1 && p->initial_cwnd_segments <= CWND_MAX_SEGMENTS,
         "initial_cwnd_segments"},
        {p->initial_ssthresh_segments <= CWND_MAX_SEGMENTS, "initial_ssthresh_segments"},
        {p->max_cwnd_segments <= CWND_MAX_SEGMENTS, "max_cwnd_segments"},
        {p->initial_rto_ns > 0, "initial_rto_ns"},
        {p->min_rto_ns > 0, "min_rto_ns"},
        {p->max_rto_ns >= p->min_rto_ns && p->max_rto_ns >= p->initial_rto_ns, "max_rto_ns"},
        {p->time_wait_ns >= 0, "time_wait_ns"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!rows[i].is_good)
            return rows[i].what;
    return NULL;
}

uint8_t tcp_params_window_scale(const struct tcp_params *p)
{
    uint8_t scale = 0;
    while (p->receive_window_octets >> scale > UINT16_MAX)
        scale++;
    return scale;
}
