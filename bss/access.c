/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/access.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define BIN_NS          INT64_C(1000000)
#define LONGEST_WAIT_NS (5 * MOMENT_SECOND) /* T3126, T3146 */
enum { LEAST_FIRST_SLOTS = 8, PERSISTENCE_DRAWS = 16, FIRST_PLACES = 16 };

/* A request, by its next event. */
enum state {
    FREE,
    TRIES,    /* a burst */
    WAITS,    /* end of T3146 */
    RESTS,    /* end of the wait after a failure */
    ASSIGNED, /* two-phase: the block with its request */
    ASKS,     /* two-phase: the answer, or the end of T3168 without one */
    RESTARTS, /* another procedure, without a failure */
};

/* `life` counts the uses of a place, `stamp` its events: older entries of the agenda are out of date. */
struct request {
    void *owner; /* NULL: of the background */
    int64_t first_ns;
    unsigned attempts, rounds;
    enum state state;
    bool is_answered;
    uint32_t life, stamp, next_free;
};

/* Events: a binary heap, in the order of at_ns and then of order. */
struct entry {
    int64_t at_ns;
    uint64_t order;
    uint32_t number, stamp; /* of a request */
};

struct agenda {
    struct entry *heap;
    uint32_t count, cap;
    uint64_t puts;
};

struct access {
    struct access_config config;
    struct access_ops ops;
    struct rng rng;
    struct agenda agenda;
    struct agch agch;
    struct request *requests; /* from 1 on */
    uint32_t request_count, request_cap, first_free;
    uint32_t *burst; /* of the slot at hand; as many places as requests */
    uint32_t burst_count;
    int64_t background_ns;     /* the next one */
    uint32_t background_count; /* under way */
    struct access_stats stats;
};

static void *grown(void *list, size_t octets)
{
    void *more = realloc(list, octets);
    if (more)
        return more;
    fprintf(stderr, "gbflow: out of memory for the access requests of a cell\n");
    exit(1);
}

/* --- events --- */

static bool is_before(const struct entry *a, const struct entry *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->order < b->order);
}

static void put_entry(struct agenda *agenda, uint32_t number, uint32_t stamp, int64_t at_ns)
{
    struct entry entry = {at_ns, agenda->puts++, number, stamp};
    if (agenda->count == agenda->cap) {
        agenda->cap = agenda->cap ? 2 * agenda->cap : FIRST_PLACES;
        agenda->heap = grown(agenda->heap, agenda->cap * sizeof *agenda->heap);
    }
    uint32_t i = agenda->count++;
    for (; i > 0 && is_before(&entry, &agenda->heap[(i - 1) / 2]); i = (i - 1) / 2)
        agenda->heap[i] = agenda->heap[(i - 1) / 2];
    agenda->heap[i] = entry;
}

static int64_t next_entry_ns(const struct agenda *agenda)
{
    return agenda->count ? agenda->heap[0].at_ns : MOMENT_NEVER;
}

static struct entry take_entry(struct agenda *agenda)
{
    assert(agenda->count);
    struct entry first = agenda->heap[0], last = agenda->heap[--agenda->count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < agenda->count) {
        child += child + 1 < agenda->count && is_before(&agenda->heap[child + 1], &agenda->heap[child]);
        if (!is_before(&agenda->heap[child], &last))
            break;
        agenda->heap[i] = agenda->heap[child];
        i = child;
    }
    agenda->heap[i] = last;
    return first;
}

/* --- delays --- */

static void add_delay(struct access_delays *delays, int64_t delay_ns)
{
    int64_t bin = moment_min(delay_ns / BIN_NS, ACCESS_DELAY_BINS - 1);
    delays->bins[bin]++;
    delays->sum_ns += (double)delay_ns;
    delays->count++;
}

int64_t access_mean_ns(const struct access_delays *delays)
{
    return delays->count ? (int64_t)(delays->sum_ns / (double)delays->count) : MOMENT_NEVER;
}

int64_t access_quantile_ns(const struct access_delays *delays, unsigned percent)
{
    uint64_t rank = (delays->count * percent + 99) / 100, seen = 0;
    unsigned bin = 0;
    if (!delays->count)
        return MOMENT_NEVER;
    while ((seen += delays->bins[bin]) < rank)
        bin++;
    return (bin + 1) * BIN_NS;
}

/* --- slots: number k begins at k x 3060 / 13 ms / opportunities, rounded down --- */

static int64_t slot_ns(const struct access *access, int64_t slot)
{
    int64_t each = (int64_t)ACCESS_MULTIFRAMES * access->config.opportunities;
    return slot / each * ACCESS_MULTIFRAMES_NS + slot % each * ACCESS_MULTIFRAMES_NS / each;
}

/* The first slot that begins at `now` or later; now >= 0. */
static int64_t slot_from(const struct access *access, int64_t now)
{
    int64_t each = (int64_t)ACCESS_MULTIFRAMES * access->config.opportunities;
    int64_t rest = now % ACCESS_MULTIFRAMES_NS * each;
    int64_t slot = now / ACCESS_MULTIFRAMES_NS * each + rest / ACCESS_MULTIFRAMES_NS;
    return slot_ns(access, slot) < now ? slot + 1 : slot;
}

uint64_t access_slots(const struct access *access, int64_t from_ns, int64_t to_ns)
{
    if (!access->config.has_contention)
        return 0;
    return (uint64_t)(slot_from(access, to_ns) - slot_from(access, from_ns));
}

/* --- requests --- */

static struct request *at(struct access *access, uint32_t number)
{
    return &access->requests[number];
}

static uint32_t new_place(struct access *access)
{
    if (access->request_count == access->request_cap) {
        access->request_cap = access->request_cap ? 2 * access->request_cap : FIRST_PLACES;
        access->requests = grown(access->requests, access->request_cap * sizeof *access->requests);
        access->burst = grown(access->burst, access->request_cap * sizeof *access->burst);
    }
    access->requests[access->request_count] = (struct request){0};
    return access->request_count++;
}

static uint32_t take_place(struct access *access)
{
    uint32_t number = access->first_free;
    if (!number)
        return new_place(access);
    access->first_free = at(access, number)->next_free;
    return number;
}

static void release(struct access *access, uint32_t number)
{
    struct request *request = at(access, number);
    access->background_count -= !request->owner;
    request->state = FREE;
    request->stamp++;
    request->life++;
    request->next_free = access->first_free;
    access->first_free = number;
}

static void plan(struct access *access, uint32_t number, enum state state, int64_t at_ns)
{
    struct request *request = at(access, number);
    request->state = state;
    put_entry(&access->agenda, number, ++request->stamp, at_ns);
}

static struct access_outcome *outcome_of(struct access *access, uint32_t number)
{
    return &access->stats.outcomes[at(access, number)->owner ? ACCESS_MOBILES : ACCESS_BACKGROUND];
}

static struct agch_for whom(struct access *access, uint32_t number)
{
    return number ? (struct agch_for){number, at(access, number)->life} : (struct agch_for){0};
}

/* --- a procedure --- */

static int64_t fail_wait_ns(const struct access *access, int64_t slot)
{
    int64_t slots = (int64_t)access->config.t_slots + 2 * (int64_t)access->config.s_slots;
    if (access->config.fail_wait_ns)
        return access->config.fail_wait_ns;
    return moment_min(slot_ns(access, slot + 1 + slots) - slot_ns(access, slot + 1), LONGEST_WAIT_NS);
}

static void access_answer(struct access *access, uint32_t number, uint32_t rider, int64_t end_ns)
{
    access->stats.counts.decoded++;
    if (!agch_put(&access->agch, whom(access, number), whom(access, rider),
                  end_ns + access->config.response_ns))
        access->stats.counts.unanswered++;
}

/* Without contention: the burst is decoded at once. */
static void ask_alone(struct access *access, uint32_t number, int64_t now)
{
    access->stats.counts.bursts++;
    access_answer(access, number, 0, now);
    plan(access, number, WAITS,
         now + (access->config.fail_wait_ns ? access->config.fail_wait_ns : LONGEST_WAIT_NS));
}

static void bss_access_begin(struct access *access, uint32_t number, int64_t now)
{
    unsigned t_slots = access->config.t_slots;
    at(access, number)->attempts = 0;
    if (!access->config.has_contention) {
        ask_alone(access, number, now);
        return;
    }
    uint64_t before = rng_below(&access->rng, t_slots > LEAST_FIRST_SLOTS ? t_slots : LEAST_FIRST_SLOTS);
    plan(access, number, TRIES, slot_ns(access, slot_from(access, now) + (int64_t)before));
}

/* A first procedure, or one after a failure. */
static void begin_anew(struct access *access, uint32_t number, int64_t now)
{
    outcome_of(access, number)->begun++;
    at(access, number)->rounds = 1;
    bss_access_begin(access, number, now);
}

static void access_fail(struct access *access, uint32_t number, int64_t now)
{
    outcome_of(access, number)->failed++;
    if (at(access, number)->owner)
        plan(access, number, RESTS, moment_add(now, access->config.retry_ns));
    else
        release(access, number);
}

/* Another procedure of the same access, or its failure. */
static void begin_again(struct access *access, uint32_t number, int64_t now)
{
    if (at(access, number)->rounds++ < ACCESS_ROUNDS)
        bss_access_begin(access, number, now);
    else
        access_fail(access, number, now);
}

static void grant(struct access *access, uint32_t number, int64_t now)
{
    struct access_outcome *outcome = outcome_of(access, number);
    void *owner = at(access, number)->owner;
    outcome->granted++;
    add_delay(&outcome->delays, now - at(access, number)->first_ns);
    release(access, number);
    if (owner)
        access->ops.granted(access->ops.arg, owner, now + access->config.start_ns, now);
}

/* --- bursts --- */

/* The mobile's next event after a time at which it could send. */
static void plan_next(struct access *access, uint32_t number, int64_t now)
{
    int64_t slot = slot_from(access, now);
    if (++at(access, number)->attempts > access->config.retransmissions) {
        plan(access, number, WAITS, slot_ns(access, slot + 1) + fail_wait_ns(access, slot));
        return;
    }
    int64_t between = access->config.s_slots + (int64_t)rng_below(&access->rng, access->config.t_slots);
    plan(access, number, TRIES, slot_ns(access, slot + 1 + between));
}

static void try(struct access *access, uint32_t number, int64_t now)
{
    if (!access->config.persistence ||
        rng_below(&access->rng, PERSISTENCE_DRAWS) >= access->config.persistence)
        access->burst[access->burst_count++] = number;
    plan_next(access, number, now);
}

/* The first of the others that drew the captured one's reference; 0: none. */
static uint32_t draw_rider(struct access *access, uint32_t captured)
{
    for (uint32_t i = 0; i < access->burst_count; i++)
        if (i != captured && rng_below(&access->rng, ACCESS_REFERENCES) == 0)
            return access->burst[i];
    return 0;
}

static void collide(struct access *access, int64_t end_ns)
{
    access->stats.counts.collisions++;
    access->stats.counts.collided += access->burst_count;
    if (!access->config.capture_ppm || !rng_chance_ppm(&access->rng, access->config.capture_ppm))
        return;
    uint32_t captured = (uint32_t)rng_below(&access->rng, access->burst_count);
    access_answer(access, access->burst[captured], draw_rider(access, captured), end_ns);
}

static void end_slot(struct access *access, int64_t now)
{
    int64_t end_ns = slot_ns(access, slot_from(access, now) + 1);
    access->stats.counts.bursts += access->burst_count;
    if (access->burst_count == 1)
        access_answer(access, access->burst[0], 0, end_ns);
    else if (access->burst_count)
        collide(access, end_ns);
    access->burst_count = 0;
}

/* --- assignments --- */

static bool awaits(struct access *access, struct agch_for whom)
{
    const struct request *request = whom.number ? at(access, whom.number) : NULL;
    return request && request->life == whom.life && (request->state == TRIES || request->state == WAITS);
}

static void assign(struct access *access, uint32_t number, int64_t now)
{
    if (access->config.is_two_phase)
        plan(access, number, ASSIGNED, now + access->config.start_ns);
    else
        grant(access, number, now);
}

static void take_message(struct access *access, int64_t now)
{
    struct agch_message message = agch_take(&access->agch);
    if (awaits(access, message.rider)) {
        access->stats.counts.unresolved++;
        plan(access, message.rider.number, RESTARTS,
             now + (access->config.is_two_phase ? access->config.start_ns + access->config.t3168_ns
                                                : access->config.resolution_ns));
    }
    if (awaits(access, message.to))
        assign(access, message.to.number, now);
    else
        access->stats.counts.wasted++;
}

/* --- two-phase access --- */

static bool sends(struct access *access, uint32_t number, bool is_up, int64_t now)
{
    void *owner = at(access, number)->owner;
    return !access->ops.sends || access->ops.sends(access->ops.arg, owner, is_up, now);
}

/* The PACKET RESOURCE REQUEST. */
static void request_resource(struct access *access, uint32_t number, int64_t now)
{
    at(access, number)->is_answered = sends(access, number, true, now);
    plan(access, number, ASKS,
         now + (at(access, number)->is_answered ? access->config.round_trip_ns : access->config.t3168_ns));
}

/* The PACKET UPLINK ASSIGNMENT, or the end of T3168. */
static void end_request(struct access *access, uint32_t number, int64_t now)
{
    if (!at(access, number)->is_answered) {
        access->stats.counts.expired++;
        begin_again(access, number, now);
        return;
    }
    at(access, number)->is_answered = false;
    if (sends(access, number, false, now))
        grant(access, number, now);
    else
        plan(access, number, ASKS,
             moment_max(now, now + access->config.t3168_ns - access->config.round_trip_ns));
}

/* --- time --- */

static void act(struct access *access, uint32_t number, int64_t now)
{
    switch (at(access, number)->state) {
    case FREE:
        break;
    case TRIES:
        try(access, number, now);
        break;
    case WAITS:
        access_fail(access, number, now);
        break;
    case RESTS:
        begin_anew(access, number, now);
        break;
    case ASSIGNED:
        request_resource(access, number, now);
        break;
    case ASKS:
        end_request(access, number, now);
        break;
    case RESTARTS:
        begin_again(access, number, now);
        break;
    }
}

static uint32_t enter(struct access *access, void *owner, int64_t now)
{
    uint32_t number = take_place(access);
    struct request *request = at(access, number);
    request->owner = owner;
    request->first_ns = now;
    begin_anew(access, number, now);
    return number;
}

static void enter_background(struct access *access)
{
    int64_t now = access->background_ns;
    access->background_ns = moment_add(now, rng_exponential_ns(&access->rng, access->config.background_ns));
    if (access->background_count < ACCESS_MAX_BACKGROUND) {
        access->background_count++;
        enter(access, NULL, now);
        return;
    }
    access->stats.outcomes[ACCESS_BACKGROUND].begun++;
    access->stats.outcomes[ACCESS_BACKGROUND].failed++;
}

static void run_instant(struct access *access, int64_t now)
{
    while (agch_due_ns(&access->agch) <= now)
        take_message(access, now);
    while (access->background_ns <= now)
        enter_background(access);
    while (next_entry_ns(&access->agenda) <= now) {
        struct entry entry = take_entry(&access->agenda);
        if (at(access, entry.number)->stamp == entry.stamp)
            act(access, entry.number, now);
    }
    if (access->burst_count)
        end_slot(access, now);
}

int64_t access_due_ns(const struct access *access)
{
    return moment_min(agch_due_ns(&access->agch),
                      moment_min(access->background_ns, next_entry_ns(&access->agenda)));
}

void access_step(struct access *access, int64_t now)
{
    for (int64_t due_ns; (due_ns = access_due_ns(access)) <= now;)
        run_instant(access, due_ns);
}

uint32_t access_begin(struct access *access, void *owner, int64_t now)
{
    assert(owner);
    return enter(access, owner, now);
}

void access_renew(struct access *access, uint32_t number, int64_t now)
{
    if (at(access, number)->state == RESTS && access->config.retry_ns == MOMENT_NEVER)
        begin_anew(access, number, now);
}

void access_cancel(struct access *access, uint32_t number)
{
    if (number)
        release(access, number);
}

static void check(const struct access_config *config)
{
    assert(config->opportunities >= 1 && config->opportunities <= ACCESS_MAX_OPPORTUNITIES);
    assert(config->t_slots >= 1 && config->persistence <= ACCESS_NEVER_PERSISTENT);
    assert(config->capture_ppm <= 1000000 && config->response_ns >= 0 && config->fail_wait_ns >= 0);
    assert(config->retry_ns >= 0 && config->start_ns >= 0 && config->resolution_ns >= 0);
    assert(config->round_trip_ns >= 0 && config->t3168_ns >= 0 && config->background_ns >= 0);
}

struct access *access_new(const struct access_config *config, const struct access_ops *ops)
{
    check(config);
    struct access *access = calloc(1, sizeof *access);
    if (!access)
        return NULL;
    access->config = *config;
    access->ops = *ops;
    access->background_ns = MOMENT_NEVER;
    rng_init(&access->rng, config->seed, ACCESS_STREAM);
    agch_init(&access->agch, &config->agch);
    new_place(access); /* numbers begin with 1 */
    if (config->background_ns)
        access->background_ns =
            moment_add(config->from_ns, rng_exponential_ns(&access->rng, config->background_ns));
    return access;
}

void access_free(struct access *access)
{
    if (!access)
        return;
    free(access->agenda.heap);
    agch_fini(&access->agch);
    free(access->requests);
    free(access->burst);
    free(access);
}

const struct access_stats *access_stats_get(const struct access *access)
{
    return &access->stats;
}

const struct agch_stats *access_agch_stats_get(const struct access *access)
{
    return &access->agch.stats;
}
