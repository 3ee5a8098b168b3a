/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/faults.h"

#include "control/base/neighbour_ip.h"
#include "control/base/words.h"
#include "control/core/core.h"
#include "control/esp/live.h"
#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_CHARS 192

static void say(struct esp_live *esp, unsigned port, unsigned i, const struct esp_fault *of)
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
    core_log(&esp->host->node->core, "esp", "warn", text);
}

void esp_faults_take(struct esp_live *esp, const struct faults_news *fault)
{
    unsigned i = fault->reason - (unsigned)FAULTS_FIRST;
    if (fault->port >= MSG_PORTS || i >= FAULTS_COUNT)
        return;
    struct esp_fault *of = &esp->faults.list[fault->port][i];
    of->count += fault->count;
    of->one = fault->one;
}

int64_t esp_faults_step(struct esp_live *esp, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (unsigned port = 0; port < MSG_PORTS; port++)
        for (unsigned i = 0; i < FAULTS_COUNT; i++) {
            struct esp_fault *of = &esp->faults.list[port][i];
            if (of->count == 0)
                continue;
            if (now < of->next_ns) {
                next_ns = moment_min(next_ns, of->next_ns);
                continue;
            }
            say(esp, port, i, of);
            of->count = 0;
            of->next_ns = now + ESP_FAULTS_NS;
        }
    return next_ns;
}
