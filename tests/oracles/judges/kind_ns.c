/* SPDX-License-Identifier: BSD-3-Clause */
/* NS and IP-SNS: one codec, two kinds, so that each is judged as often as the others. */
#include "dataplane/wire/ns.h"
#include "tests/oracles/judges/pdu_kind.h"

static size_t make_of(struct rng *rng, uint8_t *bytes, size_t cap, const uint8_t *types, size_t count)
{
    static struct pdu_kind_pool pool;
    struct ns ns = {.head.type = types[rng_below(rng, count)]};
    pdu_kind_fill(rng, &ns.head, &ns_grammar, &pool);
    int octets = ns_encode(bytes, cap, &ns);
    return octets < 0 ? 0 : (size_t)octets;
}

static size_t make_ns(struct rng *rng, uint8_t *bytes, size_t cap)
{
    static const uint8_t types[] = {NS_UNITDATA, NS_RESET,       NS_RESET_ACK, NS_BLOCK, NS_BLOCK_ACK,
                                    NS_UNBLOCK,  NS_UNBLOCK_ACK, NS_STATUS,    NS_ALIVE, NS_ALIVE_ACK,
                                    NS_RESET,    NS_RESET_ACK,   NS_STATUS,    NS_STATUS};
    return make_of(rng, bytes, cap, types, sizeof types);
}

static size_t make_sns(struct rng *rng, uint8_t *bytes, size_t cap)
{
    static const uint8_t types[] = {NS_SNS_ACK,        NS_SNS_ADD,    NS_SNS_CHANGEWEIGHT, NS_SNS_CONFIG,
                                    NS_SNS_CONFIG_ACK, NS_SNS_DELETE, NS_SNS_SIZE,         NS_SNS_SIZE_ACK};
    return make_of(rng, bytes, cap, types, sizeof types);
}

/* Behind the transaction number of those PDUs that have one; the SDU of NS-UNITDATA has no elements. */
static size_t elements_at(const uint8_t *bytes, size_t len)
{
    if (len == 0 || bytes[0] == NS_UNITDATA)
        return len;
    return bytes[0] == NS_SNS_CONFIG && len > 1 ? 2 : 1;
}

static void say(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct ns ns;
    int answer = ns_decode(&ns, bytes, len);
    saying_begin(out, answer);
    saying_number(out, "type", bytes[0]);
    if (answer < 0) {
        saying_number(out, "error_cause", ns.error_cause);
        return;
    }
    pdu_kind_say(out, &ns.head, &ns_grammar);
    pdu_kind_say_elements(out, &ns.head, &ns_grammar, 1);
}

const struct kind kind_ns = {"ns", make_ns, elements_at, NULL, say};
const struct kind kind_sns = {"sns", make_sns, elements_at, NULL, say};
