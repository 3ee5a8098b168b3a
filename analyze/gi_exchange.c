/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_exchange.h"

/* Octets of a packet behind the last one of its direction. */
static uint32_t new_octets(const struct gi_packet *p, uint32_t *top, bool *has_top)
{
    uint32_t start = p->seq + (p->flags & GI_PACKET_SYN ? 1 : 0), end = start + p->payload_octets;
    if (!*has_top) {
        *has_top = true;
        *top = start;
    }
    int32_t more = (int32_t)(end - *top);
    if (more <= 0 || more > GI_EXCHANGE_JUMP_OCTETS || p->flags & GI_PACKET_RST ||
        p->payload_octets == 0) /* behind a FIN is a number, no octet */
        return 0;
    *top = end;
    return (uint32_t)more;
}

static bool end_of(struct gi_exchanges *x, struct gi_exchange *out)
{
    if (!x->is_open)
        return false;
    *out = x->now;
    x->is_open = false;
    return true;
}

static void begin(struct gi_exchanges *x, int64_t now)
{
    x->now = (struct gi_exchange){.number = x->now.number + 1, .begin_ns = now};
    x->is_open = true;
}

static bool read_up(struct gi_exchanges *x, const struct gi_packet *p, struct gi_exchange *out)
{
    bool has_ended = false;
    if (x->is_open && x->now.response_octets > 0 && x->now.done_ns == 0 && p->flags & GI_PACKET_ACK &&
        !(p->flags & GI_PACKET_RST) && (int32_t)(p->ack - x->down_top) >= 0)
        x->now.done_ns = p->at_ns;
    uint32_t octets = new_octets(p, &x->up_top, &x->has_up);
    if (octets == 0)
        return false;
    if (x->now.response_octets > 0)
        has_ended = end_of(x, out);
    if (!x->is_open)
        begin(x, p->at_ns);
    x->now.request_octets += octets;
    x->now.request_ns = p->at_ns;
    return has_ended;
}

static bool read_down(struct gi_exchanges *x, const struct gi_packet *p, struct gi_exchange *out)
{
    uint32_t octets = new_octets(p, &x->down_top, &x->has_down);
    bool has_ended = false;
    if (octets == 0)
        return false;
    if (x->now.done_ns != 0 && p->at_ns - x->now.done_ns >= GI_EXCHANGE_PAUSE_NS)
        has_ended = end_of(x, out);
    if (!x->is_open)
        begin(x, p->at_ns);
    if (x->now.first_ns == 0)
        x->now.first_ns = p->at_ns;
    x->now.last_ns = p->at_ns;
    x->now.done_ns = 0;
    x->now.response_octets += octets;
    return has_ended;
}

bool gi_exchange_packet(struct gi_exchanges *x, const struct gi_packet *p, bool is_downlink,
                        struct gi_exchange *out)
{
    return is_downlink ? read_down(x, p, out) : read_up(x, p, out);
}

bool gi_exchange_finish(struct gi_exchanges *x, struct gi_exchange *out)
{
    return end_of(x, out);
}
