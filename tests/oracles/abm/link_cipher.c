/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ciphered I frames of two links against libosmocore, where the clauses are from other hands. INPUT of an I
 * frame is IOV-I + N(S) + OC (TS 44.064 annex A.2.1). OC, one for each direction, steps by 512 when N(S)
 * wraps; a repetition has that of the first transmission. Each frame that goes is deciphered by libosmocore
 * with an OC that is kept here; each that arrives by the receiving side, so that its FCS holds. Every seventh
 * I frame is lost.
 */
#include "dataplane/abm/link.h"
#include "dataplane/base/moment.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/wire/llc_fcs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAVE_OSMOCORE
#include <osmocom/crypt/gprs_cipher.h>
#endif

enum {
    EXIT_SKIP = 77,
    SLOTS = 16,
    N_PDU_OCTETS = 300,
    MOST_FRAME = 600,
    MOST_IN = 64,
    LOST = 7,
    COUNTS = 1600, /* three wraps */
    MOST_ROUNDS = 100000,
};

struct frame {
    uint8_t bytes[MOST_FRAME];
    uint16_t octets;
};

struct side {
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[SLOTS];
    void *stored[SLOTS];
    struct n_pdu n_pdu; /* sent over and over */
    uint8_t data[N_PDU_OCTETS];
    struct frame in[MOST_IN];
    unsigned in_count;
    uint32_t newest; /* N(S) + OC of the newest frame that went */
    unsigned long repeated, delivered;
};

static struct side sides[2]; /* 0: network */
static const struct gea_engine *engine;
static uint8_t key[GEA_KEY_OCTETS];
static unsigned long frames, wrong;
static unsigned algorithm;
static uint32_t iov;

static void ignore_n_pdu(void *unused_arg, struct n_pdu *unused_n_pdu)
{
    (void)unused_arg;
    (void)unused_n_pdu;
}

static void ignore_link(void *unused_arg, struct link *unused_link)
{
    (void)unused_arg;
    (void)unused_link;
}

static void ignore_frame(void *unused_arg, void *unused_frame)
{
    (void)unused_arg;
    (void)unused_frame;
}

static uint32_t same_iov(void *unused_arg, const struct link *unused_link)
{
    (void)unused_arg;
    (void)unused_link;
    return iov;
}

static void cipher(const struct side *sender, uint32_t count, uint8_t *at, size_t octets)
{
    struct gea_job job = {.key = key,
                          .data = at,
                          .input = sender->link.iov_i + count,
                          .octets = (uint16_t)octets,
                          .direction = sender == &sides[0] ? GEA_DOWNLINK : GEA_UPLINK};
    gea_cipher_burst(engine, &job, 1);
}

/* Whether libosmocore makes the clear octets of the ciphered ones. */
static bool osmocore_reads(struct side *sender, unsigned ns, const uint8_t *ciphered, const uint8_t *clear,
                           size_t octets)
{
    bool is_same = true;
#if HAVE_OSMOCORE
    uint8_t stream[MOST_FRAME];
    uint32_t ahead = (ns - sender->newest) % LLC_NU_MODULUS;
    uint32_t count = sender->newest + ahead - (ahead < LLC_NU_MODULUS / 2 ? 0 : LLC_NU_MODULUS);
    if (ahead < LLC_NU_MODULUS / 2)
        sender->newest = count;
    uint32_t input = gprs_cipher_gen_input_i(iov, ns, count - ns);
    gprs_cipher_run(stream, (uint16_t)octets, algorithm == 3 ? GPRS_ALGO_GEA3 : GPRS_ALGO_GEA4, key, input,
                    sender == &sides[0] ? GPRS_CIPH_SGSN2MS : GPRS_CIPH_MS2SGSN);
    for (size_t i = 0; i < octets; i++)
        is_same &= (ciphered[i] ^ stream[i]) == clear[i];
#endif
    return is_same;
}

static void put_fcs(struct frame *frame)
{
    uint32_t fcs = llc_fcs(frame->bytes, frame->octets);
    for (unsigned i = 0; i < LLC_FCS_OCTETS; i++)
        frame->bytes[frame->octets++] = (uint8_t)(fcs >> 8 * i);
}

static bool is_fcs_right(const struct frame *frame)
{
    size_t octets = frame->octets - (size_t)LLC_FCS_OCTETS;
    const uint8_t *at = frame->bytes + octets;
    return llc_fcs(frame->bytes, octets) == (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16);
}

/* --- both sides --- */

static void begin(struct side *side, bool is_network)
{
    *side = (struct side){.n_pdu = {.data = side->data, .octets = N_PDU_OCTETS}};
    memset(side->data, 0x5a, sizeof side->data);
    side->kind = (struct link_kind){
        .values = {.n201_i_octets = 200, .t200_ds = 50, .k_down = 8, .k_up = 8, .n200 = 10},
        .is_network = is_network,
        .hold = ignore_n_pdu,
        .let_go = ignore_n_pdu,
        .abandon = ignore_n_pdu,
        .opened = ignore_link,
        .failed = ignore_link,
        .drop = ignore_frame,
        .new_iov = is_network ? same_iov : NULL};
    link_init(&side->link, &side->kind, LLC_SAPI_DATA_3, side->sent, side->stored);
}

static void transmit(struct side *side, const struct link_frame *out)
{
    struct side *peer = &sides[side == &sides[0]];
    struct frame frame = {.octets = out->header_octets}, clear;
    memcpy(frame.bytes, out->header, out->header_octets);
    if (out->is_i)
        memcpy(frame.bytes + frame.octets, out->n_pdu->data + out->offset, out->payload_octets);
    frame.octets += out->payload_octets;
    put_fcs(&frame);
    if (out->is_i) {
        clear = frame;
        size_t octets = frame.octets - (size_t)out->clear_octets;
        unsigned ns = (out->header[1] & 0x1fU) << 4 | out->header[2] >> 4;
        cipher(side, out->count, frame.bytes + out->clear_octets, octets);
        wrong += !osmocore_reads(side, ns, frame.bytes + out->clear_octets, clear.bytes + out->clear_octets,
                                 octets);
        side->repeated += out->is_repeat;
        frames++;
    }
    if (peer->in_count < MOST_IN && (!out->is_i || frames % LOST != 0))
        peer->in[peer->in_count++] = frame;
}

static void take(struct side *side, struct frame *frame, int64_t now)
{
    struct llc_abm header;
    struct llc u;
    int at = llc_abm_decode(&header, frame->bytes, frame->octets);
    if (at > 0 && header.is_i) {
        uint32_t count = abm_count(&side->link.abm, header.ns);
        cipher(&sides[side == &sides[0]], count, frame->bytes + at, frame->octets - (size_t)at);
    }
    if (!is_fcs_right(frame)) {
        wrong++;
        return;
    }
    if (at > 0)
        link_receive(&side->link, &header, frame, frame->octets - (uint32_t)at - LLC_FCS_OCTETS, now);
    else if (llc_decode(&u, frame->bytes, frame->octets) == LLC_U_OCTETS)
        link_receive_u(&side->link, &u, frame->bytes + LLC_U_OCTETS, now);
    while (link_deliver_take(&side->link))
        side->delivered++;
}

static void round_of(struct side *side, int64_t *now)
{
    struct link_frame out;
    for (unsigned i = 0; i < side->in_count; i++)
        take(side, &side->in[i], *now);
    side->in_count = 0;
    while (link_can_send(&side->link, 2, N_PDU_OCTETS + SN_DATA_FIRST_OCTETS + SN_DATA_LATER_OCTETS)) {
        const struct link_segment first = {.n_pdu = &side->n_pdu, .payload_octets = 197, .nsapi = 5};
        const struct link_segment last = {&side->n_pdu, 197, N_PDU_OCTETS - 197, 5, true, false};
        side->n_pdu.is_numbered = false;
        link_send(&side->link, &first, *now, &out);
        transmit(side, &out);
        link_send(&side->link, &last, *now, &out);
        transmit(side, &out);
    }
    while (link_next_octets(&side->link) > 0)
        if (link_next(&side->link, *now, &out))
            transmit(side, &out);
}

static bool is_done(void)
{
    return sides[0].newest >= COUNTS && sides[1].newest >= COUNTS;
}

static void play(void)
{
    int64_t now = 0;
    frames = wrong = 0;
    begin(&sides[0], true);
    begin(&sides[1], false);
    link_establish(&sides[0].link, now);
    for (unsigned i = 0; i < MOST_ROUNDS && !is_done(); i++) {
        struct side *side = &sides[i & 1];
        round_of(side, &now);
        if (sides[0].in_count + sides[1].in_count > 0 || side->link.due_ns == MOMENT_NEVER)
            continue;
        now = moment_max(now, side->link.due_ns);
        link_expire(&side->link, now);
    }
    printf("%s, GEA%u, IOV-I %08x: %lu I frames, repeated %lu and %lu, delivered %lu and %lu, wrong %lu\n",
           engine->name, algorithm, iov, frames, sides[0].repeated, sides[1].repeated, sides[0].delivered,
           sides[1].delivered, wrong);
}

int main(void)
{
    static const uint32_t iovs[] = {0x1a2b3c4d, 0xfffffe80, 0};
    const char *ci = getenv("CI");
    if (!HAVE_OSMOCORE) {
        puts("libosmocore is not installed: it cannot judge");
        return ci && strcmp(ci, "true") == 0 ? EXIT_FAILURE : EXIT_SKIP;
    }
    bool is_right = true;
    llc_fcs_init();
    engine = gea_init(NULL, NULL);
    for (algorithm = 3; algorithm <= 4; algorithm++) {
        static const uint8_t kc[GEA_KEY_OCTETS] = {0x2b, 0xd6, 0x45, 0x9f, 0x82, 0xc5, 0xbc, 0,
                                                   1,    2,    3,    4,    5,    6,    7,    8};
        if (!engine || gea_key(key, algorithm, kc, algorithm == 3 ? 8 : 16) < 0)
            return EXIT_FAILURE;
        for (size_t i = 0; i < sizeof iovs / sizeof iovs[0]; i++) {
            iov = iovs[i];
            play();
            is_right &= wrong == 0 && is_done() && sides[0].repeated > 0 && sides[1].repeated > 0;
        }
    }
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
