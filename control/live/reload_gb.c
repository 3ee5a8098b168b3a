/* SPDX-License-Identifier: BSD-3-Clause */
/* The reload of Gb: NS-VCs of deleted NSEs are deleted first, since added NS-VCs may have the same endpoints.
 * Deleted cells stay until the new ones are added, since their mobiles are re-homed, maybe into a new cell.
 */

#include "control/core/core.h"
#include "control/live/reload.h"
#include "control/live/live.h"
#include "control/config/lua_config_diff.h"
#include "control/core/core_gb.h"
#include "dataplane/base/teid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_CHARS 64 /* of keys of a configuration */

/* --- indices --- */

static uint16_t nse_of(const struct live *live, const struct lua_config_diff *diff, uint16_t nse)
{
    return (uint16_t)node_config_nse(&live->node.config, diff->config.nses[nse].nsei);
}

uint16_t live_reload_gb_cell(const struct live *live, const struct lua_config_diff *diff, uint16_t cell)
{
    const struct node_config_cell *listed = &diff->config.cells[cell];
    return (uint16_t)node_config_cell(&live->node.config, nse_of(live, diff, listed->nse), listed->bvci);
}

/* --- NSEs and cells that the configuration does not have any more --- */

static void close_gone(struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->gone_nse_count; i++) {
        int nse = node_config_nse(config, diff->gone_nses[i]);
        core_tell(&live->node.core, gb_nse_close, LUA_ARG(diff->gone_nses[i]));
        for (uint32_t k = 0; k < config->nsvc_count; k++)
            if (config->nsvcs[k].nse == nse && !config->nsvcs[k].is_free)
                config->nsvcs[k].is_free = config->nsvcs[k].is_absent = true;
    }
}

static bool leave_gone(struct live *live, const struct lua_config_diff *diff)
{
    struct core *core = &live->node.core;
    for (uint32_t i = 0; i < diff->gone_cell_count; i++)
        core_tell(core, gb_cell_leaves, LUA_ARG(diff->gone_cells[i].nsei), LUA_ARG(diff->gone_cells[i].bvci));
    for (uint32_t i = 0; i < diff->gone_nse_count; i++)
        core_tell(core, gb_cell_leaves, LUA_ARG(diff->gone_nses[i]), LUA_ARG(0));
    return diff->gone_cell_count > 0 || diff->gone_nse_count > 0;
}

static void remove_gone(struct live *live, const struct lua_config_diff *diff)
{
    struct core *core = &live->node.core;
    for (uint32_t i = 0; i < diff->gone_cell_count; i++) {
        core_tell(core, gb_cell_del, LUA_ARG(diff->gone_cells[i].nsei), LUA_ARG(diff->gone_cells[i].bvci));
        core_tell(core, phones_cell_del, LUA_ARG(diff->gone_cells[i].nsei),
                  LUA_ARG(diff->gone_cells[i].bvci));
    }
    for (uint32_t i = 0; i < diff->gone_nse_count; i++) {
        core_tell(core, gb_nse_del, LUA_ARG(diff->gone_nses[i]));
        core_tell(core, phones_cell_del, LUA_ARG(diff->gone_nses[i]), LUA_ARG(0));
    }
}

bool live_reload_gb_park(struct live *live)
{
    core_tell(&live->node.core, gb_park);
    return core_ask(&live->node.core, gb_is_parking, false);
}

/* --- room --- */

static bool is_new_nse(const struct lua_config_diff *diff, uint16_t nse)
{
    for (uint32_t i = 0; i < diff->nse_count; i++)
        if (diff->nses[i] == nse)
            return true;
    return false;
}

static uint32_t count_nsvcs(const struct node_config *config, uint16_t nse)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        count += config->nsvcs[i].nse == nse;
    return count;
}

static void try_nsvcs(struct node_config *trial, uint32_t count)
{
    uint32_t first = node_config_add_nsvcs(trial, count);
    for (uint32_t i = 0; i < count; i++)
        trial->nsvcs[first + i].is_free = false;
}

/* The number of NS-VC slots after the reload: a run of free slots is used if it is long enough. */
static uint32_t nsvcs_after(const struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    struct node_config trial = {.accepted = config->accepted};
    node_config_add_nsvcs(&trial, config->nsvc_count);
    memcpy(trial.nsvcs, config->nsvcs, config->nsvc_count * sizeof(*trial.nsvcs));
    for (uint32_t i = 0; i < diff->nse_count; i++)
        try_nsvcs(&trial, count_nsvcs(&diff->config, diff->nses[i]));
    for (uint32_t i = 0; i < diff->nsvc_count; i++)
        try_nsvcs(&trial, 1);
    free(trial.nsvcs);
    return trial.nsvc_count;
}

/* --- mobiles of deleted cells --- */

static bool is_gone(const struct live *live, const struct lua_config_diff *diff, uint16_t cell)
{
    const struct node_config_cell *was = &live->node.config.cells[cell];
    uint16_t nsei = live->node.config.nses[was->nse].nsei;
    for (uint32_t i = 0; i < diff->gone_nse_count; i++)
        if (diff->gone_nses[i] == nsei)
            return true;
    for (uint32_t i = 0; i < diff->gone_cell_count; i++)
        if (diff->gone_cells[i].nsei == nsei && diff->gone_cells[i].bvci == was->bvci)
            return true;
    return false;
}

static bool is_same_area(const struct node_config_cell *a, const struct node_config_cell *b)
{
    return strcmp(a->mcc, b->mcc) == 0 && strcmp(a->mnc, b->mnc) == 0 && a->lac == b->lac && a->rac == b->rac;
}

/* Whether mobiles of a cell may be re-homed to another worker: no other cell of the NSE has their routing
 * area. */
static bool is_left(const struct live *live, const struct lua_config_diff *diff, uint16_t cell)
{
    const struct node_config_cell *was = &live->node.config.cells[cell];
    if (was->is_gone || !is_gone(live, diff, cell))
        return false;
    int nse = node_config_nse(&diff->config, live->node.config.nses[was->nse].nsei);
    for (uint32_t i = 0; i < diff->config.cell_count; i++)
        if (diff->config.cells[i].nse == nse && is_same_area(&diff->config.cells[i], was))
            return false;
    return true;
}

/* NULL: out of memory. */
static bool *left_cells(const struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    bool *are_left = calloc((size_t)config->cell_count + 1, sizeof(*are_left));
    for (uint32_t i = 0; are_left && i < config->cell_count; i++)
        are_left[i] = is_left(live, diff, (uint16_t)i);
    return are_left;
}

static int compare_imsis(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Whether the mobile in a slot exists after the reload; diff->removed is sorted. */
static bool stays(const struct live *live, const struct lua_config_diff *diff, uint32_t slot)
{
    return diff->removed_count == 0 || !bsearch(live->node.sessions.mobiles[slot].imsi, diff->removed,
                                                diff->removed_count, sizeof(*diff->removed), compare_imsis);
}

static bool has_no_memory(void)
{
    fprintf(stderr, "out of memory for the configuration\n");
    return false;
}

/* Tests the limit of remote mobiles per home worker. */
static bool can_move_mobiles(const struct live *live, const struct lua_config_diff *diff)
{
    const struct mobility *m = &live->node.core.mobility;
    uint32_t most = live->node.workers[0]->moves.count, away[TEID_WORKERS] = {0};
    if (live->node.core.workers <= 1 || (diff->gone_nse_count == 0 && diff->gone_cell_count == 0))
        return true;
    bool *are_left = left_cells(live, diff), can = true;
    if (!are_left)
        return has_no_memory();
    for (uint32_t i = 0; i < live->node.config.limits.mobiles && can; i++) {
        const struct mobility_mobile *ms = &m->list[i];
        if (!ms->is_there || !stays(live, diff, i))
            continue;
        away[ms->home] += ms->server != ms->home || are_left[ms->cell];
        can = away[ms->home] <= most;
    }
    free(are_left);
    if (!can)
        fprintf(stderr,
                "too many mobiles are in deleted NSEs or cells: other workers can serve at most "
                "%u of each worker's\n",
                most);
    return can;
}

static bool has_places(const struct live *live, const struct lua_config_diff *diff)
{
    const struct context_limits *limits = &live->node.workers[0]->context.limits;
    const struct node_config *config = &live->node.config;
    uint32_t nses = node_config_nses_used(config) + diff->nse_count;
    uint32_t cells = node_config_cells_used(config) + diff->cell_count;
    for (uint32_t i = 0; i < diff->config.cell_count; i++)
        cells += is_new_nse(diff, diff->config.cells[i].nse);
    return nses <= limits->nses && cells <= limits->bvcs && nsvcs_after(live, diff) <= limits->nsvcs;
}

bool live_reload_gb_waits(const struct live *live, const struct lua_config_diff *diff)
{
    return node_config_is_leaving(&live->node.config) && !has_places(live, diff);
}

static bool check_places(const struct live *live, const struct lua_config_diff *diff)
{
    const struct context_limits *limits = &live->node.workers[0]->context.limits;
    if (has_places(live, diff))
        return true;
    fprintf(stderr,
            "too many NSEs, NS-VCs or cells, deleted ones included: at most %u, %u, %u; "
            "restart the node\n",
            limits->nses, limits->nsvcs, limits->bvcs);
    return false;
}

/* --- NSEs of nses_accepted --- */

static bool is_endpoint(const struct live *live, const struct node_config_nsvc *old,
                        const struct lua_config_diff *diff, const struct node_config_nsvc *new)
{
    char was[ADDRESS_BOOK_TEXT_CHARS], is[ADDRESS_BOOK_TEXT_CHARS];
    return old->udp_port ==
           new->udp_port &&strcmp(address_book_text(&live->node.core.addresses, old->address, was),
                                  address_book_text(&diff->config.addresses, new->address, is)) == 0;
}

static bool is_cell_listed(const struct lua_config_diff *diff, const struct node_config_cell *cell)
{
    for (uint32_t i = 0; i < diff->config.cell_count; i++)
        if (!diff->config.cells[i].is_gone && is_same_area(&diff->config.cells[i], cell) &&
            diff->config.cells[i].ci == cell->ci)
            return true;
    return false;
}

/* Whether a listed NSE has the NSEI, an endpoint or a Cell Identity of an accepted one (index). */
static bool is_listed(const struct live *live, const struct lua_config_diff *diff, uint16_t nse)
{
    const struct node_config *config = &live->node.config;
    if (node_config_nse(&diff->config, config->nses[nse].nsei) >= 0)
        return true;
    for (uint32_t i = 0; i < config->cell_count; i++)
        if (config->cells[i].nse == nse && !config->cells[i].is_gone &&
            is_cell_listed(diff, &config->cells[i]))
            return true;
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        for (uint32_t k = 0;
             config->nsvcs[i].nse == nse && !config->nsvcs[i].is_absent && k < diff->config.nsvc_count; k++)
            if (!diff->config.nsvcs[k].is_absent &&
                is_endpoint(live, &config->nsvcs[i], diff, &diff->config.nsvcs[k]))
                return true;
    return false;
}

static bool has_no_accepted(const struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < config->nse_count; i++) {
        if (!config->nses[i].is_accepted || config->nses[i].is_gone || !is_listed(live, diff, (uint16_t)i))
            continue;
        fprintf(stderr,
                "NSE %u, or an endpoint or Cell Identity of it, is listed in nses, but is "
                "there by "
                "nses_accepted: stop its BSS until it is deleted (nses_accepted.idle), or restart the node\n",
                config->nses[i].nsei);
        return false;
    }
    return true;
}

bool live_reload_gb_has_room(struct live *live, const struct lua_config_diff *diff)
{
    return has_no_accepted(live, diff) && check_places(live, diff) && can_move_mobiles(live, diff) &&
           (node_config_reserve(&live->node.config, &diff->config) || has_no_memory());
}

/* --- NS-VCs --- */

static void remove_nsvcs(struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->gone_count; i++) {
        uint16_t nse = (uint16_t)node_config_nse(config, diff->gone[i].nsei);
        uint32_t index = node_config_nsvc_of(config, nse, diff->gone[i].nsvci);
        core_tell(&live->node.core, gb_nsvc_del, LUA_ARG(index));
        config->nsvcs[index].is_free = true;
    }
}

/* Writes an NS-VC of the new configuration to its slot in the node. */
static void fill_nsvc(struct live *live, const struct lua_config_diff *diff, uint32_t listed, uint32_t index)
{
    struct core *core = &live->node.core;
    struct node_config_nsvc nsvc = diff->config.nsvcs[listed];
    nsvc.nse = nse_of(live, diff, nsvc.nse);
    nsvc.own_address = core_address_of(core, &diff->config, nsvc.own_address);
    nsvc.address = core_address_of(core, &diff->config, nsvc.address);
    live->node.config.nsvcs[index] = nsvc;
    if (!nsvc.is_absent)
        core_nsvc_add(core, index);
}

static void add_nsvcs(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->nsvc_count; i++) {
        uint32_t index = node_config_add_nsvcs(config, 1);
        fill_nsvc(live, diff, diff->nsvcs[i], index);
        core_gb_nsvc_tell(&live->node.core, index);
    }
}

/* --- added NSEs and cells --- */

/* The configured worker of the NSE, else the one with the fewest NSEs. */
static uint8_t worker_for(const struct node_config *config, const struct node_config_nse *nse)
{
    return nse->is_dealt ? node_config_least_worker(config) : nse->worker;
}

static void add_cell(struct live *live, const struct lua_config_diff *diff, uint16_t listed)
{
    struct node_config_cell cell = diff->config.cells[listed];
    cell.nse = nse_of(live, diff, cell.nse);
    core_gb_cell_add(&live->node.core, node_config_add_cell(&live->node.config, &cell));
}

/* Adds the NS-VCs of an NSE to consecutive slots, in the order of the configuration. Returns the first. */
static uint32_t add_nsvcs_of(struct live *live, const struct lua_config_diff *diff, uint16_t nse)
{
    const struct node_config *config = &diff->config;
    uint32_t first = node_config_add_nsvcs(&live->node.config, count_nsvcs(config, nse)), index = first;
    for (uint32_t i = 0; i < config->nsvc_count; i++)
        if (config->nsvcs[i].nse == nse)
            fill_nsvc(live, diff, i, index++);
    return first;
}

static void add_nse(struct live *live, const struct lua_config_diff *diff, uint16_t listed)
{
    struct node_config *config = &live->node.config;
    struct core *core = &live->node.core;
    char path[PATH_CHARS];
    struct node_config_nse nse = diff->config.nses[listed];
    nse.worker = worker_for(config, &nse);
    core_gb_nse_add(core, node_config_add_nse(config, &nse));
    uint32_t first = add_nsvcs_of(live, diff, listed);
    for (uint32_t i = 0; i < diff->config.cell_count; i++)
        if (diff->config.cells[i].nse == listed)
            add_cell(live, diff, (uint16_t)i);
    snprintf(path, sizeof(path), "nses.%u", listed + 1u);
    core_tell(core, gb_nse_add, LUA_AT(diff->L, path), LUA_ARG(first));
}

/* The index of a cell among those of its NSE. */
static uint32_t place_of(const struct node_config *config, uint16_t cell)
{
    uint32_t place = 0;
    for (uint16_t i = 0; i < cell; i++)
        place += config->cells[i].nse == config->cells[cell].nse;
    return place;
}

static void add_nses(struct live *live, const struct lua_config_diff *diff)
{
    for (uint32_t i = 0; i < diff->nse_count; i++)
        add_nse(live, diff, diff->nses[i]);
    for (uint32_t i = 0; i < diff->cell_count; i++) {
        uint16_t cell = diff->cells[i];
        uint16_t nse = diff->config.cells[cell].nse;
        char path[PATH_CHARS];
        add_cell(live, diff, cell);
        snprintf(path, sizeof(path), "nses.%u.cells.%u", nse + 1u, place_of(&diff->config, cell) + 1);
        core_tell(&live->node.core, gb_cell_add, LUA_ARG(diff->config.nses[nse].nsei), LUA_AT(diff->L, path));
    }
}

/* --- changed NSEs and cells --- */

static void set_policy(struct live *live, uint32_t cell, const struct gb_policy *policy)
{
    const struct msg msg = {.type = MSG_BVC_POLICY, .slot = cell, .policy = *policy};
    live->node.config.cells[cell].policy = *policy;
    core_order(&live->node.core, &msg);
}

/* Those that Lua has. */
static struct core_event_flow flow_control_of(const struct node_config_cell *cell)
{
    return (struct core_event_flow){.max_rise_ppm = cell->max_rise_ppm,
                                    .bss_target_ns = cell->policy.bss_target_ns,
                                    .initial_octets = cell->initial_octets,
                                    .initial_bps = cell->initial_bps};
}

static void set_policies(struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->policy_count; i++) {
        const struct node_config_cell *listed = &diff->config.cells[diff->policies[i]];
        uint16_t cell = live_reload_gb_cell(live, diff, diff->policies[i]);
        const struct core_event_flow values = flow_control_of(listed);
        core_tell(&live->node.core, gb_set_flow_control, LUA_ARG(config->nses[config->cells[cell].nse].nsei),
                  LUA_ARG(config->cells[cell].bvci), CORE_RECORD(flow, &values));
        set_policy(live, cell, &listed->policy);
    }
}

static void set_policies_accepted(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    const struct node_config_cell *accepted = &diff->config.accepted.cell;
    const struct core_event_flow values = flow_control_of(accepted);
    if (!diff->has_accepted)
        return;
    config->accepted.cell = *accepted;
    core_tell(&live->node.core, gb_set_flow_control_accepted, CORE_RECORD(flow, &values));
    for (uint32_t i = 0; i < config->cell_count; i++)
        if (!config->cells[i].is_gone && config->nses[config->cells[i].nse].is_accepted)
            set_policy(live, i, &accepted->policy);
}

static void set_links(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->link_count; i++) {
        uint16_t nse = nse_of(live, diff, diff->links[i]);
        struct msg msg = {.type = MSG_NSE_RATE, .slot = nse, .link = diff->config.nses[diff->links[i]].link};
        config->nses[nse].link = msg.link;
        core_order(&live->node.core, &msg);
    }
}

static void change_endpoints(struct live *live, const struct lua_config_diff *diff)
{
    char path[PATH_CHARS];
    for (uint32_t i = 0; i < diff->endpoints_count; i++) {
        snprintf(path, sizeof(path), "nses.%u.sns.endpoints", diff->endpoints[i] + 1u);
        core_tell(&live->node.core, gb_sns_endpoints, LUA_ARG(diff->config.nses[diff->endpoints[i]].nsei),
                  LUA_AT(diff->L, path));
    }
}

/* The cells for learned mobiles; there is room (node_config_reserve()). */
static void set_homes(struct live *live, const struct lua_config_diff *diff)
{
    struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->config.home_count; i++)
        config->homes[i] = live_reload_gb_cell(live, diff, diff->config.homes[i]);
    config->home_count = diff->config.home_count;
}

/* --- the whole --- */

bool live_reload_gb_begin(struct live *live, const struct lua_config_diff *diff)
{
    remove_nsvcs(live, diff);
    close_gone(live, diff);
    add_nses(live, diff);
    add_nsvcs(live, diff);
    if (diff->nsvc_count > 0 || diff->nse_count > 0)
        links_want_nsvcs(&live->links);
    return leave_gone(live, diff);
}

void live_reload_gb_apply(struct live *live, const struct lua_config_diff *diff)
{
    remove_gone(live, diff);
    set_policies(live, diff);
    set_policies_accepted(live, diff);
    set_links(live, diff);
    change_endpoints(live, diff);
    set_homes(live, diff);
}
