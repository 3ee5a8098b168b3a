/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/gn_sgsns.h"

#include "dataplane/wire/gtp_mobility.h"

enum { KEPT = 4, ORDER_OCTETS = 8192, MOBILES = 4 };

static const char victim[] = "203.0.113.9"; /* named by senders, and no sender itself */

static const char *const senders[] = {"10.0.6.2", "10.0.6.3", "10.0.6.9", "10.0.0.2", "10.0.8.1"};

/* The latest questions and answers of the node, and questions that the phones have: below 0 a stranger's. */
static struct {
    uint32_t teid;
    uint16_t seq;
} questions[KEPT], answers[KEPT];
static int64_t refs[KEPT];
static unsigned question_count, answer_count, ref_count;

void gn_sgsns_begin(void)
{
    memset(questions, 0, sizeof questions);
    memset(answers, 0, sizeof answers);
    memset(refs, 0, sizeof refs);
    question_count = answer_count = ref_count = 0;
}

/* --- messages of other SGSNs --- */

static struct gtpc_address address_of(unsigned what)
{
    static const uint8_t addresses[][4] = {{10, 0, 6, 2},  {10, 0, 6, 3},  {10, 0, 0, 2}, {203, 0, 113, 9},
                                           {127, 0, 0, 1}, {224, 0, 0, 1}, {10, 0, 8, 1}, {0, 0, 0, 0}};
    struct gtpc_address out = {.octets = 4};
    memcpy(out.bytes, addresses[what % 8], 4);
    return out;
}

static void fill_request(struct gtp_mobility *m, struct fuzz_input *in, unsigned what)
{
    static const uint8_t rai[] = {0, 0xf1, 0x10, 0, 1, 1};
    m->seq = (uint16_t)(what >> 4);
    m->has |= GTP_MOBILITY_RAI | GTP_MOBILITY_SIGNATURE;
    memcpy(m->rai, rai, sizeof rai);
    m->rai[4] = what & 8 ? 9 : 1;
    m->p_tmsi = 0xc0000000 | (what & 3);
    if (m->type == GTPC_IDENTIFICATION_REQUEST) {
        m->has |= GTP_MOBILITY_P_TMSI;
        return;
    }
    m->has |= GTP_MOBILITY_TLLI | GTP_MOBILITY_TEID_CONTROL | GTP_MOBILITY_CONTROL | GTP_MOBILITY_HOP_COUNTER;
    m->tlli = 0x80000000 | (what & 3);
    m->teid_control = 0x77;
    m->hop_counter = (uint8_t)(what >> 6);
    m->control = address_of((unsigned)fuzz_take(in, 1));
}

static void add_context(struct gtp_mobility *m, unsigned nsapi, unsigned what)
{
    static const uint8_t qos[] = {2, 0x1b, 0x92, 0x1f};
    const struct gtp_context_qos one = {.value = {qos + 1, 3}, .arp = 2};
    struct gtp_context_pdp *pdp = &m->context[m->contexts++];
    *pdp = (struct gtp_context_pdp){.is_active = true,
                                    .nsapi = (uint8_t)nsapi,
                                    .sapi = 3,
                                    .subscribed = one,
                                    .requested = one,
                                    .negotiated = one,
                                    .teid_control = what,
                                    .teid_data = what,
                                    .pdp_type = GTPC_PDP_IPV4,
                                    .ipv4 = {4, {10, 45, 0, 7}},
                                    .control = address_of(what),
                                    .user = address_of(what >> 3),
                                    .apn = "internet",
                                    .ti = (uint8_t)(what & 15)};
    m->has |= GTP_MOBILITY_CONTEXT;
}

static void fill_response(struct gtp_mobility *m, struct fuzz_input *in, unsigned what)
{
    static const uint8_t kc[8], drx[2], capability[1];
    static const uint8_t causes[] = {128, 194, 206, 128};
    unsigned number = what >> 4 & 3;
    m->teid = questions[number].teid;
    m->seq = questions[number].seq;
    m->cause = causes[what & 3];
    m->has |= GTP_MOBILITY_CAUSE;
    if (m->cause != 128)
        return;
    m->has |= GTP_MOBILITY_IMSI;
    snprintf(m->imsi, sizeof m->imsi, "001010000000001");
    if (m->type == GTPC_IDENTIFICATION_RESPONSE) {
        m->teid = 0;
        return;
    }
    m->has |= GTP_MOBILITY_TEID_CONTROL | GTP_MOBILITY_CONTROL | GTP_MOBILITY_MM;
    m->teid_control = 0x78;
    m->control = address_of((unsigned)fuzz_take(in, 1));
    m->mm = (struct gtp_context_mm){.mode = GTP_CONTEXT_GSM,
                                    .cksn = 7,
                                    .kc = {kc, sizeof kc},
                                    .drx = {drx, sizeof drx},
                                    .capability = {capability, sizeof capability}};
    for (unsigned i = 0; i < (what >> 2 & 3); i++)
        add_context(m, 5 + i, (unsigned)fuzz_take(in, 1));
}

static void fill_acknowledge(struct gtp_mobility *m, struct fuzz_input *in, unsigned what)
{
    m->teid = answers[what & 3].teid;
    m->seq = answers[what & 3].seq;
    m->has |= GTP_MOBILITY_CAUSE | GTP_MOBILITY_TUNNELS | GTP_MOBILITY_USERS;
    m->cause = what & 0x10 ? 208 : 128;
    m->tunnels = m->users = 1;
    m->tunnel[0] = (struct gtp_mobility_tunnel){.teid = what >> 5, .nsapi = 5};
    m->user[0] = address_of((unsigned)fuzz_take(in, 1));
}

static void fill_relay(struct gtp_mobility *m, unsigned what)
{
    static const uint8_t octets[] = {0x71, 0x54, 0x89, 0, 0, 0xf1, 0x10, 0, 1, 1, 0, 3};
    m->seq = (uint16_t)what;
    m->has |= GTP_MOBILITY_CONTAINER | GTP_MOBILITY_RIM_ADDRESS | GTP_MOBILITY_RIM_DISCRIMINATOR;
    m->container = (struct ie_span){octets, 1 + what % sizeof octets};
    m->rim_address = (struct ie_span){octets + 4, 8};
}

int gn_sgsns_message(struct fuzz_input *in, const char **from, uint8_t *bytes, size_t cap)
{
    static const uint8_t types[] = {GTPC_IDENTIFICATION_REQUEST,   GTPC_SGSN_CONTEXT_REQUEST,
                                    GTPC_SGSN_CONTEXT_RESPONSE,    GTPC_IDENTIFICATION_RESPONSE,
                                    GTPC_SGSN_CONTEXT_ACKNOWLEDGE, GTPC_RAN_INFORMATION_RELAY};
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1);
    struct gtp_mobility m = {.type = types[(kind & 15) % sizeof types]};
    *from = senders[(kind >> 4) % (sizeof senders / sizeof senders[0])];
    if (m.type == GTPC_IDENTIFICATION_REQUEST || m.type == GTPC_SGSN_CONTEXT_REQUEST)
        fill_request(&m, in, what);
    else if (m.type == GTPC_SGSN_CONTEXT_ACKNOWLEDGE)
        fill_acknowledge(&m, in, what);
    else if (m.type == GTPC_RAN_INFORMATION_RELAY)
        fill_relay(&m, what);
    else
        fill_response(&m, in, what);
    int octets = gtp_mobility_encode(bytes, cap, &m);
    what = (unsigned)fuzz_take(in, 1);
    if (octets > 0 && what >= 0xe0)
        fuzz_spoil(in, bytes, (size_t)octets);
    return octets;
}

/* --- orders of phones --- */

static const char *const order_chunk =
    "local kind, what, ref, mobile = ...\n"
    "local pack, rai = require('base.records').pack, '\\0\\xf1\\x10\\0\\9\\1'\n"
    "local theirs = what & 1 == 0 and '10.0.6.2' or '10.0.6.3'\n"
    "local imsi, q = '00101000000000' .. mobile, '\\x1b\\x92\\x1f'\n"
    "local is_stranger = ref < 0 or nil\n"
    "local cause = (is_stranger or what & 2 == 2) and 194 or 128\n"
    "ref = math.abs(ref)\n"
    "if kind == 0 then\n"
    "  local message = { type = 'context_request', rat_type = 2, rai = rai, tlli = 0x80000000 | what,\n"
    "    signature = what & 2 == 2 and 'abc' or nil, imsi = what & 4 == 4 and imsi or nil,\n"
    "    ms_validated = what & 4 == 4 or nil }\n"
    "  return pack({ kind = 'ask', mobile = mobile, theirs = theirs, message = message })\n"
    "elseif kind == 1 then\n"
    "  return pack({ kind = 'ask', mobile = mobile, theirs = theirs, message = { type = "
    "'identification_request',\n"
    "    p_tmsi = 0xc0000000 | what, rai = rai } })\n"
    "elseif kind == 2 then\n"
    "  return pack({ kind = 'acknowledge', mobile = mobile, cause = what & 2 == 0 and 128 or 208,\n"
    "    nsapis = what & 2 == 0 and { 5, 6 } or nil })\n"
    "elseif kind == 3 then\n"
    "  local message, list = { cause = cause }, {}\n"
    "  for i = 1, what >> 4 do\n"
    "    list[i] = { nsapi = 4 + i, sapi = 3, is_active = true, pdp_type = 'ipv4', apn = 'internet', ti = i, "
    "arp = 2,\n"
    "      qos_subscribed = q, qos_requested = q, qos_negotiated = q, sequence_down = 0, sequence_up = 0,\n"
    "      send_n_pdu = 0, receive_n_pdu = 0, context_id = 0 }\n"
    "  end\n"
    "  if cause == 128 then\n"
    "    message.imsi, message.contexts = imsi, what & 4 == 0 and list or nil\n"
    "    message.mm = { mode = 1, cksn = 7, cipher = 0, kc = ('\\0'):rep(8), triplets = {}, drx = '\\0\\0',\n"
    "      capability = '\\0' }\n"
    "  end\n"
    "  if what & 4 == 4 then message.mm = nil end\n"
    "  return pack({ kind = 'answer', ref = ref, is_stranger = is_stranger, message = message })\n"
    "elseif kind == 4 and not is_stranger then\n"
    "  return pack({ kind = 'relay', ref = ref, theirs = theirs })\n"
    "end\n"
    "return pack({ kind = 'forget', mobile = mobile })\n";

void gn_sgsns_order(struct lua_gtpc *gtpc, struct fuzz_input *in, int64_t now)
{
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1);
    uint8_t order[ORDER_OCTETS];
    uint64_t ids[LUA_GTPC_NSAPIS] = {0};
    const int64_t numbers[] = {(kind & 7) % 6, what, refs[kind >> 3 & 3], 1 + (kind >> 5) % MOBILES};
    for (unsigned slot = 0; slot < GN_MACHINE_SLOTS; slot++)
        ids[5 + slot] = gn_machine_contexts[slot].is_up ? gn_machine_contexts[slot].id : 0;
    size_t octets = machine_make(order_chunk, numbers, 4, order, sizeof order);
    lua_gtpc_sgsn(gtpc, order, octets, ids, now);
}

/* --- what the node sends and tells --- */

void gn_sgsns_sent(const uint8_t *bytes, size_t octets, const char *theirs)
{
    static const char *const known[] = {"10.0.6.2", "10.0.6.3"};
    struct gtp_mobility m;
    FUZZ_CHECK(gtp_mobility_decode(&m, bytes, octets) == (int)octets);
    FUZZ_CHECK(strcmp(theirs, victim) != 0);
    bool is_question = m.type == GTPC_SGSN_CONTEXT_REQUEST || m.type == GTPC_IDENTIFICATION_REQUEST;
    bool is_known = strcmp(theirs, known[0]) == 0 || strcmp(theirs, known[1]) == 0;
    bool has_context = m.type == GTPC_SGSN_CONTEXT_RESPONSE && m.cause == 128;
    FUZZ_CHECK(is_known || !(is_question || has_context || m.type == GTPC_RAN_INFORMATION_RELAY));
    if (is_question) {
        questions[question_count % KEPT].teid = m.has & GTP_MOBILITY_TEID_CONTROL ? m.teid_control : 0;
        questions[question_count++ % KEPT].seq = m.seq;
    } else if (has_context) {
        answers[answer_count % KEPT].teid = m.teid_control;
        answers[answer_count++ % KEPT].seq = m.seq;
    }
}

static const char *const told_chunk =
    "local r = require('base.records').unpack((...))\n"
    "assert(r.event == 'asked' or r.event == 'told' or r.event == 'silent' or r.event == 'done' or r.event "
    "== 'closed'\n"
    "  or r.event == 'acknowledged' or r.event == 'unacknowledged', r.event)\n"
    "for _, context in ipairs(r.message and r.message.contexts or {}) do\n"
    "  for _, name in ipairs({ 'control', 'user' }) do\n"
    "    local a = context[name]\n"
    "    assert(not a or a ~= '10.0.8.1' and a ~= '127.0.0.1' and a ~= '224.0.0.1' and a ~= '0.0.0.0', a)\n"
    "  end\n"
    "end\n"
    "assert(r.user ~= '10.0.8.1' and r.user ~= '127.0.0.1', 'N-PDUs go nowhere')\n"
    "if r.event ~= 'asked' then return 0 end\n"
    "local known = { ['10.0.6.2'] = true, ['10.0.6.3'] = true }\n"
    "return known[r.from] and known[r.message.control or r.from] and r.ref or -r.ref\n";

void gn_sgsns_told(const struct lua_field_octets *record)
{
    int64_t ref = machine_read(told_chunk, record->bytes, record->count);
    if (ref != 0)
        refs[ref_count++ % KEPT] = ref;
}
