/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/ports.h"

#include "dataplane/base/moment.h"

#include <stdio.h>
#include <string.h>

#define ERROR_CHARS    256
#define NUDGE_EVERY_NS (MOMENT_SECOND / 10)

/* Opens and starts one; mac is the configuration's. */
static bool open_one(struct live_ports *ports, struct device *device, const char *side,
                     const struct live_config_port *config, struct node *node)
{
    char error[ERROR_CHARS];
    uint16_t queues = (uint16_t)node_config_workers(&node->config);
    bool is_open = device_open(device, config->device, error, sizeof(error));
    ports->open_count += is_open;
    if (is_open && device_start(device, queues, node->rx_pool, error, sizeof(error)))
        return true;
    fprintf(stderr, "gbflow: %s.port '%s': %s\n", side, config->device, error);
    return false;
}

static void settle_mac(const struct device *device, const struct live_config_port *config, uint8_t mac[6])
{
    if (config->has_mac)
        device_set_mac(device, mac);
    else
        memcpy(mac, device->mac, sizeof(device->mac));
}

bool live_ports_open(struct live_ports *ports, struct node *node)
{
    struct node_config *config = &node->config;
    if (!open_one(ports, &ports->gn, "gn", &config->live.gn, node) ||
        !open_one(ports, &ports->gb, "gb", &config->live.gb, node))
        return false;
    settle_mac(&ports->gn, &config->live.gn, config->gn.mac);
    settle_mac(&ports->gb, &config->live.gb, config->gb.mac);
    return true;
}

int64_t live_ports_step(struct live_ports *ports, int64_t now)
{
    if (!ports->gn.rx_signal && !ports->gb.rx_signal)
        return MOMENT_NEVER;
    if (ports->nudge_ns > now)
        return ports->nudge_ns;
    device_nudge(ports->gn.rx_signal ? &ports->gn : &ports->gb); /* one signal serves all devices */
    ports->nudge_ns = now + NUDGE_EVERY_NS;
    return ports->nudge_ns;
}

void live_ports_close(struct live_ports *ports)
{
    if (ports->open_count > 1)
        device_close(&ports->gb);
    if (ports->open_count > 0)
        device_close(&ports->gn);
    ports->open_count = 0;
}

void live_ports_deal(const struct live_ports *ports, unsigned workers, struct node_ports *out)
{
    for (unsigned i = 0; i < workers; i++)
        out[i] = (struct node_ports){
            .gn = ports->gn.id, .gn_queue = (uint16_t)i, .gb = ports->gb.id, .gb_queue = (uint16_t)i};
}
