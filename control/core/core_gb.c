/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/core/core.h"
#include "control/lua/lua_table.h"
#include "control/core/core_intent.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ns.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gn_rx.h"

#include <arpa/inet.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void core_llc_cell_closed(struct core *core, uint32_t nsei, uint32_t bvci);

static uint16_t nse_of(const struct core *core, uint32_t nsei)
{
    return (uint16_t)node_config_nse(core->config, nsei);
}

static uint16_t cell_of(const struct core *core, uint32_t nsei, uint32_t bvci)
{
    return (uint16_t)node_config_cell(core->config, node_config_nse(core->config, nsei), bvci);
}

static unsigned worker_of_nse(const struct core *core, uint32_t nsei)
{
    return core->config->nses[nse_of(core, nsei)].worker;
}

static bool is_accepted(const struct core *core, uint16_t nse)
{
    return core->config->nses[nse].is_accepted;
}

/* --- NSEs and cells --- */

/* The slot may be used again once the worker has answered. */
void core_gb_nse_del(struct core *core, struct core_intent *intent)
{
    struct node_config_nse *nse = &core->config->nses[intent->msg.slot];
    nse->is_gone = nse->is_leaving = true;
    core_order(core, &intent->msg);
}

void core_gb_bvc_del(struct core *core, struct core_intent *intent)
{
    struct node_config_cell *cell = &core->config->cells[intent->msg.slot];
    cell->is_gone = cell->is_leaving = true;
    if (is_accepted(core, cell->nse))
        core_phones_cell_gone(core, intent->nsei, intent->bvci);
    core_llc_cell_closed(core, intent->nsei, intent->bvci);
    core_order(core, &intent->msg);
}

/* The worker accepts LLC frames for mobiles of the cell after this order. */
void core_gb_bvc_flow(struct core *core, struct core_intent *intent)
{
    core_order(core, &intent->msg);
    core_llc_cell_open(core, intent->nsei, intent->bvci);
}

/* --- mobiles --- */

/* The order goes to the worker of the cell, which has the bucket, since the mobile may be in another cell
 * by now. */
void core_gb_discarded(struct core *core, struct core_intent *intent)
{
    intent->msg.discard.ms = MS_NONE;
    intent->msg.discard.bvc = cell_of(core, intent->nsei, intent->bvci);
    core_order_to(core, worker_of_nse(core, intent->nsei), &intent->msg);
}

/* Each cell's part goes to the worker of that cell; the part of the new cell may name a mobile whose move is
 * in progress. */
void core_gb_flushed(struct core *core, struct core_intent *intent)
{
    bool is_transferred = intent->bvci_new != 0;
    unsigned worker = worker_of_nse(core, intent->nsei);
    struct msg *msg = &intent->msg;
    msg->nse = nse_of(core, intent->nsei_home);
    msg->flush.ms = MS_NONE;
    msg->flush.from = cell_of(core, intent->nsei, intent->bvci);
    msg->flush.to = is_transferred ? cell_of(core, intent->nsei_new, intent->bvci_new) : GB_BVC_NONE;
    if (!is_transferred || worker_of_nse(core, intent->nsei_new) == worker) {
        core_order_to(core, worker, msg);
        return;
    }
    struct msg arrived = *msg;
    msg->flush.to = arrived.flush.from = GB_BVC_NONE;
    core_order_to(core, worker, msg);
    core_order(core, &arrived);
}

/* RADIO-STATUS may name the mobile by its IMSI. */
void core_gb_lost(struct core *core, struct core_intent *intent)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    intent->msg.is_lost = true;
    if (intent->imsi &&
        !(mobiles->arg && mobiles->tlli_of_imsi(mobiles->arg, intent->imsi, &intent->msg.tlli)))
        return;
    core_order(core, &intent->msg);
}

void core_gb_cell(struct core *core, struct core_intent *intent)
{
    intent->msg.cell.bvc = cell_of(core, intent->nsei_new, intent->bvci_new);
    mobility_go(&core->mobility, &intent->msg);
}

/* Its endpoints, as addresses of the workers. */
static struct gb_nsvc_params params_of(const struct core *core, const struct node_config_nsvc *nsvc)
{
    const struct node_config *config = core->config;
    struct gb_nsvc_params params = {
        .local_ip = nsvc->own_address,
        .remote_ip = nsvc->address,
        .local_port = nsvc->own_port,
        .remote_port = nsvc->udp_port,
        .nse = nsvc->nse,
        .needs_mac = config->live.is_on && !nsvc->has_mac && !nsvc->has_heard_mac,
        .data_weight = nsvc->data_weight,
    };
    memcpy(params.local_mac, config->gb.mac, sizeof(params.local_mac));
    memcpy(params.remote_mac, nsvc->mac, sizeof(params.remote_mac));
    return params;
}

static void tell_others(struct core *core, const struct node_config_nsvc *nsvc, bool is_gone)
{
    unsigned worker = core->config->nses[nsvc->nse].worker;
    struct msg msg = {
        .type = MSG_NSVC_AT,
        .nsvc_at = {.worker = (uint16_t)worker, .is_gone = is_gone, .params = params_of(core, nsvc)}};
    core_order_others(core, worker, &msg);
}

void core_nsvc_add(struct core *core, uint32_t index)
{
    const struct node_config_nsvc *nsvc = &core->config->nsvcs[index];
    struct msg msg = {.type = MSG_NSVC_ADD, .slot = index, .nsvc = params_of(core, nsvc)};
    core_order(core, &msg);
    tell_others(core, nsvc, false);
}

void core_nsvc_start(struct core *core)
{
    for (uint32_t i = 0; i < core->config->nsvc_count; i++)
        if (!core->config->nsvcs[i].is_absent)
            core_nsvc_add(core, i);
}

/* --- nses_accepted --- */

#define ACCEPTED_ADDRESSES 128

/* For one more NSE, and for all of its cells. */
static bool has_room(const struct node_config *config)
{
    uint32_t cells = 0;
    for (uint32_t i = 0; i < config->cell_count; i++)
        cells += config->cells[i].is_leaving;
    return node_config_accepted_nse(config) >= 0 && cells == 0;
}

/* IPv6 addresses have places for good: only so many are of accepted NSEs. */
static bool has_address_room(const struct core *core, const uint8_t *octets, size_t count)
{
    return count != ADDRESS_IPV6_OCTETS || address_book_has(&core->addresses, octets) ||
           core->accepted_addresses < ACCEPTED_ADDRESSES;
}

static void core_gb_text_of(const uint8_t *octets, size_t count, char out[INET6_ADDRSTRLEN])
{
    inet_ntop(count == sizeof(struct in6_addr) ? AF_INET6 : AF_INET, octets, out, INET6_ADDRSTRLEN);
}

void core_gb_unlisted(struct core *core, const struct msg *msg)
{
    const struct node_config *config = core->config;
    char address[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN], ours[ADDRESS_BOOK_TEXT_CHARS];
    struct gb_transport_datagram in;
    struct ns ns;
    if (!gb_transport_read(&in, rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf)) ||
        ns_decode(&ns, in.payload, in.octets) < 0 || ns.head.type != NS_RESET)
        return;
    core_gb_text_of(in.remote, in.address_octets, address);
    core_gb_text_of(in.local, in.address_octets, own);
    if (in.local_port != config->gb.udp_port ||
        strcmp(own, address_book_text(&core->addresses, config->gb.address, ours)) != 0)
        return;
    const struct lua_gb_unlisted unlisted = {.nsei = ns.nsei,
                                             .nsvci = ns.nsvci,
                                             .address = address,
                                             .own_address = own,
                                             .udp_port = in.remote_port,
                                             .own_port = in.local_port,
                                             .slot = node_config_accepted_nsvc(config),
                                             .has_room = has_room(config),
                                             .has_address_room =
                                                 has_address_room(core, in.remote, in.address_octets),
                                             .octets = in.payload,
                                             .count = in.octets};
    memcpy(core->accepted_mac, rte_pktmbuf_mtod(msg->mbuf, uint8_t *) + sizeof(core->accepted_mac),
           sizeof(core->accepted_mac));
    lua_gb_unlisted(&core->gb, &unlisted, core->now);
}

void core_gb_nse_accepted(struct core *core, struct core_intent *intent)
{
    int index = node_config_accepted_nse(core->config);
    if (index < 0) /* has_room() has looked */
        return;
    struct node_config_nse nse = core->config->accepted.nse;
    nse.nsei = (uint16_t)intent->nsei;
    nse.worker = node_config_least_worker(core->config);
    core->config->nses[index] = nse;
    core_nse_add(core, (uint32_t)index);
}

/* A new cell, or one whose BSS names another cell identity now. */
void core_gb_cell_accepted(struct core *core, struct core_intent *intent)
{
    const struct node_config *config = core->config;
    int nse = node_config_nse(config, intent->nsei), index = node_config_cell(config, nse, intent->bvci);
    bool is_there = index >= 0;
    if (!is_there)
        index = node_config_accepted_cell(config);
    if (nse < 0 || index < 0)
        return;
    struct node_config_cell cell = config->accepted.cell;
    cell.nse = (uint16_t)nse;
    cell.bvci = (uint16_t)intent->bvci;
    snprintf(cell.mcc, sizeof(cell.mcc), "%s", intent->mcc);
    snprintf(cell.mnc, sizeof(cell.mnc), "%s", intent->mnc);
    cell.lac = intent->lac;
    cell.rac = intent->rac;
    cell.ci = intent->ci;
    config->cells[index] = cell;
    if (!is_there) {
        core_cell_add(core, (uint32_t)index);
        return;
    }
    core_phones_cell_gone(core, intent->nsei, intent->bvci);
    core_phones_cell(core, &config->cells[index]);
}

static void nse_again(struct core *core, uint16_t index)
{
    const struct node_config *config = core->config;
    const uint32_t nsei = config->nses[index].nsei;
    char text[ADDRESS_BOOK_TEXT_CHARS];
    lua_gb_nse_again(&core->gb, nsei, core->now);
    for (uint32_t i = 0; i < config->nsvc_count; i++) {
        const struct node_config_nsvc *nsvc = &config->nsvcs[i];
        const struct lua_gb_nsvc again = {
            nsei, nsvc->nsvci, i, address_book_text(&core->addresses, nsvc->address, text), nsvc->udp_port};
        if (nsvc->nse == index && !nsvc->is_absent)
            lua_gb_nsvc_add(&core->gb, &again, core->now);
    }
}

static void cell_again(struct core *core, const struct node_config_cell *cell)
{
    const struct lua_gb_cell again = {.nsei = core->config->nses[cell->nse].nsei,
                                      .bvci = cell->bvci,
                                      .mcc = cell->mcc,
                                      .mnc = cell->mnc,
                                      .lac = cell->lac,
                                      .ci = cell->ci,
                                      .rac = cell->rac};
    lua_gb_cell_again(&core->gb, &again, core->now);
    core_phones_cell(core, cell);
}

void core_gb_accepted(struct core *core)
{
    const struct node_config *config = core->config;
    for (uint32_t i = 0; i < config->nse_count; i++)
        if (config->nses[i].is_accepted && !config->nses[i].is_gone)
            nse_again(core, (uint16_t)i);
    for (uint32_t i = 0; i < config->cell_count; i++)
        if (!config->cells[i].is_gone && is_accepted(core, config->cells[i].nse))
            cell_again(core, &config->cells[i]);
}

/* --- IP-SNS --- */

static uint32_t address_of(struct core *core, const struct lua_intent_address *address)
{
    return core_address(core, address->octets, address->count);
}

void core_nsvc_made(struct core *core, struct core_intent *intent)
{
    struct node_config_nsvc *nsvc = &core->config->nsvcs[intent->msg.slot];
    nsvc->nse = nse_of(core, intent->nsei);
    nsvc->nsvci = intent->nsvci;
    nsvc->is_free = false;
    uint32_t known = core->addresses.count;
    nsvc->own_address = address_of(core, &intent->own_address);
    nsvc->own_port = intent->own_port;
    nsvc->address = address_of(core, &intent->address);
    if (is_accepted(core, nsvc->nse)) {
        core->accepted_addresses += core->addresses.count - known;
        memcpy(nsvc->mac, core->accepted_mac, sizeof(nsvc->mac));
        nsvc->has_heard_mac = true;
    }
    nsvc->udp_port = intent->udp_port;
    nsvc->data_weight = intent->weight;
    nsvc->is_absent = nsvc->is_leaving = false;
    core_nsvc_add(core, intent->msg.slot);
    if (core->neighbours.arg)
        core->neighbours.on_nsvc(core->neighbours.arg, intent->msg.slot);
}

void core_nsvc_deleted(struct core *core, struct core_intent *intent)
{
    struct node_config_nsvc *nsvc = &core->config->nsvcs[intent->msg.slot];
    core_order(core, &intent->msg);
    tell_others(core, nsvc, true);
    nsvc->is_absent = nsvc->is_leaving = true;
    nsvc->is_free = is_accepted(core, nsvc->nse);
}

#define SENDER 0 /* the worker that sends Echo Requests */

static bool has_control_plane(const struct core *core)
{
    return core->paths.lua.object.L != NULL;
}

void core_path_echo(struct core *core, struct core_intent *intent)
{
    const struct core_paths_entry *path = &core->paths.list[intent->path];
    struct msg *msg = &intent->msg;
    msg->path.ours = path->ours;
    msg->path.theirs = path->theirs;
    /* The Echo Response may arrive at any worker. */
    core_order_others(core, SENDER, msg);
    msg->path.is_to_send = true;
    core_order_to(core, SENDER, msg);
}

void core_path_lose(struct core *core, struct core_intent *intent)
{
    const struct core_paths_entry *path = &core->paths.list[intent->path];
    if (core->mobiles.arg)
        core->mobiles.on_path_lost(core->mobiles.arg, path->ours, path->theirs);
}

void core_path_init(struct core *core)
{
    lua_paths_init(&core->paths.lua, &core->intents);
}

void core_path_fini(struct core *core)
{
    if (has_control_plane(core))
        lua_paths_fini(&core->paths.lua);
    free(core->paths.list);
    core->paths.list = NULL;
}

/* --- contexts --- */

/* The index of a path, or the number of paths when there is none for the pair. */
static uint32_t core_gb_find(const struct core_paths *paths, uint32_t ours, uint32_t theirs)
{
    uint32_t i = 0;
    while (i < paths->count && (paths->list[i].ours != ours || paths->list[i].theirs != theirs))
        i++;
    return i;
}

/* Places are kept for a path that comes again, and given to another path when there are no more: a GGSN can
 * name any number of addresses. GN_ECHO_PATHS: every path has contexts. */
static uint32_t core_gb_add(struct core_paths *paths, uint32_t ours, uint32_t theirs)
{
    uint32_t place = paths->count;
    if (place == GN_ECHO_PATHS)
        for (place = 0; place < paths->count && paths->list[place].contexts > 0;)
            place++;
    else
        lua_table_append(&paths->list, &paths->count, sizeof(*paths->list));
    if (place < paths->count)
        paths->list[place] = (struct core_paths_entry){.ours = ours, .theirs = theirs};
    return place;
}

static bool is_followed(const struct core *core, uint32_t theirs)
{
    return has_control_plane(core) && theirs != ADDRESS_NONE;
}

static void core_gb_begin(struct core *core, uint32_t place)
{
    const struct core_paths_entry *path = &core->paths.list[place];
    char ours[ADDRESS_BOOK_TEXT_CHARS], theirs[ADDRESS_BOOK_TEXT_CHARS],
        name[2 * ADDRESS_BOOK_TEXT_CHARS + 4];
    snprintf(name, sizeof(name), "%s - %s", address_book_text(&core->addresses, path->ours, ours),
             address_book_text(&core->addresses, path->theirs, theirs));
    lua_paths_add(&core->paths.lua, place, name, core->now);
    core->timer_ns = moment_min(core->timer_ns, lua_object_next_ns(&core->paths.lua.object));
}

void core_path_add(struct core *core, uint32_t ours, uint32_t theirs)
{
    struct core_paths *paths = &core->paths;
    if (!is_followed(core, theirs))
        return;
    uint32_t place = core_gb_find(paths, ours, theirs);
    if (place == paths->count)
        place = core_gb_add(paths, ours, theirs);
    if (place == GN_ECHO_PATHS)
        return;
    if (paths->list[place].contexts++ == 0 && paths->is_started)
        core_gb_begin(core, place);
}

void core_path_start(struct core *core)
{
    core->paths.is_started = true;
    for (uint32_t i = 0; i < core->paths.count; i++)
        if (core->paths.list[i].contexts > 0)
            core_gb_begin(core, i);
}

static void core_gb_end(struct core *core, uint32_t place)
{
    const struct core_paths_entry *path = &core->paths.list[place];
    struct msg msg = {.type = MSG_GN_ECHO_END, .path = {.ours = path->ours, .theirs = path->theirs}};
    if (!core->paths.is_started)
        return;
    lua_paths_del(&core->paths.lua, place, core->now);
    core_order(core, &msg);
}

void core_path_del(struct core *core, uint32_t ours, uint32_t theirs)
{
    if (!is_followed(core, theirs))
        return;
    uint32_t place = core_gb_find(&core->paths, ours, theirs);
    /* None: it was not followed, as there was no place. */
    if (place < core->paths.count && core->paths.list[place].contexts > 0 &&
        --core->paths.list[place].contexts == 0)
        core_gb_end(core, place);
}

/* --- answers --- */

void core_path_answered(struct core *core, const struct msg *msg)
{
    uint32_t place = core_gb_find(&core->paths, msg->path.ours, msg->path.theirs);
    if (has_control_plane(core) && place < core->paths.count)
        lua_paths_answered(&core->paths.lua, place, msg->path.seq, core->now);
}

void core_llc_init(struct core *core)
{
    lua_llc_init(&core->llc, &core->intents);
}

void core_llc_fini(struct core *core)
{
    lua_llc_fini(&core->llc);
}

static bool has_llc_control_plane(const struct core *core)
{
    return core->llc.object.L != NULL;
}

void core_llc_punt(struct core *core, const struct msg *msg)
{
    if (has_llc_control_plane(core))
        lua_llc_frame(&core->llc, msg->slot, rte_pktmbuf_mtod(msg->mbuf, uint8_t *),
                      rte_pktmbuf_data_len(msg->mbuf), core->now);
    rte_pktmbuf_free(msg->mbuf);
}

void core_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                     const struct llc_cipher_params *ciphering)
{
    if (!has_llc_control_plane(core))
        return;
    const struct node_config_cell *at = &core->config->cells[cell];
    struct lua_llc_mobile mobile = {
        .slot = slot,
        .nsei = core->config->nses[at->nse].nsei,
        .bvci = at->bvci,
        .iov_ui = ciphering && ciphering->algorithm != 0 ? (int64_t)ciphering->iov_ui : -1,
    };
    lua_llc_ms_add(&core->llc, &mobile, core->now);
}

void core_llc_ms_del(struct core *core, uint32_t slot)
{
    if (has_llc_control_plane(core))
        lua_llc_ms_del(&core->llc, slot, core->now);
}

void core_llc_cell_open(struct core *core, uint32_t nsei, uint32_t bvci)
{
    if (has_llc_control_plane(core))
        lua_llc_cell_open(&core->llc, nsei, bvci, core->now);
}

static void core_llc_cell_closed(struct core *core, uint32_t nsei, uint32_t bvci)
{
    if (has_llc_control_plane(core))
        lua_llc_cell_closed(&core->llc, nsei, bvci);
}
