/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define FNV_PRIME UINT64_C(0x100000001b3)

static void digest(struct lab *lab, const uint8_t *bytes, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        lab->digest = (lab->digest ^ bytes[i]) * FNV_PRIME;
}

static bool is_listed(const uint64_t *list, uint64_t number)
{
    for (size_t i = 0; i < LAB_SCRIPT; i++)
        if (list[i] == number)
            return true;
    return false;
}

static bool is_lost(struct lab *lab, const struct lab_link *link)
{
    uint32_t limit = link->queue_limit_packets ? link->queue_limit_packets : LAB_QUEUE;
    bool by_chance = rng_chance_ppm(&lab->rng, link->loss_ppm);
    bool is_down = lab->now >= link->down_from_ns && lab->now < link->down_until_ns;
    return by_chance || is_down || is_listed(link->drop, link->sent) || link->waiting >= limit;
}

/* When the last bit has left the sender. */
static int64_t leave_ns(struct lab *lab, struct lab_link *link, size_t octets)
{
    if (link->rate_bps == 0)
        return lab->now;
    int64_t begin_ns = moment_max(link->free_at_ns, lab->now);
    link->free_at_ns = begin_ns + (int64_t)(octets * 8 * (uint64_t)MOMENT_SECOND / link->rate_bps);
    return link->free_at_ns;
}

static void send(void *arg, const uint8_t *bytes, size_t octets, int64_t now)
{
    struct lab_end *end = arg;
    struct lab *lab = end->lab;
    struct lab_link *link = &lab->link[end->index];
    struct ip_packet packet;
    assert_int_equal(ip_packet_decode(&packet, bytes, octets), octets);
    lab->now = now;
    link->sent++;
    digest(lab, (const uint8_t *)&now, sizeof(now));
    digest(lab, bytes, octets);
    if (lab->watch)
        lab->watch(lab->arg, end->index, &packet, now);
    if (is_lost(lab, link)) {
        link->lost++;
        return;
    }
    assert_true(lab->packet_count < LAB_QUEUE);
    struct lab_packet *p = &lab->packets[lab->packet_count++];
    *p = (struct lab_packet){.leave_ns = leave_ns(lab, link, octets + link->overhead_octets),
                             .order = lab->order++};
    p->to = (uint8_t)!end->index;
    p->octets = (uint16_t)octets;
    memcpy(p->bytes, bytes, octets);
    bool is_late = rng_chance_ppm(&lab->rng, link->late_ppm) || is_listed(link->late, link->sent);
    p->at_ns = p->leave_ns + link->delay_ns + (is_late ? link->late_ns : 0);
    link->waiting++;
    if (rng_chance_ppm(&lab->rng, link->flip_ppm)) {
        p->bytes[rng_below(&lab->rng, octets)] ^= (uint8_t)(1 + rng_below(&lab->rng, 255));
        link->flipped++;
    }
}

void link_lab_init(struct lab *lab, uint64_t seed)
{
    memset(lab, 0, sizeof(*lab));
    lab->digest = UINT64_C(0xcbf29ce484222325);
    lab->packets = calloc(LAB_QUEUE, sizeof(*lab->packets));
    assert_non_null(lab->packets);
    rng_init(&lab->rng, seed, 0);
    for (int i = 0; i < 2; i++) {
        lab->end[i] = (struct lab_end){lab, i};
        lab->link[i].delay_ns = 50 * LAB_MS;
        lab->link[i].down_from_ns = MOMENT_NEVER;
        struct host_config config = {
            .address = i == LAB_MOBILE ? 0x0a2d0001 : 0x0a2e0001,
            .emit = send,
            .arg = &lab->end[i],
            .seed = seed,
            .max_connections = 256,
            .max_listeners = 32,
            .max_timers = 32,
            .max_peers = 4,
        };
        lab->host[i] = host_new(&config);
        assert_non_null(lab->host[i]);
        lab->link[i].late_ns = 120 * LAB_MS;
    }
}

void link_lab_fini(struct lab *lab)
{
    for (int i = 0; i < 2; i++)
        host_free(lab->host[i]);
    free(lab->packets);
}

/* The packet that does something next: leaves its sender's queue, or arrives; *at_ns its instant. */
static struct lab_packet *next_packet(struct lab *lab, int64_t *at_ns)
{
    struct lab_packet *next = NULL;
    *at_ns = MOMENT_NEVER;
    for (uint32_t i = 0; i < lab->packet_count; i++) {
        struct lab_packet *p = &lab->packets[i];
        int64_t p_ns = p->has_left ? p->at_ns : p->leave_ns;
        if (p_ns > *at_ns || (p_ns == *at_ns && next && p->order > next->order))
            continue;
        next = p;
        *at_ns = p_ns;
    }
    return next;
}

static bool is_lost_at_end(struct lab_link *link, const struct lab_packet *p)
{
    struct ip_packet packet;
    if (!link->lose_one_in || ip_packet_decode(&packet, p->bytes, p->octets) < 0 || !packet.payload_octets)
        return false;
    return ++link->arrived % link->lose_one_in == 0;
}

static void move_packet(struct lab *lab, struct lab_packet *p)
{
    if (!p->has_left) {
        p->has_left = true;
        lab->link[!p->to].waiting--;
        return;
    }
    struct lab_packet arrived = *p;
    *p = lab->packets[--lab->packet_count];
    if (is_lost_at_end(&lab->link[!arrived.to], &arrived))
        return;
    host_rx(lab->host[arrived.to], arrived.bytes, arrived.octets, lab->now);
}

void link_lab_run(struct lab *lab, int64_t until)
{
    for (;;) {
        int64_t packet_ns;
        int64_t host_ns =
            host_step(lab->host[LAB_MOBILE], lab->now); /* which may set a timer of the server */
        host_ns = moment_min(host_ns, host_step(lab->host[LAB_SERVER], lab->now));
        struct lab_packet *p = next_packet(lab, &packet_ns);
        int64_t next_ns = moment_min(host_ns, packet_ns);
        if (next_ns == MOMENT_NEVER || next_ns > until)
            break;
        lab->now = moment_max(lab->now, next_ns);
        if (p && packet_ns <= lab->now)
            move_packet(lab, p);
    }
    if (until < LAB_RUN)
        lab->now = until;
}
