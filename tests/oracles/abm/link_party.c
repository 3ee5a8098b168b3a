/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/abm/link_party.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_fcs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    struct n_pdu n_pdu;
    unsigned id;
    int references;
    uint8_t data[];
};

/* Information of a received I frame. */
struct information {
    uint16_t octets;
    uint8_t bytes[];
};

static struct unit *unit_of(struct n_pdu *n_pdu)
{
    return (struct unit *)n_pdu;
}

/* --- what is said --- */

static uint32_t adler(const uint8_t *bytes, size_t octets)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < octets; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void say_hex(const uint8_t *bytes, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        printf("%02x", bytes[i]);
}

static void say_values(const struct link_values *v)
{
    printf(" %u %u %u %u %u %u %u\n", v->n201_i_octets, v->m_down, v->m_up, v->t200_ds, v->k_down, v->k_up,
           v->n200);
}

void party_say_due(struct party *p, int64_t now)
{
    if (p->link.due_ns == p->told_due_ns)
        return;
    p->told_due_ns = p->link.due_ns;
    printf("H %u %ld\n", p->index, p->told_due_ns == MOMENT_NEVER ? -1L : (long)(p->told_due_ns - now));
}

/* --- callbacks --- */

static void hold(void *unused_arg, struct n_pdu *n_pdu)
{
    (void)unused_arg;
    unit_of(n_pdu)->references++;
}

static void let_go(void *arg, struct n_pdu *n_pdu)
{
    struct party *p = arg;
    struct unit *unit = unit_of(n_pdu);
    assert(unit->references > 0);
    if (--unit->references > 0)
        return;
    p->alive--;
    free(unit);
}

static void abandon(void *arg, struct n_pdu *n_pdu)
{
    const struct party *p = arg;
    printf("A %u %u\n", p->index, unit_of(n_pdu)->id);
    let_go(arg, n_pdu);
}

static void opened(void *arg, struct link *link)
{
    struct party *p = arg;
    printf("+ %u %u", p->index, link->iov_i);
    say_values(&link->values);
    memset(p->partials, 0, sizeof p->partials);
}

static void failed(void *arg, struct link *unused_link)
{
    const struct party *p = arg;
    (void)unused_link;
    printf("F %u\n", p->index);
}

static void drop(void *arg, void *frame)
{
    struct party *p = arg;
    p->alive--;
    free(frame);
}

static uint32_t new_iov(void *arg, const struct link *unused_link)
{
    struct party *p = arg;
    (void)unused_link;
    return p->iov += 0x10000;
}

/* --- values --- */

static uint8_t random_k(struct rng *rng)
{
    return (uint8_t)(rng_below(rng, 8) == 0 ? rng_between(rng, 1, LINK_MOST_FRAMES)
                                            : rng_between(rng, 1, 20));
}

static struct link_values random_values(struct rng *rng)
{
    struct link_values v = {
        .n201_i_octets = (uint16_t)rng_between(rng, 140, 1520),
        .t200_ds = (uint16_t)rng_between(rng, 5, 100),
        .k_down = random_k(rng),
        .k_up = random_k(rng),
        .n200 = (uint8_t)rng_between(rng, 3, 12),
    };
    if (rng_below(rng, 2))
        v.m_down = (uint16_t)rng_between(rng, (v.n201_i_octets + 15) / 16, 400);
    if (rng_below(rng, 2))
        v.m_up = (uint16_t)rng_between(rng, (v.n201_i_octets + 15) / 16, 400);
    return v;
}

void party_init(struct party *p, unsigned index, uint64_t seed)
{
    p->index = index;
    rng_init(&p->rng, seed, 1 + index);
    p->kind = (struct link_kind){.values = random_values(&p->rng),
                                 .is_network = index == 0,
                                 .hold = hold,
                                 .let_go = let_go,
                                 .abandon = abandon,
                                 .opened = opened,
                                 .failed = failed,
                                 .drop = drop,
                                 .new_iov = index == 0 ? new_iov : NULL,
                                 .arg = p};
    p->is_putting = rng_below(&p->rng, 2);
    p->told_due_ns = MOMENT_NEVER;
    link_init(&p->link, &p->kind, 3, p->sent, p->stored);
    assert(link_send_slots(&p->kind) <= PARTY_SLOTS && link_receive_slots(&p->kind) <= PARTY_SLOTS);
    printf("P %u %u", index, p->is_putting);
    say_values(&p->kind.values);
}

/* --- sending --- */

void party_make(struct party *p, unsigned nsapi, unsigned octets, int64_t now)
{
    struct unit *unit = calloc(1, sizeof *unit + octets);
    assert(unit && octets <= PARTY_N_PDU_OCTETS);
    p->alive++;
    unit->id = p->made++;
    unit->references = 1;
    unit->n_pdu = (struct n_pdu){.data = unit->data, .octets = (uint16_t)octets};
    for (unsigned i = 0; i < octets; i++)
        unit->data[i] = (uint8_t)(i + (i >> 8) * 7 + unit->id * 37 + p->index * 101);
    printf("M %u %u %u %u\n", p->index, unit->id, nsapi, octets);
    if (p->is_putting) {
        link_put(&p->link, &unit->n_pdu, (uint8_t)nsapi);
    } else {
        unit->n_pdu.sapi = (uint8_t)nsapi; /* a place for it until it has a number */
        n_pdu_list_put(&p->waiting, &unit->n_pdu);
    }
    if (p->link.state != LINK_ADM)
        return;
    printf("E %u\n", p->index);
    link_establish(&p->link, now);
    party_say_due(p, now);
}

bool party_is_idle(const struct party *p)
{
    return !p->waiting.head && !p->link.queue.head && p->link.abm.vs == p->link.abm.confirmed;
}

static void transmit(struct party *p, const struct link_frame *frame)
{
    struct packet packet = {.is_u = !frame->is_i && !frame->is_ack};
    size_t header = frame->header_octets, octets = header + frame->payload_octets;
    assert(octets + LLC_FCS_OCTETS <= sizeof packet.bytes);
    memcpy(packet.bytes, frame->header, header);
    if (frame->is_i)
        memcpy(packet.bytes + header, frame->n_pdu->data + frame->offset, frame->payload_octets);
    uint32_t fcs = llc_fcs(packet.bytes, octets);
    for (unsigned i = 0; i < LLC_FCS_OCTETS; i++)
        packet.bytes[octets + i] = (uint8_t)(fcs >> 8 * i);
    packet.octets = (uint16_t)(octets + LLC_FCS_OCTETS);
    printf("O %u ", p->index);
    say_hex(frame->header, header);
    if (frame->is_i)
        printf(" %u %u %u %u %u %u", unit_of(frame->n_pdu)->id, frame->offset, frame->payload_octets,
               adler(packet.bytes + header, frame->payload_octets), frame->count, frame->is_repeat);
    putchar('\n');
    p->transmit(p, &packet);
}

/* Whether the N-PDU that waits first could send a segment. */
static bool send_segment(struct party *p, int64_t now)
{
    struct n_pdu *n_pdu = p->waiting.head;
    if (!n_pdu)
        return false;
    if (!p->link.midway) /* acknowledged mode began again behind its first segments */
        n_pdu->sent_octets = 0;
    unsigned sn = n_pdu->sent_octets ? SN_DATA_LATER_OCTETS : SN_DATA_FIRST_OCTETS;
    unsigned room = p->link.values.n201_i_octets - sn, left = n_pdu->octets - n_pdu->sent_octets;
    struct link_segment segment = {.n_pdu = n_pdu, .offset = n_pdu->sent_octets, .nsapi = n_pdu->sapi};
    segment.payload_octets = (uint16_t)(left < room ? left : room);
    segment.is_last = left <= room && (!n_pdu->next || rng_below(&p->rng, 5) == 0);
    if (!link_can_send(&p->link, 1, segment.payload_octets + sn))
        return false;
    struct link_frame frame;
    link_send(&p->link, &segment, now, &frame);
    n_pdu->sent_octets += segment.payload_octets;
    transmit(p, &frame);
    if (left <= room)
        let_go(p, n_pdu_list_take(&p->waiting));
    return true;
}

void party_send(struct party *p, unsigned most, int64_t now)
{
    struct link_frame frame;
    for (; most > 0; most--) {
        unsigned bound = link_next_octets(&p->link);
        bool is_next = bound > 0 && link_next(&p->link, now, &frame);
        assert(bound > 0 || !link_next(&p->link, now, &frame));
        assert(!is_next || (unsigned)frame.header_octets + frame.payload_octets + LLC_FCS_OCTETS <= bound);
        if (is_next)
            transmit(p, &frame);
        else if (!send_segment(p, now))
            break;
    }
    party_say_due(p, now);
}

/* --- receiving --- */

static void deliver(struct party *p, const struct information *info)
{
    struct sn_data sn;
    int header = sn_data_decode(&sn, info->bytes, info->octets);
    assert(header > 0 && sn.nsapi < LINK_NSAPI_MIN + PARTY_NSAPIS);
    enum sn_fate fate = link_segment_take(&p->link, &sn);
    struct partial *partial = &p->partials[sn.nsapi - LINK_NSAPI_MIN];
    if (fate == SN_WHOLE || fate == SN_BEGIN)
        partial->octets = 0;
    printf("S %u %u\n", p->index, fate);
    if (fate == SN_AGAIN || fate == SN_ERROR)
        return;
    unsigned octets = info->octets - (unsigned)header;
    assert(partial->octets + octets <= sizeof partial->bytes);
    memcpy(partial->bytes + partial->octets, info->bytes + header, octets);
    partial->octets += octets;
    if (fate != SN_WHOLE && fate != SN_END)
        return;
    printf("U %u %u %u %u\n", p->index, sn.nsapi, partial->octets, adler(partial->bytes, partial->octets));
}

static void take_numbered(struct party *p, const struct packet *packet, const struct llc_abm *header,
                          unsigned header_octets, int64_t now)
{
    uint16_t octets = (uint16_t)(packet->octets - header_octets - LLC_FCS_OCTETS);
    struct information *info = malloc(sizeof *info + octets);
    assert(info);
    info->octets = octets;
    memcpy(info->bytes, packet->bytes + header_octets, octets);
    p->alive++;
    if (!link_receive(&p->link, header, info, octets, now).is_kept)
        drop(p, info);
    while ((info = link_deliver_take(&p->link))) {
        deliver(p, info);
        drop(p, info);
    }
}

void party_take(struct party *p, const struct packet *packet, int64_t now)
{
    struct llc_abm header;
    struct llc u;
    int octets = llc_abm_decode(&header, packet->bytes, packet->octets);
    unsigned whole = packet->octets - (unsigned)LLC_FCS_OCTETS,
             header_octets = octets > 0 ? (unsigned)octets : whole;
    printf("R %u ", p->index);
    say_hex(packet->bytes, header_octets);
    printf(" %u\n", whole - header_octets);
    if (octets > 0) {
        take_numbered(p, packet, &header, (unsigned)octets, now);
    } else {
        octets = llc_decode(&u, packet->bytes, packet->octets);
        assert(octets == LLC_U_OCTETS);
        link_receive_u(&p->link, &u, packet->bytes + octets, now);
    }
    party_say_due(p, now);
}

/* --- changes --- */

void party_empty(struct party *p, bool is_kept)
{
    struct n_pdu_list unconfirmed = {0};
    struct n_pdu *n_pdu;
    printf("Z %u %u\n", p->index, is_kept);
    link_empty(&p->link, &unconfirmed);
    while ((n_pdu = n_pdu_list_take(&unconfirmed)))
        if (is_kept)
            link_put(&p->link, n_pdu, (uint8_t)(n_pdu->number >> 8));
        else
            abandon(p, n_pdu);
}

void party_forget(struct party *p, unsigned nsapi)
{
    struct n_pdu_list others = {0};
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&p->waiting)))
        if (n_pdu->sapi == nsapi)
            let_go(p, n_pdu);
        else
            n_pdu_list_put(&others, n_pdu);
    p->waiting = others;
    p->partials[nsapi - LINK_NSAPI_MIN].octets = 0;
    link_forget(&p->link, nsapi);
}
