/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C messages in frames, made octet by octet, without the codecs. */
#include "tests/unit/control/sessions/session_rig.h"
#include "tests/unit/unit.h"

#include "app/replay/gtpc_learn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One message on the wire. Zero fields: nothing special. */
struct gtpc_message {
    uint8_t type, from, to;
    uint16_t seq;
    uint32_t teid;  /* of the header */
    uint8_t cause;  /* of a response; 0: accepted */
    uint8_t nsapi;  /* 0: 5 */
    uint8_t mobile; /* last digit of the IMSI */
    uint8_t
        tunnel; /* its TEIDs: 0x10 + this for the SGSN's data, 0x20 for its control, 0x30, 0x40 the GGSN's */
    bool is_teardown, is_ipv6, has_no_data_teid,
        is_over_ipv6; /* the last: between 2001::x, signalling, too */
    uint8_t host;     /* with is_ipv6: last octet of its address for user traffic, 0: no address */
};

struct gtpc_message_bytes {
    uint8_t at[256];
    size_t octets;
};

static void add(struct gtpc_message_bytes *b, const void *bytes, size_t octets)
{
    memcpy(b->at + b->octets, bytes, octets);
    b->octets += octets;
}

static void add_number(struct gtpc_message_bytes *b, uint64_t value, unsigned octets)
{
    while (octets-- > 0)
        b->at[b->octets++] = (uint8_t)(value >> 8 * octets);
}

static void add_addresses(struct gtpc_message_bytes *b, const struct gtpc_message *m)
{
    uint8_t address[16] = {m->host ? 0x20 : 0, m->host ? 1 : 0, [15] = m->host};
    for (unsigned i = 0; i < 2; i++) {
        if (m->is_over_ipv6)
            memcpy(address, (uint8_t[16]){0x20, 1, [15] = m->from}, sizeof(address));
        if (m->is_over_ipv6 || (i == 1 && m->is_ipv6)) {
            add_number(b, 0x850010, 3);
            add(b, address, sizeof(address));
            continue;
        }
        add_number(b, 0x850004, 3);
        add_number(b, 0x0a000000u + m->from, 4);
    }
}

static void add_elements(struct gtpc_message_bytes *b, const struct gtpc_message *m)
{
    bool is_create = m->type == 16 || m->type == 17, is_request = m->type % 2 == 0;
    if (!is_request)
        add_number(b, 0x0100u | (m->cause ? m->cause : 128), 2);
    if (m->type == 16) /* 262420000000001 */
        add_number(b, 0x02, 1), add_number(b, UINT64_C(0x62420200000000f0) + m->mobile, 8);
    if (m->type == 20 && m->is_teardown)
        add_number(b, 0x13ff, 2);
    if (is_create && !m->has_no_data_teid)
        add_number(b, (UINT64_C(0x10) << 32) + (is_request ? 0x10u : 0x30u) + m->tunnel, 5);
    if (is_create)
        add_number(b, (UINT64_C(0x11) << 32) + (is_request ? 0x20u : 0x40u) + m->tunnel, 5);
    if (is_request)
        add_number(b, 0x1400u | (m->nsapi ? m->nsapi : 5), 2);
    if (m->type == 17)
        add_number(b, 0x800006f1210a0b00, 8), add_number(b, m->tunnel, 1);
    if (is_create)
        add_addresses(b, m);
    if (is_create)
        add_number(b, 0x87000402, 4), add_number(b, 0x23921f, 3);
}

static void add_ip_header(struct gtpc_message_bytes *frame, const struct gtpc_message *m, size_t octets)
{
    const uint8_t from[16] = {0x20, 1, [15] = m->from}, to[16] = {0x20, 1, [15] = m->to};
    if (m->is_over_ipv6) {
        add_number(frame, 0x86dd60000000, 6);
        add_number(frame, octets, 2);
        add_number(frame, 0x1140, 2);
        add(frame, from, sizeof(from));
        add(frame, to, sizeof(to));
        return;
    }
    add_number(frame, 0x08004500, 4);
    add_number(frame, 20 + octets, 2);
    add_number(frame, 0x0000000040110000, 8);
    add_number(frame, 0x0a000000u + m->from, 4);
    add_number(frame, 0x0a000000u + m->to, 4);
}

/* Writes the Ethernet frame with a message, between 10.0.0.x or 2001::x. */
static void gtpc_message_build(struct gtpc_message_bytes *frame, const struct gtpc_message *m)
{
    struct gtpc_message_bytes ie = {.octets = 0};
    add_elements(&ie, m);
    *frame = (struct gtpc_message_bytes){.octets = 0};
    add_number(frame, 0x020000000001, 6);
    add_number(frame, 0x020000000002, 6);
    add_ip_header(frame, m, 8 + 12 + ie.octets);
    add_number(frame, 0x084b084b, 4);
    add_number(frame, 8 + 12 + ie.octets, 2);
    add_number(frame, 0x000032, 3);
    add_number(frame, m->type, 1);
    add_number(frame, 4 + ie.octets, 2);
    add_number(frame, m->teid, 4);
    add_number(frame, m->seq, 2);
    add_number(frame, 0, 2);
    add(frame, ie.at, ie.octets);
}

/* --- Sessions learned from GTP-C that passes by --- */

#define SGSN   1 /* last octet of 10.0.0.x */
#define GGSN   2
#define GGSN_B 3

struct lab {
    struct session_rig rig;
    struct gtpc_learn learn;
};

static struct lab lab;

static void open(void)
{
    session_rig_open(&lab.rig);
    gtpc_learn_init(&lab.learn, &lab.rig.sessions);
}

static void hear(const struct gtpc_message *m)
{
    struct gtpc_message_bytes frame;
    gtpc_message_build(&frame, m);
    gtpc_learn_frame(&lab.learn, frame.at, frame.octets, 0);
}

#define CREATE(n, s)                                                                                         \
    {                                                                                                        \
        .type = 16, .from = SGSN, .to = GGSN, .seq = s, .mobile = n, .tunnel = n                             \
    }
#define CREATED(n, s)                                                                                        \
    {                                                                                                        \
        .type = 17, .from = GGSN, .to = SGSN, .seq = s, .teid = 0x20 + n, .tunnel = n                        \
    }
#define DELETE(n, s)                                                                                         \
    {                                                                                                        \
        .type = 20, .from = SGSN, .to = GGSN, .seq = s, .teid = 0x40 + n                                     \
    }
#define DELETED(n, s)                                                                                        \
    {                                                                                                        \
        .type = 21, .from = GGSN, .to = SGSN, .seq = s, .teid = 0x20 + n                                     \
    }
#define SECOND(n, s)                                                                                         \
    {                                                                                                        \
        .type = 16, .from = SGSN, .to = GGSN, .seq = s, .mobile = 1, .tunnel = n, .nsapi = 6                 \
    }

/* The answer of this type with a cause. */
#define ANSWERED(type_, n, s, cause_)                                                                        \
    {                                                                                                        \
        .type = type_, .from = GGSN, .to = SGSN, .seq = s, .teid = 0x20 + n, .tunnel = n, .cause = cause_    \
    }

/* Of mobile and tunnel n. */
#define V6(type_, n)                                                                                         \
    {                                                                                                        \
        .type = type_, .from = type_ == 16 ? SGSN : GGSN, .to = type_ == 16 ? GGSN : SGSN, .seq = n,         \
        .mobile = n, .tunnel = n, .is_ipv6 = true, .host = type_ == 16 ? SGSN : GGSN                         \
    }

struct learn_row {
    const char *name;
    const char *said;
    uint8_t unfollowed, refused;
    struct gtpc_message messages[7];
};

static const struct learn_row rows[] = {
    {"create", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), CREATED(1, 7)}},
    ROW("create and delete", "ms+0 pdp+0 pdp-0 ms-0", 0, 0,
        {CREATE(1, 7), CREATED(1, 7), DELETE(1, 8), DELETED(1, 8)}),
    {"request alone", "", 0, 0, {CREATE(1, 7)}},
    {"answer alone", "", 0, 0, {CREATED(1, 7)}},
    {"wrong sequence number", "", 0, 0, {CREATE(1, 7), CREATED(1, 8)}},
    {"answer first", "", 0, 0, {CREATED(1, 7), CREATE(1, 7)}},
    {"answer of another type", "", 0, 0, {CREATE(1, 7), DELETED(1, 7)}},
    ROW("answer of another GGSN", "", 0, 0,
        {CREATE(1, 7), {.type = 17, .from = GGSN_B, .to = SGSN, .seq = 7, .tunnel = 1}}),
    ROW("answer to another SGSN", "", 0, 0,
        {CREATE(1, 7), {.type = 17, .from = GGSN, .to = GGSN_B, .seq = 7, .tunnel = 1}}),
    {"rejected", "", 0, 0, {CREATE(1, 7), ANSWERED(17, 1, 7, 199)}},
    {"a cause of requests", "", 0, 0, {CREATE(1, 7), ANSWERED(17, 1, 7, 127)}},
    {"accepted, another PDP type", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), ANSWERED(17, 1, 7, 129)}},
    {"accepted, one address bearer", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), ANSWERED(17, 1, 7, 130)}},
    {"the last cause that accepts", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), ANSWERED(17, 1, 7, 191)}},
    {"the first that refuses", "", 0, 0, {CREATE(1, 7), ANSWERED(17, 1, 7, 192)}},
    ROW("delete accepted by another cause", "ms+0 pdp+0 pdp-0 ms-0", 0, 0,
        {CREATE(1, 7), CREATED(1, 7), DELETE(1, 8), ANSWERED(21, 1, 8, 129)}),
    ROW("rejected is answered: no second chance", "", 0, 0,
        {CREATE(1, 7), {.type = 17, .from = GGSN, .to = SGSN, .seq = 7, .cause = 199}, CREATED(1, 7)}),
    {"lost answer, asked again", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), CREATE(1, 7), CREATED(1, 7)}},
    ROW("asked and answered twice", "ms+0 pdp+0", 0, 0,
        {CREATE(1, 7), CREATE(1, 7), CREATED(1, 7), CREATED(1, 7)}),
    {"answered twice", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), CREATED(1, 7), CREATED(1, 7)}},
    ROW("two at a time, crosswise", "ms+0 pdp+0 ms+1 pdp+1", 0, 0,
        {CREATE(1, 7), CREATE(2, 8), CREATED(2, 8), CREATED(1, 7)}),
    {"same number at two GGSNs", "ms+0 pdp+0 ms+1 pdp+1", 0, 0,
     LIST(CREATE(1, 7), {.type = 16, .from = SGSN, .to = GGSN_B, .seq = 7, .mobile = 2, .tunnel = 2},
          {.type = 17, .from = GGSN_B, .to = SGSN, .seq = 7, .tunnel = 2}, CREATED(1, 7))},
    ROW("delete rejected", "ms+0 pdp+0", 0, 0,
        {CREATE(1, 7),
         CREATED(1, 7),
         DELETE(1, 8),
         {.type = 21, .from = GGSN, .to = SGSN, .seq = 8, .cause = 192}}),
    {"delete never answered", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), CREATED(1, 7), DELETE(1, 8)}},
    {"delete of nobody", "ms+0 pdp+0", 0, 0, {CREATE(1, 7), CREATED(1, 7), DELETE(2, 8), DELETED(2, 8)}},
    ROW("delete of another NSAPI", "ms+0 pdp+0", 0, 0,
        {CREATE(1, 7),
         CREATED(1, 7),
         {.type = 20, .from = SGSN, .to = GGSN, .seq = 8, .teid = 0x41, .nsapi = 6},
         DELETED(1, 8)}),
    {"delete at another GGSN", "ms+0 pdp+0", 0, 0,
     LIST(CREATE(1, 7), CREATED(1, 7), {.type = 20, .from = SGSN, .to = GGSN_B, .seq = 8, .teid = 0x41},
          {.type = 21, .from = GGSN_B, .to = SGSN, .seq = 8})},
    {"deleted by the GGSN", "ms+0 pdp+0 pdp-0 ms-0", 0, 0,
     LIST(CREATE(1, 7), CREATED(1, 7), {.type = 20, .from = GGSN, .to = SGSN, .seq = 8, .teid = 0x21},
          {.type = 21, .from = SGSN, .to = GGSN, .seq = 8})},
    ROW("one of two goes", "ms+0 pdp+0 pdp+1 pdp-0", 0, 0,
        {CREATE(1, 7), CREATED(1, 7), SECOND(2, 8), CREATED(2, 8), DELETE(1, 9), DELETED(1, 9)}),
    ROW("IPv6 tunnel", "", 1, 0,
        {CREATE(1, 7), {.type = 17, .from = GGSN, .to = SGSN, .seq = 7, .tunnel = 1, .is_ipv6 = true}}),
    ROW("IPv6 asked for", "", 1, 0,
        {{.type = 16, .from = SGSN, .to = GGSN, .seq = 7, .mobile = 1, .tunnel = 1, .is_ipv6 = true},
         CREATED(1, 7)}),
    ROW("no TEID", "", 1, 0,
        {CREATE(1, 7),
         {.type = 17, .from = GGSN, .to = SGSN, .seq = 7, .tunnel = 1, .has_no_data_teid = true}}),
    {"update", "ms+0 pdp+0", 1, 0,
     LIST(CREATE(1, 7), CREATED(1, 7), {.type = 18, .from = SGSN, .to = GGSN, .seq = 8, .teid = 0x41},
          {.type = 19, .from = GGSN, .to = SGSN, .seq = 8})},
    ROW("same TEID, other mobile", "ms+0 pdp+0 pdp-0 ms-0 ms+0 pdp+0", 0, 0,
        {CREATE(1, 7),
         CREATED(1, 7),
         {.type = 16, .from = SGSN, .to = GGSN, .seq = 8, .mobile = 2, .tunnel = 1},
         CREATED(1, 8)}),
    ROW("over IPv6, addresses told once", "v6 0 v6 1 ms+0 pdp+0 ms+1 pdp+1", 0, 0,
        {V6(16, 1), V6(17, 1), V6(16, 2), V6(17, 2)}),
    {"ends of two versions", "v6 0", 1, 0, {CREATE(1, 1), V6(17, 1)}},
};

TEST(exchanges)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned count = 0;
        open();
        for (; count < COUNT(rows[i].messages) && rows[i].messages[count].type; count++)
            hear(&rows[i].messages[count]);
        const char *said = session_rig_said(&lab.rig);
        if (strcmp(said, rows[i].said) != 0)
            fail_msg("%s: %s", rows[i].name, said);
        assert_int_equal(lab.learn.messages, count);
        assert_int_equal(lab.learn.malformed, 0);
        if (lab.learn.unfollowed != rows[i].unfollowed)
            fail_msg("%s: unfollowed", rows[i].name);
        assert_int_equal(lab.rig.sessions.refused, rows[i].refused);
        session_rig_close(&lab.rig);
    }
}

TEST(learned)
{
    static const struct gtpc_message messages[] = {CREATE(1, 7), CREATED(1, 7)};
    open();
    for (size_t i = 0; i < COUNT(messages); i++)
        hear(&messages[i]);
    const struct session *s = sessions_of(&lab.rig.sessions, 0, 0, 1);
    assert_non_null(s);
    assert_true(s->sgsn_ip == 0x0a000001 && s->teid == 0x11 && s->ggsn_ip == 0x0a000002 &&
                s->ggsn_teid == 0x31);
    assert_true(neighbour_ip_to_v4(&s->sgsn_control) == 0x0a000001 && s->sgsn_control_teid == 0x21);
    assert_true(neighbour_ip_to_v4(&s->ggsn_control) == 0x0a000002 && s->ggsn_control_teid == 0x41);
    assert_int_equal(s->address, 0x0a0b0001);
    assert_string_equal(lab.rig.sessions.mobiles[0].imsi, "262420000000001");
    session_rig_said(&lab.rig);
    session_rig_close(&lab.rig);
}

/* GTP-C and the tunnel over IPv6; a Delete exchange with the ends of another session ends nothing. */
TEST(over_ipv6)
{
    struct gtpc_message create = CREATE(1, 1), created = CREATED(1, 1), delete = DELETE(1, 2),
                        deleted = DELETED(1, 2);
    open();
    create.is_over_ipv6 = created.is_over_ipv6 = true;
    hear(&create);
    created.from = GGSN_B;
    hear(&created);
    assert_string_equal(session_rig_said(&lab.rig), "");
    created.from = GGSN;
    hear(&created);
    assert_string_equal(session_rig_said(&lab.rig), "v6 0 v6 1 ms+0 pdp+0");
    assert_true(lab.rig.last_pdp.pdp.sgsn_ip == address_of_place(0) &&
                lab.rig.last_pdp.pdp.ggsn_ip == address_of_place(1));
    hear(&delete);
    hear(&deleted);
    assert_string_equal(session_rig_said(&lab.rig), ""); /* that was over IPv4 */
    delete.is_over_ipv6 = deleted.is_over_ipv6 = true;
    hear(&delete);
    hear(&deleted);
    assert_string_equal(session_rig_said(&lab.rig), "pdp-0 ms-0");
    session_rig_close(&lab.rig);
}

/* Teardown takes all contexts of the mobile, and nobody else's. */
TEST(teardown)
{
    static const struct gtpc_message messages[] = {
        CREATE(1, 1),
        CREATED(1, 1),
        CREATE(2, 2),
        CREATED(2, 2),
        {.type = 16, .from = SGSN, .to = GGSN, .seq = 3, .mobile = 1, .tunnel = 3, .nsapi = 6},
    };
    struct gtpc_message both = CREATED(3, 3), delete = DELETE(1, 4), deleted = DELETED(1, 4);
    open();
    for (size_t i = 0; i < COUNT(messages); i++)
        hear(&messages[i]);
    hear(&both);
    lab.rig.sessions.list[2].ggsn_control_teid = 0x41; /* one control TEID for a mobile's contexts */
    assert_string_equal(session_rig_said(&lab.rig), "ms+0 pdp+0 ms+1 pdp+1 pdp+2");
    delete.is_teardown = true;
    hear(&delete);
    hear(&deleted);
    assert_string_equal(session_rig_said(&lab.rig), "pdp-0 pdp-2 ms-0");
    session_rig_close(&lab.rig);
}

/* 1024 requests may wait; the oldest gives way. */
TEST(overflow)
{
    struct gtpc_message request = CREATE(1, 0), old = CREATED(1, 0), second = CREATED(1, 1);
    open();
    for (; request.seq <= GTPC_LEARN_PENDING; request.seq++)
        hear(&request);
    hear(&old);
    assert_string_equal(session_rig_said(&lab.rig), "");
    hear(&second);
    assert_string_equal(session_rig_said(&lab.rig), "ms+0 pdp+0");
    session_rig_close(&lab.rig);
}

/* Every cut of a frame, and what is no GTP-C at all: nothing is learned, nothing is read behind the end. */
TEST(cut_and_strange)
{
    struct gtpc_message request = CREATE(1, 7), answer = CREATED(1, 7);
    struct gtpc_message_bytes frame;
    static const struct {
        uint8_t at, value;
    } changes[] = {{13, 6}, {14, 0x65}, {20, 0x20}, {23, 6}, {43, 77}};

    open();
    hear(&request);
    gtpc_message_build(&frame, &answer);
    for (size_t octets = 0; octets < frame.octets; octets++)
        gtpc_learn_frame(&lab.learn, frame.at, octets, 0);
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct gtpc_message_bytes changed = frame;
        changed.at[changes[i].at] = changes[i].value;
        gtpc_learn_frame(&lab.learn, changed.at, changed.octets, 0);
    }
    assert_string_equal(session_rig_said(&lab.rig), "");
    frame.at[45] = 200; /* GTP longer than UDP */
    gtpc_learn_frame(&lab.learn, frame.at, frame.octets, 0);
    assert_int_equal(lab.learn.malformed, 1);
    hear(&answer);
    assert_string_equal(session_rig_said(&lab.rig), "ms+0 pdp+0");
    session_rig_close(&lab.rig);
}

/* --- in IP fragments --- */

#define SECOND_NS INT64_C(1000000000)

enum { PIECE_OCTETS = 16, ETHERNET_OCTETS = 14 };

/* Piece number n of a frame's IP payload, of 16 octets each. Returns false behind the last one. */
static bool take_piece(struct gtpc_message_bytes *piece, const struct gtpc_message_bytes *frame, unsigned n,
                       uint16_t id)
{
    bool is_ipv6 = frame->at[12] == 0x86;
    size_t head = ETHERNET_OCTETS + (is_ipv6 ? 40u : 20u), all = frame->octets - head,
           offset = (size_t)n * PIECE_OCTETS;
    if (offset >= all)
        return false;
    size_t octets = all - offset < PIECE_OCTETS ? all - offset : PIECE_OCTETS;
    bool is_more = offset + octets < all;
    *piece = (struct gtpc_message_bytes){.octets = 0};
    add(piece, frame->at, head);
    if (is_ipv6) {
        piece->at[18] = 0, piece->at[19] = (uint8_t)(octets + 8), piece->at[20] = 44;
        add_number(piece, 0x1100, 2);
        add_number(piece, offset | is_more, 2);
        add_number(piece, id, 4);
    } else {
        piece->at[16] = 0, piece->at[17] = (uint8_t)(octets + 20);
        piece->at[18] = (uint8_t)(id >> 8), piece->at[19] = (uint8_t)id;
        piece->at[20] = (uint8_t)((is_more ? 0x20 : 0) | offset >> 11),
        piece->at[21] = (uint8_t)(offset >> 3);
    }
    add(piece, frame->at + head + offset, octets);
    return true;
}

/* order: the numbers of the pieces that pass; the end of the text ends them. */
static void hear_pieces(const struct gtpc_message *m, const char *order, uint16_t id, int64_t now)
{
    struct gtpc_message_bytes frame, piece;
    gtpc_message_build(&frame, m);
    for (; *order; order++)
        if (take_piece(&piece, &frame, (unsigned)(*order - '0'), id))
            gtpc_learn_frame(&lab.learn, piece.at, piece.octets, now);
}

static const struct piece_row {
    const char *name, *order, *said; /* of the answer, whose pieces are 0 to 3, over IPv6 0 to 5 */
    unsigned incomplete;
    bool is_over_ipv6;
} piece_rows[] = {
    {"in order", "0123", "ms+0 pdp+0", 0, false},
    {"backwards", "3210", "ms+0 pdp+0", 0, false},
    {"mixed, with copies", "31013302", "ms+0 pdp+0", 0, false},
    {"a copy behind the end", "01230", "ms+0 pdp+0", 1, false},
    {"one is missing", "013", "", 1, false},
    {"the first is missing", "123", "", 0, false}, /* nobody knows what it is */
    {"the last is missing", "012", "", 1, false},
    {"over IPv6, in order", "012345", "v6 0 v6 1 ms+0 pdp+0", 0, true},
    {"over IPv6, backwards with copies", "554432100", "v6 0 v6 1 ms+0 pdp+0", 1, true},
    {"over IPv6, one is missing", "01235", "", 1, true},
};

TEST(pieces)
{
    for (size_t i = 0; i < COUNT(piece_rows); i++) {
        const struct piece_row *row = &piece_rows[i];
        struct gtpc_message create = CREATE(1, 7), created = CREATED(1, 7);
        create.is_over_ipv6 = created.is_over_ipv6 = row->is_over_ipv6;
        open();
        hear_pieces(&create, "0123456789", 1, 0);
        hear_pieces(&created, row->order, 2, 0);
        const char *said = session_rig_said(&lab.rig);
        if (strcmp(said, row->said) != 0)
            fail_msg("%s: %s", row->name, said);
        if (gtpc_pieces_incomplete(&lab.learn.pieces) != row->incomplete)
            fail_msg("%s: incomplete", row->name);
        session_rig_close(&lab.rig);
    }
}

/* A fragment that contradicts another takes the datagram with it, as in the worker; so do 5 s. */
TEST(pieces_that_are_given_up)
{
    struct gtpc_message create = CREATE(1, 7), created = CREATED(1, 7), other = CREATED(2, 7);
    open();
    hear(&create);
    hear_pieces(&created, "012", 2, 0);
    hear_pieces(&other, "1", 2, 0); /* other octets at the same place */
    hear_pieces(&created, "3", 2, 0);
    assert_string_equal(session_rig_said(&lab.rig), "");
    assert_int_equal(gtpc_pieces_incomplete(&lab.learn.pieces), 1);
    hear_pieces(&created, "012", 3, 0);
    hear_pieces(&created, "3", 3, 5 * SECOND_NS + 1);
    assert_string_equal(session_rig_said(&lab.rig), "");
    assert_int_equal(gtpc_pieces_incomplete(&lab.learn.pieces), 2);
    hear_pieces(&created, "012", 4, 10 * SECOND_NS);
    hear_pieces(&created, "3", 4, 15 * SECOND_NS);
    assert_string_equal(session_rig_said(&lab.rig), "ms+0 pdp+0");
    session_rig_close(&lab.rig);
}

/* So many may wait; the oldest gives way. */
TEST(pieces_of_many)
{
    struct gtpc_message create = CREATE(1, 7), created = CREATED(1, 7);
    open();
    hear(&create);
    for (uint16_t id = 0; id <= GTPC_PIECES_DATAGRAMS; id++)
        hear_pieces(&created, "012", id, id);
    assert_int_equal(gtpc_pieces_incomplete(&lab.learn.pieces), GTPC_PIECES_DATAGRAMS + 1);
    hear_pieces(&created, "3", 0, GTPC_PIECES_DATAGRAMS + 1);
    assert_string_equal(session_rig_said(&lab.rig), "");
    hear_pieces(&created, "3", GTPC_PIECES_DATAGRAMS, GTPC_PIECES_DATAGRAMS + 1);
    assert_string_equal(session_rig_said(&lab.rig), "ms+0 pdp+0");
    session_rig_close(&lab.rig);
}

UNIT_MAIN(session_rig_start, NULL)
