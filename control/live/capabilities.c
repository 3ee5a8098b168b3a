/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/capabilities.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

#define LIVE_CAPABILITY(name) extern const struct node_capability name##_capability;
#include "control/live/capabilities.def"
#undef LIVE_CAPABILITY

static const struct node_capability *const rows[LIVE_CAPABILITIES + 1] = {
#define LIVE_CAPABILITY(name) &name##_capability,
#include "control/live/capabilities.def"
#undef LIVE_CAPABILITY
};

bool live_capabilities_start(struct live_capabilities *all, const struct node_capability_host *host)
{
    all->host = *host;
    for (unsigned i = 0; rows[i]; i++) {
        all->states[i] = calloc(1, rows[i]->octets);
        if (!all->states[i]) {
            fprintf(stderr, "gbflow: out of memory\n");
            return false;
        }
        if (rows[i]->start && !rows[i]->start(all->states[i], &all->host))
            return false;
    }
    return true;
}

bool live_capabilities_watch(struct live_capabilities *all, int epoll_fd)
{
    for (unsigned i = 0; rows[i]; i++)
        if (rows[i]->watch && !rows[i]->watch(all->states[i], epoll_fd))
            return false;
    return true;
}

bool live_capabilities_open(struct live_capabilities *all)
{
    for (unsigned i = 0; rows[i]; i++)
        if (rows[i]->open && !rows[i]->open(all->states[i]))
            return false;
    return true;
}

void live_capabilities_deal(struct live_capabilities *all, unsigned workers, struct node_ports *ports)
{
    for (unsigned i = 0; rows[i]; i++)
        if (rows[i]->deal)
            rows[i]->deal(all->states[i], workers, ports);
}

void live_capabilities_serve(struct live_capabilities *all, struct links_tunnels *tunnels)
{
    for (unsigned i = 0; rows[i]; i++)
        if (rows[i]->serve)
            rows[i]->serve(all->states[i], tunnels);
}

int64_t live_capabilities_step(struct live_capabilities *all, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (unsigned i = 0; rows[i]; i++)
        if (rows[i]->step)
            next_ns = moment_min(next_ns, rows[i]->step(all->states[i], now));
    return next_ns;
}

bool live_capabilities_prepare(const struct live_capabilities *all, const struct node_config *config,
                               bool is_trial, struct live_capabilities_next *next)
{
    for (unsigned i = 0; rows[i]; i++)
        if (rows[i]->prepare && !rows[i]->prepare(all->states[i], config, is_trial, &next->list[i]))
            return false;
    return true;
}

bool live_capabilities_tell(const struct live_capabilities *all, const struct live_capabilities_next *next,
                            FILE *lines)
{
    bool has_changes = false;
    for (unsigned i = 0; rows[i]; i++)
        if (next->list[i])
            has_changes |= rows[i]->tell(all->states[i], next->list[i], lines);
    return has_changes;
}

void live_capabilities_apply(struct live_capabilities *all, struct live_capabilities_next *next)
{
    for (unsigned i = 0; rows[i]; i++)
        if (next->list[i])
            rows[i]->apply(all->states[i], next->list[i]);
}

void live_capabilities_release(struct live_capabilities_next *next)
{
    for (unsigned i = 0; rows[i]; i++) {
        if (next->list[i])
            rows[i]->release(next->list[i]);
        next->list[i] = NULL;
    }
}

void live_capabilities_stop(struct live_capabilities *all)
{
    for (unsigned i = 0; rows[i]; i++)
        if (all->states[i] && rows[i]->stop)
            rows[i]->stop(all->states[i]);
}

void live_capabilities_close(struct live_capabilities *all)
{
    for (unsigned i = 0; rows[i]; i++) {
        if (all->states[i] && rows[i]->close)
            rows[i]->close(all->states[i]);
        free(all->states[i]);
        all->states[i] = NULL;
    }
}
