/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/model.h"

#include <stdlib.h>

enum { FEATURE_CBL = 0x02, LONGEST_DELAY_CS = 0xfffe /* 0xffff: infinite */, MAX_RATIO_PERCENT = 255 };

#define CENTISECOND_NS INT64_C(10000000)

static bool has_levels(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (bss->cells[i].config.has_level)
            return true;
    return false;
}

void bss_level_offer(const struct bss *bss, struct bssgp *reset)
{
    uint32_t features = (has_levels(bss) ? FEATURE_CBL : 0u) | bss_pfc_features(bss);
    if (!features)
        return;
    reset->feature_bitmap = features;
    pdu_mark(&reset->head, BSSGP_IE_FEATURE_BITMAP);
}

void bss_level_agree(struct bss *bss, const struct bssgp *pdu)
{
    bool has_peer = pdu_has(&pdu->head, BSSGP_IE_FEATURE_BITMAP) && pdu->feature_bitmap & FEATURE_CBL;
    bss->has_cbl = has_peer && has_levels(bss);
    bss_pfc_agree(bss, pdu);
}

static void put_ratio(struct bssgp *pdu, uint64_t queued_octets)
{
    uint64_t percent =
        pdu->bucket_octets ? (100 * queued_octets + pdu->bucket_octets / 2) / pdu->bucket_octets : 0;
    pdu->ratio_percent = percent < MAX_RATIO_PERCENT ? (uint32_t)percent : MAX_RATIO_PERCENT;
    pdu_mark(&pdu->head, BSSGP_IE_RATIO);
}

/* The mean wait of LLC-PDUs that got their first block since the last measurement; no element without any. */
static void put_measurement(struct bss_cell *cell, struct bssgp *pdu)
{
    const struct radio_stats *stats = radio_stats_get(cell->radio, RADIO_DOWN);
    uint64_t frames = stats->begun_frames - cell->told_frames;
    uint64_t wait_ns = stats->begun_wait_ns - cell->told_wait_ns;
    cell->told_frames = stats->begun_frames;
    cell->told_wait_ns = stats->begun_wait_ns;
    if (frames == 0)
        return;
    uint64_t mean_cs = (wait_ns / frames + CENTISECOND_NS / 2) / CENTISECOND_NS;
    pdu->measurement_cs = mean_cs < LONGEST_DELAY_CS ? (uint32_t)mean_cs : LONGEST_DELAY_CS;
    pdu_mark(&pdu->head, BSSGP_IE_MEASUREMENT);
}

void bss_level_cell(struct bss_cell *cell, struct bssgp *pdu)
{
    if (cell->bss->has_cbl)
        put_ratio(pdu, cell->radio ? radio_stats_get(cell->radio, RADIO_DOWN)->queued.octets : 0);
    if (cell->config.has_measurement && cell->radio)
        put_measurement(cell, pdu);
}

void bss_level_mobile(const struct bss_cell *cell, struct bssgp *pdu)
{
    if (cell->bss->has_cbl)
        put_ratio(pdu, bss_queue_octets(cell->bss, cell->config.bvci, pdu->tlli));
}

enum { THOUSAND = 1000, MAX_BUCKET_OCTETS = 6553500 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t measured_bps(struct bss_cell *cell, uint64_t most_bps, int64_t now)
{
    const struct radio_stats *stats = radio_stats_get(cell->radio, RADIO_DOWN);
    struct bss_measured *last = &cell->measured;
    struct bss_measured this = {stats->blocks - stats->control_blocks, stats->bad_blocks, now};
    uint64_t possible = radio_possible_blocks(cell->radio, last->since_ns, now);
    uint64_t used = this.blocks - last->blocks;
    if (!possible || !used)
        return most_bps;
    uint64_t good = used - least(used, this.bad_blocks - last->bad_blocks);
    uint64_t usage = least(used * THOUSAND / possible, THOUSAND);
    *last = this;
    return (most_bps * good / used * usage + most_bps * (THOUSAND - usage)) / THOUSAND;
}

/* A rate for all PDCHs, scaled to the PDCHs that calls leave. */
static uint64_t left_bps(const struct bss_cell *cell, uint64_t whole_bps)
{
    const struct bss_calls *calls = &cell->calls;
    return calls->is_there ? whole_bps * calls->left_pdchs / calls->pdchs : whole_bps;
}

struct bss_bucket bss_measured_bucket(struct bss_cell *cell, const struct bss_bucket *whole, int64_t now)
{
    int64_t bucket_ns = cell->config.policy.measured_ns;
    struct bss_bucket bucket = {whole->bucket_octets, left_bps(cell, whole->rate_bps)};
    if (!bucket_ns || !cell->radio || !bucket.rate_bps)
        return bucket;
    bucket.rate_bps = measured_bps(cell, bucket.rate_bps, now);
    uint64_t octets = bucket.rate_bps / 8 * (uint64_t)(bucket_ns / (MOMENT_SECOND / 1000)) / 1000;
    bucket.bucket_octets = least(octets, MAX_BUCKET_OCTETS);
    return bucket;
}

static uint64_t queued_octets(const struct bss_cell *cell)
{
    return radio_stats_get(cell->radio, RADIO_DOWN)->queued.octets;
}

void bss_threshold_look(struct bss_cell *cell, int64_t now)
{
    const struct bss_policy *thresholds = &cell->config.policy;
    if (!thresholds->stop_octets)
        return;
    uint64_t octets = queued_octets(cell);
    bool is_full = octets >= thresholds->stop_octets || (cell->is_full && octets > thresholds->go_octets);
    if (is_full == cell->is_full)
        return;
    cell->is_full = is_full;
    if (bss_bvc_is_up(cell))
        bss_announce_start(cell->bss, cell, now);
}

enum { MAX_FRAMES = 0xff, FIRST_ROOM = 16 };

static void tell(struct bss_cell *cell, struct bss_discarded *mobile, int64_t now)
{
    struct bssgp pdu = {.head.type = BSSGP_LLC_DISCARDED,
                        .tlli = mobile->tlli,
                        .frames_discarded = mobile->frames,
                        .bvci = cell->config.bvci,
                        .octets_affected = mobile->octets};
    if (bss_bvc_is_up(cell)) {
        cell->bss->stats.told_discarded += mobile->frames;
        bss_bssgp_send(cell->bss, BSSGP_BVCI_SIGNALLING, &pdu);
    }
    *mobile = (struct bss_discarded){.tlli = mobile->tlli, .due_ns = now + BSS_DISCARDED_EVERY_NS};
}

static bool has_room(struct bss_cell *cell)
{
    if (cell->discarded_count < cell->discarded_room)
        return true;
    unsigned room = cell->discarded_room ? 2 * cell->discarded_room : FIRST_ROOM;
    struct bss_discarded *grown = realloc(cell->discarded, room * sizeof *grown);
    if (!grown)
        return false;
    cell->discarded = grown;
    cell->discarded_room = room;
    return true;
}

/* The mobile's entry; NULL: out of memory. */
static struct bss_discarded *entry_of(struct bss_cell *cell, uint32_t tlli)
{
    for (unsigned i = 0; i < cell->discarded_count; i++)
        if (cell->discarded[i].tlli == tlli)
            return &cell->discarded[i];
    if (!has_room(cell))
        return NULL;
    struct bss_discarded *mobile = &cell->discarded[cell->discarded_count++];
    *mobile = (struct bss_discarded){.tlli = tlli, .due_ns = INT64_MIN};
    return mobile;
}

void bss_discarded_put(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
{
    struct bss_discarded alone = {.tlli = frame->tlli}, *mobile = entry_of(cell, frame->tlli);
    if (!mobile)
        mobile = &alone;
    if (mobile->frames == MAX_FRAMES)
        tell(cell, mobile, now);
    mobile->due_ns = moment_max(mobile->due_ns, now);
    mobile->frames++;
    mobile->octets += (uint32_t)frame->octets;
    if (mobile == &alone)
        tell(cell, mobile, now);
}

int64_t bss_discarded_due_ns(const struct bss_cell *cell)
{
    int64_t due_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < cell->discarded_count; i++)
        if (cell->discarded[i].frames)
            due_ns = moment_min(due_ns, cell->discarded[i].due_ns);
    return due_ns;
}

void bss_discarded_expire(struct bss_cell *cell, int64_t now)
{
    for (unsigned i = 0; i < cell->discarded_count;) {
        struct bss_discarded *mobile = &cell->discarded[i];
        bool is_due = mobile->due_ns <= now;
        if (is_due && !mobile->frames) {
            *mobile = cell->discarded[--cell->discarded_count];
            continue;
        }
        if (is_due)
            tell(cell, mobile, now);
        i++;
    }
}

void bss_discarded_fini(struct bss_cell *cell)
{
    free(cell->discarded);
}
