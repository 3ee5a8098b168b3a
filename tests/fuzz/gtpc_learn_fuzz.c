/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions learned from frames. The worker is a model here: it sees the orders in their order and complains
 * where a real one would refuse.
 */
#include "control/gtpc_learn.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { MOBILES = 3, CONTEXTS = 6, FRAME_OCTETS = 2048 };
enum { HEADERS_OCTETS = ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS };

static bool has_mobile[MOBILES], has_context[CONTEXTS];
static struct pdp_params contexts[CONTEXTS];

static void add_context(const struct msg *msg)
{
    const struct pdp_params *pdp = &msg->pdp;
    FUZZ_CHECK(msg->index < CONTEXTS && !has_context[msg->index]);
    FUZZ_CHECK(pdp->ms < MOBILES && has_mobile[pdp->ms] && pdp->nsapi >= 5 && pdp->nsapi <= 15);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        if (!has_context[i])
            continue;
        FUZZ_CHECK(contexts[i].ms != pdp->ms || contexts[i].nsapi != pdp->nsapi);
        FUZZ_CHECK(contexts[i].sgsn_ip != pdp->sgsn_ip || contexts[i].teid != pdp->teid);
    }
    has_context[msg->index] = true;
    contexts[msg->index] = *pdp;
}

/* In place of the one that talks to a worker. */
void core_request(struct core *core, const struct msg *msg)
{
    switch (msg->type) {
    case MSG_MS_ADD:
        FUZZ_CHECK(msg->index < MOBILES && !has_mobile[msg->index] && msg->ms.imsi_octets <= 8);
        has_mobile[msg->index] = true;
        break;
    case MSG_MS_DEL:
        FUZZ_CHECK(msg->index < MOBILES && has_mobile[msg->index]);
        for (unsigned i = 0; i < CONTEXTS; i++)
            FUZZ_CHECK(!has_context[i] || contexts[i].ms != msg->index);
        has_mobile[msg->index] = false;
        break;
    case MSG_PDP_ADD:
        add_context(msg);
        break;
    case MSG_PDP_DEL:
        FUZZ_CHECK(msg->index < CONTEXTS && has_context[msg->index]);
        has_context[msg->index] = false;
        break;
    default:
        FUZZ_CHECK(!"an order that sessions do not give");
    }
}

/* What the sessions say of themselves is what the worker was told. */
static void check_sessions(struct sessions *s)
{
    unsigned active = 0, ordered = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct session *session = &s->list[i];
        if (!session->is_active)
            continue;
        active++;
        FUZZ_CHECK(has_context[session->pdp] && contexts[session->pdp].teid == session->teid);
        FUZZ_CHECK(sessions_of(s, session->pdp, session->generation) == session);
        FUZZ_CHECK(s->mobiles[session->mobile].nsapis >> session->nsapi & 1);
    }
    for (unsigned i = 0; i < CONTEXTS; i++)
        ordered += has_context[i];
    FUZZ_CHECK(active == ordered);
    for (unsigned i = 0; i < MOBILES; i++)
        FUZZ_CHECK(s->mobiles[i].in_use == has_mobile[i] && has_mobile[i] == (s->mobiles[i].nsapis != 0));
}

/* Headers between two GSNs, the direction being the input's, in front of a message. */
static size_t wrap(uint8_t *frame, size_t octets, bool is_back)
{
    const struct ether ether = {.type = ETHER_TYPE_IPV4};
    const struct ipv4 ip = {.src = 0x0a000001u + is_back,
                            .dst = 0x0a000002u - is_back,
                            .proto = IPV4_PROTO_UDP,
                            .payload_octets = (uint16_t)(UDP_OCTETS + octets)};
    const struct udp udp = {
        .src_port = GTPC_PORT, .dst_port = GTPC_PORT, .payload_octets = (uint16_t)octets};
    int at = ether_encode(frame, FRAME_OCTETS, &ether);
    at += ipv4_encode(frame + at, IPV4_OCTETS, &ip);
    at += udp_encode(frame + at, UDP_OCTETS, &udp);
    return (size_t)at + octets;
}

/* Each frame is preceded by its length; the two high bits ask for headers in front, and for their direction.
 */
static void hear(struct gtpc_learn *learn, struct fuzz_input *input)
{
    size_t octets, wanted = fuzz_take(input, 2);
    bool is_wrapped = wanted & 0x8000;
    size_t headers = is_wrapped ? HEADERS_OCTETS : 0;
    const uint8_t *block = fuzz_take_block(input, wanted % (FRAME_OCTETS - HEADERS_OCTETS), &octets);
    uint8_t *frame = malloc(headers + octets + !(headers + octets));
    FUZZ_CHECK(frame);
    memcpy(frame + headers, block, octets);
    if (is_wrapped)
        octets = wrap(frame, octets, wanted & 0x4000);
    uint64_t heard = learn->messages + learn->malformed;
    gtpc_learn_frame(learn, frame, octets);
    FUZZ_CHECK(learn->messages + learn->malformed <= heard + 1);
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct gtpc_learn learn;
    static uint16_t homes[] = {4, 9};
    struct node_config config = {.homes = homes, .home_count = 2};
    struct core core = {.config = &config};
    struct sessions sessions;
    struct fuzz_input input = {bytes, len};
    config.limits.mobiles = MOBILES;
    config.limits.contexts = CONTEXTS;
    memset(has_mobile, 0, sizeof has_mobile);
    memset(has_context, 0, sizeof has_context);
    FUZZ_CHECK(sessions_new(&sessions, &core));
    gtpc_learn_init(&learn, &sessions);
    while (input.left > 0) {
        hear(&learn, &input);
        check_sessions(&sessions);
    }
    sessions_free(&sessions);
    return 0;
}
