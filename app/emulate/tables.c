/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a running BSS as tables: `gbflow top` and `gbflow show` read them. */
#include "app/emulate/emulate.h"

#include "app/emulate/users.h"
#include "bss/bss_ms.h"
#include "control/base/command.h"
#include "control/report/field.h"
#include "control/show/telemetry.h"
#include "dataplane/base/moment.h"

#include <stdio.h>
#include <string.h>

#define HEX_CHARS 9

/* --- the BSS --- */

struct whole {
    const char *version;
    uint16_t nsei;
    int64_t uptime_ns;
    uint32_t cells, mobiles, phones;
    struct bss_stats gb;
    uint64_t send_failures, unknown_mobile, strays, uplink_lost;
};

static void each_bss(const void *record, struct field_sink *sink)
{
    const struct emulate *e = record;
    const struct whole whole = {
        .version = command_version(),
        .nsei = e->config.nsei,
        .uptime_ns = e->now,
        .cells = e->config.cell_count,
        .mobiles = e->config.mobile_count,
        .phones = e->phones ? e->phones->count : 0,
        .gb = *bss_stats_get(e->bss),
        .send_failures = e->send_failures,
        .unknown_mobile = e->unknown_mobile,
        .strays = e->strays,
        .uplink_lost = e->uplink_lost,
    };
    field_put(sink, NULL, &whole);
}

#define WHOLE(name, unit, member, sentence) FIELD(struct whole, COUNTER, name, unit, member, sentence)

static const struct field wholes[] = {
    FIELD(struct whole, LABEL, "version", "", version, "Version of gbflow that runs."),
    FIELD(struct whole, LABEL, "nsei", "", nsei, "NSEI of the BSS."),
    FIELD(struct whole, GAUGE, "uptime_s", "seconds", uptime_ns, "Time since the start."),
    FIELD(struct whole, GAUGE, "cells", "cells", cells, "Cells."),
    FIELD(struct whole, GAUGE, "mobiles", "mobiles", mobiles, "Mobiles of the configuration."),
    FIELD(struct whole, GAUGE, "phones", "phones", phones, "Phones, which attach by themselves."),
    WHOLE("received", "NS PDUs", gb.rx_pdus, "NS PDUs received on all NS-VCs."),
    WHOLE("sent", "NS PDUs", gb.tx_pdus, "NS PDUs sent on all NS-VCs."),
    WHOLE("send_failures", "NS PDUs", send_failures, "NS PDUs that a socket did not accept."),
    WHOLE("malformed", "NS PDUs", gb.malformed,
          "Datagrams that are not an NS PDU, or NS PDUs with an error."),
    WHOLE("unexpected", "events", gb.unexpected,
          "Events that the state machine's state does not provide for."),
    WHOLE("procedures_failed", "procedures", gb.gave_up,
          "Procedures that ended after the last retransmission without an answer."),
    WHOLE("undelivered", "LLC-PDUs", gb.undelivered, "LLC-PDUs for a cell that was not in service."),
    WHOLE("unsent", "PDUs", gb.unsent, "PDUs not sent because no NS-VC was in service."),
    WHOLE("llc_discarded", "LLC-PDUs", gb.told_discarded, "LLC-PDUs reported to the SGSN in LLC-DISCARDED."),
    WHOLE("unknown_tlli", "LLC-PDUs", unknown_mobile, "Downlink LLC-PDUs with a TLLI that no mobile has."),
    WHOLE("foreign_packets", "packets", strays,
          "Packets from TUN devices that are not IPv4, or not from an address of a mobile."),
    WHOLE("uplink_refused", "LLC-PDUs", uplink_lost, "Uplink LLC-PDUs that the cell's radio did not accept."),
    FIELD_END,
};

/* --- cells --- */

struct way {
    struct radio_stats stats;
    uint64_t discarded;
};

struct cell {
    uint16_t bvci;
    bool is_up;
    uint64_t possible_blocks;
    struct way down, up;
    uint64_t preemptions;
};

static struct way way_of(const struct radio *radio, enum radio_way number)
{
    struct way way = {.stats = *radio_stats_get(radio, number)};
    for (int reason = 0; reason < RADIO_DISCARDS; reason++)
        way.discarded += way.stats.discarded[reason].frames;
    return way;
}

static void each_cell(const void *record, struct field_sink *sink)
{
    const struct emulate *e = record;
    for (uint32_t i = 0; i < e->config.cell_count; i++) {
        uint16_t bvci = e->config.air.cells[i].bvci;
        const struct radio *radio = bss_radio_get(e->bss, bvci);
        const struct cell cell = {
            .bvci = bvci,
            .is_up = bss_is_up(e->bss, bvci),
            .possible_blocks = radio_possible_blocks(radio, moment_max(e->now - MOMENT_SECOND, 0), e->now),
            .down = way_of(radio, RADIO_DOWN),
            .up = way_of(radio, RADIO_UP),
            .preemptions = bss_calls_stats_get(e->bss, bvci, e->now).preemptions,
        };
        field_put(sink, NULL, &cell);
    }
}

#define WAY(kind, way, name, unit, member, sentence)                                                         \
    FIELD(struct cell, kind, #way "_" name, unit, way.member, sentence)
#define WAYS(way, link)                                                                                      \
    WAY(GAUGE, way, "queued", "LLC-PDUs", stats.queued.frames,                                               \
        link " LLC-PDUs that wait or are on the air."),                                                      \
        WAY(GAUGE, way, "queued_octets", "octets", stats.queued.octets, "Octets of these LLC-PDUs."),        \
        WAY(COUNTER, way, "delivered", "LLC-PDUs", stats.delivered.frames,                                   \
            link " LLC-PDUs delivered over the air."),                                                       \
        WAY(COUNTER, way, "delivered_octets", "octets", stats.delivered.octets,                              \
            "Octets of the LLC-PDUs delivered."),                                                            \
        WAY(COUNTER, way, "discarded", "LLC-PDUs", discarded, link " LLC-PDUs discarded."),                  \
        WAY(COUNTER, way, "blocks", "radio blocks", stats.blocks,                                            \
            link " radio blocks used, retransmissions and control included."),                               \
        WAY(COUNTER, way, "retransmitted_blocks", "radio blocks", stats.repeated_blocks,                     \
            link " radio blocks used for retransmissions."),                                                 \
        WAY(COUNTER, way, "tbf_setups", "TBFs", stats.setups, link " temporary block flows set up.")

static const struct field cells[] = {
    FIELD(struct cell, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct cell, LABEL, "in_service", "", is_up,
          "Whether the cell is in service: its BVC was reset and not blocked since."),
    FIELD(struct cell, GAUGE, "possible_blocks", "radio blocks", possible_blocks,
          "Radio blocks of all PDCHs in one direction in the last second."),
    WAYS(down, "Downlink"),
    WAYS(up, "Uplink"),
    FIELD(struct cell, COUNTER, "preemptions", "times", preemptions,
          "Times that circuit-switched calls took the cell's last PDCH."),
    FIELD_END,
};

/* --- mobiles and phones --- */

struct mobile {
    const char *name, *state;
    char address[INET_ADDRSTRLEN], tlli[HEX_CHARS];
    uint16_t bvci;
    struct radio_queue down, up;
    struct emulate_user user;
};

static void put_mobile(const struct emulate *e, struct field_sink *sink, struct mobile *mobile, uint32_t tlli)
{
    const struct radio *radio = bss_radio_get(e->bss, mobile->bvci);
    snprintf(mobile->tlli, sizeof(mobile->tlli), "%08x", tlli);
    if (radio) {
        mobile->down = radio_queue_get(radio, RADIO_DOWN, tlli);
        mobile->up = radio_queue_get(radio, RADIO_UP, tlli);
    }
    field_put(sink, NULL, mobile);
}

static void each_configured(const struct emulate *e, struct field_sink *sink)
{
    for (uint32_t i = 0; i < e->config.mobile_count; i++) {
        const struct emulate_mobile *m = &e->mobiles[i];
        struct mobile mobile = {
            .state = "mobile",
            .bvci = m->bvci,
            .user = m->user,
        };
        if (!field_wants(sink))
            continue;
        field_ip(m->config->address, mobile.address);
        mobile.name = mobile.address;
        put_mobile(e, sink, &mobile, m->config->tlli);
    }
}

struct filling {
    const struct emulate *emulate;
    struct field_sink *sink;
};

static void put_phone(void *arg, const struct emulate_phones_row *row)
{
    const struct filling *filling = arg;
    struct mobile mobile = {
        .name = row->imsi,
        .state = row->state,
        .bvci = row->bvci,
        .user = *row->user,
    };
    if (!field_wants(filling->sink))
        return;
    snprintf(mobile.address, sizeof(mobile.address), "%s", row->address);
    put_mobile(filling->emulate, filling->sink, &mobile, row->tlli);
}

static void each_mobile(const void *record, struct field_sink *sink)
{
    const struct emulate *e = record;
    struct filling filling = {e, sink};
    each_configured(e, sink);
    if (e->phones)
        emulate_phones_each(e->phones, put_phone, &filling);
}

#define MOBILE(kind, name, unit, member, sentence) FIELD(struct mobile, kind, name, unit, member, sentence)

static const struct field mobiles[] = {
    MOBILE(LABEL, "name", "", name, "IPv4 address of a mobile, IMSI of a phone."),
    MOBILE(LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    MOBILE(LABEL, "bvci", "", bvci, "BVCI of its cell."),
    MOBILE(LABEL, "address", "", address, "IPv4 address."),
    MOBILE(LABEL, "state", "", state, "State of GMM of a phone (lua/phone/machine.lua); of others mobile."),
    MOBILE(GAUGE, "down_queued", "LLC-PDUs", down.queued.frames,
           "Downlink LLC-PDUs that wait in the BSS or are on the air."),
    MOBILE(GAUGE, "down_queued_octets", "octets", down.queued.octets, "Octets of these LLC-PDUs."),
    MOBILE(GAUGE, "up_queued", "LLC-PDUs", up.queued.frames, "Uplink LLC-PDUs that wait or are on the air."),
    MOBILE(GAUGE, "up_queued_octets", "octets", up.queued.octets, "Octets of these LLC-PDUs."),
    MOBILE(COUNTER, "down_discarded", "LLC-PDUs", down.discarded_frames,
           "Downlink LLC-PDUs that the radio discarded."),
    MOBILE(COUNTER, "down_npdus", "N-PDUs", user.down_npdus, "N-PDUs delivered to the mobile's host."),
    MOBILE(COUNTER, "down_octets", "octets", user.down_octets, "Octets of these N-PDUs."),
    MOBILE(COUNTER, "up_npdus", "N-PDUs", user.up_npdus, "N-PDUs that the mobile's host sent."),
    MOBILE(COUNTER, "up_octets", "octets", user.up_octets, "Octets of these N-PDUs."),
    MOBILE(COUNTER, "incomplete_npdus", "N-PDUs", user.stack.holes,
           "Downlink N-PDUs with a segment that did not arrive."),
    MOBILE(COUNTER, "bad_frames", "LLC frames", user.stack.bad_frames,
           "Downlink LLC frames with a wrong FCS, SAPI, NSAPI, format or ciphering, or repeated."),
    FIELD_END,
};

/* --- all --- */

const struct field emulate_tables[] = {
    FIELD_INSIDE(LIST, "bss", 0, wholes, "A BSS (gbflow emulate): Gb, NS and BSSGP.", .each = each_bss),
    FIELD_INSIDE(LIST, "bss_cells", 0, cells, "Its cells: queues and radio blocks.", .each = each_cell),
    FIELD_INSIDE(LIST, "bss_mobiles", 0, mobiles, "Its mobiles and phones: LLC-PDUs queued in the BSS.",
                 .each = each_mobile),
    FIELD_END,
};

/* --- orders --- */

/* NUMBER,on or NUMBER,off. */
static const char *switch_phone(void *record, const char *parameters)
{
    struct emulate *e = record;
    char word[4], rest;
    unsigned number;
    if (!parameters || sscanf(parameters, "%5u,%3s%c", &number, word, &rest) != 2 ||
        (strcmp(word, "on") != 0 && strcmp(word, "off") != 0))
        return "parameters: not NUMBER,on or NUMBER,off";
    if (!emulate_phones_switch(e->phones, number, strcmp(word, "on") == 0, e->now))
        return "no phone has this number: the first is 1, and gbflow show bss says how many there are";
    return NULL;
}

const struct telemetry_order emulate_orders[] = {
    {.name = "phone",
     .what = "Switches a phone on or off. Parameters: NUMBER,on or NUMBER,off",
     .act = switch_phone},
    {.name = NULL},
};
