/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_gb.h"

#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "dataplane/wire/ns.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/shares.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define PATH_CHARS 64 /* of keys of a configuration */

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

void core_gb_nse_add(struct core *core, uint32_t index)
{
    const struct node_config_nse *nse = &core->config->nses[index];
    struct msg msg = {.type = MSG_NSE_ADD, .slot = index, .nsei = nse->nsei};
    struct shares *shares = core->links[nse->worker].rings->shares;
    if (shares)
        shares_begin_control(shares, SHARE_NSES + index);
    core_order(core, &msg);
    msg.type = MSG_NSE_RATE;
    msg.link = nse->link;
    if (msg.link.rate_bps > 0)
        core_order(core, &msg);
}

static bool is_same_policy(const struct gb_policy *a, const struct gb_policy *b)
{
    return a->bss_target_ns == b->bss_target_ns && a->max_rate_bps == b->max_rate_bps &&
           a->max_octets == b->max_octets && a->rate_percent == b->rate_percent;
}

static struct core_event_cell identity_of(const struct node_config_cell *cell)
{
    return (struct core_event_cell){
        .mcc = cell->mcc, .mnc = cell->mnc, .lac = cell->lac, .ci = cell->ci, .rac = cell->rac};
}

/* Phones may attach in the cell from now on. */
static void tell_phones(struct core *core, const struct node_config_cell *cell)
{
    const struct core_event_cell id = identity_of(cell);
    core_tell(core, phones_cell_add, LUA_ARG(core->config->nses[cell->nse].nsei), LUA_ARG(cell->bvci),
              CORE_RECORD(cell, &id));
}

void core_gb_cell_add(struct core *core, uint32_t index)
{
    const struct node_config *config = core->config;
    const struct node_config_cell *cell = &config->cells[index];
    struct msg msg = {.type = MSG_BVC_ADD, .slot = index, .bvc = {.bvci = cell->bvci, .nse = cell->nse}};
    struct area area = {.lac = cell->lac, .rac = cell->rac};
    snprintf(area.mcc, sizeof(area.mcc), "%s", cell->mcc);
    snprintf(area.mnc, sizeof(area.mnc), "%s", cell->mnc);
    tell_phones(core, cell);
    (void)identity_area_encode(msg.bvc.area, sizeof(msg.bvc.area), &area, AREA_ROUTEING);
    core_order(core, &msg);
    if (is_same_policy(&cell->policy, &config->policy.gb))
        return;
    msg = (struct msg){.type = MSG_BVC_POLICY, .slot = index, .policy = cell->policy};
    core_order(core, &msg);
}

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
        core_tell(core, phones_cell_del, LUA_ARG(intent->nsei), LUA_ARG(intent->bvci));
    core_tell(core, llc_cell_closed, LUA_ARG(core_gb_llc_place(intent->nsei, intent->bvci)));
    core_order(core, &intent->msg);
}

/* The worker accepts LLC frames for mobiles of the cell after this order. */
void core_gb_bvc_flow(struct core *core, struct core_intent *intent)
{
    core_order(core, &intent->msg);
    core_tell(core, llc_cell_open, LUA_ARG(core_gb_llc_place(intent->nsei, intent->bvci)));
}

/* --- mobiles --- */

void core_gb_ms_add(struct core *core, uint32_t slot, uint32_t tlli, const char *imsi, uint16_t cell)
{
    if (!core_has(core, gb))
        return;
    const struct node_config_cell *at = &core->config->cells[cell];
    core_tell(core, gb_ms_add, LUA_ARG(slot), LUA_ARG(tlli), LUA_ARG(core->config->nses[at->nse].nsei),
              LUA_ARG(at->bvci), LUA_ARG(imsi[0] ? imsi : NULL));
}

void core_gb_ms_radio(struct core *core, uint32_t slot, struct lua_State *from, uint32_t number)
{
    char path[PATH_CHARS];
    snprintf(path, sizeof(path), "mobiles.list.%" PRIu32 ".radio", number + 1);
    core_tell(core, gb_ms_radio, LUA_ARG(slot), LUA_AT(from, path));
}

void core_gb_ms_elements(struct core *core, uint32_t tlli, uint16_t cell,
                         const struct bssgp_elements *elements)
{
    struct msg msg = {.type = MSG_MS_ELEMENTS, .tlli = tlli};
    if (!elements)
        return;
    msg.nse = core->config->cells[cell].nse;
    msg.elements = *elements;
    core_order(core, &msg);
}

/* The order goes to the worker of the cell, which has the bucket, since the mobile may be in another cell
 * by now. */
void core_gb_discarded(struct core *core, struct core_intent *intent)
{
    intent->msg.discard.ms = MS_NONE;
    intent->msg.discard.bvc = cell_of(core, intent->nsei, intent->bvci);
    core_link_order(core, worker_of_nse(core, intent->nsei), &intent->msg);
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
        core_link_order(core, worker, msg);
        return;
    }
    struct msg arrived = *msg;
    msg->flush.to = arrived.flush.from = GB_BVC_NONE;
    core_link_order(core, worker, msg);
    core_order(core, &arrived);
}

void core_gb_suspend(struct core *core, struct core_intent *intent)
{
    core_order(core, &intent->msg);
    if (intent->msg.is_suspended)
        core_tell(core, phones_suspended, LUA_ARG(mobility_find(&core->mobility, intent->msg.tlli)));
}

void core_gb_lost(struct core *core, struct core_intent *intent)
{
    intent->msg.is_lost = true;
    core_order(core, &intent->msg);
}

void core_gb_rim(struct core *core, struct core_intent *intent)
{
    core_tell(core, gb_on_rim, LUA_OCTETS(intent->octets.bytes, intent->octets.count),
              LUA_ARG(intent->is_returned));
}

void core_gb_cell(struct core *core, struct core_intent *intent)
{
    intent->msg.cell.bvc = cell_of(core, intent->nsei_new, intent->bvci_new);
    mobility_go(&core->mobility, &intent->msg);
}

/* --- unnumbered frames of LLC --- */

void core_gb_llc_punt(struct core *core, const struct msg *msg)
{
    core_tell(core, llc_frame, LUA_ARG(msg->slot),
              LUA_OCTETS(rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf)));
    rte_pktmbuf_free(msg->mbuf);
}

void core_gb_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                        const struct llc_cipher_params *ciphering)
{
    if (!core_has(core, llc))
        return;
    const struct node_config_cell *at = &core->config->cells[cell];
    bool is_ciphered = ciphering && ciphering->algorithm != 0;
    core_tell(core, llc_ms_add, LUA_ARG(slot),
              LUA_ARG(core_gb_llc_place(core->config->nses[at->nse].nsei, at->bvci)),
              LUA_MAYBE(ciphering->iov_ui, is_ciphered));
}

void core_gb_compression(struct core *core, struct core_intent *intent)
{
    struct msg_compression *compression = &intent->msg.compression;
    if (intent->is_added) /* Lua has asked whether there is some */
        compression->memory = compression_pool_take(&core->compression, compression->params.kind);
    core_order(core, &intent->msg);
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
    const struct core_event_unlisted unlisted = {
        .nsei = ns.nsei,
        .nsvci = ns.nsvci,
        .address = address,
        .own_address = own,
        .udp_port = in.remote_port,
        .own_port = in.local_port,
        .slot = node_config_accepted_nsvc(config),
        .has_room = has_room(config),
        .has_address_room = has_address_room(core, in.remote, in.address_octets),
    };
    memcpy(core->accepted_mac, rte_pktmbuf_mtod(msg->mbuf, uint8_t *) + sizeof(core->accepted_mac),
           sizeof(core->accepted_mac));
    core_tell(core, gb_on_unlisted, CORE_RECORD(unlisted, &unlisted), LUA_OCTETS(in.payload, in.octets));
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
    core_gb_nse_add(core, (uint32_t)index);
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
        core_gb_cell_add(core, (uint32_t)index);
        return;
    }
    core_tell(core, phones_cell_del, LUA_ARG(intent->nsei), LUA_ARG(intent->bvci));
    tell_phones(core, &config->cells[index]);
}

void core_gb_nsvc_tell(struct core *core, uint32_t index)
{
    const struct node_config_nsvc *nsvc = &core->config->nsvcs[index];
    char text[ADDRESS_BOOK_TEXT_CHARS];
    core_tell(core, gb_nsvc_add, LUA_ARG(core->config->nses[nsvc->nse].nsei), LUA_ARG(nsvc->nsvci),
              LUA_ARG(index), LUA_ARG(address_book_text(&core->addresses, nsvc->address, text)),
              LUA_ARG(nsvc->udp_port));
}

static void nse_again(struct core *core, uint16_t index)
{
    const struct node_config *config = core->config;
    const uint32_t nsei = config->nses[index].nsei;
    core_tell(core, gb_nse_again, LUA_ARG(nsei));
    for (uint32_t i = 0; i < config->nsvc_count; i++) {
        const struct node_config_nsvc *nsvc = &config->nsvcs[i];
        if (nsvc->nse == index && !nsvc->is_absent)
            core_gb_nsvc_tell(core, i);
    }
}

static void cell_again(struct core *core, const struct node_config_cell *cell)
{
    const struct core_event_cell id = identity_of(cell);
    core_tell(core, gb_cell_again, LUA_ARG(core->config->nses[cell->nse].nsei), LUA_ARG(cell->bvci),
              CORE_RECORD(cell, &id));
    tell_phones(core, cell);
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
