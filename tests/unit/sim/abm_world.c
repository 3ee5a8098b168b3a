/* SPDX-License-Identifier: BSD-3-Clause */
/* The SGSN's side of a link in acknowledged mode, and time. */
#include "tests/unit/sim/abm_world.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "sim/ms_compression.h"
#include "sim/tcp_header.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static const struct compression_settings compression = {.entities = 1,
                                                        .slots = 16,
                                                        .codewords = 2048,
                                                        .string_octets = 20,
                                                        .directions =
                                                            COMPRESSION_UPLINK | COMPRESSION_DOWNLINK,
                                                        .is_acknowledged = true};

static const struct compression_params rfc1144 = {
    .nsapis = 1u << NSAPI, .slots = 16, .kind = COMPRESSION_RFC1144, .sapi = SAPI, .first = 1, .second = 2};

static const struct compression_params v42bis = {.nsapis = 1u << NSAPI,
                                                 .codewords = 2048,
                                                 .string_octets = 20,
                                                 .directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK,
                                                 .kind = COMPRESSION_V42BIS,
                                                 .sapi = SAPI,
                                                 .first = 1};

const struct link_values world_bounds = {
    .n201_i_octets = 500, .t200_ds = 10, .k_down = 16, .k_up = 8, .n200 = 15};

/* An N-PDU's octets follow from its number and way. */
static uint8_t octet_of(bool is_down, unsigned number, size_t place)
{
    return (uint8_t)(place == 0 ? number : place == 1 ? number >> 8 : place * 7 + number * 13 + is_down);
}

/* TCP over IPv4 where there is room for it: one connection. */
void world_fill(uint8_t *bytes, size_t octets, bool is_down, unsigned number)
{
    uint8_t payload[MS_STACK_NPDU_OCTETS];
    for (size_t i = 0; i < octets; i++)
        bytes[i] = payload[i] = octet_of(is_down, number, i);
    if (octets < IP_TCP)
        return;
    size_t packet = octets < IP_PACKET_MAX_OCTETS ? octets : IP_PACKET_MAX_OCTETS;
    struct ip_packet ip = {.ip = {.src = 1, .dst = 2, .id = (uint16_t)number, .proto = IPV4_PROTO_TCP},
                           .tcp = {.src_port = 80,
                                   .dst_port = (uint16_t)(1024 + is_down),
                                   .seq = number * 1000,
                                   .ack = number,
                                   .flags = TCP_ACK},
                           .payload = payload,
                           .payload_octets = (uint16_t)(packet - IP_TCP)};
    assert_int_equal(ip_packet_encode(bytes, octets, &ip), packet);
}

/* Sizes in turn: one segment, two, several, the longest. */
static size_t octets_of(unsigned number)
{
    static const size_t sizes[] = {40, 497, 498, 1500, 576, MS_STACK_NPDU_OCTETS, 3};
    return sizes[number % COUNT(sizes)];
}

/* --- the channel --- */

static void transmit(struct world *w, struct channel *channel, const uint8_t *bytes, size_t octets)
{
    assert_true(octets <= FRAME_OCTETS && channel->count < MOST_FRAMES);
    for (size_t i = 0; i < octets; i++)
        w->hash = (w->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    if ((w->loss_ppm && rng_chance_ppm(&w->rng, w->loss_ppm)) || (w->is_lost_up && channel == &w->up)) {
        w->lost++;
        return;
    }
    struct frame *frame = &channel->frames[(channel->first + channel->count++) % MOST_FRAMES];
    frame->at_ns = w->now + DELAY_MS * MS;
    frame->octets = octets;
    memcpy(frame->bytes, bytes, octets);
}

static void sends_up(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct world *w = arg;
    transmit(w, &w->up, llc_pdu, octets);
}

/* --- the SGSN's side of the link --- */

static void hold(void *arg, struct n_pdu *n_pdu)
{
    struct network *net = arg;
    net->references[n_pdu - net->n_pdus]++;
}

static void let_go(void *arg, struct n_pdu *n_pdu)
{
    struct network *net = arg;
    assert_true(--net->references[n_pdu - net->n_pdus] >= 0);
    if (net->references[n_pdu - net->n_pdus] > 0)
        return;
    free(n_pdu->comp ? net->whole[n_pdu - net->n_pdus] : n_pdu->data);
    if (n_pdu->comp)
        free(n_pdu->data);
}

static void pack(void *arg, struct n_pdu *n_pdu)
{
    struct network *net = arg;
    uint8_t image[MS_STACK_NPDU_OCTETS];
    struct compression_n_pdu out = {.data = image,
                                    .octets = n_pdu->octets,
                                    .sapi = SAPI,
                                    .nsapi = NSAPI,
                                    .is_acknowledged = true,
                                    .is_ip = true};
    memcpy(image, n_pdu->data, n_pdu->octets);
    compression_pack(net->entity, &net->scratch, &out);
    if (out.comp == 0)
        return;
    net->whole[n_pdu - net->n_pdus] = n_pdu->data;
    net->packed++;
    n_pdu->data = malloc(out.octets);
    memcpy(n_pdu->data, out.data, out.octets);
    n_pdu->octets = out.octets;
    n_pdu->comp = out.comp;
}

static void unpack(void *arg, struct n_pdu *n_pdu)
{
    struct network *net = arg;
    free(n_pdu->data);
    n_pdu->data = net->whole[n_pdu - net->n_pdus];
    n_pdu->octets = (uint16_t)octets_of((unsigned)(n_pdu - net->n_pdus));
    n_pdu->comp = 0;
}

static void nothing(void *unused_arg, struct link *unused_link)
{
}

static void opened(void *arg, struct link *unused_link)
{
    struct network *net = arg;
    compression_restart(net->entity, SAPI);
}

static void drop(void *unused_arg, void *frame)
{
    free(frame);
}

static uint32_t new_iov(void *arg, const struct link *unused_link)
{
    struct network *net = arg;
    return net->iov += UINT32_C(0x10001);
}

static void crypt(const struct world *w, uint8_t *bytes, size_t octets, uint32_t count, uint8_t direction)
{
    struct gea_job job = {.key = w->stack.key.key,
                          .data = bytes,
                          .input = w->net.link.iov_i + count,
                          .octets = (uint16_t)octets,
                          .direction = direction};
    if (w->stack.key.algorithm)
        gea_cipher_burst(w->stack.gea, &job, 1);
}

static void network_sends(struct world *w)
{
    struct link_frame out;
    uint8_t bytes[FRAME_OCTETS];
    link_expire(&w->net.link, w->now);
    while (link_next_octets(&w->net.link)) {
        if (!link_next(&w->net.link, w->now, &out))
            continue;
        size_t at = out.header_octets;
        memcpy(bytes, out.header, at);
        if (out.payload_octets)
            memcpy(bytes + at, out.n_pdu->data + out.offset, out.payload_octets);
        at += out.payload_octets;
        llc_fcs_put(bytes + at, llc_fcs(bytes, at));
        at += LLC_FCS_OCTETS;
        if (out.is_i)
            crypt(w, bytes + out.clear_octets, at - out.clear_octets, out.count, GEA_DOWNLINK);
        w->net.repeated += out.is_repeat;
        transmit(w, &w->down, bytes, at);
    }
}

static void check(const uint8_t *n_pdu, size_t octets, bool is_down, unsigned number)
{
    uint8_t expected[MS_STACK_NPDU_OCTETS];
    assert_int_equal(octets, octets_of(number));
    world_fill(expected, octets, is_down, number);
    assert_memory_equal(n_pdu, expected, octets);
}

static void take_n_pdu(struct network *net)
{
    struct compression_n_pdu in = {.data = net->room + ROOM,
                                   .octets = (uint16_t)net->octets,
                                   .sapi = SAPI,
                                   .nsapi = NSAPI,
                                   .comp = net->comp,
                                   .is_acknowledged = true};
    assert_int_equal(compression_unpack(net->entity, &net->scratch, &in, ROOM), COMPRESSION_DONE);
    check(in.data, in.octets, false, net->taken++);
}

static void take_segment(struct world *w, const uint8_t *info, size_t octets)
{
    struct network *net = &w->net;
    struct sn_data sn;
    int header = sn_data_decode(&sn, info, octets);
    assert_true(header > 0 && sn.nsapi == NSAPI);
    enum sn_fate fate = link_segment_take(&net->link, &sn);
    assert_true(fate != SN_ERROR);
    if (fate == SN_AGAIN)
        return;
    if (fate == SN_WHOLE || fate == SN_BEGIN) {
        net->octets = 0;
        net->comp = sn.comp;
    }
    memcpy(net->room + ROOM + net->octets, info + header, octets - (size_t)header);
    net->octets += octets - (size_t)header;
    if (fate == SN_WHOLE || fate == SN_END)
        take_n_pdu(net);
}

struct kept {
    size_t octets;
    uint8_t info[];
};

static void take_i(struct world *w, const struct llc_abm *header, struct frame *frame)
{
    unsigned clear = llc_abm_octets(header);
    size_t info = frame->octets - clear - LLC_FCS_OCTETS;
    crypt(w, frame->bytes + clear, frame->octets - clear, abm_count(&w->net.link.abm, header->ns),
          GEA_UPLINK);
    if (!llc_fcs_is_right(frame->bytes, clear, info, true))
        return; /* of the link before */
    struct kept *kept = malloc(sizeof(*kept) + info);
    kept->octets = info;
    memcpy(kept->info, frame->bytes + clear, info);
    if (!link_receive(&w->net.link, header, kept, (uint32_t)info, w->now).is_kept)
        free(kept);
    while ((kept = link_deliver_take(&w->net.link))) {
        take_segment(w, kept->info, kept->octets);
        free(kept);
    }
}

static void network_receives(struct world *w, struct frame *frame)
{
    struct llc llc;
    struct llc_abm abm;
    assert_true(llc_decode(&llc, frame->bytes, frame->octets) > 0 && llc.sapi == SAPI);
    if (llc.format == LLC_U) {
        assert_true(llc_fcs_is_right(frame->bytes, llc.header_octets, llc.info_octets, true));
        link_receive_u(&w->net.link, &llc, frame->bytes + llc.header_octets, w->now);
    } else if (w->net.link.state == LINK_ABM) {
        assert_true(llc_abm_decode(&abm, frame->bytes, frame->octets) > 0);
        assert_true(!abm.cr || !abm.is_i);
        if (abm.is_i)
            take_i(w, &abm, frame);
        else
            link_receive(&w->net.link, &abm, NULL, 0, w->now);
    }
}

void world_deliver(struct world *w, const struct frame *frame)
{
    size_t octets;
    uint16_t number;
    const uint8_t *n_pdu = ms_stack_receive(&w->stack, frame->bytes, frame->octets, &octets, &number, w->now);
    for (; n_pdu; n_pdu = ms_stack_receive_more(&w->stack, &octets, &number, w->now)) {
        check(n_pdu, octets, true, w->taken);
        assert_int_equal(number, w->taken++ % 256);
    }
}

/* --- time --- */

static bool arrive(struct world *w, struct channel *channel)
{
    if (channel->count == 0 || channel->frames[channel->first].at_ns > w->now)
        return false;
    struct frame *frame = &channel->frames[channel->first];
    channel->first = (channel->first + 1) % MOST_FRAMES;
    channel->count--;
    if (channel == &w->up)
        network_receives(w, frame);
    else
        world_deliver(w, frame);
    return true;
}

static int64_t due_of(const struct channel *channel)
{
    return channel->count ? channel->frames[channel->first].at_ns : MOMENT_NEVER;
}

/* Runs until nothing is due before `until_ns`. */
void world_run(struct world *w, int64_t until_ns)
{
    for (;;) {
        network_sends(w);
        if (ms_stack_due_ns(&w->stack) <= w->now)
            ms_stack_step(&w->stack, sends_up, w, w->now);
        int64_t next_ns = moment_min(moment_min(due_of(&w->up), due_of(&w->down)),
                                     moment_min(ms_stack_due_ns(&w->stack), w->net.link.due_ns));
        if (next_ns > until_ns)
            break;
        w->now = moment_max(next_ns, w->now);
        while (arrive(w, &w->up) || arrive(w, &w->down))
            ;
    }
    w->now = moment_max(w->now, until_ns == MOMENT_NEVER ? w->now : until_ns);
}

void world_put_down(struct world *w, unsigned number)
{
    struct n_pdu *n_pdu = &w->net.n_pdus[number];
    size_t octets = octets_of(number);
    *n_pdu = (struct n_pdu){.data = malloc(octets), .octets = (uint16_t)octets};
    world_fill(n_pdu->data, octets, true, number);
    w->net.references[number] = 1;
    link_put(&w->net.link, n_pdu, NSAPI);
    link_establish(&w->net.link, w->now);
}

bool world_put_up(struct world *w, unsigned number)
{
    uint8_t bytes[MS_STACK_NPDU_OCTETS];
    size_t octets = octets_of(number);
    world_fill(bytes, octets, false, number);
    return ms_stack_send(&w->stack, bytes, octets, sends_up, w, w->now);
}

void world_begin(struct world *w, uint8_t algorithm, uint32_t loss_ppm, uint64_t seed)
{
    *w = (struct world){.loss_ppm = loss_ppm};
    w->up.frames = calloc(MOST_FRAMES, sizeof(struct frame));
    w->down.frames = calloc(MOST_FRAMES, sizeof(struct frame));
    rng_init(&w->rng, seed, 0);
    w->stack =
        (struct ms_stack){.sapi = SAPI, .nsapi = NSAPI, .n201_u = 500, .gea = gea_init("portable", NULL)};
    w->stack.key = (struct llc_key){.algorithm = algorithm, .iov_ui = IOV_UI};
    for (size_t i = 0; algorithm && i < sizeof(w->stack.key.key); i++)
        w->stack.key.key[i] = (uint8_t)(algorithm * 17 + (algorithm == 3 ? i % 8 : i));
    ms_stack_acknowledge(&w->stack, &world_bounds);
    w->net.kind = (struct link_kind){.values = world_bounds,
                                     .is_network = true,
                                     .hold = hold,
                                     .let_go = let_go,
                                     .abandon = let_go,
                                     .opened = opened,
                                     .failed = nothing,
                                     .drop = drop,
                                     .pack = pack,
                                     .unpack = unpack,
                                     .packs_again = true,
                                     .new_iov = new_iov,
                                     .arg = &w->net};
    link_init(&w->net.link, &w->net.kind, SAPI, w->net.sent, w->net.stored);
}

void world_end(struct world *w)
{
    link_empty(&w->net.link, NULL);
    for (unsigned i = 0; i < MOST_NPDUS; i++)
        assert_int_equal(w->net.references[i], 0);
    compression_pool_free(&w->net.pool);
    compression_scratch_free(&w->net.scratch);
    ms_stack_fini(&w->stack);
    free(w->up.frames);
    free(w->down.frames);
}

static void compress(struct world *w, const struct compression_params *params)
{
    ms_stack_compress(&w->stack, &compression);
    assert_true(ms_compression_set(w->stack.compression, params));
    assert_true(compression_pool_new(&w->net.pool, &compression));
    assert_true(compression_scratch_new(&w->net.scratch, &compression));
    w->net.entity = compression_pool_take(&w->net.pool, params->kind);
    compression_start(w->net.entity, params, true);
}

void world_compress(struct world *w)
{
    compress(w, &rfc1144);
}

void world_compress_data(struct world *w)
{
    compress(w, &v42bis);
}
