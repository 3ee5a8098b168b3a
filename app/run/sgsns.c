/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/sgsns.h"

#include "control/sessions/sessions.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/sched/ms.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/forward.h"

#include <string.h>

/* --- start and end --- */

/* Each mobile begins at the SGSN of its first cell. */
static void order_mobiles(struct scenario_run *r)
{
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        struct run_sgsn *sgsn = run_sgsns_of(r, r->scenario.mobiles[i].cell);
        const struct node_config *config = &sgsn->node.config;
        sessions_listed_add(&sgsn->node.sessions, config, &config->list[i]);
    }
}

bool run_sgsns_start(struct scenario_run *r)
{
    struct node *nodes[SCENARIO_CONFIG_SGSNS];
    for (unsigned i = 0; i < r->sgsn_count; i++) {
        struct node *node = nodes[i] = &r->sgsns[i].node;
        node->adds_no_mobiles = r->sgsn_count > 1;
        if (i > 0)
            snprintf(node->tag, sizeof(node->tag), "s%u", i & 15);
    }
    if (!node_start_all(nodes, r->sgsn_count))
        return false;
    if (r->sgsn_count > 1)
        order_mobiles(r);
    return true;
}

unsigned run_sgsns_free(struct scenario_run *r)
{
    unsigned lost = 0;
    for (unsigned i = r->sgsn_count; i-- > 0;)
        lost += node_free(&r->sgsns[i].node);
    free(r->sgsns);
    r->sgsns = NULL;
    r->sgsn_count = 0;
    return lost;
}

/* --- cells --- */

struct run_sgsn *run_sgsns_of(const struct scenario_run *r, uint32_t cell)
{
    return &r->sgsns[r->scenario.cells[cell].sgsn];
}

struct bss *run_sgsns_bss(const struct scenario_run *r, uint32_t cell)
{
    const struct run_sgsn *sgsn = run_sgsns_of(r, cell);
    return gb_far_side_bss(&sgsn->far, &sgsn->node.config, scenario_config_place(&r->scenario, cell));
}

struct worker *run_sgsns_worker(const struct scenario_run *r, uint32_t cell)
{
    const struct node *node = &run_sgsns_of(r, cell)->node;
    return node->workers[node_config_worker_of(&node->config, scenario_config_place(&r->scenario, cell))];
}

/* --- Gn --- */

#define MAC_OCTETS 6

/* The SGSN with the destination of a frame; NULL: none. With one SGSN all frames are its. */
static struct run_sgsn *receiver_of(const struct scenario_run *r, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct ipv4 ip;
    int header = ether_decode(&ether, frame, octets);
    if (header < 0 || ipv4_decode(&ip, frame + header, octets - (size_t)header) < 0)
        return NULL;
    uint32_t i = ip.dst - SCENARIO_CONFIG_SGSN_ADDRESS;
    return i < r->sgsn_count ? &r->sgsns[i] : NULL;
}

static bool put_at(struct run_sgsn *sgsn, const uint8_t *frame, size_t octets)
{
    struct vport *port = &sgsn->node.gn[gb_far_side_deal(&sgsn->deal, frame, octets)];
    return vport_push(port, frame, octets) >= 0;
}

bool run_sgsns_put(struct scenario_run *r, const uint8_t *frame, size_t octets)
{
    if (r->sgsn_count == 1)
        return put_at(&r->sgsns[0], frame, octets);
    struct run_sgsn *sgsn = receiver_of(r, frame, octets);
    uint8_t own[GGSN_FRAME_OCTETS];
    if (!sgsn || octets > sizeof(own))
        return false;
    memcpy(own, frame, octets);
    memcpy(own, sgsn->node.config.gn.mac, MAC_OCTETS); /* as the last router would */
    memcpy(own + MAC_OCTETS, sgsn->node.config.gn.peer_mac, MAC_OCTETS);
    return put_at(sgsn, own, octets);
}

/* The receiver of the N-PDU in a frame; NULL: none. */
static struct run_mobile *inner_of(const struct scenario_run *r, const uint8_t *frame, size_t octets)
{
    struct ipv4 ip;
    struct gtpu gtpu;
    const size_t outer = ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS;
    if (octets < outer || gtpu_decode(&gtpu, frame + outer, octets - outer) < 0 ||
        ipv4_decode(&ip, frame + outer + gtpu.payload_offset, gtpu.payload_octets) < 0)
        return NULL;
    uint32_t i = ip.dst - r->scenario.mobiles[0].address;
    return i < r->scenario.mobile_count ? &r->mobiles[i] : NULL;
}

bool run_sgsns_is_between(struct scenario_run *r, const uint8_t *frame, size_t octets)
{
    if (r->sgsn_count == 1 || !receiver_of(r, frame, octets))
        return false;
    struct run_mobile *mobile = inner_of(r, frame, octets);
    if (mobile)
        mobile->between++;
    return true;
}

bool run_sgsns_put_between(struct scenario_run *r, const uint8_t *frame, size_t octets)
{
    struct run_mobile *mobile = inner_of(r, frame, octets);
    if (mobile)
        mobile->between--;
    return run_sgsns_put(r, frame, octets);
}

/* --- mobiles --- */

static uint32_t number_of(const struct run_mobile *mobile)
{
    return (uint32_t)(mobile - mobile->run->mobiles);
}

struct run_place run_sgsns_place(const struct run_mobile *mobile)
{
    const struct node *node = &mobile->run->sgsns[mobile->sgsn].node;
    uint32_t i = number_of(mobile);
    uint32_t slot =
        mobile->run->sgsn_count == 1 ? i : sessions_find_mobile(&node->sessions, node->config.list[i].imsi);
    return (struct run_place){node->workers[mobility_server(&node->core.mobility, slot)], slot};
}

struct session *run_sgsns_session(struct run_sgsn *sgsn, const struct run_mobile *mobile)
{
    struct sessions *s = &sgsn->node.sessions;
    if (mobile->run->sgsn_count == 1)
        return &s->list[number_of(mobile)];
    uint32_t slot = sessions_find_mobile(s, sgsn->node.config.list[number_of(mobile)].imsi);
    for (uint32_t i = s->count; slot != SESSIONS_NONE && i-- > 0;)
        if (s->list[i].is_active && s->list[i].mobile == slot)
            return &s->list[i];
    return NULL;
}

uint64_t run_sgsns_waiting(const struct run_mobile *mobile)
{
    uint64_t pkts = mobile->between;
    for (unsigned i = 0; i < mobile->run->sgsn_count; i++) {
        struct run_sgsn *sgsn = &mobile->run->sgsns[i];
        const struct session *session = run_sgsns_session(sgsn, mobile);
        if (!session)
            continue;
        unsigned server = mobility_server(&sgsn->node.core.mobility, session->mobile);
        const struct worker *worker = sgsn->node.workers[server];
        const struct ms *ms = &worker->context.mobiles[session->mobile];
        pkts += sched_ms_backlog(&worker->context.sched, &ms->sched).pkts;
        pkts += forward_pkts(worker, session->pdp);
    }
    return pkts;
}

struct run_mobile *run_sgsns_mobile(struct scenario_run *r, struct run_sgsn *sgsn, unsigned worker,
                                    const struct trace_event *event)
{
    if (r->sgsn_count == 1)
        return event->pdp < r->scenario.mobile_count ? &r->mobiles[event->pdp] : NULL;
    const struct session *session = sessions_of(&sgsn->node.sessions, worker, event->pdp, event->generation);
    uint32_t i = session ? session->address - r->scenario.mobiles[0].address : UINT32_MAX;
    return i < r->scenario.mobile_count ? &r->mobiles[i] : NULL;
}

/* --- sums --- */

static unsigned gather(const struct scenario_run *r, struct worker *workers[])
{
    unsigned count = 0;
    for (unsigned i = 0; i < r->sgsn_count; i++)
        for (unsigned k = 0; k < r->sgsns[i].node.worker_count; k++)
            workers[count++] = r->sgsns[i].node.workers[k];
    return count;
}

struct worker_stats run_sgsns_stats(const struct scenario_run *r)
{
    struct worker *workers[TEID_WORKERS + SCENARIO_CONFIG_SGSNS];
    return totals_stats(workers, gather(r, workers));
}

struct totals run_sgsns_totals(const struct scenario_run *r)
{
    struct worker *workers[TEID_WORKERS + SCENARIO_CONFIG_SGSNS];
    struct totals sum = totals_of_all(workers, gather(r, workers));
    uint64_t arrived = run_sgsns_stats(r).forward_npdu_in;
    sum.in -= arrived;
    sum.queued += sum.forwarded - arrived;
    return sum;
}
