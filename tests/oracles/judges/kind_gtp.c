/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-U and GTPv1-C messages: headers with every option, chains of extension headers, elements. */
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "tests/oracles/judges/kind.h"

#include <string.h>

enum {
    MOST_EXTENSIONS = 4,
    MOST_T_PDU_OCTETS = 40,
    LENGTH_AT = 2,
    TRUE_LENGTH_OF = 4,
    ANY_ELEMENT_ONE_IN = 6
};

static const uint8_t extension_types[] = {0xc0, 0x20, 0x40, 0x03, 0x7f, 0x82, 0x85, 0xc1};

/* A chain behind a long header, whose next-type octet it sets. Returns its octets. */
static size_t put_extensions(struct rng *rng, struct gtpu *header, uint8_t *bytes, size_t cap)
{
    unsigned count = (unsigned)rng_between(rng, 1, MOST_EXTENSIONS);
    uint8_t types[MOST_EXTENSIONS + 1] = {0}, content[10];
    size_t done = 0;
    for (unsigned i = 0; i < count; i++)
        types[i] = extension_types[rng_below(rng, kind_once_in(rng, 4) ? sizeof extension_types : 4)];
    header->extension = types[0];
    for (unsigned i = 0; i < count; i++) {
        kind_fill(rng, content, sizeof content);
        struct gtpu_extension next = {.content = content,
                                      .content_octets = (uint16_t)(2 + 4 * rng_below(rng, 3)),
                                      .next = types[i + 1]};
        done += (size_t)gtpu_extension_encode(bytes + done, cap - done, &next);
    }
    return done;
}

/* Header with options in front of a payload. */
static size_t put_message(struct rng *rng, uint8_t *bytes, struct gtpu header, const uint8_t *payload,
                          size_t octets)
{
    uint8_t chain[128];
    header.flags = (uint8_t)(kind_once_in(rng, 2) ? GTPU_S : rng_below(rng, 8));
    header.seq = (uint16_t)rng_below(rng, 65536);
    header.n_pdu_number = (uint8_t)rng_below(rng, 256);
    size_t chained = header.flags & GTPU_E ? put_extensions(rng, &header, chain, sizeof chain) : 0;
    header.payload_octets = (uint16_t)(chained + octets);
    size_t at = (size_t)gtpu_encode(bytes, KIND_MAX_OCTETS, &header);
    memcpy(bytes + at, chain, chained);
    memcpy(bytes + at + chained, payload, octets);
    return at + chained + octets;
}

/* One random element of a type, of its own length below 128 and of a likely one above. */
static size_t put_element(struct rng *rng, uint8_t *bytes, size_t cap, uint8_t type, size_t likely_octets)
{
    uint8_t value[64];
    struct gtp_ie ie = {.type = type, .octets = (uint16_t)likely_octets, .value = value};
    kind_fill(rng, value, sizeof value);
    for (; type < 128 && ie.octets < 32 && gtp_ie_encode(bytes, cap, &ie) < 0; ie.octets++)
        ;
    int octets = gtp_ie_encode(bytes, cap, &ie);
    return octets < 0 ? 0 : (size_t)octets;
}

/* Elements in ascending order, as senders must write them. */
struct element {
    uint8_t type, octets, one_in;
};

static size_t put_elements(struct rng *rng, uint8_t *bytes, size_t cap, const struct element *list)
{
    size_t done = 0;
    for (; list->one_in; list++)
        if (kind_once_in(rng, list->one_in))
            done += put_element(rng, bytes + done, cap - done, list->type,
                                list->octets == 0 ? rng_below(rng, 30) : list->octets);
    if (kind_once_in(rng, ANY_ELEMENT_ONE_IN))
        done += put_element(rng, bytes + done, cap - done, (uint8_t)rng_between(rng, 128, 255),
                            rng_below(rng, 30));
    return done;
}

static size_t make_gtpu(struct rng *rng, uint8_t *bytes, size_t cap)
{
    static const struct element nothing[] = {{255, 0, 2}, {0}}, recovery[] = {{14, 1, 1}, {255, 0, 4}, {0}},
                                error[] = {{16, 4, 1}, {133, 16, 8}, {133, 4, 1}, {255, 0, 4}, {0}},
                                error_ipv6[] = {{16, 4, 1}, {133, 16, 1}, {255, 0, 4}, {0}},
                                extensions[] = {{141, 0, 1}, {0}};
    static const struct {
        uint8_t type;
        const struct element *list;
    } rows[] = {{GTPU_ECHO_REQUEST, nothing},
                {GTPU_ECHO_RESPONSE, recovery},
                {GTPU_ERROR_INDICATION, error},
                {GTPU_ERROR_INDICATION, error_ipv6},
                {GTPU_SUPPORTED_EXTENSIONS, extensions},
                {GTPU_END_MARKER, nothing},
                {GTPU_TUNNEL_STATUS, nothing},
                {GTPU_G_PDU, NULL},
                {GTPU_G_PDU, NULL},
                {GTPU_G_PDU, NULL}};
    size_t which = rng_below(rng, sizeof rows / sizeof rows[0]), octets;
    uint8_t payload[512];
    struct gtpu header = {.type = rows[which].type, .teid = (uint32_t)rng_u64(rng)};
    if (rows[which].list)
        octets = put_elements(rng, payload, sizeof payload, rows[which].list);
    else
        kind_fill(rng, payload, octets = rng_between(rng, 1, MOST_T_PDU_OCTETS));
    return put_message(rng, bytes, header, payload, octets);
}

static size_t make_gtpc(struct rng *rng, uint8_t *bytes, size_t cap)
{
    static const struct element create_request[] = {{2, 8, 1},   {3, 6, 4},    {14, 1, 2},  {15, 1, 1},
                                                    {16, 4, 1},  {17, 4, 1},   {20, 1, 1},  {20, 1, 4},
                                                    {26, 2, 2},  {27, 2, 4},   {28, 2, 4},  {128, 2, 2},
                                                    {128, 6, 2}, {131, 0, 2},  {132, 0, 2}, {133, 4, 1},
                                                    {133, 4, 1}, {133, 16, 4}, {134, 7, 2}, {135, 12, 1},
                                                    {137, 0, 4}, {148, 1, 4},  {151, 1, 4}, {255, 0, 4},
                                                    {0}},
                                create_response[] = {{1, 1, 1},   {8, 1, 2},   {14, 1, 2},  {16, 4, 1},
                                                     {17, 4, 1},  {127, 4, 2}, {128, 6, 2}, {128, 18, 3},
                                                     {132, 0, 4}, {133, 4, 1}, {133, 4, 1}, {135, 12, 1},
                                                     {251, 4, 4}, {0}},
                                update_request[] = {{2, 8, 4},    {3, 6, 4},   {14, 1, 2},  {16, 4, 1},
                                                    {17, 4, 2},   {20, 1, 1},  {133, 4, 1}, {133, 4, 1},
                                                    {135, 15, 1}, {255, 0, 4}, {0}},
                                update_response[] = {{1, 1, 1},   {14, 1, 2},   {16, 4, 2},
                                                     {17, 4, 2},  {127, 4, 2},  {133, 4, 2},
                                                     {133, 4, 2}, {135, 12, 2}, {0}},
                                delete_request[] = {{19, 1, 2}, {20, 1, 1}, {132, 0, 4}, {255, 0, 4}, {0}},
                                delete_response[] = {{1, 1, 1}, {132, 0, 4}, {255, 0, 4}, {0}};
    static const struct element *const lists[] = {create_request,  create_response, update_request,
                                                  update_response, delete_request,  delete_response};
    uint8_t payload[1024];
    size_t which = rng_below(rng, sizeof lists / sizeof lists[0]);
    struct gtpu header = {.type = (uint8_t)(GTPC_CREATE_REQUEST + which), .teid = (uint32_t)rng_u64(rng)};
    return put_message(rng, bytes, header, payload, put_elements(rng, payload, sizeof payload, lists[which]));
}

/* GTP's elements are not of this form. */
static size_t elements_at(const uint8_t *bytes, size_t len)
{
    return len;
}

/* Most frames keep a true length, or nothing behind it would ever be looked at. */
static void settle(struct rng *rng, uint8_t *bytes, size_t len)
{
    if (len < GTPU_OCTETS || kind_once_in(rng, TRUE_LENGTH_OF))
        return;
    bytes_put_u16(bytes + LENGTH_AT, (uint16_t)(len - GTPU_OCTETS));
}

static void say_header(struct saying *out, const struct gtpu *header)
{
    saying_number(out, "type", header->type);
    saying_number(out, "teid", header->teid);
    if (header->flags & GTPU_S)
        saying_number(out, "seq", header->seq);
    if (header->flags & GTPU_PN)
        saying_number(out, "n_pdu_number", header->n_pdu_number);
}

static void say_extensions(struct saying *out, const uint8_t *bytes, const struct gtpu *header)
{
    struct gtpu_extension next = {.next = header->flags & GTPU_E ? bytes[GTPU_LONG_OCTETS - 1] : 0};
    const uint8_t *at = bytes + GTPU_LONG_OCTETS;
    if (!next.next)
        return;
    saying_list(out, "extensions");
    while (next.next) {
        saying_item(out, next.next);
        at += gtpu_extension_decode(&next, next.next, at, (size_t)(bytes + header->payload_offset - at));
    }
}

static void say_elements(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie;
    int octets;
    saying_list(out, "elements");
    for (size_t at = 0; (octets = gtp_ie_decode(&ie, bytes + at, len - at)) > 0; at += (size_t)octets)
        saying_item(out, ie.type);
}

/* 0, or the error of the walk over elements. */
static int elements_answer(const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie;
    int octets;
    for (size_t at = 0; (octets = gtp_ie_decode(&ie, bytes + at, len - at)) > 0; at += (size_t)octets)
        ;
    return octets;
}

/* Recovery and the lists of extension headers, which no decoder of ours gives but the walk over elements. */
static void say_plain(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie, recovery = {0};
    int octets;
    saying_list(out, "known_extensions");
    for (size_t at = 0; (octets = gtp_ie_decode(&ie, bytes + at, len - at)) > 0; at += (size_t)octets) {
        if (ie.type == GTP_IE_RECOVERY && !recovery.value)
            recovery = ie;
        for (uint16_t i = 0; ie.type == GTP_IE_EXTENSION_TYPES && i < ie.octets; i++)
            saying_item(out, ie.value[i]);
    }
    if (recovery.value)
        saying_number(out, "recovery", recovery.value[0]);
}

static void say_error(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct gtpu_signal_error error;
    if (gtpu_signal_error_decode(&error, bytes, len) < 0)
        return;
    saying_number(out, "error_teid", error.teid);
    saying_octets(out, "error_peer", error.peer, error.peer_octets);
}

static void say_gtpu(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct gtpu header;
    int offset = gtpu_decode(&header, bytes, len), answer = offset;
    if (offset >= 0 && header.type != GTPU_G_PDU)
        answer = elements_answer(bytes + offset, header.payload_octets);
    saying_begin(out, answer);
    if (answer < 0)
        return;
    say_header(out, &header);
    say_extensions(out, bytes, &header);
    if (header.type == GTPU_G_PDU)
        saying_octets(out, "t_pdu", bytes + offset, header.payload_octets);
    else {
        say_elements(out, bytes + offset, header.payload_octets);
        say_plain(out, bytes + offset, header.payload_octets);
    }
    if (header.type == GTPU_ERROR_INDICATION)
        say_error(out, bytes + offset, header.payload_octets);
}

static void say_address(struct saying *out, const char *name, const struct gtpc_address *address)
{
    if (address->octets)
        saying_octets(out, name, address->bytes, address->octets);
}

static void say_numbers(struct saying *out, const struct gtpc *in)
{
    const struct {
        uint32_t has;
        const char *name;
        uint32_t value;
    } rows[] = {
        {GTPC_HAS_CAUSE, "cause", in->cause},
        {GTPC_HAS_TEID_DATA, "teid_data", in->teid_data},
        {GTPC_HAS_TEID_CONTROL, "teid_control", in->teid_control},
        {GTPC_HAS_TEARDOWN, "teardown", in->teardown},
        {GTPC_HAS_NSAPI, "nsapi", in->nsapi},
        {GTPC_HAS_LINKED_NSAPI, "linked_nsapi", in->linked_nsapi},
        {GTPC_HAS_QOS, "arp", in->arp},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (in->has & rows[i].has)
            saying_number(out, rows[i].name, rows[i].value);
}

static void say_gtpc(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct gtpu header;
    struct gtpc in;
    int offset = gtpu_header_decode(&header, bytes, len);
    int answer = gtpc_decode(&in, bytes, len);
    saying_begin(out, answer);
    if (answer < 0)
        return;
    say_header(out, &header);
    say_extensions(out, bytes, &header);
    say_elements(out, bytes + offset, header.payload_octets);
    if (in.has & GTPC_HAS_IMSI)
        saying_text(out, "imsi", in.imsi);
    say_numbers(out, &in);
    say_address(out, "control", &in.control);
    say_address(out, "user", &in.user);
    say_address(out, "user_ipv4", &in.user_ipv4);
    say_address(out, "user_ipv6", &in.user_ipv6);
}

const struct kind kind_gtpu = {"gtpu", make_gtpu, elements_at, settle, say_gtpu};
const struct kind kind_gtpc = {"gtpc", make_gtpc, elements_at, settle, say_gtpc};
