/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RACK-TLP (RFC 8985) for connections with SACK: a segment is lost when one that was sent later has arrived,
 * and a quarter of the least RTT has passed; also a segment that was sent again. A probe at the end of a
 * flight makes such an arrival before the retransmission timer expires. In place of IsLost() of RFC 6675.
 *
 * Left out: the larger reordering window after D-SACKs, as the peers here send none.
 */
#ifndef SIM_TCP_RACK_H
#define SIM_TCP_RACK_H

#include <stdbool.h>
#include <stdint.h>

struct tcp;
struct tcp_header;

struct tcp_rack {
    int64_t sent_ns; /* of the segment sent last among those that arrived */
    uint64_t end;    /* its end */
    int64_t rtt_ns;  /* and its round trip */
    int64_t min_rtt_ns;
    uint64_t fack;                  /* end of the highest segment that arrived */
    uint64_t probe_end;             /* nxt at the last probe, until acknowledged; 0: none */
    bool is_probe_timer, is_repeat; /* is_repeat: the probe was sent before */
    bool has_reordering;
};

void tcp_rack_start(struct tcp *t);
bool tcp_rack_is_used(const struct tcp *t);

/* Before an acknowledgement up to `ack` is taken in: which segment that arrived was sent last. */
void tcp_rack_take(struct tcp *t, const struct tcp_header *header, uint64_t ack, int64_t now);

/* After it: marks lost segments and sets the timer. True: some were marked. */
bool tcp_rack_detect(struct tcp *t, int64_t now);

/* An acknowledgement up to `ack`. True: a probe has repaired a loss, and the window must be reduced. */
bool tcp_rack_probe_acked(struct tcp *t, uint64_t ack, bool is_duplicate);

/* Sets the timer of the probe where one may be sent; a timer for reordering stays. */
void tcp_rack_arm(struct tcp *t, int64_t now);

#endif
