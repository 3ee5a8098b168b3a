/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of `gbflow show` about SNDCP's compression: its entities, and what each kind saves. */
#include "control/live/tables.h"

#include "control/live/live.h"
#include "control/report/field.h"
#include "control/report/totals.h"
#include "dataplane/worker/gb_compression.h"

#include <stdio.h>

enum { MOST_ENTITIES = 16, HEX_CHARS = 9, NSAPIS_CHARS = 32, VALUES_CHARS = 40 };

struct entity {
    const char *imsi, *kind;
    char tlli[HEX_CHARS], nsapis[NSAPIS_CHARS], values[VALUES_CHARS];
    struct gb_compression_look look;
};

/* "5 6". */
static void put_nsapis(char *out, uint16_t nsapis)
{
    int at = 0;
    *out = '\0';
    for (unsigned n = COMPRESSION_NSAPI_MIN; n < 16; n++)
        if (nsapis >> n & 1)
            at += snprintf(out + at, (size_t)(NSAPIS_CHARS - at), "%s%u", at ? " " : "", n);
}

static void put_values(char *out, const struct compression_params *params)
{
    static const char *const directions[] = {"none", "uplink", "downlink", "both"};
    if (params->kind == COMPRESSION_RFC1144)
        snprintf(out, VALUES_CHARS, "%u slots", params->slots);
    else
        snprintf(out, VALUES_CHARS, "%u codewords, %u octets, %s", params->codewords, params->string_octets,
                 directions[params->directions & 3]);
}

static void put_mobile(const struct live *live, uint32_t i, struct field_sink *sink)
{
    const struct sessions_mobile *mobile = &live->node.sessions.mobiles[i];
    struct gb_compression_look looks[MOST_ENTITIES];
    uint32_t slot = i;
    unsigned worker;
    if (!mobile->in_use || !show_state_find_ms(&live->node, &slot, &worker))
        return;
    unsigned count = gb_compression_look(live->node.workers[worker], slot, looks, MOST_ENTITIES);
    for (unsigned k = 0; k < count && field_wants(sink); k++) {
        struct entity entity = {.imsi = mobile->imsi[0] ? mobile->imsi : NULL,
                                .kind = looks[k].params.kind == COMPRESSION_RFC1144 ? "rfc1144" : "v42bis",
                                .look = looks[k]};
        snprintf(entity.tlli, sizeof(entity.tlli), "%08x", mobility_tlli(&live->node.core.mobility, i));
        put_nsapis(entity.nsapis, looks[k].params.nsapis);
        put_values(entity.values, &looks[k].params);
        field_put(sink, NULL, &entity);
    }
}

static void show_compression_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (uint32_t i = 0; i < live->node.config.limits.mobiles && field_wants(sink); i++)
        put_mobile(live, i, sink);
}

static const struct field show_compression_entities[] = {
    FIELD(struct entity, LABEL, "imsi", "", imsi, "IMSI of the mobile."),
    FIELD(struct entity, LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    FIELD(struct entity, LABEL, "sapi", "", look.params.sapi, "SAPI of the entity."),
    FIELD(struct entity, LABEL, "number", "", look.params.number, "Number of the entity."),
    FIELD(struct entity, LABEL, "kind", "", kind, "rfc1144 or v42bis."),
    FIELD(struct entity, LABEL, "nsapis", "", nsapis, "NSAPIs that use it."),
    FIELD(struct entity, LABEL, "values", "", values, "Parameters agreed on."),
    FIELD(struct entity, COUNTER, "npdus", "N-PDUs", look.sent.n_pdus,
          "Downlink N-PDUs that it was asked to compress, not segments."),
    FIELD(struct entity, COUNTER, "compressed", "N-PDUs", look.sent.compressed, "Of those, made shorter."),
    FIELD(struct entity, COUNTER, "octets", "octets", look.sent.octets_before,
          "Octets of those downlink N-PDUs before."),
    FIELD(struct entity, COUNTER, "octets_left", "octets", look.sent.octets_after,
          "Octets of those downlink N-PDUs after it."),
    FIELD(struct entity, COUNTER, "uplink_npdus", "N-PDUs", look.received.n_pdus,
          "Uplink N-PDUs with its PCOMP or DCOMP that it restored."),
    FIELD(struct entity, COUNTER, "uplink_octets", "octets", look.received.octets_before,
          "Octets of those uplink N-PDUs after it restored them."),
    FIELD(struct entity, COUNTER, "uplink_octets_came", "octets", look.received.octets_after,
          "Octets of those uplink N-PDUs before it restored them."),
    FIELD(struct entity, COUNTER, "uplink_lost", "N-PDUs", look.received.lost,
          "Uplink N-PDUs that it could not restore."),
    FIELD_END,
};

/* --- kinds --- */

/* RFC 1144 works first, and V.42bis on what it left; restoring goes the other way round. */
struct kind {
    const char *kind, *direction;
    uint64_t n_pdus, octets_before, octets_after;
};

static void put_direction(const struct compression_settings *settings, const struct kind *headers,
                          const struct kind *data, struct field_sink *sink)
{
    if (settings->slots)
        field_put(sink, NULL, headers);
    if (settings->codewords)
        field_put(sink, NULL, data);
}

static void show_compression_each_kind(const void *record, struct field_sink *sink)
{
    const struct node *node = &((const struct live *)record)->node;
    const struct worker_stats s = totals_stats(node->workers, node->worker_count);
    uint64_t between = s.compression_octets - s.compression_header_octets;
    uint64_t ul_between = s.ul_compression_octets - s.ul_compression_header_octets;
    if (!node->config.compression.entities)
        return;
    put_direction(
        &node->config.compression,
        &(struct kind){"rfc1144", "downlink", s.compression_headers, s.compression_octets, between},
        &(struct kind){"v42bis", "downlink", s.compression_data, between, s.compression_octets_left}, sink);
    put_direction(
        &node->config.compression,
        &(struct kind){"rfc1144", "uplink", s.ul_compression_headers, s.ul_compression_octets, ul_between},
        &(struct kind){"v42bis", "uplink", s.ul_compression_data, ul_between, s.ul_compression_octets_came},
        sink);
}

static const struct field show_compression_kinds[] = {
    FIELD(struct kind, LABEL, "kind", "", kind, "rfc1144 or v42bis."),
    FIELD(struct kind, LABEL, "direction", "", direction, "downlink or uplink."),
    FIELD(struct kind, COUNTER, "npdus", "N-PDUs", n_pdus,
          "N-PDUs that it made shorter; uplink, that had been made shorter."),
    FIELD(struct kind, COUNTER, "octets_before", "octets", octets_before,
          "Octets without it: downlink, of N-PDUs to mobiles with an entity; uplink, of compressed ones."),
    FIELD(struct kind, COUNTER, "octets_after", "octets", octets_after,
          "Octets of those N-PDUs with it; RFC 1144 works before V.42bis."),
    FIELD_END,
};

const struct field show_compression_tables[] = {
    SHOW_TABLE("entities", show_compression_each, show_compression_entities,
               "Entities of SNDCP's compression, of each mobile: octets before and after."),
    SHOW_TABLE("compression_kind", show_compression_each_kind, show_compression_kinds,
               "SNDCP's compression by kind and direction: octets before and after, of all mobiles."),
    FIELD_END,
};
