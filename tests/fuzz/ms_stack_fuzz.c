/* SPDX-License-Identifier: BSD-3-Clause */
/* The mobile's LLC and SNDCP: frames with a right FCS, and what one mobile sends read back by another. */
#include "sim/ms_compression.h"
#include "sim/ms_offer.h"
#include "sim/ms_stack.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { FRAME_OCTETS = 2048, IS_ACKNOWLEDGED = 0x8000, IS_COMPRESSED = 0x4000, NSAPI = 5 };

#define SECOND_NS INT64_C(1000000000)

static const struct link_values most = {
    .n201_i_octets = 1503, .t200_ds = 10, .k_down = 16, .k_up = 8, .n200 = 3};

static const struct compression_settings settings = {
    .entities = 1, .slots = 16, .codewords = 512, .string_octets = 250, .directions = 3};

static const struct compression_params entities[] = {
    {.nsapis = 1 << NSAPI, .slots = 16, .kind = COMPRESSION_RFC1144, .sapi = 3, .first = 1, .second = 2},
    {.nsapis = 1 << NSAPI,
     .codewords = 512,
     .string_octets = 250,
     .directions = 3,
     .kind = COMPRESSION_V42BIS,
     .sapi = 3,
     .first = 1},
};

static struct ms_stack sender, receiver;
static const uint8_t *whole; /* the N-PDU to be received */

/* Returns the N-PDU that the frame completes, as ms_stack_receive() does. */
static const uint8_t *receive(struct ms_stack *s, const uint8_t *frame, size_t octets)
{
    size_t n_pdu_octets = SIZE_MAX;
    uint16_t number = UINT16_MAX;
    uint64_t frames = s->llc_frames, npdus = s->npdus;
    const uint8_t *n_pdu = ms_stack_receive(s, frame, octets, &n_pdu_octets, &number, 0);
    FUZZ_CHECK(s->llc_frames == frames + 1 && s->npdus == npdus + (n_pdu != NULL));
    FUZZ_CHECK(s->octets <= MS_STACK_NPDU_OCTETS && s->next_segment <= 16);
    bool is_inside = n_pdu && n_pdu >= frame && n_pdu + n_pdu_octets <= frame + octets;
    FUZZ_CHECK(!n_pdu || ((n_pdu == s->n_pdu || is_inside || s->compression) &&
                          n_pdu_octets <= MS_STACK_NPDU_OCTETS && number < 4096));
    return n_pdu;
}

static void put_right_fcs(uint8_t *frame, size_t octets)
{
    struct llc llc;
    int header = llc_decode(&llc, frame, octets);
    if (header < 0)
        return;
    size_t covered = llc_fcs_covered_octets((size_t)header, llc.info_octets, llc.pm);
    llc_fcs_put(frame + octets - LLC_FCS_OCTETS, llc_fcs(frame, covered));
}

static void check_uplink(void *arg, const uint8_t *frame, size_t octets)
{
    struct llc llc;
    FUZZ_CHECK(llc_decode(&llc, frame, octets) > 0 && llc.sapi == ((const struct ms_stack *)arg)->sapi);
}

/* In acknowledged mode: any frame, and what the mobile answers; its timers a second later. */
static void receive_acknowledged(struct ms_stack *s, const uint8_t *frame, size_t octets, int64_t now)
{
    size_t n_pdu_octets;
    uint16_t number;
    uint64_t npdus = s->npdus, frames = 0;
    const uint8_t *n_pdu = ms_stack_receive(s, frame, octets, &n_pdu_octets, &number, now);
    for (; n_pdu; n_pdu = ms_stack_receive_more(s, &n_pdu_octets, &number, now), frames++)
        FUZZ_CHECK(n_pdu_octets <= MS_STACK_NPDU_OCTETS && number < 4096);
    FUZZ_CHECK(s->npdus == npdus + frames);
    ms_stack_step(s, check_uplink, s, now + SECOND_NS);
    FUZZ_CHECK(ms_stack_due_ns(s) > now + SECOND_NS);
}

/* Uplink frames, turned round into commands of the network. */
static void reflect(void *arg, const uint8_t *frame, size_t octets)
{
    uint8_t copy[MS_STACK_LLC_OCTETS];
    FUZZ_CHECK(octets <= sizeof copy && octets <= (size_t)sender.n201_u + LLC_UI_OCTETS + LLC_FCS_OCTETS);
    memcpy(copy, frame, octets);
    copy[0] |= 0x40;
    put_right_fcs(copy, octets);
    const uint8_t *n_pdu = receive(arg, copy, octets);
    FUZZ_CHECK(!n_pdu || memcmp(n_pdu, whole, receiver.octets) == 0);
}

static void check_round_trip(const uint8_t *n_pdu, size_t octets)
{
    uint64_t npdus = receiver.npdus;
    whole = n_pdu;
    bool is_sent = ms_stack_send(&sender, n_pdu, octets, reflect, &receiver, 0);
    FUZZ_CHECK(is_sent == (octets <= MS_STACK_NPDU_OCTETS));
    FUZZ_CHECK(receiver.npdus == npdus + is_sent && receiver.holes == 0 && receiver.bad_frames == 0);
    FUZZ_CHECK(!is_sent || receiver.octets == octets);
}

static void compress(struct ms_stack *s)
{
    ms_offer_begin(s, &settings, 0);
    ms_offer_step(s, check_uplink, s, 0);
    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
        FUZZ_CHECK(ms_compression_set(s->compression, &entities[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    struct ms_stack stack = {.sapi = 3, .nsapi = 5, .n201_u = 500};
    sender = receiver = stack;
    size_t first = fuzz_take(&input, 2);
    int64_t now = 0;
    sender.n201_u = (uint16_t)(140 + first % 1381);
    if (first & IS_ACKNOWLEDGED)
        ms_stack_acknowledge(&stack, &most);
    if (first & IS_COMPRESSED)
        compress(&stack);
    while (input.left > 0) {
        size_t octets, wanted = fuzz_take(&input, 2);
        bool is_fixed = !(wanted & 0x8000), is_n_pdu = wanted & 0x4000;
        const uint8_t *block = fuzz_take_block(&input, wanted % FRAME_OCTETS, &octets);
        if (is_n_pdu && stack.link) {
            bool is_sent = ms_stack_send(&stack, block, octets, check_uplink, &stack, now);
            FUZZ_CHECK(is_sent || octets > MS_STACK_NPDU_OCTETS || stack.counts.queue_full);
            continue;
        }
        if (is_n_pdu) {
            check_round_trip(block, octets);
            continue;
        }
        uint8_t *frame = fuzz_copy(block, octets);
        if (is_fixed)
            put_right_fcs(frame, octets);
        if (stack.link)
            receive_acknowledged(&stack, frame, octets, now += 2 * SECOND_NS);
        else
            receive(&stack, frame, octets);
        free(frame);
    }
    ms_stack_fini(&stack);
    ms_stack_fini(&receiver);
    return 0;
}
