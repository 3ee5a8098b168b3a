/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio_link.h"
#include "dataplane/base/moment.h"

#include <stdlib.h>

enum { RLC_BLOCKS = 2, WHOLE = 1, BOTH = 3, CERTAIN_PPM = 1000000 };

/* Part of a radio block: an RLC block, or half of one. */
struct part {
    uint64_t number;
    unsigned half; /* 0 also of a whole block */
    bool is_bad;
};

/* A radio block that is being filled. */
struct load {
    struct radio *radio;
    struct radio_flow *flow;
    enum radio_way way;
    enum radio_coding coding, command;
    bool is_repeated; /* a part of it */
    unsigned count;
    struct part parts[RLC_BLOCKS];
};

bool radio_link_add(struct radio *radio, struct radio_mobile *mobile, uint32_t tlli)
{
    link_quality_init(&mobile->quality, &radio->config.link, radio->seed, tlli);
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        struct radio_flow *flow = &mobile->flows[way];
        flow->link = calloc(1, sizeof(*flow->link) + flow->window * sizeof(flow->link->blocks[0]));
        if (!flow->link)
            return false;
        flow->link->quality = &mobile->quality;
        link_adaptation_init(&flow->link->adaptation, &radio->config.link);
    }
    return true;
}

static struct radio_link_block *block_of(const struct radio_flow *flow, uint64_t number)
{
    return &flow->link->blocks[number % flow->window];
}

static void forget_energy(struct radio_link_block *block)
{
    for (unsigned half = 0; half < RADIO_LINK_HALVES; half++)
        block->kept[half].coding = RADIO_CODINGS;
}

static bool can_split(const struct load *load)
{
    return load->radio->config.link.has_splits;
}

static enum radio_coding repeat_coding(const struct load *load, const struct radio_link_block *block)
{
    enum radio_coding first = (enum radio_coding)block->coding;
    return link_adaptation_repeat(first, block->is_split ? RADIO_MCS1 : load->command, can_split(load));
}

static void split(struct load *load, struct radio_link_block *block)
{
    block->is_split = true;
    block->missing = block->unsent = BOTH;
    forget_energy(block);
    load->radio->airs[load->way].link_stats.split_blocks++;
}

/* The first block to repeat, or the half of it whose turn it is, if the load's scheme is that of its
 * repetition. */
static bool take_repeat(struct load *load)
{
    uint64_t number = load->flow->repeats[load->flow->repeat_first].block;
    struct radio_link_block *block = block_of(load->flow, number);
    if (repeat_coding(load, block) != load->coding)
        return false;
    if (!block->is_split &&
        radio_coding_rlc_octets(load->coding) < radio_coding_rlc_octets((enum radio_coding)block->coding))
        split(load, block);
    unsigned half = block->unsent & WHOLE ? 0 : 1;
    block->unsent &= (uint8_t) ~(1u << half);
    if (!block->unsent)
        radio_flow_take_repeat(load->flow);
    load->parts[load->count++] = (struct part){.number = number, .half = half};
    load->is_repeated = true;
    return true;
}

static bool take_new(struct load *load, int64_t now)
{
    struct radio_flow *flow = load->flow;
    if (flow->next_block - flow->oldest_block >= flow->window ||
        !radio_flow_fill(load->radio, load->way, flow, radio_coding_rlc_octets(load->coding), now))
        return false;
    struct radio_link_block *block = block_of(flow, flow->next_block);
    *block = (struct radio_link_block){.coding = (uint8_t)load->coding, .missing = WHOLE};
    forget_energy(block);
    load->parts[load->count++] = (struct part){.number = flow->next_block++};
    return true;
}

/* Chooses the scheme and puts in what there is. */
static void radio_link_fill(struct load *load, int64_t now)
{
    struct radio_flow *flow = load->flow;
    load->coding = load->command;
    if (radio_flow_has_repeat(flow, now))
        load->coding = repeat_coding(load, block_of(flow, flow->repeats[flow->repeat_first].block));
    unsigned most = radio_coding_payload_octets(load->coding) / radio_coding_rlc_octets(load->coding);
    while (load->count < most)
        if (!(radio_flow_has_repeat(flow, now) && take_repeat(load)) && !take_new(load, now))
            break;
}

/* The probability that the part is not decoded, and what of it is kept. */
static uint32_t failure_ppm(const struct load *load, const struct part *part, int32_t ci_mdb)
{
    struct radio_link_block *block = block_of(load->flow, part->number);
    uint32_t bler_ppm = link_quality_bler_ppm(&load->radio->config.link, load->coding, ci_mdb),
             failure_ppm = bler_ppm;
    unsigned last = block->kept[part->half].coding;
    if (last != RADIO_CODINGS && !(block->coding == RADIO_MCS8 && last != load->coding)) {
        ci_mdb = link_quality_sum_mdb(block->kept[part->half].ci_mdb, ci_mdb);
        bler_ppm = failure_ppm = link_quality_bler_ppm(&load->radio->config.link, load->coding, ci_mdb);
        if (last == load->coding)
            failure_ppm = (uint32_t)((uint64_t)bler_ppm * CERTAIN_PPM / block->kept[part->half].bler_ppm);
        load->radio->airs[load->way].link_stats.combined_parts++;
    }
    if (load->radio->config.link.has_redundancy && load->coding >= RADIO_MCS1) {
        block->kept[part->half].coding = (uint8_t)load->coding;
        block->kept[part->half].ci_mdb = ci_mdb;
        block->kept[part->half].bler_ppm = bler_ppm;
    }
    return failure_ppm;
}

/* The part's round has ended: its block has arrived, or what is missing waits for the next round. */
static void end_round(const struct load *load, const struct part *part, int64_t now)
{
    struct radio_air *air = &load->radio->airs[load->way];
    struct radio_link_block *block = block_of(load->flow, part->number);
    if (!block->missing)
        radio_flow_accept(air, load->flow, part->number, now);
    else if (!block->unsent) {
        block->unsent = block->missing;
        radio_flow_put_repeat(load->flow, part->number,
                              load->flow->is_acked ? MOMENT_NEVER
                                                   : now + air->block_ns + air->config.retransmission_ns);
    }
}

static void carry(const struct load *load, struct part *part, int32_t ci_mdb, int64_t now)
{
    struct radio_air *air = &load->radio->airs[load->way];
    uint32_t ppm = failure_ppm(load, part, ci_mdb);
    part->is_bad = ppm && rng_chance_ppm(&air->rng, ppm);
    air->link_stats.parts++;
    air->link_stats.bad_parts += part->is_bad;
    if (!part->is_bad)
        block_of(load->flow, part->number)->missing &= (uint8_t) ~(1u << part->half);
    radio_air_tell(
        load->radio, load->way,
        &(struct radio_block){.tlli = load->flow->tlli, .number = part->number, .is_bad = part->is_bad}, now);
    end_round(load, part, now);
}

static void count(const struct load *load, bool is_bad)
{
    struct radio_air *air = &load->radio->airs[load->way];
    air->stats.blocks++;
    air->stats.repeated_blocks += load->is_repeated;
    air->stats.bad_blocks += is_bad;
    air->link_stats.radio_blocks[load->coding]++;
    air->link_stats.ci_sum_mdb += link_adaptation_filtered_mdb(&load->flow->link->adaptation);
    air->link_stats.ci_count++;
}

bool radio_link_send(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    struct radio_link_flow *link = flow->link;
    struct load load = {.radio = radio, .flow = flow, .way = way};
    bool is_bad = false;
    load.command = link_adaptation_turn(&link->adaptation, &radio->config, flow->open_ns, now);
    radio_link_fill(&load, now);
    if (!load.count)
        return false;
    int32_t ci_mdb = link_quality_ci_mdb(link->quality, &radio->quality, &radio->config.link, way, now);
    link_adaptation_sample(&link->adaptation, &radio->config, ci_mdb, now);
    flow->end_ns = now + radio_block_ns(&radio->config);
    for (unsigned i = 0; i < load.count; i++) {
        carry(&load, &load.parts[i], ci_mdb, now);
        is_bad |= load.parts[i].is_bad;
    }
    count(&load, is_bad);
    return true;
}
