/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/gn_sgsns.h"

enum { KEPT = 4, ORDER_OCTETS = 8192, MOBILES = 4 };

static const char victim[] = "203.0.113.9"; /* named by senders, and no sender itself */

static const char *const senders[] = {"10.0.6.2", "10.0.6.3", "10.0.6.9", "10.0.0.2", "10.0.8.1"};

/* The latest questions and answers of the node, and questions that the phones have: below 0 a stranger's. */
static struct seen {
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

/* A message follows from its type, `what`, a choice of an address, one for each context, and the TEID and the
 * number of what it answers. */
static const char *const message_chunk =
    "local kind, what, choice, first, second, third, teid, seq = ...\n"
    "local addresses = { [0] = '10.0.6.2', '10.0.6.3', '10.0.0.2', '203.0.113.9', '127.0.0.1', '224.0.0.1',\n"
    "  '10.0.8.1', '0.0.0.0' }\n"
    "local rai, q = '\\0\\xf1\\x10\\0' .. (what & 8 == 8 and '\\9' or '\\1') .. '\\1', '\\x1b\\x92\\x1f'\n"
    "local rim, address = '\\x71\\x54\\x89\\0\\0\\xf1\\x10\\0\\1\\1\\0\\3', addresses[choice & 7]\n"
    "local cause = ({ [0] = 128, 194, 206, 128 })[what & 3]\n"
    "local function contexts()\n"
    "  local list = {}\n"
    "  for i, one in ipairs({ first, second, third }) do\n"
    "    if i > what >> 2 & 3 then break end\n"
    "    list[i] = { is_active = true, nsapi = 4 + i, sapi = 3, arp = 2, qos_subscribed = q, qos_requested = "
    "q,\n"
    "      qos_negotiated = q, teid_control = one, teid_data = one, pdp_type = 'ipv4', ipv4 = '10.45.0.7',\n"
    "      control = addresses[one & 7], user = addresses[one >> 3 & 7], apn = 'internet', ti = one & 15 }\n"
    "  end\n"
    "  return list\n"
    "end\n"
    "local makers = {}\n"
    "function makers.identification_request()\n"
    "  return { seq = what >> 4, rai = rai, signature = '\\0\\0\\0', p_tmsi = 0xc0000000 | what & 3 }\n"
    "end\n"
    "function makers.context_request()\n"
    "  return { seq = what >> 4, rai = rai, signature = '\\0\\0\\0', tlli = 0x80000000 | what & 3,\n"
    "    teid_control = 0x77, hop_counter = what >> 6, control = address }\n"
    "end\n"
    "function makers.context_response()\n"
    "  if cause ~= 128 then return { teid = teid, seq = seq, cause = cause } end\n"
    "  return { teid = teid, seq = seq, cause = cause, imsi = '001010000000001', teid_control = 0x78,\n"
    "    control = address, contexts = contexts(), mm = { mode = 1, cksn = 7, kc = ('\\0'):rep(8),\n"
    "    drx = '\\0\\0', capability = '\\0' } }\n"
    "end\n"
    "function makers.identification_response()\n"
    "  return { teid = cause ~= 128 and teid or 0, seq = seq, cause = cause,\n"
    "    imsi = cause == 128 and '001010000000001' or nil }\n"
    "end\n"
    "function makers.context_acknowledge()\n"
    "  return { teid = teid, seq = seq, cause = what & 0x10 == 0 and 128 or 208, user = address,\n"
    "    tunnels = { { nsapi = 5, teid = what >> 5 } } }\n"
    "end\n"
    "function makers.ran_information_relay()\n"
    "  return { seq = what, container = rim:sub(1, 1 + what % #rim), routing_address = rim:sub(5, 12),\n"
    "    discriminator = 0 }\n"
    "end\n"
    "local types = { [0] = 'identification_request', 'context_request', 'context_response',\n"
    "  'identification_response', 'context_acknowledge', 'ran_information_relay' }\n"
    "local message = makers[types[kind]]()\n"
    "message.type = types[kind]\n"
    "return require('wire.gtp_mobility').encode(message)\n";

enum kind { IDENTIFICATION_REQUEST, CONTEXT_REQUEST, CONTEXT_RESPONSE, IDENTIFICATION_RESPONSE, ACKNOWLEDGE };

int gn_sgsns_message(struct fuzz_input *in, const char **from, uint8_t *bytes, size_t cap)
{
    enum { KINDS = 6 };
    unsigned head = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1), kind = (head & 15) % KINDS;
    bool is_acknowledge = kind == ACKNOWLEDGE;
    bool has_contexts = kind == CONTEXT_RESPONSE && ((what & 3) == 0 || (what & 3) == 3);
    int64_t numbers[] = {kind, what, 0, 0, 0, 0, 0, 0};
    if (has_contexts || is_acknowledge || kind == CONTEXT_REQUEST)
        numbers[2] = (int64_t)fuzz_take(in, 1);
    for (unsigned i = 0; has_contexts && i < (what >> 2 & 3); i++)
        numbers[3 + i] = (int64_t)fuzz_take(in, 1);
    numbers[6] = is_acknowledge ? answers[what & 3].teid : questions[what >> 4 & 3].teid;
    numbers[7] = is_acknowledge ? answers[what & 3].seq : questions[what >> 4 & 3].seq;
    *from = senders[(head >> 4) % (sizeof senders / sizeof senders[0])];
    size_t octets = machine_make(message_chunk, numbers, 8, bytes, cap);
    if (fuzz_take(in, 1) >= 0xe0)
        fuzz_spoil(in, bytes, octets);
    return (int)octets;
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

void gn_sgsns_order(struct fuzz_input *in, int64_t now)
{
    unsigned kind = (unsigned)fuzz_take(in, 1), what = (unsigned)fuzz_take(in, 1);
    uint8_t order[ORDER_OCTETS];
    struct core_event_ids ids[GN_MACHINE_SLOTS];
    size_t count = 0;
    const int64_t numbers[] = {(kind & 7) % 6, what, refs[kind >> 3 & 3], 1 + (kind >> 5) % MOBILES};
    for (unsigned slot = 0; slot < GN_MACHINE_SLOTS; slot++)
        if (gn_machine_contexts[slot].is_up)
            ids[count++] = (struct core_event_ids){(uint8_t)(5 + slot), gn_machine_contexts[slot].id};
    size_t octets = machine_make(order_chunk, numbers, 4, order, sizeof order);
    machine_tell(now, gtpc_sgsn, LUA_OCTETS(order, octets), CORE_LIST(ids, ids, count));
}

/* --- what the node sends and tells --- */

/* The TEID and the number that answer a question or a context, and what it is of both; 0: another message. */
static const char *const sent_chunk =
    "local m = assert(require('wire.gtp_mobility').decode((...)))\n"
    "local is_question = m.type == 'context_request' or m.type == 'identification_request'\n"
    "local has_context = m.type == 'context_response' and m.cause == 128\n"
    "local what = is_question and 1 or has_context and 2 or m.type == 'ran_information_relay' and 3 or 0\n"
    "return what << 48 | (m.teid_control or 0) << 16 | m.seq\n";

void gn_sgsns_sent(const uint8_t *bytes, size_t octets, const char *theirs)
{
    static const char *const known[] = {"10.0.6.2", "10.0.6.3"};
    enum { QUESTION = 1, CONTEXT };
    int64_t sent = machine_read(sent_chunk, bytes, octets), what = sent >> 48;
    FUZZ_CHECK(strcmp(theirs, victim) != 0);
    FUZZ_CHECK(what == 0 || strcmp(theirs, known[0]) == 0 || strcmp(theirs, known[1]) == 0);
    const struct seen message = {.teid = (uint32_t)(sent >> 16), .seq = (uint16_t)sent};
    if (what == QUESTION)
        questions[question_count++ % KEPT] = message;
    else if (what == CONTEXT)
        answers[answer_count++ % KEPT] = message;
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
