/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of `gbflow emulate`: its text and its JSON. */
#include "app/emulate/emulate.h"

#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/report/field.h"
#include "bss/bss_ms.h"
#include "app/emulate/users.h"
#include "app/run/summary.h"
#include "app/run/summary_compression.h"

#include <stdio.h>

static uint64_t discarded(const struct radio_stats *stats)
{
    uint64_t frames = 0;
    for (int reason = 0; reason < RADIO_DISCARDS; reason++)
        frames += stats->discarded[reason].frames;
    return frames;
}

static void print_cell(const struct emulate *e, uint32_t i)
{
    uint16_t bvci = e->config.air.cells[i].bvci;
    const struct radio *radio = bss_radio_get(e->bss, bvci);
    static const char *const names[RADIO_WAYS] = {[RADIO_DOWN] = "down", [RADIO_UP] = "up"};
    for (int way = 0; way < RADIO_WAYS; way++) {
        const struct radio_stats *s = radio_stats_get(radio, (enum radio_way)way);
        printf(
            "cell %u %s: LLC-PDUs: in %lu = delivered %lu + discarded %lu + queued %lu; %lu blocks, %lu of "
            "them again\n",
            bvci, names[way], (unsigned long)s->in.frames, (unsigned long)s->delivered.frames,
            (unsigned long)discarded(s), (unsigned long)s->queued.frames, (unsigned long)s->blocks,
            (unsigned long)s->repeated_blocks);
    }
}

void emulate_report_print(const struct emulate *e)
{
    const struct bss_stats *s = bss_stats_get(e->bss);
    uint64_t down = 0, up = 0;
    for (uint32_t i = 0; i < e->config.mobile_count; i++) {
        down += e->mobiles[i].user.down_npdus;
        up += e->mobiles[i].user.up_npdus;
    }
    printf("N-PDUs: %lu to hosts, %lu from hosts\n", (unsigned long)down, (unsigned long)up);
    printf("Gb: %lu NS PDUs received, %lu sent\n", (unsigned long)s->rx_pdus, (unsigned long)s->tx_pdus);
    for (uint32_t i = 0; i < e->config.cell_count; i++)
        print_cell(e, i);
}

/* --- JSON --- */

struct report {
    const char *schema, *version;
    const struct emulate *emulate;
    int64_t duration_ns;
    struct bss_stats gb;
    uint64_t send_failures, unknown_mobile, unknown_data, strays, uplink_lost, phone_bad, phone_other,
        phone_refused;
};

#define COUNT(record, name, unit, member, sentence) FIELD(record, COUNTER, name, unit, member, sentence)

static const struct field gb[] = {
    COUNT(struct report, "received", "NS PDUs", gb.rx_pdus, "NS PDUs received on all NS-VCs."),
    COUNT(struct report, "sent", "NS PDUs", gb.tx_pdus, "NS PDUs sent on all NS-VCs."),
    COUNT(struct report, "send_failures", "NS PDUs", send_failures, "NS PDUs that a socket did not accept."),
    COUNT(struct report, "malformed", "NS PDUs", gb.malformed,
          "Datagrams that are not an NS PDU, or NS PDUs with an error."),
    COUNT(struct report, "unexpected", "events", gb.unexpected,
          "Events that the state machine's state does not provide for."),
    COUNT(struct report, "procedures_failed", "procedures", gb.gave_up,
          "Procedures that ended after the last retransmission without an answer."),
    COUNT(struct report, "undelivered", "LLC-PDUs", gb.undelivered,
          "LLC-PDUs for a cell that was not in service."),
    COUNT(struct report, "unsent", "PDUs", gb.unsent, "PDUs not sent because no NS-VC was in service."),
    COUNT(struct report, "llc_discarded", "LLC-PDUs", gb.told_discarded,
          "LLC-PDUs reported to the SGSN in LLC-DISCARDED."),
    FIELD_END,
};

/* --- cells --- */

struct way {
    struct radio_stats stats;
    uint64_t discarded[RADIO_DISCARDS];
};

struct cell {
    uint16_t bvci;
    bool is_up;
    struct way down, up;
    struct bss_calls_stats calls;
};

static struct way way_of(const struct radio *radio, enum radio_way number)
{
    struct way way = {.stats = *radio_stats_get(radio, number)};
    for (int reason = 0; reason < RADIO_DISCARDS; reason++)
        way.discarded[reason] = way.stats.discarded[reason].frames;
    return way;
}

static void each_cell(const void *record, struct field_sink *sink)
{
    const struct report *report = record;
    const struct emulate *e = report->emulate;
    for (uint32_t i = 0; i < e->config.cell_count; i++) {
        uint16_t bvci = e->config.air.cells[i].bvci;
        const struct radio *radio = bss_radio_get(e->bss, bvci);
        const struct cell cell = {
            .bvci = bvci,
            .is_up = bss_is_up(e->bss, bvci),
            .down = way_of(radio, RADIO_DOWN),
            .up = way_of(radio, RADIO_UP),
            .calls = bss_calls_stats_get(e->bss, bvci, report->duration_ns),
        };
        field_put(sink, NULL, &cell);
    }
}

static const struct field_word reasons[RADIO_DISCARDS] = {
    [RADIO_DISCARD_LIFETIME] = {"lifetime", "The PDU Lifetime ended before the first RLC block."},
    [RADIO_DISCARD_MOBILE_FULL] = {"mobile_full", "The mobile's queue was full."},
    [RADIO_DISCARD_CELL_FULL] = {"cell_full", "The cell's queues were full."},
    [RADIO_DISCARD_FLUSHED] = {"flushed", "A FLUSH-LL deleted the LLC-PDU."},
    [RADIO_DISCARD_PREEMPTED] =
        {"preempted", "Circuit-switched calls took all PDCHs, and the cell's queues were flushed."},
    [RADIO_DISCARD_RLC] = {"rlc", "A radio block had errors, and RLC is unacknowledged."},
};

static const struct field_words discards = {"REASON", 0, RADIO_DISCARDS, reasons};

#define WAY(kind, name, unit, member, sentence) FIELD(struct way, kind, name, unit, member, sentence)

static const struct field ways[] = {
    WAY(COUNTER, "in", "LLC-PDUs", stats.in.frames, "LLC-PDUs that came to the radio."),
    WAY(COUNTER, "delivered", "LLC-PDUs", stats.delivered.frames, "LLC-PDUs delivered over the air."),
    WAY(GAUGE, "queued", "LLC-PDUs", stats.queued.frames, "LLC-PDUs that wait or are on the air."),
    WAY(COUNTER, "moved", "LLC-PDUs", stats.taken.frames,
        "LLC-PDUs moved to another cell with their mobile."),
    FIELD_COUNTERS(struct way, "discarded", "LLC-PDUs", discarded, discards,
                   "LLC-PDUs discarded, by reason."),
    WAY(COUNTER, "delivered_octets", "octets", stats.delivered.octets, "Octets of the LLC-PDUs delivered."),
    WAY(GAUGE, "queued_max_octets", "octets", stats.queued_max_octets,
        "Most octets of LLC-PDUs that waited at a time."),
    WAY(COUNTER, "blocks", "radio blocks", stats.blocks,
        "Radio blocks used, retransmissions and control included."),
    WAY(COUNTER, "retransmitted_blocks", "radio blocks", stats.repeated_blocks,
        "Radio blocks used for retransmissions."),
    WAY(COUNTER, "tbf_setups", "TBFs", stats.setups, "Temporary block flows set up."),
    FIELD_END,
};

static const struct field cells[] = {
    FIELD(struct cell, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct cell, LABEL, "in_service", "", is_up,
          "Whether the cell is in service: its BVC was reset and not blocked since."),
    FIELD_INSIDE(OBJECT, "down", offsetof(struct cell, down), ways,
                 "The radio's downlink: in = delivered + queued + moved + the sum of discarded."),
    FIELD_INSIDE(OBJECT, "up", offsetof(struct cell, up), ways, "The radio's uplink, likewise."),
    COUNT(struct cell, "preemptions", "times", calls.preemptions,
          "Times that circuit-switched calls took the cell's last PDCH."),
    FIELD(struct cell, GAUGE, "preempted_s", "seconds", calls.preempted_ns,
          "Time during which circuit-switched calls left the cell no PDCH."),
    FIELD_END,
};

/* --- mobiles --- */

struct mobile {
    char tlli[9], address[INET_ADDRSTRLEN];
    struct emulate_user user;
    uint64_t xids;
};

static void each_acknowledged(const void *record, struct field_sink *sink)
{
    const struct ms_stack *stack = record;
    const struct ms_stack_counts *counts = &stack->counts;
    if (stack->link || counts->established + counts->failed + counts->queue_full > 0)
        field_put(sink, NULL, counts);
}

#define ACKNOWLEDGED(record)                                                                                 \
    FIELD_INSIDE(OBJECT, "acknowledged", offsetof(record, user.stack), summary_acknowledged_mobiles,         \
                 "LLC's acknowledged mode.", .each = each_acknowledged, .is_optional = true,                 \
                 .when = "in acknowledged mode")

static void each_compression(const void *record, struct field_sink *sink)
{
    struct summary_compression sum = {0};
    if (summary_compression_add(&sum, record))
        field_put(sink, NULL, &sum);
}

#define COMPRESSION(record)                                                                                  \
    FIELD_INSIDE(OBJECT, "compression", offsetof(record, user.stack), summary_compression,                   \
                 "SNDCP's compression.", .each = each_compression, .is_optional = true,                      \
                 .when = "with compression")

static void each_mobile(const void *record, struct field_sink *sink)
{
    const struct emulate *e = ((const struct report *)record)->emulate;
    for (uint32_t i = 0; i < e->config.mobile_count; i++) {
        const struct emulate_mobile *m = &e->mobiles[i];
        struct mobile mobile = {.user = m->user, .xids = m->xids};
        snprintf(mobile.tlli, sizeof(mobile.tlli), "%08x", m->config->tlli);
        field_ip(m->config->address, mobile.address);
        field_put(sink, NULL, &mobile);
    }
}

#define MOBILE(name, unit, member, sentence) COUNT(struct mobile, name, unit, member, sentence)

static const struct field mobiles[] = {
    FIELD(struct mobile, LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    FIELD(struct mobile, LABEL, "address", "", address, "IPv4 address."),
    MOBILE("down_npdus", "N-PDUs", user.down_npdus, "N-PDUs delivered to the mobile's host."),
    MOBILE("down_octets", "octets", user.down_octets, "Octets of those N-PDUs."),
    MOBILE("up_npdus", "N-PDUs", user.up_npdus, "N-PDUs that the mobile's host sent."),
    MOBILE("up_octets", "octets", user.up_octets, "Octets of those N-PDUs."),
    MOBILE("incomplete_npdus", "N-PDUs", user.stack.holes,
           "Downlink N-PDUs with a segment that did not arrive."),
    MOBILE("bad_frames", "LLC frames", user.stack.bad_frames,
           "Downlink LLC frames with a wrong FCS, SAPI, NSAPI, format or ciphering, or repeated."),
    MOBILE("xid_commands", "XID commands", xids, "XID commands of the SGSN that the mobile answered."),
    MOBILE("tun_refused", "N-PDUs", user.unwritten, "N-PDUs that the mobile's TUN device did not accept."),
    MOBILE("unsent", "N-PDUs", user.unsent,
           "N-PDUs of the mobile's host not sent: its cell was not in service, they are longer than SNDCP "
           "carries, or the queue of acknowledged mode was full."),
    ACKNOWLEDGED(struct mobile),
    COMPRESSION(struct mobile),
    FIELD_END,
};

/* --- phones --- */

struct phone {
    char tlli[9];
    struct emulate_phones_row row;
    struct emulate_user user;
};

struct phone_count {
    const char *name;
    uint64_t count;
};

static void put_phone(void *arg, const struct emulate_phones_row *row)
{
    struct phone phone = {.row = *row, .user = *row->user};
    snprintf(phone.tlli, sizeof(phone.tlli), "%08x", row->tlli);
    field_put(arg, NULL, &phone);
}

static void each_phone(const void *record, struct field_sink *sink)
{
    emulate_phones_each(((const struct report *)record)->emulate->phones, put_phone, sink);
}

static void put_count(void *arg, const char *name, uint64_t count)
{
    const struct phone_count one = {name, count};
    field_put(arg, NULL, &one);
}

static void each_count(const void *record, struct field_sink *sink)
{
    emulate_phones_counts(((const struct report *)record)->emulate->phones, put_count, sink);
}

#define PHONE(name, unit, member, sentence) COUNT(struct phone, name, unit, user.member, sentence)

static const struct field phones[] = {
    FIELD(struct phone, LABEL, "imsi", "", row.imsi, "IMSI."),
    FIELD(struct phone, LABEL, "state", "", row.state, "State of GMM (lua/phone/machine.lua)."),
    FIELD(struct phone, LABEL, "session", "", row.session, "State of its context (lua/phone/session.lua)."),
    FIELD(struct phone, LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    FIELD(struct phone, LABEL, "bvci", "", row.bvci, "BVCI of its cell."),
    FIELD(struct phone, LABEL, "address", "", row.address, "IPv4 address that the SGSN gave, - without."),
    FIELD(struct phone, LABEL, "dns", "", row.dns,
          "DNS servers in the protocol configuration options of its context, - without."),
    PHONE("down_npdus", "N-PDUs", down_npdus, "N-PDUs delivered to the phones' host."),
    PHONE("down_octets", "octets", down_octets, "Octets of those N-PDUs."),
    PHONE("up_npdus", "N-PDUs", up_npdus, "N-PDUs that the host sent from the phone's address."),
    PHONE("up_octets", "octets", up_octets, "Octets of those N-PDUs."),
    PHONE("incomplete_npdus", "N-PDUs", stack.holes, "Downlink N-PDUs with a segment that did not arrive."),
    PHONE("bad_frames", "LLC frames", stack.bad_frames,
          "Downlink LLC frames of the context with a wrong FCS, NSAPI, format or ciphering, or repeated."),
    PHONE("tun_refused", "N-PDUs", unwritten, "N-PDUs that the TUN device did not accept."),
    PHONE("unsent", "N-PDUs", unsent,
          "N-PDUs of the host not sent: the cell was not in service, a routeing area update was in progress, "
          "they are longer than SNDCP carries, or the queue of acknowledged mode was full."),
    ACKNOWLEDGED(struct phone),
    COMPRESSION(struct phone),
    FIELD_END,
};

static const struct field phone_counts[] = {
    FIELD(struct phone_count, LABEL, "name", "", name, "Message, event or cause of a refusal."),
    COUNT(struct phone_count, "count", "events", count, "How often."),
    FIELD_END,
};

/* --- the whole --- */

#define SCHEMA "gbflow-emulate/2"

const struct field emulate_report[] = {
    FIELDS_OF_ORIGIN(struct report, SCHEMA),
    FIELD(struct report, GAUGE, "duration_s", "seconds", duration_ns, "Time since the start."),
    FIELD_INSIDE(OBJECT, "gb", 0, gb, "NS and BSSGP towards the SGSN."),
    FIELD_INSIDE(LIST, "cells", 0, cells, "A cell, in the order of the configuration.", .each = each_cell),
    FIELD_INSIDE(LIST, "mobiles", 0, mobiles, "A mobile, in the order of the configuration.",
                 .each = each_mobile),
    FIELD_INSIDE(LIST, "phones", 0, phones, "A phone.", .each = each_phone, .when = "with phones"),
    FIELD_INSIDE(LIST, "phone_counts", 0, phone_counts, "Events of all phones, by name.", .each = each_count,
                 .when = "with phones"),
    COUNT(struct report, "phone_bad_frames", "LLC frames", phone_bad,
          "Frames of SAPI 1 to phones that are malformed, repeated, or have a wrong FCS or ciphering."),
    COUNT(struct report, "phone_other_frames", "LLC frames", phone_other,
          "Frames to phones on SAPIs other than 1 and that of their context."),
    COUNT(struct report, "phone_addresses_refused", "contexts", phone_refused,
          "Contexts of phones without user data: another phone has the address, or the TUN device did not "
          "take it."),
    COUNT(struct report, "unknown_tlli", "LLC-PDUs", unknown_mobile,
          "Downlink LLC-PDUs with a TLLI that no mobile and no phone has."),
    COUNT(struct report, "unknown_tlli_data", "LLC-PDUs", unknown_data,
          "Those on a SAPI of user data: 3, 5, 9 or 11."),
    COUNT(struct report, "foreign_packets", "packets", strays,
          "Packets from TUN devices that are not IPv4, or not from an address of a mobile."),
    COUNT(struct report, "uplink_refused", "LLC-PDUs", uplink_lost,
          "Uplink LLC-PDUs that the cell's radio did not accept."),
    FIELD_END,
};

bool emulate_report_write(const struct emulate *e, const char *path)
{
    const struct report report = {
        .schema = SCHEMA,
        .version = command_version(),
        .emulate = e,
        .duration_ns = clock_now_ns() - e->start_ns,
        .gb = *bss_stats_get(e->bss),
        .send_failures = e->send_failures,
        .unknown_mobile = e->unknown_mobile,
        .unknown_data = e->unknown_data,
        .strays = e->strays,
        .uplink_lost = e->uplink_lost,
        .phone_bad = emulate_phones_bad_frames(e->phones),
        .phone_other = emulate_phones_other_frames(e->phones),
        .phone_refused = emulate_phones_refused(e->phones),
    };
    return field_json_write(emulate_report, &report, path);
}
