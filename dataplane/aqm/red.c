/* SPDX-License-Identifier: BSD-3-Clause */
/* RED and gentle RED (model: red_law.h). The defaults are those of the AQM paper. */
#include "dataplane/aqm/red_law.h"

enum {
    ECN,
    MODE,
    MIN,
    MAX,
    MIN_PACKETS,
    MAX_PACKETS,
    MAX_CHANCE,
    WEIGHT,
    GENTLE,
    BY_SIZE,
    ABOVE_MAX,
    PACKET_OCTETS,
    PACKET_TIME,
    PARAMS
};
enum { MODE_OCTETS, MODE_PACKETS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [MODE] = {"mode", "what the queue is measured in: min and max count, or min_packets and max_packets",
              AQM_CHOICE, 0, 1, MODE_OCTETS, "octets packets"},
    [MIN] = {"min", "average below which nothing is signalled", AQM_OCTETS, 1, 100000000, 15000, NULL},
    [MAX] = {"max", "average from which everything is dropped, or where the gentle slope begins", AQM_OCTETS,
             2, 100000000, 45000, NULL},
    [MIN_PACKETS] = {"min_packets", "the same as min in packets", AQM_PACKETS, 1, 1000000, 5, NULL},
    [MAX_PACKETS] = {"max_packets", "the same as max in packets", AQM_PACKETS, 2, 1000000, 15, NULL},
    [MAX_CHANCE] = {"max_chance", "chance at max", AQM_SHARE, 1, 1000000, 200000, NULL},
    [WEIGHT] = {"weight", "of the queue's length in its average, at each arrival", AQM_SHARE, 1, 1000000,
                2000, NULL},
    [GENTLE] = {"gentle", "the chance rises from max_chance to 1 between max and twice max", AQM_FLAG, 0, 1,
                0, NULL},
    [BY_SIZE] = {"by_size", "the chance of an N-PDU grows with its size: times octets over mean_octets",
                 AQM_FLAG, 0, 1, 0, NULL},
    [ABOVE_MAX] = {"mark_above_max", "with ecn: mark even where all would be dropped", AQM_FLAG, 0, 1, 0,
                   NULL},
    [PACKET_OCTETS] = {"mean_octets", "size of a typical N-PDU", AQM_OCTETS, 20, 65535, 500, NULL},
    [PACKET_TIME] = {"idle_packet", "its time on an empty queue, where the rate is not known", AQM_DURATION,
                     1000, 10000000000, 50000000, NULL},
};

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct red_law *red = law;
    bool counts_packets = values[MODE] == MODE_PACKETS;
    int64_t min = values[counts_packets ? MIN_PACKETS : MIN],
            max = values[counts_packets ? MAX_PACKETS : MAX];
    if (min >= max)
        return counts_packets ? "min_packets must be less than max_packets" : "min must be less than max";
    red->counts_packets = counts_packets;
    red->is_gentle = values[GENTLE];
    red->marks_above_max = values[ABOVE_MAX];
    red->curve.max_chance = aqm_fixed_ppm(values[MAX_CHANCE]);
    red->curve.weight = aqm_fixed_ppm(values[WEIGHT]);
    red_law_curve(&red->curve, min, max, red->is_gentle);
    red_law_packet(red, (uint64_t)values[PACKET_OCTETS], values[PACKET_TIME]);
    red->size_factor = values[BY_SIZE] ? (UINT64_C(1) << 32) / red->packet_octets : 0;
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    ((struct red_state *)state)->idle_since_ns = now;
}

static enum aqm_verdict enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct red_law *red = law;
    return red_law_arrive(red, &red->curve, state, view, now);
}

static enum aqm_verdict dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    red_law_leave(state, view, now);
    return AQM_PASS;
}

static bool is_idle(const void *law, const void *state)
{
    return red_law_is_idle(state);
}

static double chance(const void *law, int64_t at)
{
    const struct red_law *red = law;
    if (red->size_factor > 0)
        return -1;
    int64_t waiting = red->counts_packets ? at / (int64_t)red->packet_octets : at;
    return red_law_rate(&red->curve, waiting << RED_LAW_BITS);
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    const struct red_law *red = law;
    const struct red_state *s = state;
    out[0].name = red->counts_packets ? "average_packets" : "average_octets";
    out[0].value = (double)s->average / (double)(1 << RED_LAW_BITS);
    return 1;
}

const struct aqm_ops red_ops = {
    .name = "red",
    .title = "random early detection",
    .summary = "Signals with a chance that grows with the average queue: 0 at min, max_chance at max, all "
               "beyond; signals are "
               "spaced by the count of packets since the last. gentle: up to 1 at twice max.",
    .source = "Floyd and Jacobson 1993; gentle RED: Floyd 2000; the AQM paper, section III.C",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct red_law),
    .state_octets = sizeof(struct red_state),
    .flags = AQM_DRAWS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = prepare,
    .init = init,
    .enqueue = enqueue,
    .dequeue = dequeue,
    .chance = chance,
    .read = read,
    .is_idle = is_idle,
};
