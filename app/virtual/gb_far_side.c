/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/virtual/gb_far_side.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <stdlib.h>
#include <string.h>

static uint32_t mix(uint32_t hash, uint32_t word)
{
    uint64_t product = (uint64_t)(hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(product >> 32);
}

/* Fragments have no ports; all fragments of a datagram must get the same hash. */
static uint32_t hash_of(const uint8_t *bytes, const struct ipv4 *ip, bool is_in_turn)
{
    struct udp udp;
    uint32_t hash = mix(mix(0, ip->src), ip->dst);
    if (ipv4_is_fragment(ip))
        return is_in_turn ? mix(hash, ip->id) : hash;
    bool has_ports = ip->proto == IPV4_PROTO_UDP && udp_decode(&udp, bytes, ip->payload_octets) >= 0;
    return has_ports ? mix(hash, (uint32_t)udp.src_port << 16 | udp.dst_port) : hash;
}

unsigned gb_far_side_deal(struct deal *deal, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct ipv4 ip = {0};
    int header = -1, offset = deal->workers > 1 ? ether_decode(&ether, frame, octets) : -1;
    if (offset >= 0 && ether.type == ETHER_TYPE_IPV4)
        header = ipv4_decode(&ip, frame + offset, octets - (size_t)offset);
    if (header < 0)
        return 0;
    if (deal->is_in_turn && !ipv4_is_fragment(&ip))
        return deal->next++ % deal->workers;
    return hash_of(frame + offset + header, &ip, deal->is_in_turn) % deal->workers;
}

/* --- callbacks of a BSS, passed to the options' bss_ops --- */

static struct gb_far_side *far_of(void *arg)
{
    const struct gb_wire_tap *tap = arg;
    return (struct gb_far_side *)(void *)tap->wire; /* its first member */
}

static void on_delivery(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                        int64_t now)
{
    struct gb_far_side *far = far_of(arg);
    const struct gb_wire_tap *tap = arg;
    far->delivering = far->wire.bsses[tap->bss];
    far->delivered++;
    if (far->ops.deliver)
        far->ops.deliver(far->ops.arg, bvci, tlli, llc_pdu, octets, now);
}

static void on_down(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now)
{
    struct gb_far_side *far = far_of(arg);
    if (far->ops.on_down)
        far->ops.on_down(far->ops.arg, bvci, tlli, llc_pdu, octets, now);
}

static void on_discard(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                       int64_t now)
{
    struct gb_far_side *far = far_of(arg);
    if (far->ops.on_discard)
        far->ops.on_discard(far->ops.arg, bvci, reason, frame, now);
}

static void on_block(void *arg, uint16_t bvci, const struct radio_block *block, int64_t now)
{
    struct gb_far_side *far = far_of(arg);
    far->ops.on_block(far->ops.arg, bvci, block, now);
}

/* --- from the configuration to the BSSs --- */

static struct area area_of(const struct node_config_cell *cell)
{
    struct area area = {.lac = cell->lac, .rac = cell->rac, .ci = cell->ci};
    memcpy(area.mcc, cell->mcc, sizeof(area.mcc));
    memcpy(area.mnc, cell->mnc, sizeof(area.mnc));
    return area;
}

static bool is_of(const struct node_config *config, const struct node_config_announcement *a, uint32_t nse)
{
    return config->cells[a->cell].nse == nse;
}

/* Memory for the configuration of one NSE. */
struct scratch {
    struct bss_cell_config *cells;
    struct bss_ms_announcement *ms;
    uint16_t *nsvcis;
    const struct radio_config *radios;
    const struct bss_policy *policies;
    const struct bss_calls_config *calls;
};

/* Collects the cells of one NSE with their announcements. */
static unsigned collect_cells(const struct node_config *config, uint32_t nse, struct scratch *scratch)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < config->announcement_count; i++) {
        const struct node_config_announcement *a = &config->announcements[i];
        if (!is_of(config, a, nse))
            continue;
        scratch->cells[count++] = (struct bss_cell_config){
            .bvci = config->cells[a->cell].bvci,
            .cell_id = area_of(&config->cells[a->cell]),
            .bvc = {a->bucket_octets, a->rate_bps},
            .ms_default = {a->ms_bucket_octets, a->ms_rate_bps},
            .pfc = {a->pfc_bucket_octets, a->pfc_rate_bps},
            .announce_every_ns = a->every_ns,
            .has_measurement = a->has_measurement,
            .has_level = a->has_level,
            .ms = scratch->ms + a->first_ms,
            .ms_count = a->ms_count,
            .radio = scratch->radios ? &scratch->radios[a->cell] : NULL,
            .policy = scratch->policies ? scratch->policies[a->cell] : (struct bss_policy){0},
            .calls =
                scratch->calls && scratch->calls[a->cell].calls.channels ? &scratch->calls[a->cell] : NULL,
        };
    }
    return count;
}

static void collect_ms(const struct node_config *config, struct bss_ms_announcement *ms)
{
    for (uint32_t i = 0; i < config->announced_ms_count; i++) {
        const struct node_config_announced_ms *a = &config->announced_ms[i];
        ms[i] = (struct bss_ms_announcement){.tlli = a->tlli,
                                             .bucket = {a->bucket_octets, a->rate_bps},
                                             .at_ns = a->at_ns,
                                             .by_coding = a->by_coding};
    }
}

/* Collects the NS-VCs of one NSE: as ends of the wire to BSS number `bss`, and as the BSS's list of NS-VCIs.
 */
static unsigned collect_nsvcs(struct gb_wire *wire, const struct node_config *config, uint32_t nse,
                              uint16_t *nsvcis)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < config->nsvc_count; i++) {
        const struct node_config_nsvc *nsvc = &config->nsvcs[i];
        if (nsvc->nse != nse)
            continue;
        struct gb_wire_end *end = &wire->ends[wire->end_count++];
        *end = (struct gb_wire_end){
            .sgsn_ip = config->gb.address,
            .bss_ip = nsvc->address,
            .sgsn_port = config->gb.udp_port,
            .bss_port = nsvc->udp_port,
            .bss = wire->bss_count,
            .nsvc = count,
            .port = node_config_worker_of_nsvc(config, i),
        };
        memcpy(end->sgsn_mac, config->gb.mac, sizeof(end->sgsn_mac));
        memcpy(end->bss_mac, nsvc->mac, sizeof(end->bss_mac));
        nsvcis[count++] = nsvc->nsvci;
    }
    return count;
}

static bool make_bss(struct gb_far_side *far, const struct node_config *config, uint32_t nse,
                     struct scratch *scratch)
{
    struct gb_wire *wire = &far->wire;
    struct bss_config bss = {
        .nsei = config->nses[nse].nsei, .nsvcis = scratch->nsvcis, .cells = scratch->cells};

    bss.cell_count = collect_cells(config, nse, scratch);
    if (bss.cell_count == 0)
        return true;
    bss.nsvc_count = collect_nsvcs(wire, config, nse, scratch->nsvcis);
    struct gb_wire_tap *tap = &far->taps[wire->bss_count];
    *tap = (struct gb_wire_tap){.wire = wire, .bss = wire->bss_count};
    struct bss_ops ops = {.arg = tap,
                          .send = gb_wire_send,
                          .deliver = on_delivery,
                          .on_down = on_down,
                          .on_discard = on_discard,
                          .on_block = far->ops.on_block ? on_block : NULL};
    wire->bsses[wire->bss_count] = bss_new(&bss, &ops);
    return wire->bsses[wire->bss_count++] != NULL;
}

bool gb_far_side_new(struct gb_far_side *far, const struct node_config *config, struct vport *ports,
                     struct capture_writer *capture, const struct gb_far_side_options *options)
{
    struct scratch scratch = {
        .radios = options->radios,
        .policies = options->policies,
        .calls = options->calls,
        .cells = calloc(config->announcement_count + 1, sizeof(*scratch.cells)),
        .ms = calloc(config->announced_ms_count + 1, sizeof(*scratch.ms)),
        .nsvcis = calloc(config->nsvc_count, sizeof(*scratch.nsvcis)),
    };
    *far = (struct gb_far_side){.wire = {.ports = ports, .capture = capture}, .ops = options->ops};
    far->wire.port_count = node_config_workers(config);
    far->wire.is_in_turn = options->is_in_turn;
    gb_wire_init(&far->wire, options->delay_ns);
    far->taps = calloc(config->nse_count, sizeof(*far->taps));
    far->wire.bsses = calloc(config->nse_count, sizeof(*far->wire.bsses));
    far->wire.ends = calloc(config->nsvc_count, sizeof(*far->wire.ends));
    bool is_made =
        scratch.cells && scratch.ms && scratch.nsvcis && far->taps && far->wire.bsses && far->wire.ends;
    if (is_made)
        collect_ms(config, scratch.ms);
    for (uint32_t nse = 0; is_made && nse < config->nse_count; nse++)
        is_made = make_bss(far, config, nse, &scratch);
    free(scratch.cells);
    free(scratch.ms);
    free(scratch.nsvcis);
    if (!is_made)
        gb_far_side_free(far);
    return is_made;
}

void gb_far_side_free(struct gb_far_side *far)
{
    for (unsigned i = 0; i < far->wire.bss_count; i++)
        bss_free(far->wire.bsses[i]);
    gb_wire_fini(&far->wire);
    free(far->wire.bsses);
    free(far->wire.ends);
    free(far->taps);
    *far = (struct gb_far_side){0};
}

struct bss *gb_far_side_bss(const struct gb_far_side *far, const struct node_config *config, uint16_t cell)
{
    unsigned bss = 0;
    for (uint32_t nse = 0; nse <= config->cells[cell].nse; nse++) {
        bool is_emulated = false;
        for (uint32_t i = 0; i < config->announcement_count && !is_emulated; i++)
            is_emulated = is_of(config, &config->announcements[i], nse);
        if (is_emulated && nse == config->cells[cell].nse)
            return far->wire.bsses[bss];
        bss += is_emulated;
    }
    return NULL;
}
