/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/esp_faults.h"

#include "control/base/neighbour_ip.h"
#include "control/base/words.h"
#include "control/core/core.h"
#include "control/live/live.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_CHARS 192

static void say(struct live *live, unsigned port, unsigned i, const struct live_esp_fault *of)
{
    const struct fault *one = &of->one;
    struct neighbour_ip ip = neighbour_ip_of(one->address.octets, one->is_ipv6);
    char text[LINE_CHARS], address[NEIGHBOUR_IP_CHARS], spi[24] = "";
    if (one->spi != FAULTS_NO_SPI)
        snprintf(spi, sizeof(spi), ", SPI 0x%08x", one->spi);
    snprintf(text, sizeof(text), "%s: %s: %" PRIu64 " packet%s dropped, %s%s %s%s",
             port == MSG_PORT_GN ? "gn" : "gb", drop_name((enum drop)(FAULTS_FIRST + i)), of->count,
             words_plural(of->count), of->count == 1 ? "" : "one of them ", one->is_out ? "to" : "from",
             neighbour_ip_print(&ip, address), spi);
    core_log(&live->node.core, "esp", "warn", text);
}

static void on_esp_fault(void *arg, const struct msg_esp_fault *fault)
{
    struct live *live = live_of_links(arg);
    unsigned i = fault->reason - (unsigned)FAULTS_FIRST;
    if (fault->port >= MSG_PORTS || i >= FAULTS_COUNT)
        return;
    struct live_esp_fault *of = &live->esp_faults.list[fault->port][i];
    of->count += fault->count;
    of->one = fault->one;
}

void live_esp_faults_serve(struct live *live)
{
    live->node.core.neighbours.on_esp_fault = on_esp_fault;
}

int64_t live_esp_faults_step(struct live *live, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (unsigned port = 0; port < MSG_PORTS; port++)
        for (unsigned i = 0; i < FAULTS_COUNT; i++) {
            struct live_esp_fault *of = &live->esp_faults.list[port][i];
            if (of->count == 0)
                continue;
            if (now < of->next_ns) {
                next_ns = moment_min(next_ns, of->next_ns);
                continue;
            }
            say(live, port, i, of);
            of->count = 0;
            of->next_ns = now + LIVE_ESP_FAULTS_NS;
        }
    return next_ns;
}
