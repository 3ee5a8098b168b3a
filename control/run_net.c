/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a packet outside the SGSN:
 *   server -> internet_down -> GGSN (Gi capture) -> gn_down (Gn capture) -> the worker's Gn port
 *   cell's radio -> mobile's LLC and SNDCP -> mobile's host
 * and back:
 *   mobile's host -> air_up -> SNDCP, LLC -> radio -> Gb -> worker -> gn_up -> GGSN -> internet_up -> server
 */
#include "control/run.h"

#include "dataplane/wire/ipv4.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

#define SERVER_CONNECTIONS_PER_MOBILE 64
#define SERVER_LISTENERS_PER_MOBILE   24
#define MOBILE_CONNECTIONS            256
#define MOBILE_LISTENERS              24
#define TIMERS                        24

/* --- mobiles by what stands in a packet
 * ------------------------------------------------------------------------------- */

/* Addresses and TLLIs of a scenario count up with the mobile's index. */
static struct run_mobile *by_address(struct run *r, uint32_t address)
{
    uint32_t i = address - r->scenario.mobiles[0].address;
    bool is_there = i < r->scenario.mobile_count && r->scenario.mobiles[i].address == address;
    return is_there ? &r->mobiles[i] : NULL;
}

static struct run_mobile *by_tlli(struct run *r, uint32_t tlli)
{
    uint32_t i = tlli - r->scenario.mobiles[0].tlli;
    bool is_there = i < r->scenario.mobile_count && r->scenario.mobiles[i].tlli == tlli;
    return is_there ? &r->mobiles[i] : NULL;
}

/* --- downlink
 * ---------------------------------------------------------------------------------------------------------
 */

static void server_emits(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run *r = arg;
    struct ipv4 ip;
    struct run_mobile *mobile = ipv4_decode(&ip, packet, octets) >= 0 ? by_address(r, ip.dst) : NULL;

    if (mobile)
        flight_begin(&mobile->flight, ip.id, now);
    delay_line_put(&r->internet_down, packet, octets, now);
}

/* Gi is captured as Ethernet, like everything else. */
static void capture_gi(struct run *r, const uint8_t *packet, size_t octets, int64_t now)
{
    static const uint8_t header[14] = {0x02, 0, 0, 0, 0, 0x31, 0x02, 0, 0, 0, 0, 0x30, 0x08, 0x00};
    uint8_t frame[GGSN_FRAME_OCTETS];

    if (!r->gi.file || octets + sizeof(header) > sizeof(frame))
        return;
    memcpy(frame, header, sizeof(header));
    memcpy(frame + sizeof(header), packet, octets);
    pcapng_write(&r->gi, now, frame, sizeof(header) + octets);
}

static void reaches_ggsn(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run *r = arg;
    uint8_t frame[GGSN_FRAME_OCTETS];

    capture_gi(r, packet, octets, now);
    size_t frame_octets = ggsn_encapsulate(&r->ggsn, packet, octets, frame);
    if (frame_octets > 0)
        delay_line_put(&r->gn_down, frame, frame_octets, now);
}

static void reaches_sgsn(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct run *r = arg;
    if (r->gn.file)
        pcapng_write(&r->gn, now, frame, octets);
    if (vport_push(&r->node.gn, frame, octets) < 0)
        r->lost_on_gn++;
}

static void comes_to_bss(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, tlli);
    if (mobile)
        bss_account_down(&mobile->account, llc_pdu, octets);
}

static void dies_in_bss(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                        int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, frame->tlli);
    if (mobile)
        bss_account_discard(&mobile->account, frame->llc_pdu, frame->octets,
                            reason == RADIO_DISCARD_LIFETIME ? BSS_ACCOUNT_LIFETIME : BSS_ACCOUNT_FULL);
}

/* delay_s: from the sender's emission to complete delivery at the mobile's IP layer. */
static void note_delay(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run *r = mobile->run;
    struct ipv4 ip;
    char of[SCENARIO_CONFIG_NAME_CHARS + 24];
    int64_t emitted_ns =
        ipv4_decode(&ip, packet, octets) >= 0 ? flight_emitted_ns(&mobile->flight, ip.id) : -1;

    if (emitted_ns < 0) {
        mobile->stats.unknown_emission++;
        return;
    }
    snprintf(of, sizeof(of), "%s %s", mobile->config->name, qclass_name(mobile->config->qclass));
    run_series_put_ns(&r->series, now - r->begin_ns, "delay_s", of, now - emitted_ns);
    if (now >= r->begin_ns + r->scenario.warmup_ns)
        samples_add(&mobile->stats.delays, now - emitted_ns);
}

static void reaches_mobile(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                           int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, tlli);
    size_t n_pdu_octets;
    uint16_t number;

    if (!mobile)
        return;
    const uint8_t *n_pdu = ms_stack_receive(&mobile->stack, llc_pdu, octets, &n_pdu_octets, &number);
    if (!n_pdu)
        return;
    bss_account_delivered(&mobile->account, number);
    note_delay(mobile, n_pdu, n_pdu_octets, now);
    host_rx(mobile->host, n_pdu, n_pdu_octets, now);
}

/* --- uplink
 * -----------------------------------------------------------------------------------------------------------
 */

static void mobile_emits(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run_mobile *mobile = arg;
    delay_line_put(&mobile->run->air_up, packet, octets, now);
}

static void sends_llc(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct run_mobile *mobile = arg;
    struct run *r = mobile->run;
    bss_ul_put(mobile->bss, r->scenario.cells[mobile->config->cell].bvci, mobile->config->tlli, llc_pdu,
               octets, r->now);
}

static void reaches_air(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run *r = arg;
    struct ipv4 ip;
    struct run_mobile *mobile = ipv4_decode(&ip, packet, octets) >= 0 ? by_address(r, ip.src) : NULL;

    r->now = now;
    if (mobile)
        ms_stack_send(&mobile->stack, packet, octets, sends_llc, mobile);
}

static void returns_to_ggsn(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct run *r = arg;
    size_t packet_octets;
    const uint8_t *packet = ggsn_decapsulate(&r->ggsn, frame, octets, &packet_octets);

    if (!packet)
        return;
    capture_gi(r, packet, packet_octets, now);
    delay_line_put(&r->internet_up, packet, packet_octets, now);
}

static void reaches_server(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run *r = arg;
    host_rx(r->server, packet, octets, now);
}

/* --- actors
 * -----------------------------------------------------------------------------------------------------------
 */

int64_t run_net_hosts_step(void *run, int64_t now)
{
    struct run *r = run;
    int64_t next = host_step(r->server, now);
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        next = moment_min(next, host_step(r->mobiles[i].host, now));
    return next;
}

static void take_from_worker(struct run *r, int64_t now)
{
    struct rte_mbuf *mbuf;
    while ((mbuf = vport_pull(&r->node.gn))) {
        if (r->gn.file)
            pcapng_write(&r->gn, now, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf));
        delay_line_put(&r->gn_up, rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf), now);
        rte_pktmbuf_free(mbuf);
    }
}

int64_t run_net_lines_step(void *run, int64_t now)
{
    struct run *r = run;
    struct delay_line *lines[] = {&r->internet_down, &r->gn_down, &r->air_up, &r->gn_up, &r->internet_up};
    int64_t next = MOMENT_NEVER;

    take_from_worker(r, now);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        next = moment_min(next, delay_line_step(lines[i], now));
    run_stats_take(r);
    return next;
}

/* --- life
 * -------------------------------------------------------------------------------------------------------------
 */

static bool make_mobile(struct run *r, uint32_t i)
{
    struct run_mobile *mobile = &r->mobiles[i];
    const struct scenario_config_mobile *config = &r->scenario.mobiles[i];
    struct host_config host = {
        .address = config->address,
        .emit = mobile_emits,
        .arg = mobile,
        .seed = r->scenario.seed * 2 + 1 + i * UINT64_C(0x9e3779b97f4a7c15),
        .max_connections = MOBILE_CONNECTIONS,
        .max_listeners = MOBILE_LISTENERS,
        .max_timers = TIMERS,
        .max_peers = 4,
    };
    *mobile = (struct run_mobile){.run = r, .config = config};
    mobile->stack = (struct ms_stack){
        .tlli = config->tlli,
        .sapi = r->node.config.mobiles.sapi,
        .nsapi = r->node.config.contexts[i].nsapi,
        .n201_u = r->node.config.mobiles.n201_u,
    };
    bss_account_init(&mobile->account);
    mobile->bss = gb_far_side_bss(&r->far, &r->node.config, config->cell);
    mobile->host = host_new(&host);
    r->tunnels[i] = (struct ggsn_tunnel){
        .address = config->address,
        .sgsn_ip = SCENARIO_CONFIG_SGSN_ADDRESS,
        .teid = config->teid,
        .ggsn_teid = config->ggsn_teid,
    };
    return mobile->host != NULL;
}

static bool make_server(struct run *r)
{
    uint32_t mobiles = r->scenario.mobile_count;
    struct host_config host = {
        .address = SCENARIO_CONFIG_SERVER_ADDRESS,
        .emit = server_emits,
        .arg = r,
        .seed = r->scenario.seed * 2,
        .max_connections = mobiles * SERVER_CONNECTIONS_PER_MOBILE,
        .max_listeners = mobiles * SERVER_LISTENERS_PER_MOBILE,
        .max_timers = mobiles * TIMERS,
        .max_peers = mobiles + 4,
    };
    r->server = host_new(&host);
    return r->server != NULL;
}

static void make_lines(struct run *r)
{
    delay_line_init(&r->internet_down, r->scenario.network.server_delay_ns, reaches_ggsn, r);
    delay_line_init(&r->internet_up, r->scenario.network.server_delay_ns, reaches_server, r);
    delay_line_init(&r->gn_down, r->scenario.network.gn_delay_ns, reaches_sgsn, r);
    delay_line_init(&r->gn_up, r->scenario.network.gn_delay_ns, returns_to_ggsn, r);
    delay_line_init(&r->air_up, 0, reaches_air, r);
}

static enum radio_coding coding_of(const char *name)
{
    for (int i = 0; i < RADIO_CODINGS; i++)
        if (strcmp(radio_coding_name((enum radio_coding)i), name) == 0)
            return (enum radio_coding)i;
    return RADIO_CS1; /* the schema knows only those names */
}

static struct radio_config radio_of(const struct scenario_config_cell *cell, uint64_t seed)
{
    struct radio_way_config way = {
        .retransmission_ns = cell->retransmission_ns,
        .delay_ns = cell->processing_ns,
        .control_one_in = cell->control_every,
        .mobile_limit_octets = cell->mobile_buffer_octets,
        .cell_limit_octets = cell->cell_buffer_octets,
    };
    struct radio_config radio = {
        .pdchs = cell->pdchs,
        .coding = coding_of(cell->coding),
        .payload_octets = cell->block_payload_octets,
        .window_blocks = cell->window_blocks,
        .seed = seed,
        .down = way,
        .up = way,
    };
    radio.down.slots = cell->downlink_slots;
    radio.down.bler_ppm = cell->bler_down_ppm;
    radio.down.setup_ns = cell->setup_ns;
    radio.down.setup_beside_ns = cell->setup_with_uplink_ns;
    radio.down.release_ns = cell->release_ns;
    radio.up.slots = cell->uplink_slots;
    radio.up.bler_ppm = cell->bler_up_ppm;
    radio.up.setup_ns = cell->uplink_access_ns;
    radio.up.release_ns = cell->uplink_hold_ns;
    return radio;
}

static bool make_far_side(struct run *r)
{
    r->radios = calloc(r->scenario.cell_count, sizeof(*r->radios));
    if (!r->radios)
        return false;
    for (uint32_t i = 0; i < r->scenario.cell_count; i++)
        r->radios[i] = radio_of(&r->scenario.cells[i], r->scenario.seed * 1000003 + i);
    struct gb_far_side_options options = {
        .delay_ns = r->scenario.network.gb_delay_ns,
        .radios = r->radios,
        .ops = {.arg = r, .deliver = reaches_mobile, .on_down = comes_to_bss, .on_discard = dies_in_bss},
    };
    return gb_far_side_new(&r->far, &r->node.config, &r->node.gb, r->gb.file ? &r->gb : NULL, &options);
}

const struct radio *run_radio(const struct run *r, uint32_t cell)
{
    return bss_radio_get(gb_far_side_bss(&r->far, &r->node.config, (uint16_t)cell),
                         r->scenario.cells[cell].bvci);
}

bool run_net_new(struct run *r)
{
    r->air_blocks = calloc(r->scenario.cell_count, sizeof(*r->air_blocks));
    r->mobiles = calloc(r->scenario.mobile_count, sizeof(*r->mobiles));
    r->tunnels = calloc(r->scenario.mobile_count, sizeof(*r->tunnels));
    bool is_made = r->air_blocks && r->mobiles && r->tunnels && make_far_side(r) && make_server(r);
    for (uint32_t i = 0; is_made && i < r->scenario.mobile_count; i++)
        is_made = make_mobile(r, i);
    make_lines(r);
    r->ggsn = (struct ggsn){
        .ip = SCENARIO_CONFIG_GGSN_ADDRESS, .tunnels = r->tunnels, .count = r->scenario.mobile_count};
    memcpy(r->ggsn.mac, r->node.config.gn.peer_mac, sizeof(r->ggsn.mac));
    memcpy(r->ggsn.sgsn_mac, r->node.config.gn.mac, sizeof(r->ggsn.sgsn_mac));
    if (!is_made)
        fprintf(stderr, "gbflow: no memory for the scenario's network\n");
    return is_made;
}

void run_net_free(struct run *r)
{
    for (uint32_t i = 0; r->mobiles && i < r->scenario.mobile_count; i++)
        host_free(r->mobiles[i].host);
    host_free(r->server);
    gb_far_side_free(&r->far);
    delay_line_fini(&r->internet_down);
    delay_line_fini(&r->internet_up);
    delay_line_fini(&r->gn_down);
    delay_line_fini(&r->gn_up);
    delay_line_fini(&r->air_up);
    free(r->mobiles);
    free(r->tunnels);
    free(r->radios);
    free(r->air_blocks);
}
