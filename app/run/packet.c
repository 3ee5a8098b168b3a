/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/packet.h"

#include "app/run/cells.h"
#include "app/run/run.h"
#include "app/run/sgsns.h"

#include "control/base/command.h"
#include "control/base/json_stream.h"
#include "control/base/whole_file.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/sched/ms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "gbflow-packet/1"

enum { WAYS = FLIGHT_WINDOW, BLOCKS = 16384, SPANS = 16384 };

/* The first LLC-PDU of the mobile waits in the SGSN for this. */
enum wait { WAIT_NONE, WAIT_MOBILE, WAIT_CELL, WAIT_LINK, WAIT_TURN, WAIT_STOPPED };

static const char *const waits[] = {
    [WAIT_MOBILE] = "mobile", [WAIT_CELL] = "cell",       [WAIT_LINK] = "link",
    [WAIT_TURN] = "turn",     [WAIT_STOPPED] = "stopped",
};

struct way {
    int64_t emitted_ns, ggsn_ns;
    uint32_t octets;
    uint16_t ip_id;
};

struct segment {
    int64_t bss_ns, mobile_ns;
    uint64_t first_block, last_block;
    uint32_t octets;
    bool has_blocks;
};

struct n_pdu_way {
    int64_t before_ns; /* when the LLC-PDU before its first one came to the BSS */
    uint32_t segment_count;
    struct segment segments[SNDCP_MAX_SEGMENTS];
};

struct block {
    int64_t at_ns, block_ns;
    uint64_t number;
    bool is_bad;
};

struct span {
    int64_t from_ns;
    enum wait wait;
};

struct packet_log {
    struct run_packet_choice choice;
    uint32_t mobile;
    uint64_t delivered; /* N-PDUs so far */
    int64_t before_ns;
    bool is_found;
    int64_t found_ns;
    struct way way; /* of the N-PDU that was found */
    struct n_pdu_way n_pdu;
    uint64_t block_count, span_count; /* without end; the latest are in the rings */
    struct way ways[WAYS];
    struct n_pdu_way n_pdus[SNDCP_NPDU_MODULUS];
    struct block blocks[BLOCKS];
    struct span spans[SPANS];
};

/* --- which one --- */

bool run_packet_parse(struct run_packet_choice *choice, const char *text)
{
    const char *colon = text ? strrchr(text, ':') : NULL;
    char *end;
    *choice = (struct run_packet_choice){.is_wanted = true};
    if (!text)
        return true;
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof(choice->name))
        return false;
    memcpy(choice->name, text, (size_t)(colon - text));
    errno = 0;
    choice->number = strtoull(colon + 1, &end, 10);
    bool is_digit = colon[1] >= '0' && colon[1] <= '9'; /* strtoull() takes blanks and signs */
    return is_digit && !errno && !*end && choice->number > 0;
}

bool run_packet_choose(struct scenario_run *r, struct run_packet_choice *choice)
{
    choice->delay_ns = -1;
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        struct samples *delays = &r->mobiles[i].stats.delays;
        int64_t delay_ns = delays->count ? samples_quantile_ns(delays, 95) : -1;
        if (delay_ns <= choice->delay_ns || r->scenario.mobiles[i].stack.has_link)
            continue;
        choice->delay_ns = delay_ns;
        snprintf(choice->name, sizeof(choice->name), "%s", r->mobiles[i].config->name);
    }
    if (choice->delay_ns < 0)
        fprintf(stderr, "gbflow run: --packet: no N-PDU was delivered after the warm-up to a mobile in "
                        "unacknowledged mode\n");
    return choice->delay_ns >= 0;
}

bool run_packet_new(struct scenario_run *r)
{
    const struct run_packet_choice *choice = &r->options->packet;
    uint32_t mobile = 0;
    if (choice->is_wanted && r->sgsn_count > 1) {
        command_error("run", "--packet: the scenario has %u SGSNs; it shows the way through one",
                      r->sgsn_count);
        return false;
    }
    if (!choice->is_wanted || !choice->name[0])
        return true;
    while (mobile < r->scenario.mobile_count && strcmp(r->scenario.mobiles[mobile].name, choice->name) != 0)
        mobile++;
    if (mobile == r->scenario.mobile_count) {
        struct words words = {.count = 0};
        for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
            words_add(&words, r->scenario.mobiles[i].name);
        command_unknown("run", "--packet: ", "mobile of the scenario", choice->name, &words);
        return false;
    }
    if (r->scenario.mobiles[mobile].stack.has_link) {
        command_error("run",
                      "--packet: LLC of '%s' is in acknowledged mode, where frames are repeated; "
                      "choose a mobile with llc \"unacknowledged\"",
                      choice->name);
        return false;
    }
    r->packet = calloc(1, sizeof(*r->packet));
    if (!r->packet) {
        fprintf(stderr, "gbflow: out of memory for the instants of a packet\n");
        return false;
    }
    r->packet->choice = *choice;
    r->packet->mobile = mobile;
    return true;
}

void run_packet_free(struct scenario_run *r)
{
    free(r->packet);
    r->packet = NULL;
}

/* The log, if it is about this mobile and still records. */
static struct packet_log *log_of(const struct run_mobile *mobile)
{
    struct packet_log *log = mobile->run->packet;
    bool is_on = log && !log->is_found && mobile == &mobile->run->mobiles[log->mobile];
    return is_on ? log : NULL;
}

/* --- on the way --- */

void run_packet_emitted(struct run_mobile *mobile, uint16_t ip_id, size_t octets, int64_t now)
{
    struct packet_log *log = log_of(mobile);
    if (log)
        log->ways[ip_id % WAYS] = (struct way){.emitted_ns = now, .octets = (uint32_t)octets, .ip_id = ip_id};
}

void run_packet_passes_ggsn(struct run_mobile *mobile, uint16_t ip_id, int64_t now)
{
    struct packet_log *log = log_of(mobile);
    if (log && log->ways[ip_id % WAYS].ip_id == ip_id)
        log->ways[ip_id % WAYS].ggsn_ns = now;
}

static bool header_of(struct sndcp *sndcp, const uint8_t *llc_pdu, size_t octets)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    return header >= 0 && llc.format == LLC_UI && sndcp_decode(sndcp, llc_pdu + header, llc.info_octets) >= 0;
}

void run_packet_in_bss(struct run_mobile *mobile, const uint8_t *llc_pdu, size_t octets, int64_t now)
{
    struct packet_log *log = log_of(mobile);
    struct sndcp sndcp;
    if (!log || !header_of(&sndcp, llc_pdu, octets))
        return;
    struct n_pdu_way *n_pdu = &log->n_pdus[sndcp.n_pdu_number];
    if (sndcp.first)
        *n_pdu = (struct n_pdu_way){.before_ns = log->before_ns};
    n_pdu->segments[sndcp.segment] = (struct segment){.bss_ns = now, .octets = (uint32_t)octets};
    n_pdu->segment_count = sndcp.segment + 1U;
    log->before_ns = now;
}

static struct segment *segment_of(struct packet_log *log, const uint8_t *llc_pdu, size_t octets)
{
    struct sndcp sndcp;
    return header_of(&sndcp, llc_pdu, octets) ? &log->n_pdus[sndcp.n_pdu_number].segments[sndcp.segment]
                                              : NULL;
}

void run_packet_at_mobile(struct run_mobile *mobile, const uint8_t *llc_pdu, size_t octets, int64_t now)
{
    struct packet_log *log = log_of(mobile);
    struct segment *segment = log ? segment_of(log, llc_pdu, octets) : NULL;
    if (segment)
        segment->mobile_ns = now;
}

static void note_octets(struct packet_log *log, struct run_mobile *mobile, const struct radio_block *block)
{
    const struct radio_frame *frame = block->frame;
    const uint8_t *clear = bss_account_tap_passed(&mobile->tap, frame->llc_pdu, frame->octets);
    struct segment *segment = segment_of(log, clear, frame->octets);
    if (!segment)
        return;
    if (!segment->has_blocks)
        segment->first_block = block->number;
    segment->last_block = block->number;
    segment->has_blocks = true;
}

void run_packet_block(struct run_mobile *mobile, const struct radio_block *block, int64_t now)
{
    struct packet_log *log = log_of(mobile);
    if (log && block->frame)
        note_octets(log, mobile, block);
    else if (log)
        log->blocks[log->block_count++ % BLOCKS] =
            (struct block){.at_ns = now,
                           .block_ns = run_cells_block_ns(&mobile->run->scenario.cells[mobile->cell]),
                           .number = block->number,
                           .is_bad = block->is_bad};
}

static bool is_chosen(const struct packet_log *log, const struct scenario_run *r, int64_t delay_ns,
                      int64_t now)
{
    if (log->choice.number)
        return log->delivered == log->choice.number;
    return delay_ns == log->choice.delay_ns && now >= r->begin_ns + r->scenario.warmup_ns;
}

void run_packet_delivered(struct run_mobile *mobile, uint16_t ip_id, uint16_t number, int64_t emitted_ns,
                          int64_t now)
{
    struct packet_log *log = log_of(mobile);
    if (!log)
        return;
    log->delivered++;
    if (!is_chosen(log, mobile->run, now - emitted_ns, now))
        return;
    log->is_found = true;
    log->found_ns = now;
    log->way = log->ways[ip_id % WAYS];
    log->n_pdu = log->n_pdus[number];
}

static enum wait wait_of(const struct scenario_run *r, uint32_t mobile)
{
    const struct run_place place = run_sgsns_place(&r->mobiles[mobile]);
    const struct context *context = &place.worker->context;
    const struct ms *ms = &context->mobiles[place.slot];
    const struct sched_bvc *bvc = ms->sched.bvc;
    if (sched_ms_backlog(&context->sched, &ms->sched).pkts == 0)
        return WAIT_NONE;
    if (ms->sched.flags & SCHED_MS_FROZEN)
        return WAIT_STOPPED;
    if (ms->sched.flags & SCHED_MS_PARKED)
        return WAIT_MOBILE;
    if (bvc->holder)
        return WAIT_CELL;
    return bvc->link->is_parked ? WAIT_LINK : WAIT_TURN;
}

/* Of several waits of one instant the last one holds. */
int64_t run_packet_step(void *run, int64_t now)
{
    struct scenario_run *r = run;
    struct packet_log *log = r->packet;
    if (log->is_found)
        return MOMENT_NEVER;
    struct span span = {.from_ns = now, .wait = wait_of(r, log->mobile)};
    struct span *last = log->span_count ? &log->spans[(log->span_count - 1) % SPANS] : NULL;
    if (last && last->from_ns == now)
        last->wait = span.wait;
    else if (!last || last->wait != span.wait)
        log->spans[log->span_count++ % SPANS] = span;
    return MOMENT_NEVER;
}

/* --- the file --- */

static void put_time(struct json_stream *s, const char *key, const struct scenario_run *r, int64_t at_ns)
{
    json_stream_number(s, key, (double)(at_ns - r->begin_ns) / MOMENT_SECOND);
}

static uint64_t first_of(uint64_t count, uint64_t room)
{
    return count > room ? count - room : 0;
}

static void put_wait(struct json_stream *s, const struct scenario_run *r, const struct span *span,
                     int64_t end_ns)
{
    json_stream_object(s, NULL);
    put_time(s, "from_s", r, span->from_ns);
    put_time(s, "to_s", r, end_ns);
    json_stream_text(s, "for", waits[span->wait]);
    json_stream_end(s);
}

/* The waits of the mobile's queue from the N-PDU's arrival to its last segment. */
static void put_waits(struct json_stream *s, const struct scenario_run *r, int64_t from_ns, int64_t to_ns)
{
    const struct packet_log *log = r->packet;
    json_stream_array(s, "waits");
    for (uint64_t i = first_of(log->span_count, SPANS); i < log->span_count; i++) {
        struct span span = log->spans[i % SPANS];
        int64_t end_ns = i + 1 < log->span_count ? log->spans[(i + 1) % SPANS].from_ns : to_ns;
        span.from_ns = moment_max(span.from_ns, from_ns);
        end_ns = moment_min(end_ns, to_ns);
        if (span.from_ns < end_ns && span.wait != WAIT_NONE)
            put_wait(s, r, &span, end_ns);
    }
    json_stream_end(s);
}

static void put_segment(struct json_stream *s, const struct scenario_run *r, const struct segment *segment)
{
    json_stream_object(s, NULL);
    json_stream_count(s, "llc_octets", segment->octets);
    put_time(s, "sgsn_s", r, segment->bss_ns - r->scenario.network.gb_delay_ns);
    put_time(s, "bss_s", r, segment->bss_ns);
    if (segment->has_blocks) {
        json_stream_count(s, "first_block", segment->first_block);
        json_stream_count(s, "last_block", segment->last_block);
    } else {
        json_stream_null(s, "first_block");
        json_stream_null(s, "last_block");
    }
    put_time(s, "mobile_s", r, segment->mobile_ns);
    json_stream_end(s);
}

static void put_blocks(struct json_stream *s, const struct scenario_run *r, const struct n_pdu_way *n_pdu)
{
    const struct packet_log *log = r->packet;
    const struct segment *first = &n_pdu->segments[0], *last = &n_pdu->segments[n_pdu->segment_count - 1];
    json_stream_array(s, "blocks");
    for (uint64_t i = first_of(log->block_count, BLOCKS); first->has_blocks && i < log->block_count; i++) {
        const struct block *block = &log->blocks[i % BLOCKS];
        if (block->number < first->first_block || block->number > last->last_block)
            continue;
        json_stream_object(s, NULL);
        json_stream_count(s, "number", block->number);
        put_time(s, "from_s", r, block->at_ns);
        put_time(s, "to_s", r, block->at_ns + block->block_ns);
        json_stream_bool(s, "is_bad", block->is_bad);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_way(struct json_stream *s, const struct scenario_run *r)
{
    const struct packet_log *log = r->packet;
    const struct segment *first = &log->n_pdu.segments[0];
    int64_t gb_ns = r->scenario.network.gb_delay_ns,
            gn_ns = log->way.ggsn_ns + r->scenario.network.gn_delay_ns;
    json_stream_count(s, "octets", log->way.octets);
    put_time(s, "server_s", r, log->way.emitted_ns);
    put_time(s, "ggsn_s", r, log->way.ggsn_ns);
    put_time(s, "sgsn_s", r, gn_ns);
    put_time(s, "head_s", r,
             moment_min(moment_max(gn_ns, log->n_pdu.before_ns - gb_ns), first->bss_ns - gb_ns));
    put_time(s, "delivered_s", r, log->found_ns);
    put_waits(s, r, gn_ns, log->n_pdu.segments[log->n_pdu.segment_count - 1].bss_ns - gb_ns);
    json_stream_array(s, "segments");
    for (uint32_t i = 0; i < log->n_pdu.segment_count; i++)
        put_segment(s, r, &log->n_pdu.segments[i]);
    json_stream_end(s);
    put_blocks(s, r, &log->n_pdu);
}

bool run_packet_write(struct scenario_run *r, const char *path)
{
    const struct packet_log *log = r->packet;
    if (!log)
        return true;
    if (!log->is_found) {
        command_error("run", "--packet %s:%lu: only %lu N-PDUs were delivered to this mobile",
                      log->choice.name, (unsigned long)log->choice.number, (unsigned long)log->delivered);
        return false;
    }
    struct json_stream s = {.file = whole_file_open(path)};
    if (!s.file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    json_stream_begin(&s, SCHEMA);
    json_stream_text(&s, "mobile", log->choice.name);
    json_stream_text(&s, "class", n_pdu_qclass_name(r->scenario.mobiles[log->mobile].qclass));
    json_stream_count(&s, "number", log->delivered);
    json_stream_bool(&s, "is_default", log->choice.number == 0);
    put_way(&s, r);
    json_stream_end(&s);
    fputc('\n', s.file);
    bool is_good = whole_file_close(s.file, path) == 0;
    if (!is_good)
        fprintf(stderr, "%s: cannot be written\n", path);
    return is_good;
}
