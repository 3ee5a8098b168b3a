/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/control/sessions/session_rig.h"

#include "control/base/eal.h"

#include <stdio.h>
#include <string.h>

#define RING_MESSAGES 1024

int session_rig_start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

void session_rig_open(struct session_rig *rig)
{
    static uint16_t homes[] = {4, 9};
    *rig = (struct session_rig){0};
    rig->config.homes = homes;
    rig->config.home_count = COUNT(homes);
    rig->config.limits.mobiles = RIG_MOBILES;
    rig->config.limits.contexts = RIG_CONTEXTS;
    rig->config.mobiles.first_tlli = 0xc0000001;
    rig->config.mobiles.sapi = 5;
    rig->config.mobiles.n201_u = 600;
    rig->config.mobiles.queue_limit_octets = 7000;
    rig->config.gb.overhead_octets = 3;
    rig->config.gb.tells_imsi = true;
    assert_true(msg_rings_new(&rig->rings, "rig", RING_MESSAGES));
    rig->core = (struct core){.config = &rig->config, .workers = 1, .links = {{.rings = &rig->rings}}};
    assert_true(mobility_new(&rig->core.mobility, &rig->core));
    assert_true(sessions_new(&rig->sessions, &rig->core));
}

void session_rig_close(struct session_rig *rig)
{
    assert_int_equal(rig->core.links[0].count, 0);
    sessions_free(&rig->sessions);
    mobility_free(&rig->core.mobility);
    msg_rings_free(&rig->rings);
}

static const char *word_of(uint16_t type)
{
    switch (type) {
    case MSG_MS_ADD:
        return "ms+";
    case MSG_MS_DEL:
        return "ms-";
    case MSG_PDP_ADD:
        return "pdp+";
    case MSG_PDP_DEL:
        return "pdp-";
    case MSG_GN_IPV6:
        return "v6 ";
    case MSG_MS_CIPHER:
        return "cipher";
    case MSG_MS_PM:
        return "pm";
    default:
        return "?";
    }
}

const char *session_rig_said(struct session_rig *rig)
{
    struct msg msg;
    rig->words[0] = '\0';
    while (msg_take(rig->rings.to_worker, &msg)) {
        size_t used = strlen(rig->words);
        if (msg.type == MSG_MS_ELEMENTS) /* by TLLI */
            snprintf(rig->words + used, RIG_WORDS - used, "%selements", used ? " " : "");
        else
            snprintf(rig->words + used, RIG_WORDS - used, "%s%s%u", used ? " " : "", word_of(msg.type),
                     msg.type == MSG_GN_IPV6 ? msg.ipv6.place : msg.slot);
        if (msg.type == MSG_MS_ADD)
            rig->last_ms = msg;
        else if (msg.type == MSG_PDP_ADD)
            rig->last_pdp = msg;
        else if (msg.type == MSG_MS_CIPHER)
            rig->last_cipher = msg;
        else if (msg.type == MSG_MS_PM)
            rig->last_pm = msg;
        else if (msg.type == MSG_MS_ELEMENTS)
            rig->last_elements = msg;
    }
    return rig->words;
}

struct session session_rig_tunnel(uint32_t teid, uint8_t nsapi)
{
    return (struct session){.sgsn_ip = 0x0a000001,
                            .teid = teid,
                            .ggsn_ip = 0x0a000002,
                            .ggsn_teid = teid + 1000,
                            .address = 0x0a0b0000 + teid,
                            .ip_version = 4,
                            .gtp_nsapi = nsapi,
                            .nsapi = nsapi,
                            .qclass = 6};
}
