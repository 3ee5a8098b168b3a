/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/tables.h"

#include "control/live/live.h"
#include "control/live/show_aqm.h"
#include "control/lua/lua_gb_state.h"
#include "control/core/sessions_gtpc.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"

#include <string.h>

struct filling {
    const struct live *live;
    struct show_page *page;
};

static void put_ip(struct show_page *page, uint32_t address)
{
    char text[NEIGHBOUR_IP_CHARS];
    struct neighbour_ip ip = neighbour_ip_v4(address);
    show_page_text(page, neighbour_ip_print(&ip, text));
}

/* The end of a tunnel or an NS-VC, of either IP version. */
static void put_end(const struct live *live, struct show_page *page, uint32_t address)
{
    char text[ADDRESS_BOOK_TEXT_CHARS];
    show_page_text(page, address_book_text(&live->node.core.addresses, address, text));
}

static void put_mac(struct show_page *page, const uint8_t *mac)
{
    show_page_format(page, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

/* --- Gb --- */

static void put_nsvc(void *arg, const struct lua_gb_state_nsvc *nsvc)
{
    const struct filling *filling = arg;
    struct show_page *page = filling->page;
    const struct node_config_nsvc *config = &filling->live->node.config.nsvcs[nsvc->index];
    if (!show_page_row(page))
        return;
    show_page_number(page, nsvc->nsei);
    show_page_number(page, nsvc->nsvci);
    put_end(filling->live, page, config->address);
    show_page_number(page, config->udp_port);
    show_page_text(page, nsvc->state);
    show_page_text(page, nsvc->test);
}

static void fill_nse(const struct live *live, struct show_page *page)
{
    struct filling filling = {live, page};
    lua_gb_state_nsvcs(&live->node.core.gb, &filling, put_nsvc);
}

static void put_bvc(void *arg, const struct lua_gb_state_bvc *bvc)
{
    const struct filling *filling = arg;
    struct show_page *page = filling->page;
    if (!show_page_row(page))
        return;
    show_page_number(page, bvc->nsei);
    show_page_number(page, bvc->bvci);
    show_page_text(page, bvc->state);
    show_page_text(page, !bvc->is_usable ? "no" : bvc->is_announced ? "yes" : "waits for flow control");
    show_page_number(page, bvc->bucket_octets);
    show_page_number(page, bvc->rate_bps);
    show_page_number(page, bvc->ms_bucket_octets);
    show_page_number(page, bvc->ms_rate_bps);
    show_page_number(page, bvc->own_buckets);
}

static void fill_bvc(const struct live *live, struct show_page *page)
{
    struct filling filling = {live, page};
    lua_gb_state_bvcs(&live->node.core.gb, &filling, put_bvc);
}

static void put_count(void *arg, const struct lua_gb_state_count *count)
{
    const struct filling *filling = arg;
    if (!show_page_row(filling->page))
        return;
    show_page_text(filling->page, count->name);
    show_page_number(filling->page, count->count);
}

static void fill_counts(const struct live *live, struct show_page *page)
{
    struct filling filling = {live, page};
    lua_gb_state_counts(&live->node.core.gb, &filling, put_count);
}

/* --- sessions --- */

static void put_ms(const struct live *live, struct show_page *page, const struct sessions_mobile *mobile)
{
    struct lua_gb_state_ms ms = {0};
    bool is_there = lua_gb_state_ms(&live->node.core.gb, mobile->tlli, &ms);
    show_page_text(page, mobile->imsi[0] ? mobile->imsi : "-");
    show_page_format(page, "%08x", mobile->tlli);
    show_page_number(page, ms.nsei);
    show_page_number(page, ms.bvci);
    show_page_text(page, !is_there         ? "unknown"
                         : ms.is_suspended ? "suspended"
                         : ms.is_paged     ? "paged"
                                           : "ready");
    show_page_number(page, (uint64_t)__builtin_popcount(mobile->nsapis));
}

static void fill_ms(const struct live *live, struct show_page *page)
{
    const struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < live->node.config.limits.mobiles; i++)
        if (s->mobiles[i].in_use && show_page_row(page))
            put_ms(live, page, &s->mobiles[i]);
}

static void put_pdp(const struct live *live, struct show_page *page, const struct session *session)
{
    const struct sessions_mobile *mobile = &live->node.sessions.mobiles[session->mobile];
    show_page_text(page, mobile->imsi[0] ? mobile->imsi : "-");
    show_page_number(page, session->nsapi);
    put_ip(page, session->address);
    show_page_text(page, qclass_name(session->qclass));
    show_page_format(page, "%08x", session->teid);
    put_end(live, page, session->sgsn_ip);
    show_page_format(page, "%08x", session->ggsn_teid);
    put_end(live, page, session->ggsn_ip);
}

static void fill_pdp(const struct live *live, struct show_page *page)
{
    const struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active && show_page_row(page))
            put_pdp(live, page, &s->list[i]);
}

static void put_wanted(void *arg, const struct lua_gtpc_row *row)
{
    const struct filling *filling = arg;
    const struct sessions *s = &filling->live->node.sessions;
    const struct sessions_wanted *wanted = sessions_gtpc_get(s, row->id);
    struct show_page *page = filling->page;
    if (!wanted || !show_page_row(page))
        return;
    show_page_text(page, s->mobiles[wanted->mobile].imsi);
    show_page_number(page, wanted->params.nsapi);
    show_page_text(page, wanted->apn);
    put_end(filling->live, page, wanted->params.ggsn_ip);
    show_page_text(page, row->state);
    show_page_text(page, row->cause);
}

static void fill_gtpc(const struct live *live, struct show_page *page)
{
    struct filling filling = {live, page};
    lua_gtpc_list(&live->node.core.gtpc, &filling, put_wanted);
}

/* --- workers --- */

static void put_drop(const struct live *live, struct show_page *page, enum drop reason, bool is_gb)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct worker_stats *stats = &live->workers[i].worker->stats;
        count += (is_gb ? stats->gb_drops : stats->gn_drops)[reason];
    }
    if (count == 0 || !show_page_row(page))
        return;
    show_page_text(page, is_gb ? "gb" : "gn");
    show_page_text(page, drop_is_npdu(reason) ? "npdu" : "frame");
    show_page_text(page, drop_name(reason));
    show_page_number(page, count);
}

static void fill_drops(const struct live *live, struct show_page *page)
{
    for (int is_gb = 0; is_gb <= 1; is_gb++)
        for (int reason = DROP_NONE + 1; reason < DROP_COUNT; reason++)
            put_drop(live, page, (enum drop)reason, is_gb != 0);
}

static void put_worker(struct show_page *page, unsigned number, const struct live_worker *lw)
{
    const struct worker_stats *stats = &lw->worker->stats;
    show_page_number(page, number);
    show_page_number(page, lw->stats.passes);
    show_page_number(page, lw->stats.busy_passes);
    show_page_number(page, lw->stats.sleeps);
    show_page_format(page, "%.3f", (double)lw->stats.slept_ns / MOMENT_SECOND);
    show_page_number(page, lw->stats.gaps);
    show_page_number(page, (uint64_t)lw->stats.longest_ns / 1000);
    show_page_number(page, stats->gn_frames);
    show_page_number(page, stats->gb_frames);
    show_page_number(page, stats->npdu_in);
    show_page_number(page, stats->npdu_out);
    show_page_number(page, stats->ul_npdu_out);
}

static void fill_workers(const struct live *live, struct show_page *page)
{
    for (unsigned i = 0; i < live->worker_count; i++)
        if (show_page_row(page))
            put_worker(page, i, &live->workers[i]);
}

/* --- links --- */

static void put_neighbour(struct show_page *page, const struct live_links_side *side,
                          const struct neighbour_entry *entry)
{
    char text[NEIGHBOUR_IP_CHARS];
    show_page_text(page, side->port == MSG_PORT_GN ? "gn" : "gb");
    show_page_text(page, neighbour_ip_print(&entry->ip, text));
    show_page_text(page, neighbour_state_name(entry->state));
    if (entry->has_mac)
        put_mac(page, entry->mac);
    else
        show_page_text(page, "-");
}

static void fill_neighbours(const struct live *live, struct show_page *page)
{
    for (unsigned port = 0; port < MSG_PORTS; port++) {
        const struct live_links_side *side = &live->links.sides[port];
        for (unsigned i = 0; i < side->neighbours.entry_count; i++)
            if (show_page_row(page))
                put_neighbour(page, side, &side->neighbours.entries[i]);
    }
}

/* --- capture --- */

static void fill_capture(const struct live *live, struct show_page *page)
{
    const struct live_capture *capture = &live->capture;
    if (!show_page_row(page))
        return;
    show_page_text(page, capture->is_on ? "on" : "off");
    show_page_text(page, capture->path[0] ? capture->path : "-");
    show_page_number(page, capture->packets);
    show_page_number(page, live_capture_lost(capture));
}

static const char *stop_capture(struct live *live, const char *parameters)
{
    bool is_on = live->capture.is_on;
    live_capture_stop(live);
    return is_on ? NULL : "there is no capture";
}

/* --- all of them --- */

const struct live_show_table live_show_tables[] = {
    {"nse", "NS-VCs of each NSE", "nsei:n nsvci:n address:s udp_port:n state:s test:s", fill_nse, NULL},
    {"bvc", "cells, and the flow control that they announced last",
     "nsei:n bvci:n state:s usable:s bucket_octets:n rate_bps:n ms_bucket_octets:n ms_rate_bps:n "
     "own_buckets:n",
     fill_bvc, NULL},
    {"ms", "mobiles", "imsi:s tlli:s nsei:n bvci:n state:s contexts:n", fill_ms, NULL},
    {"pdp", "PDP contexts",
     "imsi:s nsapi:n address:s class:s teid:s sgsn_address:s ggsn_teid:s ggsn_address:s", fill_pdp, NULL},
    {"gtpc", "contexts that GGSNs are asked for", "imsi:s nsapi:n apn:s ggsn_address:s state:s cause:s",
     fill_gtpc, NULL},
    {"drops", "frames and N-PDUs dropped, by reason", "side:s of:s reason:s count:n", fill_drops, NULL},
    {"workers", "workers",
     "worker:n passes:n busy_passes:n sleeps:n slept_s:n gaps:n longest_gap_us:n gn_frames:n gb_frames:n "
     "npdu_in:n "
     "npdu_out:n uplink_npdus:n",
     fill_workers, NULL},
    {"aqm", "what AQM schemes answered", LIVE_SHOW_AQM_COLUMNS, live_show_aqm, NULL},
    {"counts", "what the Gb control plane has counted", "name:s count:n", fill_counts, NULL},
    {"neighbours", "next hops on the links", "side:s address:s state:s mac:s", fill_neighbours, NULL},
    {"capture", "the capture at hand, or the last one", "state:s file:s packets:n lost:n", fill_capture,
     NULL},
    {"capture_start", "a capture: TLLI,BVCI,COUNT,FILE", "result:s", NULL, live_capture_start},
    {"capture_stop", "the end of the capture", "result:s", NULL, stop_capture},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct live_show_table *live_show_find(const char *name)
{
    for (const struct live_show_table *table = live_show_tables; table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}
