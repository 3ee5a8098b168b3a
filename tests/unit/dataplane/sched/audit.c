/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/unit.h"

#include "dataplane/sched/arm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/wait.h"

#include <stdlib.h>

#define HELD (SCHED_MS_PARKED | SCHED_MS_FROZEN)

/* The first complaint ends an audit. */
#define HOLDS(condition, complaint)                                                                          \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return (complaint);                                                                              \
    } while (0)
#define CHECKED(call)                                                                                        \
    do {                                                                                                     \
        const char *complaint_ = (call);                                                                     \
        if (complaint_)                                                                                      \
            return complaint_;                                                                               \
    } while (0)

/* --- N-PDUs --- */

static const char *check_queue(const struct flow_queue *q)
{
    uint32_t octets = 0, pkts = 0;
    const struct n_pdu *last = NULL;
    for (const struct n_pdu *n = q->list.head; n; last = n, n = n->next, pkts++) {
        HOLDS(n == q->list.head || n->sent_octets == 0, "an N-PDU behind the head is in service");
        HOLDS(n->sent_octets < n->octets, "an N-PDU waits that has left");
        HOLDS(!n->next || (n->next_octets & FLOW_QUEUE_MAX_OCTETS) == n->next->octets,
              "length of the N-PDU behind another");
        HOLDS(!n->next || n->next_octets >> 15 == n->next->is_acknowledged,
              "mode of the N-PDU behind another");
        octets += (uint32_t)(n->octets - n->sent_octets);
    }
    HOLDS(!last || q->list.last == last, "the last N-PDU of a queue is not its last");
    HOLDS(q->octets == octets, "octets of a queue");
    HOLDS(q->pkts == pkts, "packets of a queue");
    HOLDS(pkts == 0 || q->head_octets == q->list.head->octets - q->list.head->sent_octets,
          "octets of a head");
    HOLDS(pkts == 0 || q->is_acknowledged == q->list.head->is_acknowledged, "mode of a head");
    HOLDS(pkts == 0 || q->is_begun == (q->list.head->sent_octets > 0), "a head in service, or not");
    return NULL;
}

/* What a flow shows of its set. */
static const char *check_shown(const struct flow_sets *fs, const struct flow_set *set,
                               const struct flow_queue *shown, const struct flow_queue *sum)
{
    const struct flow_queue *at = &flow_sets_queue(fs, set, set->at)->queue;
    HOLDS(shown->octets == sum->octets && shown->pkts == sum->pkts, "what waits in a set of queues");
    HOLDS(at->pkts > 0 && shown->list.head == at->list.head, "who goes next of a set");
    HOLDS(shown->head_octets == at->head_octets && shown->is_begun == at->is_begun &&
              shown->is_acknowledged == at->is_acknowledged,
          "the head of a set");
    return NULL;
}

static const char *check_places(const struct flow_sets *fs, const struct flow_set *set)
{
    const struct flow_sets_link *links = flow_sets_links(fs, set);
    uint8_t seen[FLOW_SETS_MAX_QUEUES] = {0};
    for (unsigned place = 0; place < FLOW_SETS_PLACES; place++) {
        unsigned last = place;
        for (unsigned link = links[place].next; link != place; link = links[link].next) {
            unsigned i = link - FLOW_SETS_PLACES;
            HOLDS(i < fs->queues && flow_sets_queue(fs, set, i)->place == place, "place of a queue");
            HOLDS(links[link].prev == last, "links of a queue");
            HOLDS(seen[i]++ == 0, "a queue is twice in a ring");
            last = link;
        }
        HOLDS(links[place].prev == last, "the last queue of a ring");
    }
    for (unsigned i = 0; i < fs->queues; i++)
        HOLDS(seen[i] == (set->used >> i & 1), "a queue is in no ring");
    return NULL;
}

static const char *check_member(const struct flow_sets *fs, const struct flow_set *set, unsigned i)
{
    const struct flow_sets_queue *member = flow_sets_queue(fs, set, i);
    const struct flow_queue *queue = &member->queue;
    CHECKED(check_queue(queue));
    if (!(set->used >> i & 1)) {
        HOLDS(queue->pkts == 0, "a queue with N-PDUs has no turn");
        return NULL;
    }
    HOLDS(set->where[member->number] == i, "a queue that nobody finds");
    HOLDS(!queue->is_begun || queue->pkts == 0 || set->at == i, "in service, and not next");
    for (const struct n_pdu *n = queue->list.head; n; n = n->next)
        HOLDS(flow_sets_number_of(fs, n) == member->number, "an N-PDU in the queue of another 5-tuple");
    return NULL;
}

static const char *check_set(const struct flow_sets *fs, const struct sched_flow *flow)
{
    const struct flow_set *set = flow_sets_get(fs, flow->set);
    struct flow_queue sum = {0};
    HOLDS(flow->queue.pkts > 0 || fs->tags, "a set of queues with nothing in it");
    for (unsigned i = 0; i < fs->queues; i++) {
        CHECKED(check_member(fs, set, i));
        sum.octets += flow_sets_queue(fs, set, i)->queue.octets;
        sum.pkts = (uint16_t)(sum.pkts + flow_sets_queue(fs, set, i)->queue.pkts);
    }
    if (fs->tags && flow->queue.pkts == 0)
        return flow_tags_set(fs, flow->set)->is_kept ? NULL : "an empty set that is not kept";
    if (!fs->tags)
        CHECKED(check_places(fs, set));
    return check_shown(fs, set, &flow->queue, &sum);
}

/* Without a set all are of one queue, unless there was no set for them. */
static const char *check_one(const struct flow_sets *fs, const struct sched_flow *flow)
{
    CHECKED(check_queue(&flow->queue));
    for (const struct n_pdu *n = flow->queue.list.head; n && fs->queues > 0; n = n->next)
        HOLDS(flow->turn.flags & SCHED_FLOW_MIXED ||
                  flow_sets_number_of(fs, n) == flow_sets_number_of(fs, flow->queue.list.head),
              "two 5-tuples in one queue");
    return NULL;
}

/* The N-PDUs of one flow, in its queue or its set of queues. Sets that are in use are counted. */
static const char *check_n_pdus(const struct sched *s, const struct sched_flow *flow, uint32_t *sets)
{
    *sets += flow->set != FLOW_SETS_NONE;
    return flow->set == FLOW_SETS_NONE ? check_one(&s->flow_sets, flow) : check_set(&s->flow_sets, flow);
}

/* --- flows --- */

/* Not that it is the only one that is parked so: others of its mobile may wait for it. */
static bool waits_for_bucket(struct sched *s, struct sched_flow *flow)
{
    if (!(flow->turn.flags & SCHED_FLOW_EXTRA) || !sched_flow_extra(flow)->has_bucket)
        return false;
    const struct sched_extra *extra = sched_flow_extra(flow);
    return extra->wake_ns ==
           bucket_earliest_ns(&extra->bucket, sched_flow_next(s, extra->ms, flow).llc_octets);
}

static bool waits_for_service(struct sched *s, struct sched_ms *ms, struct sched_flow *flow)
{
    for (struct sched_flow *other = &ms->flow; other; other = sched_flow_more(s, other)) {
        const struct n_pdu *head = flow_queue_head(&other->queue);
        if (other != flow && head && head->sent_octets > 0 &&
            head->sapi == flow_queue_head(&flow->queue)->sapi)
            return other->turn.flags & SCHED_FLOW_PARKED && waits_for_bucket(s, other);
    }
    return false;
}

/* Signalling never pays for others. */
static bool is_long(const struct sched_flow *flow)
{
    return flow->queue.pkts >= LONGEST_MIN_PKTS && flow->turn.qclass != QCLASS_SIGNALLING;
}

static const char *check_long(const struct longest *l, const struct sched_flow *flow)
{
    if (!is_long(flow)) {
        HOLDS(flow->long_node == LONGEST_NONE, "a short queue is among the long ones, or one of signalling");
        return NULL;
    }
    HOLDS(flow->long_node != LONGEST_NONE, "a long queue is not among the long ones");
    HOLDS(l->nodes[flow->long_node].queue == flow, "a long queue's node is another's");
    HOLDS(l->nodes[flow->long_node].pkts == flow->queue.pkts, "a long queue's length");
    return NULL;
}

/* How many there are in use. */
struct uses {
    uint32_t extras, sets;
};

static const char *check_flow(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                              struct uses *uses)
{
    bool waits = flow->queue.pkts > 0, parked = flow->turn.flags & SCHED_FLOW_PARKED;
    bool has_turn = waits && !(ms->flags & HELD) && !parked;
    CHECKED(check_n_pdus(s, flow, &uses->sets));
    CHECKED(check_long(&s->longest, flow));
    HOLDS(sched_flow_ms(flow) == ms, "a flow of another mobile");
    HOLDS(!waits || flow->turn.qclass < QCLASS_COUNT, "a flow without a class");
    HOLDS(has_turn == (flow->turn.place != TURNS_OUT),
          "waits for its turn though it must not, or not though it must");
    HOLDS(!parked || waits, "a flow is parked with nothing to send");
    HOLDS(!parked || waits_for_bucket(s, flow) || waits_for_service(s, ms, flow),
          "a flow is parked for nothing");
    return NULL;
}

/* --- mobiles --- */

static const char *check_expiry(const struct sched *s, const struct sched_ms *ms,
                                const struct sched_flow *flow)
{
    if (flow->queue.pkts == 0 || s->params.max_age_ns == MOMENT_NEVER || ms->flags & SCHED_MS_SUSPENDED)
        return NULL;
    int64_t arrival_ns = flow->set == FLOW_SETS_NONE ? flow_queue_head(&flow->queue)->arrival_ns
                                                     : flow_sets_oldest_ns(&s->flow_sets, flow->set);
    HOLDS(ms->expiry_ns <= moment_add(arrival_ns, s->params.max_age_ns + 1), "a head may grow too old");
    return NULL;
}

static const char *check_ms(struct sched *s, struct sched_ms *ms, struct uses *uses)
{
    bool is_parked = ms->flags & SCHED_MS_PARKED, is_awaited = false, waits = false;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        CHECKED(check_flow(s, ms, flow, uses));
        CHECKED(check_expiry(s, ms, flow));
        uses->extras += flow != &ms->flow;
        if (flow->queue.pkts == 0)
            continue;
        waits = true;
        is_awaited |= ms->wake_ns == bucket_earliest_ns(&ms->bucket, sched_flow_next(s, ms, flow).llc_octets);
    }
    HOLDS(!is_parked || waits, "a mobile is parked with nothing to send");
    HOLDS(!is_parked || is_awaited, "a parked mobile waits for another instant than it must");
    HOLDS(waits == (sched_wait_stored(ms) != SCHED_WAIT_NONE), "a wait without N-PDUs, or N-PDUs without");
    HOLDS(sched_wait_stored(ms) == sched_wait_cause_of(s, ms), "a wait has another cause than the mobile");
    return NULL;
}

/* --- cells --- */

static const char *check_list(struct turns *turns, unsigned place, uint32_t *count)
{
    const struct turns_list *list = turns_list(turns, place);
    const struct turn *prev = NULL;
    for (const struct turn *turn = list->head; turn; prev = turn, turn = turn->next, ++*count) {
        HOLDS(turn->prev == prev, "links of a turn");
        HOLDS(turn->place == place, "place of a turn");
    }
    HOLDS(!prev || list->last == prev, "the last turn of a list is not its last");
    return NULL;
}

static const char *check_turns(struct turns *turns)
{
    uint32_t count = 0;
    for (unsigned place = TURNS_FRESH; place < TURNS_PLACES; place++)
        CHECKED(check_list(turns, place, &count));
    HOLDS(turns->count == count, "count of turns");
    return NULL;
}

static const char *check_members(struct sched_bvc *bvc, struct sched_class *c)
{
    for (unsigned place = TURNS_FRESH; place < TURNS_PLACES; place++)
        for (struct turn *turn = turns_list(&c->turns, place)->head; turn; turn = turn->next) {
            HOLDS(sched_flow_ms(sched_class_flow(turn))->bvc == bvc,
                  "a turn in a cell where its mobile is not");
            HOLDS(sched_class_flow(turn)->turn.qclass == c->qclass, "a turn in another class than its own");
        }
    return NULL;
}

/* All turns of a class in order of arrival are in one list, by the arrival of their heads. */
static const char *check_order(struct sched_class *c)
{
    int64_t last_ns = INT64_MIN;
    for (struct turn *turn = turns_list(&c->turns, TURNS_FRESH)->head; turn; turn = turn->next) {
        int64_t arrival_ns = flow_queue_head(&sched_class_flow(turn)->queue)->arrival_ns;
        HOLDS(last_ns <= arrival_ns, "a younger head stands before an older one");
        last_ns = arrival_ns;
    }
    HOLDS(!turns_has(&c->turns, TURNS_EVEN) && !turns_has(&c->turns, TURNS_ODD),
          "rounds in order of arrival");
    return NULL;
}

/* Mobiles by start tag and next LLC-PDU. */
static const char *check_tags(const struct sched *s, struct sched_class *c)
{
    uint32_t last = 0;
    for (struct turn *turn = turns_list(&c->turns, TURNS_FRESH)->head; turn; turn = turn->next) {
        struct sched_flow *flow = sched_class_flow(turn);
        uint32_t octets = sched_flow_next(s, sched_flow_ms(flow), flow).llc_octets;
        uint32_t quantum = octets <= 300 ? s->params.ms_quantum_octets : 0;
        uint32_t key = turn->tag - quantum + octets;
        HOLDS(!turn->prev || (int32_t)(key - last) >= 0, "a later tag stands before an earlier one");
        last = key;
    }
    HOLDS(!turns_has(&c->turns, TURNS_EVEN) && !turns_has(&c->turns, TURNS_ODD), "rounds beside tags");
    return NULL;
}

static const char *check_class(const struct sched *s, struct sched_bvc *bvc, unsigned k)
{
    struct sched_class *c = &bvc->classes[k];
    bool in_link = bvc->mode == SCHED_MODE_LINK;
    bool rest = turns_has(&c->turns, TURNS_EVEN) || turns_has(&c->turns, TURNS_ODD);
    CHECKED(check_turns(&c->turns));
    CHECKED(check_members(bvc, c));
    if (s->fifo_classes >> k & 1)
        CHECKED(check_order(c));
    if (s->params.sfq_classes >> k & 1)
        CHECKED(check_tags(s, c));
    HOLDS(c->qclass == k, "name of a class");
    HOLDS(!c->run || (c->run->turn.place != TURNS_OUT && sched_flow_class(c->run) == c),
          "the flow that sent last waits for no turn, or elsewhere");
    HOLDS((bvc->active >> k & 1) == (c->turns.count > 0), "active bit of a cell's class");
    HOLDS((c->fresh.place == TURNS_FRESH) == (in_link && turns_has(&c->turns, TURNS_FRESH)),
          "fresh turn of a class at the link");
    HOLDS((c->rest.place != TURNS_OUT) == (in_link && rest), "turn of a class at the link");
    return NULL;
}

/* Whom a level is parked for waits for its turn in it. */
static const char *check_parked_for(const struct sched_parked_for *parked, bool is_parked)
{
    HOLDS(!parked->ms || is_parked, "a level that is open is parked for a mobile");
    HOLDS(!parked->ms || sched_wait_stored(parked->ms) == SCHED_WAIT_TURN,
          "a level is parked for a mobile that waits for something else");
    return NULL;
}

static const char *check_cell(const struct sched *s, struct sched_bvc *bvc)
{
    CHECKED(check_parked_for(&bvc->parked_for, bvc->mode == SCHED_MODE_PARKED));
    HOLDS(!bvc->parked_for.ms || bvc->parked_for.ms->bvc == bvc, "a cell is parked for a mobile of another");
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        CHECKED(check_class(s, bvc, k));
    if (bvc->mode == SCHED_MODE_PARKED)
        HOLDS(bvc->active && bvc->wake_ns == bvc->open_ns,
              "a parked cell waits for nothing, or nobody wakes it");
    HOLDS(bvc->mode != SCHED_MODE_LIMITED || bvc->active, "a cell has its turn with nothing to send");
    return NULL;
}

/* --- links --- */

struct tally {
    uint64_t octets[QCLASS_COUNT], cells_octets[QCLASS_COUNT]; /* cells_: as the cells count them */
    uint32_t pkts[QCLASS_COUNT], flows[QCLASS_COUNT];
    uint32_t ready;
};

static void tally_ms(struct rig *rig, struct tally *tallies)
{
    for (uint32_t i = 0; i < rig->counts.mobiles; i++) {
        struct sched_ms *ms = &rig->ms[i];
        struct tally *tally = &tallies[ms->bvc->link - rig->links];
        for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(&rig->sched, flow)) {
            if (flow->queue.pkts == 0)
                continue;
            tally->octets[flow->turn.qclass] += flow->queue.octets;
            tally->pkts[flow->turn.qclass] += flow->queue.pkts;
        }
    }
}

static void tally_cells(struct rig *rig, struct tally *tallies)
{
    for (uint32_t i = 0; i < rig->counts.cells; i++) {
        const struct sched_bvc *bvc = &rig->cells[i];
        struct tally *tally = &tallies[bvc->link - rig->links];
        tally->ready += bvc->mode == SCHED_MODE_LIMITED;
        for (unsigned k = 0; k < QCLASS_COUNT; k++)
            tally->cells_octets[k] += bvc->classes[k].queued.octets;
        for (unsigned k = 0; k < QCLASS_COUNT && bvc->mode == SCHED_MODE_LINK; k++)
            tally->flows[k] += bvc->classes[k].turns.count;
    }
}

/* Cells that share the link, by the arrival of their oldest heads. */
static const char *check_link_order(struct sched_link_class *lc)
{
    int64_t last_ns = INT64_MIN;
    for (struct turn *turn = turns_list(&lc->turns, TURNS_FRESH)->head; turn; turn = turn->next) {
        struct sched_class *c = SCHED_OWNER(turn, struct sched_class, fresh);
        struct sched_flow *first = sched_class_flow(turns_list(&c->turns, TURNS_FRESH)->head);
        HOLDS(last_ns <= flow_queue_head(&first->queue)->arrival_ns,
              "a cell with a younger head stands first");
        last_ns = flow_queue_head(&first->queue)->arrival_ns;
    }
    return NULL;
}

/* Cells that share the link, by their tags. */
static const char *check_link_tags(struct sched_link_class *lc)
{
    for (struct turn *turn = turns_list(&lc->turns, TURNS_FRESH)->head; turn; turn = turn->next)
        HOLDS(!turn->prev || (int32_t)(turn->tag - turn->prev->tag) >= 0,
              "a cell with a later tag stands first");
    return NULL;
}

static const char *check_link_class(const struct sched *s, struct sched_link *link, unsigned k,
                                    const struct tally *tally)
{
    struct sched_link_class *lc = &link->classes[k];
    CHECKED(check_turns(&lc->turns));
    if (s->fifo_classes >> k & 1)
        CHECKED(check_link_order(lc));
    if (s->params.sfq_classes >> k & 1)
        CHECKED(check_link_tags(lc));
    HOLDS((link->active >> k & 1) == (lc->turns.count > 0), "active bit of a link's class");
    HOLDS(lc->flows == tally->flows[k], "flows of a link's class");
    HOLDS(lc->octets == tally->octets[k], "octets of a class buffer");
    HOLDS(tally->octets[k] == tally->cells_octets[k], "octets of a class of the cells");
    HOLDS(lc->pkts == tally->pkts[k], "packets of a class buffer");
    return NULL;
}

static const char *check_ready(const struct sched_link *link, uint32_t expected)
{
    const struct sched_bvc *prev = NULL;
    uint32_t count = 0;
    for (const struct sched_bvc *bvc = link->ready; bvc; prev = bvc, bvc = bvc->next, count++) {
        HOLDS(bvc->mode == SCHED_MODE_LIMITED, "mode of a cell that has its turn");
        HOLDS(bvc->prev == prev && bvc->link == link, "links of a cell that has its turn");
    }
    HOLDS(!prev || link->ready_last == prev, "the last cell that has its turn");
    HOLDS(count == expected, "a cell has no turn, or two");
    return NULL;
}

static const char *check_link(const struct sched *s, struct sched_link *link, const struct tally *tally)
{
    bool is_listed = false;
    for (const struct sched_link *l = s->links; l; l = l->next)
        is_listed |= l == link;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        CHECKED(check_link_class(s, link, k, tally));
    CHECKED(check_ready(link, tally->ready));
    HOLDS(link->is_ready == is_listed, "a link is ready and nobody knows, or the other way round");
    HOLDS(!(link->is_ready && link->is_parked), "a link is ready and parked");
    HOLDS(link->is_ready || link->is_parked || !(link->ready || link->active), "a link with work rests");
    return NULL;
}

/* --- all --- */

static uint32_t free_extras(const struct sched *s, uint32_t count)
{
    uint32_t free = 0;
    for (uint32_t i = s->extras_free; i != SCHED_NO_EXTRA && free <= count; i = s->extras[i].flow.more)
        free++;
    return free;
}

static uint32_t free_sets(const struct flow_sets *fs)
{
    uint32_t free = 0;
    for (uint32_t i = fs->free_head; i != FLOW_SETS_NONE && free <= fs->count; free++)
        i = flow_sets_get(fs, i)->next_free;
    return free;
}

static const char *check_uses(const struct rig *rig, const struct uses *uses)
{
    HOLDS(uses->extras + free_extras(&rig->sched, rig->counts.extras) == rig->counts.extras,
          "an extra flow is lost, or there twice");
    HOLDS(uses->sets + free_sets(&rig->sched.flow_sets) == rig->sched.flow_sets.count,
          "a set of queues is lost, or there twice");
    return NULL;
}

static uint32_t long_nodes(const struct longest *l)
{
    uint32_t count = 0;
    for (unsigned bin = 0; bin < LONGEST_BINS; bin++)
        for (uint32_t i = l->bins[bin]; i != LONGEST_NONE; i = l->nodes[i].next)
            count++;
    return count;
}

static uint32_t long_flows(struct rig *rig)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rig->counts.mobiles; i++)
        for (struct sched_flow *flow = &rig->ms[i].flow; flow; flow = sched_flow_more(&rig->sched, flow))
            count += is_long(flow);
    return count;
}

static const char *check_sums(struct rig *rig, const struct tally *tallies)
{
    uint32_t pkts = 0;
    for (uint32_t i = 0; i < rig->counts.links; i++)
        for (unsigned k = 0; k < QCLASS_COUNT; k++)
            pkts += tallies[i].pkts[k];
    HOLDS(rig->sched.pkts == pkts, "packets of all");
    HOLDS(rig->in == rig->out + rig->dropped + pkts + rig->taken, "in = out + dropped + waiting");
    HOLDS(long_nodes(&rig->sched.longest) == long_flows(rig), "count of long queues");
    return NULL;
}

const char *audit_books(struct rig *rig)
{
    struct tally *tallies = calloc(rig->counts.links, sizeof(*tallies));
    const char *complaint = NULL;
    struct uses uses = {0};
    tally_ms(rig, tallies);
    tally_cells(rig, tallies);
    for (uint32_t i = 0; i < rig->counts.mobiles && !complaint; i++)
        complaint = check_ms(&rig->sched, &rig->ms[i], &uses);
    for (uint32_t i = 0; i < rig->counts.cells && !complaint; i++)
        complaint = check_cell(&rig->sched, &rig->cells[i]);
    for (uint32_t i = 0; i < rig->counts.links && !complaint; i++)
        complaint = check_link(&rig->sched, &rig->links[i], &tallies[i]);
    if (!complaint)
        complaint = check_sums(rig, tallies);
    if (!complaint)
        complaint = check_uses(rig, &uses);
    free(tallies);
    return complaint;
}
