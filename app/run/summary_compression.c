/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/summary_compression.h"

#include <stdio.h>

bool summary_compression_add(struct summary_compression *sum, const struct ms_stack *stack)
{
    if (!stack->compression)
        return false;
    sum->offer.asked += stack->offer.asked;
    sum->offer.unanswered += stack->offer.unanswered;
    sum->offer.accepted += stack->offer.accepted;
    sum->offer.refused += stack->offer.refused;
    sum->lost += stack->lost;
    sum->renewed += stack->counts.renewed;
    ms_compression_count(stack->compression, &sum->counts);
    return true;
}

/* False: no mobile offers any. */
static bool add_all(struct summary_compression *sum, const struct scenario_run *r)
{
    bool is_any = false;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        is_any |= summary_compression_add(sum, &r->mobiles[i].stack);
    return is_any;
}

void summary_each_compression(const void *record, struct field_sink *sink)
{
    struct summary_compression sum = {0};
    if (add_all(&sum, ((const struct summary *)record)->run))
        field_put(sink, NULL, &sum);
}

static void print_way(const char *name, const char *direction, const struct compression_counts *counts)
{
    double before = (double)counts->octets_before;
    if (counts->n_pdus == 0)
        return;
    printf("%-7s  %-8s  %7u N-PDUs, %u shorter: %lu octets became %lu, %.1f %% saved\n", name, direction,
           counts->n_pdus, counts->compressed, (unsigned long)counts->octets_before,
           (unsigned long)counts->octets_after, 100 * (before - (double)counts->octets_after) / before);
}

void summary_compression_print(const struct scenario_run *r)
{
    static const char *const names[COMPRESSION_KINDS] = {
        [COMPRESSION_RFC1144] = "rfc1144", [COMPRESSION_V42BIS] = "v42bis"};
    struct summary_compression sum = {0};
    if (!add_all(&sum, r))
        return;
    printf(
        "\nSNDCP compression: %lu entities accepted, %lu refused, %lu offers unanswered, %lu N-PDUs lost\n",
        (unsigned long)sum.offer.accepted, (unsigned long)sum.offer.refused,
        (unsigned long)sum.offer.unanswered, (unsigned long)sum.lost);
    for (int i = 0; i < COMPRESSION_KINDS; i++) {
        print_way(names[i], "downlink", &sum.counts.kinds[i].received);
        print_way(names[i], "uplink", &sum.counts.kinds[i].sent);
    }
}

#define N_PDUS(name, unit, member, sentence)                                                                 \
    FIELD(struct compression_counts, COUNTER, name, unit, member, sentence)

static const struct field n_pdus[] = {
    N_PDUS("npdus", "N-PDUs", n_pdus, "N-PDUs to be compressed, or received compressed."),
    N_PDUS("shorter", "N-PDUs", compressed, "Of those, N-PDUs that became shorter."),
    N_PDUS("full", "N-PDUs", full,
           "Of those, N-PDUs with a whole header, from which later ones are compressed."),
    N_PDUS("octets_before", "octets", octets_before, "Octets of the N-PDUs without this compression."),
    N_PDUS("octets_after", "octets", octets_after, "Octets with it."),
    N_PDUS("lost", "N-PDUs", lost, "Received N-PDUs that could not be decompressed."),
    FIELD_END,
};

static const struct field kind[] = {
    FIELD_INSIDE(OBJECT, "up", offsetof(struct ms_compression_kind, sent), n_pdus, "N-PDUs of mobiles."),
    FIELD_INSIDE(OBJECT, "down", offsetof(struct ms_compression_kind, received), n_pdus,
                 "N-PDUs to mobiles."),
    FIELD_END,
};

#define OFFERS(name, unit, member, sentence)                                                                 \
    FIELD(struct summary_compression, COUNTER, name, unit, member, sentence)

const struct field summary_compression[] = {
    OFFERS("offers", "XID commands", offer.asked,
           "XID commands with an offer of compression, repetitions included."),
    OFFERS("unanswered", "offers", offer.unanswered, "Offers without an answer after N200 repetitions."),
    OFFERS("accepted", "entities", offer.accepted, "Entities that the SGSN accepted."),
    OFFERS("refused", "entities", offer.refused, "Entities that the SGSN refused."),
    OFFERS("lost", "N-PDUs", lost, "N-PDUs to mobiles that could not be decompressed, or were of no entity."),
    OFFERS("renewed", "links", renewed,
           "Times that a mobile established acknowledged mode again because an N-PDU could not be "
           "decompressed."),
    FIELD_INSIDE(OBJECT, "rfc1144", offsetof(struct summary_compression, counts.kinds[COMPRESSION_RFC1144]),
                 kind, "Headers of TCP over IPv4."),
    FIELD_INSIDE(OBJECT, "v42bis", offsetof(struct summary_compression, counts.kinds[COMPRESSION_V42BIS]),
                 kind, "Data."),
    FIELD_END,
};
