/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/sessions_records.h"

#include "control/base/clock.h"
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/sessions/sessions.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NS   (MOMENT_SECOND / 10) /* between two looks at contexts */
#define STEP_PART 10                   /* steps for all of them, but */
#define STEP_MOST 4096                 /* contexts in one */

/* The first line that is lost after one that was written is said. */
static void write_line(struct sessions *s, const struct records_line *line)
{
    struct records *r = s->records;
    int before = r->error;
    char text[LIVE_CONFIG_FILE_CHARS + 160];
    if (records_write(r, line) || before != 0)
        return;
    snprintf(text, sizeof(text),
             "phones.records.file '%s': %s; records are lost until it can be written: make room",
             r->config.file, strerror(r->error));
    core_log(s->core, "phones", "error", text);
}

/* With the mobile and its cell. */
static struct records_line line_of(const struct sessions *s, enum records_kind kind, uint32_t mobile)
{
    struct records_line line = {
        .kind = kind, .cause = RECORDS_OPEN, .at_ns = clock_wall_ns(), .imsi = s->mobiles[mobile].imsi};
    uint32_t index = s->core->mobility.list ? s->core->mobility.list[mobile].cell : UINT32_MAX;
    if (index < s->core->config->cell_count) {
        const struct node_config_cell *cell = &s->core->config->cells[index];
        line.mcc = cell->mcc;
        line.mnc = cell->mnc;
        line.lac = cell->lac;
        line.rac = cell->rac;
        line.ci = cell->ci;
    }
    return line;
}

/* --- attach and detach --- */

void sessions_records_phone(struct sessions *s, struct core_intent *intent)
{
    uint32_t slot = intent->msg.slot;
    if (!records_are_on(s->records) || slot >= s->core->config->limits.mobiles || !s->mobiles[slot].in_use)
        return;
    struct records_line line = line_of(s, intent->is_attached ? RECORDS_ATTACH : RECORDS_DETACH, slot);
    line.imsi = intent->imsi;
    line.msisdn = intent->msisdn;
    line.imeisv = intent->imeisv;
    if (!intent->is_attached)
        line.cause = (enum records_cause)intent->cause;
    write_line(s, &line);
}

/* --- contexts --- */

static struct context_volume since(const struct context_volume *now, const struct context_volume *before)
{
    return (struct context_volume){.octets = now->octets - before->octets,
                                   .npdus = now->npdus - before->npdus,
                                   .dropped_octets = now->dropped_octets - before->dropped_octets,
                                   .dropped_npdus = now->dropped_npdus - before->dropped_npdus};
}

static struct context_volumes volumes_since(const struct context_volumes *now,
                                            const struct context_volumes *before)
{
    return (struct context_volumes){since(&now->up, &before->up), since(&now->down, &before->down)};
}

static void write_context(struct sessions *s, struct sessions_record *record, enum records_kind kind,
                          enum records_cause cause)
{
    const struct session *session = &s->list[s->pdp_session[record - s->context_records]];
    const struct address_book *book = &s->core->addresses;
    char ipv4[INET6_ADDRSTRLEN], ipv6[INET6_ADDRSTRLEN], ggsn[ADDRESS_BOOK_TEXT_CHARS],
        sgsn[ADDRESS_BOOK_TEXT_CHARS];
    struct context_volumes now = records_volumes(s->records, session->pdp);
    struct records_line line = line_of(s, kind, session->mobile);
    line.cause = cause;
    line.opened_ns = record->opened_ns;
    line.begun_ns = record->begun_ns;
    line.msisdn = record->msisdn;
    line.imeisv = record->imeisv;
    line.apn = record->apn;
    line.pdp_type = sessions_text_pdp_type(session);
    line.ipv4 = sessions_text_ipv4(session, ipv4);
    line.ipv6 = sessions_text_ipv6(session, ipv6);
    line.ggsn = address_book_text(book, session->ggsn_ip, ggsn);
    line.sgsn = address_book_text(book, session->sgsn_ip, sgsn);
    line.class = n_pdu_qclass_name(session->qclass);
    line.nsapi = session->nsapi;
    line.charging_id = record->charging_id;
    line.sequence = record->sequence++;
    line.volumes = volumes_since(&now, &record->at_opening);
    line.all = volumes_since(&now, &record->at_begin);
    write_line(s, &line);
    record->opened_ns = line.at_ns;
    record->at_opening = now;
}

static void copy_text(char *out, size_t chars, const char *text)
{
    snprintf(out, chars, "%s", text ? text : "");
}

void sessions_records_begin(struct sessions *s, uint32_t pdp, const struct core_intent *intent)
{
    if (records_are_on(s->records) && !s->context_records)
        s->context_records = calloc(s->core->config->limits.contexts, sizeof(*s->context_records));
    if (!s->context_records)
        return;
    struct sessions_record *record = &s->context_records[pdp];
    *record = (struct sessions_record){.is_open = true, .charging_id = intent->charging_id};
    copy_text(record->apn, sizeof(record->apn), intent->apn);
    copy_text(record->msisdn, sizeof(record->msisdn), intent->msisdn);
    copy_text(record->imeisv, sizeof(record->imeisv), intent->imeisv);
    record->begun_ns = record->opened_ns = clock_wall_ns();
    record->due_ns = s->core->now + s->records->config.every_ns;
    record->at_begin = record->at_opening = records_volumes(s->records, pdp);
    write_context(s, record, RECORDS_CONTEXT_BEGIN, RECORDS_OPEN);
}

void sessions_records_end(struct sessions *s, uint32_t pdp, enum records_cause cause)
{
    struct sessions_record *record = s->context_records ? &s->context_records[pdp] : NULL;
    if (!record || !record->is_open)
        return;
    write_context(s, record, RECORDS_CONTEXT_END, cause);
    record->is_open = false;
}

/* A look that is late moves no later one; intervals that are over without a look give one record in all. */
static void write_interim(struct sessions *s, struct sessions_record *record, int64_t now)
{
    int64_t every_ns = s->records->config.every_ns;
    write_context(s, record, RECORDS_CONTEXT_INTERIM, RECORDS_TIME_LIMIT);
    record->due_ns = now + every_ns - (now - record->due_ns) % every_ns;
}

int64_t sessions_records_step(struct sessions *s, int64_t now)
{
    struct records *r = s->records;
    uint32_t slots = s->core->config->limits.contexts;
    if (!records_are_on(r) || !s->context_records)
        return MOMENT_NEVER;
    if (now < r->step_ns)
        return r->step_ns;
    for (uint32_t i = 0; i <= slots / STEP_PART && i < STEP_MOST; i++) {
        struct sessions_record *record = &s->context_records[r->next_slot];
        r->next_slot = (r->next_slot + 1) % slots;
        if (record->is_open && record->due_ns <= now)
            write_interim(s, record, now);
    }
    r->step_ns = now + STEP_NS;
    return r->step_ns;
}

void sessions_records_set_every(struct sessions *s, int64_t every_ns)
{
    int64_t change_ns = records_are_on(s->records) ? every_ns - s->records->config.every_ns : 0;
    if (change_ns == 0)
        return;
    s->records->config.every_ns = every_ns;
    for (uint32_t i = 0; s->context_records && i < s->core->config->limits.contexts; i++)
        s->context_records[i].due_ns += change_ns;
}

void sessions_records_end_all(struct sessions *s)
{
    for (uint32_t i = 0; records_are_on(s->records) && i < s->core->config->limits.contexts; i++)
        sessions_records_end(s, i, RECORDS_MANAGEMENT);
}
