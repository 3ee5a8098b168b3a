/* SPDX-License-Identifier: BSD-3-Clause */
/* The network of a run: servers, links, mobiles' stacks, and frames between them. */

#include "app/run/cells.h"
#include "app/run/links.h"
#include "app/run/relocation.h"
#include "app/run/run.h"
#include "app/run/servers.h"
#include "app/run/sgsns.h"
#include "app/run/truth.h"
#include "app/run/scenario_config.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/ipv4.h"
#include "sim/delay_line.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

/* Connections, ports and timers of a host for each item of traffic. Web traffic has up to 16 connections of
 * TCP beside those in TIME-WAIT; each connection of QUIC, closing ones included, has a port and a timer. */
#define LEAST_ITEMS      16
#define ITEM_CONNECTIONS 64
#define ITEM_PORTS       6
#define ITEM_TIMERS      6

/* --- a packet's mobile, by address or TLLI --- */

/* Addresses and TLLIs of a scenario count up with the mobile's index. */
static struct run_mobile *by_address(struct scenario_run *r, uint32_t address)
{
    uint32_t i = address - r->scenario.mobiles[0].address;
    bool is_there = i < r->scenario.mobile_count && r->scenario.mobiles[i].address == address;
    return is_there ? &r->mobiles[i] : NULL;
}

static struct run_mobile *by_tlli(struct scenario_run *r, uint32_t tlli)
{
    uint32_t i = tlli - r->scenario.mobiles[0].tlli;
    bool is_there = i < r->scenario.mobile_count && r->scenario.mobiles[i].tlli == tlli;
    return is_there ? &r->mobiles[i] : NULL;
}

/* --- downlink --- */

static void server_emits(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct scenario_run *r = arg;
    struct ipv4 ip;
    struct run_mobile *mobile = ipv4_decode(&ip, packet, octets) >= 0 ? by_address(r, ip.dst) : NULL;

    if (!mobile)
        return;
    flight_begin(&mobile->flight, ip.id, now);
    run_packet_emitted(mobile, ip.id, octets, now);
    run_truth_see(mobile, TRUTH_SERVER_SENDS, packet, octets, now);
    if (run_links_chance(&r->links.internet, r->scenario.network.internet_loss_ppm))
        run_truth_see(mobile, TRUTH_INTERNET_LOSES, packet, octets, now);
    else
        run_links_down(mobile, packet, octets, now);
}

/* All captures have link type Ethernet, also that of Gi. */
static void capture_gi(struct scenario_run *r, const uint8_t *packet, size_t octets, int64_t now)
{
    static const uint8_t header[14] = {0x02, 0, 0, 0, 0, 0x31, 0x02, 0, 0, 0, 0, 0x30, 0x08, 0x00};
    uint8_t frame[GGSN_FRAME_OCTETS];

    if (!r->gi.file || octets + sizeof(header) > sizeof(frame))
        return;
    memcpy(frame, header, sizeof(header));
    memcpy(frame + sizeof(header), packet, octets);
    capture_writer_put(&r->gi, now, frame, sizeof(header) + octets);
}

static void reaches_ggsn(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct scenario_run *r = arg;
    uint8_t frame[GGSN_FRAME_OCTETS];
    struct ipv4 ip;
    struct run_mobile *mobile = ipv4_decode(&ip, packet, octets) >= 0 ? by_address(r, ip.dst) : NULL;

    capture_gi(r, packet, octets, now);
    if (mobile)
        run_truth_see(mobile, TRUTH_PASSES_DOWN, packet, octets, now);
    if (run_links_chance(&r->links.gn, r->scenario.network.gn_loss_ppm))
        return;
    if (mobile)
        run_packet_passes_ggsn(mobile, ip.id, now);
    size_t frame_octets = ggsn_encapsulate(&r->ggsn, packet, octets, frame);
    if (frame_octets > 0)
        delay_line_put(&r->links.gn_down, frame, frame_octets, now);
}

static void reaches_sgsn(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct scenario_run *r = arg;
    if (r->gn.file)
        capture_writer_put(&r->gn, now, frame, octets);
    r->lost_on_gn += !run_sgsns_put(r, frame, octets);
}

/* In the capture it is once, where it left the other SGSN. */
static void reaches_other_sgsn(void *arg, const uint8_t *frame, size_t octets, int64_t unused_now)
{
    struct scenario_run *r = arg;
    r->lost_on_gn += !run_sgsns_put_between(r, frame, octets);
}

static void comes_to_bss(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, tlli);
    if (!mobile)
        return;
    const uint8_t *clear = bss_account_tap_pass(&mobile->tap, llc_pdu, octets);
    bss_account_down(&mobile->account, clear, octets);
    run_packet_in_bss(mobile, clear, octets, now);
}

static void begins_block(void *arg, uint16_t bvci, const struct radio_block *block, int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, block->tlli);
    if (mobile)
        run_packet_block(mobile, block, now);
}

static enum bss_account_end end_of(enum radio_discard reason)
{
    static const enum bss_account_end ends[RADIO_DISCARDS] = {
        [RADIO_DISCARD_LIFETIME] = BSS_ACCOUNT_LIFETIME,   [RADIO_DISCARD_MOBILE_FULL] = BSS_ACCOUNT_FULL,
        [RADIO_DISCARD_CELL_FULL] = BSS_ACCOUNT_FULL,      [RADIO_DISCARD_FLUSHED] = BSS_ACCOUNT_OTHER,
        [RADIO_DISCARD_PREEMPTED] = BSS_ACCOUNT_PREEMPTED, [RADIO_DISCARD_RLC] = BSS_ACCOUNT_RLC,
    };
    return ends[reason];
}

static void dies_in_bss(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                        int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, frame->tlli);
    if (mobile)
        bss_account_discard(&mobile->account,
                            bss_account_tap_passed(&mobile->tap, frame->llc_pdu, frame->octets),
                            frame->octets, end_of(reason));
}

/* delay_s: from the sender's emission to complete delivery at the mobile's IP layer. */
static void note_delay(struct run_mobile *mobile, const uint8_t *packet, size_t octets, uint16_t number,
                       int64_t now)
{
    struct scenario_run *r = mobile->run;
    struct ipv4 ip;
    char of[SCENARIO_CONFIG_NAME_CHARS + 24];
    mobile->stats.arrived_window_octets += octets;
    int64_t emitted_ns = ipv4_decode(&ip, packet, octets) >= 0 ? flight_end(&mobile->flight, ip.id) : -1;

    if (emitted_ns < 0) {
        mobile->stats.unknown_emission++;
        return;
    }
    run_packet_delivered(mobile, ip.id, number, emitted_ns, now);
    if (now >= r->begin_ns + r->scenario.warmup_ns)
        samples_add(&mobile->stats.delays, now - emitted_ns);
    if (!r->series.file)
        return;
    stpcpy(stpcpy(stpcpy(of, mobile->config->name), " "), n_pdu_qclass_name(mobile->config->qclass));
    run_series_put_ns(&r->series, now - r->begin_ns, &run_series[RUN_SERIES_DELAY], of, now - emitted_ns);
}

/* When the stack of a mobile has something to do by itself. */
static void plan(struct run_mobile *mobile)
{
    int64_t due_ns = ms_stack_due_ns(&mobile->stack);
    if (due_ns == MOMENT_NEVER)
        timers_cancel(&mobile->run->stacks, &mobile->timer);
    else
        timers_set(&mobile->run->stacks, &mobile->timer, due_ns);
}

/* Behind a lost N-PDU those of its TCP connection are restored wrong; the host drops them. */
static bool is_spoilt(const struct run_mobile *mobile, const uint8_t *n_pdu, size_t octets)
{
    struct ip_packet packet;
    return mobile->stack.offer.state != MS_OFFER_NONE &&
           ip_packet_decode(&packet, n_pdu, octets) == ERR_CHECKSUM;
}

static void receives(struct run_mobile *mobile, const uint8_t *n_pdu, size_t octets, uint16_t number,
                     int64_t now)
{
    if (!mobile->stack.link)
        bss_account_delivered(&mobile->account, number);
    if (is_spoilt(mobile, n_pdu, octets)) {
        host_rx(mobile->host, n_pdu, octets, now);
        return;
    }
    run_relocation_delivered(mobile, now);
    note_delay(mobile, n_pdu, octets, number, now);
    run_truth_see(mobile, TRUTH_REACHES_MOBILE, n_pdu, octets, now);
    host_rx(mobile->host, n_pdu, octets, now);
}

static void reaches_mobile(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                           int64_t now)
{
    struct run_mobile *mobile = by_tlli(arg, tlli);
    size_t n_pdu_octets;
    uint16_t number;

    if (!mobile)
        return;
    if (mobile->run->packet)
        run_packet_at_mobile(mobile, bss_account_tap_passed(&mobile->tap, llc_pdu, octets), octets, now);
    bss_account_frame_delivered(&mobile->account, llc_pdu, octets);
    uint64_t lost = mobile->stack.lost;
    const uint8_t *n_pdu = ms_stack_receive(&mobile->stack, llc_pdu, octets, &n_pdu_octets, &number, now);
    if (mobile->stack.lost != lost && !mobile->stack.link)
        bss_account_delivered(&mobile->account, mobile->stack.number);
    for (; n_pdu; n_pdu = ms_stack_receive_more(&mobile->stack, &n_pdu_octets, &number, now))
        receives(mobile, n_pdu, n_pdu_octets, number, now);
    plan(mobile);
}

/* --- uplink --- */

static void mobile_emits(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run_mobile *mobile = arg;
    run_truth_see(mobile, TRUTH_MOBILE_SENDS, packet, octets, now);
    run_links_air(mobile, packet, octets, now);
}

static void sends_llc(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct run_mobile *mobile = arg;
    struct scenario_run *r = mobile->run;
    bss_ul_put(mobile->bss, r->scenario.cells[mobile->cell].bvci, mobile->config->tlli, llc_pdu, octets,
               r->now);
}

static void reaches_air(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct scenario_run *r = arg;
    struct ipv4 ip;
    struct run_mobile *mobile = ipv4_decode(&ip, packet, octets) >= 0 ? by_address(r, ip.src) : NULL;

    r->now = now;
    if (!mobile || run_relocation_keeps(mobile, packet, octets, now))
        return;
    ms_stack_send(&mobile->stack, packet, octets, sends_llc, mobile, now);
    plan(mobile);
}

/* Uplink packets are lost on Gn, before the monitor at Gi, and in the Internet, behind it. */
static void passes_up(struct scenario_run *r, const uint8_t *packet, size_t octets, int64_t now)
{
    struct ipv4 ip;
    struct run_mobile *mobile = ipv4_decode(&ip, packet, octets) >= 0 ? by_address(r, ip.src) : NULL;
    if (run_links_chance(&r->links.gn, r->scenario.network.gn_loss_ppm))
        return;
    capture_gi(r, packet, octets, now);
    if (mobile)
        run_truth_see(mobile, TRUTH_PASSES_UP, packet, octets, now);
    bool is_lost = run_links_chance(&r->links.internet, r->scenario.network.internet_loss_ppm);
    if (mobile && !is_lost)
        run_links_up(mobile, packet, octets, now);
}

static void returns_to_ggsn(void *arg, const uint8_t *frame, size_t octets, int64_t now)
{
    struct scenario_run *r = arg;
    size_t packet_octets;
    const uint8_t *packet = ggsn_decapsulate(&r->ggsn, frame, octets, &packet_octets);

    if (!packet) {
        uint8_t answer[GGSN_FRAME_OCTETS];
        size_t answer_octets = ggsn_answer(&r->ggsn, frame, octets, answer);
        if (answer_octets > 0)
            delay_line_put(&r->links.gn_down, answer, answer_octets, now);
        return;
    }
    passes_up(r, packet, packet_octets, now);
}

static void reaches_server(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct scenario_run *r = arg;
    host_rx(r->server, packet, octets, now);
}

/* --- actors --- */

int64_t run_net_hosts_step(void *run, int64_t now)
{
    struct scenario_run *r = run;
    return host_step_agenda(&r->agenda, now);
}

/* LLC-PDUs of the mobile wait for its cell's uplink. */
static bool is_waiting_up(const struct run_mobile *mobile)
{
    const struct radio *radio = run_cells_radio(mobile->run, mobile->cell);
    return radio_queue_get(radio, RADIO_UP, mobile->config->tlli).queued.frames > 0;
}

int64_t run_net_stacks_step(void *run, int64_t now)
{
    struct scenario_run *r = run;
    struct timer *timer;
    r->now = now;
    while ((timer = timers_take_due(&r->stacks, now))) {
        struct run_mobile *mobile = &r->mobiles[timer->rank];
        if (is_waiting_up(mobile))
            ms_stack_pause(&mobile->stack, now);
        ms_stack_step(&mobile->stack, sends_llc, mobile, now);
        plan(mobile);
    }
    return timers_next_ns(&r->stacks);
}

static void take_from_worker(struct scenario_run *r, struct vport *port, int64_t now)
{
    struct rte_mbuf *mbuf;
    while ((mbuf = vport_pull(port))) {
        const uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);
        size_t octets = rte_pktmbuf_data_len(mbuf);
        if (r->gn.file)
            capture_writer_put(&r->gn, now, frame, octets);
        bool is_between = run_sgsns_is_between(r, frame, octets);
        delay_line_put(is_between ? &r->links.between : &r->links.gn_up, frame, octets, now);
        rte_pktmbuf_free(mbuf);
    }
}

int64_t run_net_lines_step(void *run, int64_t now)
{
    struct scenario_run *r = run;
    for (unsigned i = 0; i < r->sgsn_count; i++)
        for (unsigned k = 0; k < r->sgsns[i].node.worker_count; k++)
            take_from_worker(r, &r->sgsns[i].node.gn[k], now);
    int64_t next = run_links_step(&r->links, now);
    run_series_stats_take(r);
    return next;
}

/* --- set-up and end --- */

static uint32_t items_of(const struct scenario_config_mobile *mobile)
{
    return mobile->traffic_count > LEAST_ITEMS ? mobile->traffic_count : LEAST_ITEMS;
}

/* The limits of a host with this number of items. */
static struct host_config host_for(uint32_t items)
{
    return (struct host_config){
        .max_connections = items * ITEM_CONNECTIONS,
        .max_listeners = items * ITEM_PORTS,
        .max_timers = items * ITEM_TIMERS,
    };
}

static bool make_mobile(struct scenario_run *r, uint32_t i)
{
    struct run_mobile *mobile = &r->mobiles[i];
    const struct scenario_config_mobile *config = &r->scenario.mobiles[i];
    struct host_config host = host_for(items_of(config));
    host.address = config->address;
    host.emit = mobile_emits;
    host.arg = mobile;
    host.seed = r->scenario.seed * 2 + 1 + i * UINT64_C(0x9e3779b97f4a7c15);
    host.max_peers = 4;
    host.agenda = &r->agenda;
    host.rank = 1 + i;
    mobile->run = r;
    mobile->config = config;
    mobile->cell = config->cell;
    mobile->sgsn = r->scenario.cells[config->cell].sgsn;
    struct run_sgsn *sgsn = &r->sgsns[mobile->sgsn];
    const struct node_config *node = &sgsn->node.config;
    mobile->stack = (struct ms_stack){
        .tlli = config->tlli,
        .sapi = node->mobiles.sapi,
        .nsapi = node->contexts[i].nsapi,
        .n201_u = node->mobiles.n201_u,
        .gea = sgsn->node.workers[0]->gea,
    };
    llc_cipher_key(&mobile->stack.key, &node->list[i].ciphering);
    mobile->timer.rank = i;
    ms_stack_begin(&mobile->stack, &config->stack, RUN_LEAD_NS / 2);
    plan(mobile);
    mobile->tap = (struct bss_account_tap){.key = mobile->stack.key, .gea = mobile->stack.gea};
    mobile->bss = run_sgsns_bss(r, config->cell);
    mobile->server_ns = run_servers_of_mobile(mobile);
    run_cells_enter(mobile);
    mobile->host = host_new(&host);
    r->tunnels[i] = (struct ggsn_tunnel){
        .address = config->address,
        .sgsn_ip = sgsn->address,
        .teid = run_sgsns_session(sgsn, mobile)->teid,
        .ggsn_teid = config->ggsn_teid,
    };
    return mobile->host != NULL;
}

static bool make_server(struct scenario_run *r)
{
    uint32_t items = 0;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        items += items_of(&r->scenario.mobiles[i]);
    struct host_config host = host_for(items);
    host.address = SCENARIO_CONFIG_SERVER_ADDRESS;
    host.emit = server_emits;
    host.arg = r;
    host.seed = r->scenario.seed * 2;
    host.max_peers = r->scenario.mobile_count + 4;
    host.agenda = &r->agenda;
    r->server = host_new(&host);
    return r->server != NULL;
}

static void make_links(struct scenario_run *r)
{
    const struct run_links_outs outs = {
        .ggsn = reaches_ggsn,
        .sgsn = reaches_sgsn,
        .server = reaches_server,
        .ggsn_up = returns_to_ggsn,
        .air = reaches_air,
        .between = reaches_other_sgsn,
        .arg = r,
        .between_ns = r->scenario.relocation.delay_ns,
    };
    run_links_init(&r->links, &r->scenario, &outs);
}

static bool make_far_side(struct scenario_run *r, struct run_sgsn *sgsn)
{
    struct gb_far_side_options options = {
        .delay_ns = r->scenario.network.gb_delay_ns,
        .is_in_turn = r->options->is_unsteered,
        .radios = r->radios + sgsn->config->first_cell,
        .policies = r->policies + sgsn->config->first_cell,
        .calls = r->calls + sgsn->config->first_cell,
        .ops = {.arg = r,
                .deliver = reaches_mobile,
                .on_down = comes_to_bss,
                .on_discard = dies_in_bss,
                .on_block = r->packet ? begins_block : NULL},
    };
    sgsn->deal = (struct deal){.workers = sgsn->node.worker_count, .is_in_turn = r->options->is_unsteered};
    return gb_far_side_new(&sgsn->far, &sgsn->node.config, sgsn->node.gb, r->gb.file ? &r->gb : NULL,
                           &options);
}

static bool make_far_sides(struct scenario_run *r)
{
    r->radios = run_cells_radios(&r->scenario);
    r->calls = run_cells_calls(&r->scenario);
    r->policies = run_cells_policies(&r->scenario);
    bool is_made = r->radios && r->calls && r->policies;
    for (unsigned i = 0; is_made && i < r->sgsn_count; i++)
        is_made = make_far_side(r, &r->sgsns[i]);
    return is_made;
}

bool run_net_new(struct scenario_run *r)
{
    r->samples = calloc(r->scenario.cell_count, sizeof(*r->samples));
    r->mobiles = calloc(r->scenario.mobile_count, sizeof(*r->mobiles));
    r->tunnels = calloc(r->scenario.mobile_count, sizeof(*r->tunnels));
    bool is_made = r->samples && r->mobiles && r->tunnels && make_far_sides(r) && make_server(r) &&
                   run_relocation_new(r, reaches_air);
    for (uint32_t i = 0; is_made && i < r->scenario.mobile_count; i++)
        is_made = make_mobile(r, i);
    make_links(r);
    r->ggsn = (struct ggsn){
        .ip = SCENARIO_CONFIG_GGSN_ADDRESS, .tunnels = r->tunnels, .count = r->scenario.mobile_count};
    memcpy(r->ggsn.mac, r->sgsns[0].node.config.gn.peer_mac, sizeof(r->ggsn.mac));
    memcpy(r->ggsn.sgsn_mac, r->sgsns[0].node.config.gn.mac, sizeof(r->ggsn.sgsn_mac));
    if (!is_made)
        fprintf(stderr, "gbflow: out of memory for the scenario's network\n");
    return is_made;
}

static void free_mobile(struct run_mobile *mobile)
{
    host_free(mobile->host);
    flight_fini(&mobile->flight);
    bss_account_fini(&mobile->account);
    ms_stack_fini(&mobile->stack);
}

void run_net_free(struct scenario_run *r)
{
    for (uint32_t i = 0; r->mobiles && i < r->scenario.mobile_count; i++)
        free_mobile(&r->mobiles[i]);
    host_free(r->server);
    for (unsigned i = 0; i < r->sgsn_count; i++)
        gb_far_side_free(&r->sgsns[i].far);
    run_relocation_free(r);
    run_cells_radios_free(r->radios, r->scenario.cell_count);
    free(r->calls);
    free(r->policies);
    run_links_fini(&r->links);
    free(r->mobiles);
    free(r->tunnels);
    timers_free(&r->agenda);
    timers_free(&r->stacks);
    free(r->samples);
}
