/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two sides of a link (abm/link.h), N-PDUs of 1 to 1500 octets on four NSAPIs both ways, and a channel that
 * loses, repeats and reorders LLC-PDUs, but I and S frames only between the same U frames; a trace of all
 * that they do, for link_judge.py.
 *
 * usage: link_play --frames N --seed N [--loss PER_MILLE] [--pcap FILE]
 *
 * A line: what, side (0: network), values. VALUES: N201-I mD mU T200 kD kU N200.
 *
 *     P SIDE PUTS VALUES        what the side proposes and allows; PUTS 1: all N-PDUs wait in the link
 *     M SIDE ID NSAPI OCTETS    an N-PDU is made
 *     E SIDE                    it asks for acknowledged mode
 *     L SIDE                    it ends it
 *     Z SIDE KEPT               its link is emptied; KEPT 1: what is not confirmed is put again
 *     G NSAPI                   both sides give a context up
 *     V VALUES                  XID bounds what is in force of both
 *     K SIDE                    all its frames are lost, and it knows
 *     O SIDE HEX [ID OFFSET OCTETS ADLER COUNT REPEATED]    a frame goes: headers without FCS
 *     R SIDE HEX OCTETS         one arrives: U frames whole, of others the LLC header; information behind HEX
 *     T SIDE                    its timer runs out
 *     H SIDE NS                 until the timer runs out now; -1: none runs
 *     + SIDE IOV VALUES         callback opened
 *     F SIDE, A SIDE ID         callbacks failed, abandon
 *     S SIDE FATE               a segment's fate
 *     U SIDE NSAPI OCTETS ADLER an N-PDU is delivered
 *     Q ALIVE ALIVE             the end: N-PDUs and frames that the sides still have
 */
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/oracles/abm/link_party.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_FLIGHT = 96, REACH = 8, CALM = 2000000, BURST = 8, STEP_NS = 1000000, LINK_TYPE_USER_0 = 147 };

struct way {
    struct packet packets[IN_FLIGHT];
    unsigned count;
};

static struct party parties[2];
static struct way ways[2]; /* to the side of this index */
static struct rng rng;
static unsigned loss_per_mille, changes_per_myriad;
static unsigned long frames;
static int64_t now;
static bool is_calm; /* nothing is lost, and no new N-PDU is made */
static FILE *pcap;

static bool chance(unsigned per_mille)
{
    return rng_below(&rng, 1000) < per_mille;
}

/* --- the capture --- */

static void write_words(const uint32_t *words, size_t count)
{
    fwrite(words, sizeof *words, count, pcap);
}

static void open_pcap(const char *path)
{
    const uint32_t header[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, LINK_TYPE_USER_0};
    pcap = fopen(path, "wb");
    if (!pcap) {
        perror(path);
        exit(1);
    }
    write_words(header, 6);
}

static void write_packet(const struct packet *packet)
{
    const uint32_t header[] = {(uint32_t)(now / MOMENT_SECOND), 0, packet->octets, packet->octets};
    write_words(header, 4);
    fwrite(packet->bytes, 1, packet->octets, pcap);
}

/* --- the channel --- */

static void transmit(struct party *party, const struct packet *packet)
{
    struct way *way = &ways[1 - party->index];
    frames++;
    if (pcap)
        write_packet(packet);
    if (way->count == IN_FLIGHT)
        return;
    way->packets[way->count] = *packet;
    way->packets[way->count++].is_copied = !is_calm && chance(100);
}

/* Which of the LLC-PDUs arrives next: none is overtaken by a U frame, or overtakes one. */
static unsigned choose(const struct way *way)
{
    unsigned reach = 0;
    while (reach < way->count && reach < REACH && !way->packets[reach].is_u)
        reach++;
    return !is_calm && reach > 0 && chance(300) ? (unsigned)rng_below(&rng, reach) : 0;
}

static void arrive(struct party *party)
{
    struct way *way = &ways[party->index];
    if (way->count == 0)
        return;
    unsigned at = choose(way);
    struct packet packet = way->packets[at];
    if (packet.is_copied) {
        way->packets[at].is_copied = false;
    } else {
        way->count--;
        memmove(&way->packets[at], &way->packets[at + 1], (way->count - at) * sizeof packet);
    }
    if (is_calm || !chance(loss_per_mille))
        party_take(party, &packet, now);
}

/* --- events --- */

static bool is_quiet(void)
{
    for (unsigned i = 0; i < 2; i++)
        if (ways[i].count > 0 || link_next_octets(&parties[i].link) > 0)
            return false;
    return true;
}

static void run_out(struct party *party)
{
    if (party->link.due_ns == MOMENT_NEVER || !(is_quiet() || (!is_calm && chance(2))))
        return;
    now = moment_max(now, party->link.due_ns);
    printf("T %u\n", party->index);
    link_expire(&party->link, now);
    party_say_due(party, now);
}

static void change_cell(void)
{
    ways[0].count = ways[1].count = 0;
    for (unsigned i = 0; i < 2; i++) {
        printf("K %u\n", i);
        link_lost(&parties[i].link, true);
    }
}

/* Frames that carry the old context's N-PDUs must not reach the new one: one side establishes again. */
static void change_context(struct party *party)
{
    unsigned nsapi = LINK_NSAPI_MIN + (unsigned)rng_below(&rng, PARTY_NSAPIS);
    ways[0].count = ways[1].count = 0;
    printf("G %u\n", nsapi);
    party_forget(&parties[0], nsapi);
    party_forget(&parties[1], nsapi);
    party_empty(party, true);
    printf("E %u\n", party->index);
    link_establish(&party->link, now);
    party_say_due(party, now);
}

static void bound_both(void)
{
    struct link_values v = parties[0].link.values;
    if (parties[0].link.state != LINK_ABM || parties[1].link.state != LINK_ABM)
        return;
    v.n201_i_octets = (uint16_t)rng_between(&rng, 140, v.n201_i_octets);
    v.k_down = (uint8_t)rng_between(&rng, 1, v.k_down);
    v.k_up = (uint8_t)rng_between(&rng, 1, v.k_up);
    printf("V %u %u %u %u %u %u %u\n", v.n201_i_octets, v.m_down, v.m_up, v.t200_ds, v.k_down, v.k_up,
           v.n200);
    link_bound(&parties[0].link, &v);
    link_bound(&parties[1].link, &v);
}

static void disturb(struct party *party)
{
    unsigned what = (unsigned)rng_below(&rng, 8);
    if (rng_below(&rng, 10000) >= changes_per_myriad)
        return;
    if (what == 0) {
        printf("L %u\n", party->index);
        link_release(&party->link, now);
    } else if (what <= 2) {
        party_empty(party, what == 1);
    } else if (what == 3) {
        change_context(party);
    } else if (what == 4) {
        bound_both();
    } else if (what == 5) {
        link_lost(&party->link, false);
    } else {
        change_cell();
    }
    party_say_due(party, now);
}

static void make(struct party *party)
{
    unsigned long waiting = 0;
    for (const struct n_pdu *n = party->waiting.head; n; n = n->next)
        waiting++;
    for (const struct n_pdu *n = party->link.queue.head; n; n = n->next)
        waiting++;
    if (waiting >= PARTY_MOST_WAITING)
        return;
    unsigned nsapi = LINK_NSAPI_MIN + (unsigned)rng_below(&rng, PARTY_NSAPIS);
    unsigned most = chance(500) ? 60 : PARTY_N_PDU_OCTETS;
    party_make(party, nsapi, (unsigned)rng_between(&rng, 1, most), now);
}

static void step(void)
{
    struct party *party = &parties[rng_below(&rng, 2)];
    now += STEP_NS;
    if (!is_calm) {
        disturb(party);
        if (chance(250))
            make(party);
    }
    if (party->link.state == LINK_ADM && !party_is_idle(party) && (is_calm || chance(20))) {
        printf("E %u\n", party->index);
        link_establish(&party->link, now);
        party_say_due(party, now);
    }
    if (chance(500))
        party_send(party, 1 + (unsigned)rng_below(&rng, BURST), now);
    arrive(party);
    arrive(&parties[rng_below(&rng, 2)]);
    run_out(party);
}

static unsigned long option(int argc, char **argv, const char *name, unsigned long otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return strtoul(argv[i + 1], NULL, 10);
    return otherwise;
}

static void play(unsigned long wanted)
{
    unsigned long left = CALM;
    while (frames < wanted)
        step();
    is_calm = true;
    for (; left > 0 && !(party_is_idle(&parties[0]) && party_is_idle(&parties[1])); left--)
        step();
    link_empty(&parties[0].link, NULL);
    link_empty(&parties[1].link, NULL);
    printf("Q %ld %ld\n", parties[0].alive, parties[1].alive);
}

int main(int argc, char **argv)
{
    unsigned long seed = option(argc, argv, "--seed", 1);
    loss_per_mille = (unsigned)option(argc, argv, "--loss", 300);
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--pcap") == 0)
            open_pcap(argv[i + 1]);
    llc_fcs_init();
    rng_init(&rng, seed, 0);
    changes_per_myriad = (unsigned[]){0, 4, 40, 40}[seed % 4]; /* without any, N(S) wraps */
    for (unsigned i = 0; i < 2; i++) {
        party_init(&parties[i], i, seed);
        parties[i].transmit = transmit;
    }
    play(option(argc, argv, "--frames", 10000));
    if (pcap)
        fclose(pcap);
    return 0;
}
