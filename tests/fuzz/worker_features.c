/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/worker_features.h"

#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/base/bytes.h"
#include "dataplane/compression/compression_pool.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/worker/fate.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/dataplane/worker/gn_frame.h"

enum { EVENTS = 256, FLOWS = 8, IP_OCTETS = 20, SCHEMES = 4, SCHEME_SHIFT = 14 };

enum feature {
    PACING = 1 << 0,
    REPEATED = 1 << 1,
    QUEUES = 1 << 2, /* by 5-tuple, with a scheme */
    START_TAGS = 1 << 3,
    COMPRESSION = 1 << 4,
    VOLUMES = 1 << 5,
    CAPTURE = 1 << 6,
    TRACE = 1 << 7,
    MARKING = 1 << 8,
    PAGING = 1 << 9,
    LIFETIME = 1 << 10,
    NO_FILTER = 1 << 11,
    ANY_GGSN = 1 << 12,
    HEADERS = 1 << 13, /* IMSI and alignment on Gb, a small MTU on Gn */
};

static unsigned chosen;
static struct aqm_registry registry;
static struct rte_ring *events;
static struct tap tap;
static struct compression_pool pool;

static const struct compression_settings entities = {.entities = 4,
                                                     .slots = 4,
                                                     .codewords = 512,
                                                     .string_octets = 6,
                                                     .directions = COMPRESSION_UPLINK | COMPRESSION_DOWNLINK};

void worker_features_start(void)
{
    aqm_registry_init(&registry);
    events = fate_trace_new("events", EVENTS);
    FUZZ_CHECK(events);
}

static void configure(struct worker_config *config)
{
    static const char *const schemes[SCHEMES] = {"fq_codel", "pie", "red", "cobalt"};
    struct sched_params *sched = &config->policy.sched;
    config->limits.has_volumes = chosen & VOLUMES;
    if (chosen & START_TAGS) {
        sched->sfq_classes = 1 << QCLASS_BACKGROUND;
        sched->ms_quantum_octets = 1300;
        sched->credit_octets = 6000;
        sched->drops_duplicates = true;
    }
    if (chosen & QUEUES) {
        sched->flow_queues = 4;
        sched->flow_tags = chosen & START_TAGS;
        config->limits.flow_sets = KIT_MOBILES;
        sched->aqm[QCLASS_BACKGROUND] = (struct sched_aqm_params){
            {.ops = aqm_registry_find(&registry, schemes[chosen >> SCHEME_SHIFT]), .seed = 1},
            SCHED_AQM_FLOW};
    }
}

void worker_features_choose(unsigned bits, struct kit_options *o)
{
    chosen = bits;
    o->configure = configure;
    if (bits & (PACING | REPEATED))
        o->pacing = (struct pacing_params){.classes = 1 << QCLASS_BACKGROUND,
                                           .drops_repeated = bits & REPEATED,
                                           .flows = FLOWS,
                                           .ms_target_ns = MOMENT_SECOND};
    if (bits & COMPRESSION)
        o->compression = entities;
    if (bits & MARKING)
        o->gn_marking = o->gb_marking = (struct marking){.copies_dscp = true};
    o->has_paging = bits & PAGING;
    o->ready_ns = bits & PAGING ? 2 * MOMENT_SECOND : 0;
    o->is_split = bits & LIFETIME;
    o->no_uplink_filter = bits & NO_FILTER;
    o->is_any_ggsn = bits & ANY_GGSN;
    o->imsi_octets = bits & HEADERS ? 8 : 0;
    o->is_aligned = bits & HEADERS;
    o->gn_mtu_octets = bits & HEADERS ? 600 : 0;
}

void worker_features_begin(struct kit *kit)
{
    if (chosen & COMPRESSION)
        FUZZ_CHECK(compression_pool_new(&pool, &entities));
    if (chosen & TRACE)
        kit->worker->trace = events;
    if (!(chosen & CAPTURE))
        return;
    memset(&tap, 0, offsetof(struct tap, records));
    tap_start(&tap, &(struct tap_filter){0});
    kit_do(kit, &(struct msg){.type = MSG_TAP, .tap = &tap});
}

void worker_features_take(struct kit *kit)
{
    struct trace_event event;
    while (fate_trace_take(events, &event))
        FUZZ_CHECK(event.reason < DROP_COUNT && (event.pdp == TRACE_NO_PDP || event.pdp < KIT_PDPS));
    for (const struct tap_record *r; (r = tap_get(&tap)); tap_done(&tap))
        FUZZ_CHECK(r->kept_octets <= TAP_OCTETS);
}

void worker_features_end(struct kit *kit)
{
    worker_features_take(kit);
    tap_stop(&tap);
    if (chosen & COMPRESSION)
        compression_pool_free(&pool);
}

bool worker_features_compress(unsigned mobile, unsigned what, struct msg *order)
{
    bool is_header = what & 1;
    enum compression_kind kind = is_header ? COMPRESSION_RFC1144 : COMPRESSION_V42BIS;
    *order = (struct msg){.type = MSG_MS_COMPRESSION, .slot = mobile};
    if (!(chosen & COMPRESSION))
        return false;
    order->compression.params = (struct compression_params){.nsapis = what & 2 ? 0 : what >> 2 & 0x60,
                                                            .slots = is_header ? 4 : 0,
                                                            .codewords = is_header ? 0 : 512,
                                                            .string_octets = is_header ? 0 : 6,
                                                            .directions = is_header ? 0 : 3,
                                                            .kind = (uint8_t)kind,
                                                            .sapi = KIT_SAPI,
                                                            .number = !is_header,
                                                            .first = 1,
                                                            .second = is_header ? 2 : 0};
    if (order->compression.params.nsapis && what & 4)
        order->compression.memory = compression_pool_take(&pool, kind);
    return true;
}

uint16_t worker_features_segment(uint8_t *out, bool is_up, unsigned what, unsigned number, unsigned octets)
{
    static const uint8_t flags[] = {TCP_ACK, TCP_SYN, TCP_SYN | TCP_ACK, TCP_FIN | TCP_ACK};
    unsigned mobile = 0x0a000007, server = 0xc6120009, options = flags[what & 3] & TCP_SYN ? 4 : 0;
    uint8_t *tcp = out + IP_OCTETS;
    uint16_t total = (uint16_t)(IP_OCTETS + TCP_OCTETS + options + octets);
    memset(out, 0, total);
    out[0] = 0x45;
    out[1] = what >> 4 & 3;
    bytes_put_u16(out + 2, total);
    out[8] = 64;
    out[9] = 6;
    bytes_put_u32(out + 12, is_up ? mobile : server);
    bytes_put_u32(out + 16, is_up ? server : mobile);
    gn_frame_sum_ip(out);
    bytes_put_u16(tcp, (uint16_t)(is_up ? 4000 + (what >> 6) : 80));
    bytes_put_u16(tcp + 2, (uint16_t)(is_up ? 80 : 4000 + (what >> 6)));
    bytes_put_u32(tcp + 4, is_up ? 100 : 1000 + number * 100);
    bytes_put_u32(tcp + 8, is_up ? 1000 + number * 100 : 100);
    tcp[12] = (uint8_t)((TCP_OCTETS + options) / 4 << 4);
    tcp[13] = flags[what & 3];
    bytes_put_u16(tcp + 14, 60000);
    if (options)
        bytes_put_u32(tcp + TCP_OCTETS, 0x020403e8);
    return total;
}
