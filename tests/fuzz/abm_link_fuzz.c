/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of a link with establishment and N-PDUs against any peer: LLC-PDUs from the input, N-PDUs, timers
 * and changes. Each reference that it takes it gives back, its frames decode, and its values stay in their
 * ranges.
 */
#include "dataplane/abm/link.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc_xid.h"
#include "tests/fuzz/fuzz.h"

enum {
    STEPS = 1000,
    SLOTS = 128,
    N_PDUS = 256,
    FRAMES = STEPS,
    MOST_OCTETS = 1500,
    MOST_LLC_OCTETS = 1543,
    MOST_U_OCTETS = 48,
    MOST_IN = 64,
    MOST_OUT = 2000,
};

/* A received frame: the begin of its information. */
struct taken {
    uint8_t bytes[SN_DATA_FIRST_OCTETS], octets;
    bool is_held;
};

static struct link link;
static struct link_kind kind;
static struct abm_sent sent[SLOTS];
static void *stored[SLOTS];
static struct n_pdu n_pdus[N_PDUS];
static unsigned references[N_PDUS];
static struct taken frames[FRAMES];
static unsigned made, held, opened, failed;
static struct n_pdu *mine; /* the caller's, which is half sent */
static uint8_t mine_nsapi;
static int64_t now;
static uint32_t iov;

/* --- callbacks --- */

static unsigned index_of(const struct n_pdu *n_pdu)
{
    FUZZ_CHECK(n_pdu >= n_pdus && n_pdu < n_pdus + N_PDUS);
    return (unsigned)(n_pdu - n_pdus);
}

static void hold(void *unused_arg, struct n_pdu *n_pdu)
{
    (void)unused_arg;
    FUZZ_CHECK(references[index_of(n_pdu)]++ > 0);
}

static void let_go(void *unused_arg, struct n_pdu *n_pdu)
{
    (void)unused_arg;
    FUZZ_CHECK(references[index_of(n_pdu)]-- > 0);
}

static void abandon(void *arg, struct n_pdu *n_pdu)
{
    FUZZ_CHECK(n_pdu != mine && link.state != LINK_ABM);
    let_go(arg, n_pdu);
}

static void open(void *unused_arg, struct link *of)
{
    (void)unused_arg;
    FUZZ_CHECK(of == &link && link.state == LINK_ABM && link.abm.vs == 0 && link.abm.vr == 0);
    opened++;
}

static void fail(void *unused_arg, struct link *of)
{
    (void)unused_arg;
    FUZZ_CHECK(of == &link && link.state != LINK_ADM);
    failed++;
}

static void drop(void *unused_arg, void *frame)
{
    struct taken *taken = frame;
    (void)unused_arg;
    FUZZ_CHECK(taken >= frames && taken < frames + made && taken->is_held);
    taken->is_held = false;
    held--;
}

static uint32_t new_iov(void *unused_arg, const struct link *of)
{
    (void)unused_arg;
    FUZZ_CHECK(of == &link);
    return ++iov;
}

/* --- what always holds --- */

static unsigned total_references(void)
{
    unsigned total = 0;
    for (unsigned i = 0; i < N_PDUS; i++)
        total += references[i];
    return total;
}

/* Of frames from the oldest that is not confirmed, the queue, and what is half sent. */
static void check_references(void)
{
    unsigned total = link.abm.vs - link.abm.confirmed, steps = 0;
    for (const struct n_pdu *n = link.queue.head; n; n = n->next) {
        FUZZ_CHECK(references[index_of(n)] > 0 && ++steps <= N_PDUS);
        total++;
    }
    total += mine != NULL;
    FUZZ_CHECK(link.midway == 0 || (mine && mine->sent_octets > 0));
    FUZZ_CHECK(total_references() == total);
    FUZZ_CHECK(held <= link_receive_slots(&kind));
}

static void check_values(void)
{
    const struct link_values *v = &link.values;
    FUZZ_CHECK(v->n201_i_octets >= 140 && v->n201_i_octets <= 1520 && v->t200_ds > 0 && v->n200 > 0);
    FUZZ_CHECK(v->k_down > 0 && v->k_up > 0);
    FUZZ_CHECK(v->m_down == 0 || 16U * v->m_down >= v->n201_i_octets);
    FUZZ_CHECK(v->m_up == 0 || 16U * v->m_up >= v->n201_i_octets);
    if (link.state != LINK_ABM)
        return;
    const struct link_values *most = &kind.values;
    FUZZ_CHECK(v->k_down <= most->k_down && v->k_up <= most->k_up && v->n201_i_octets <= most->n201_i_octets);
    FUZZ_CHECK(link.abm.vs - link.abm.va <= link_send_slots(&kind) && !link.abm.failure);
}

static void check(void)
{
    bool is_asking = link.state == LINK_SETUP || link.state == LINK_RELEASE;
    check_references();
    check_values();
    FUZZ_CHECK(!is_asking || link.due_ns != MOMENT_NEVER);
    FUZZ_CHECK(link.state != LINK_ADM || (link.due_ns == MOMENT_NEVER && link.abm.vs == link.abm.confirmed));
    FUZZ_CHECK(link.state != LINK_ABM || link.abm.vs == link.abm.va || link.due_ns != MOMENT_NEVER);
    FUZZ_CHECK(is_asking || !(link.owes & (LINK_OWES_SABM | LINK_OWES_DISC)));
}

/* --- frames out --- */

static void check_u(const struct link_frame *out, const uint8_t *bytes)
{
    struct llc u;
    struct llc_xid xid;
    struct llc_frmr frmr;
    uint8_t again[sizeof out->header];
    FUZZ_CHECK(llc_decode(&u, bytes, out->header_octets + (size_t)LLC_FCS_OCTETS) == LLC_U_OCTETS &&
               u.format == LLC_U);
    FUZZ_CHECK(out->header_octets + LLC_FCS_OCTETS <= MOST_U_OCTETS && u.sapi == link.sapi);
    bool is_question = u.command == LLC_SABM || u.command == LLC_DISC;
    FUZZ_CHECK(u.cr == (is_question == kind.is_network));
    const uint8_t *info = bytes + LLC_U_OCTETS;
    if (u.command == LLC_FRMR) {
        FUZZ_CHECK(u.info_octets == LLC_FRMR_OCTETS &&
                   llc_frmr_decode(&frmr, info, u.info_octets) == LLC_FRMR_OCTETS);
    } else if (u.info_octets > 0) {
        FUZZ_CHECK(u.command == LLC_SABM || u.command == LLC_UA);
        FUZZ_CHECK(llc_xid_decode(&xid, info, u.info_octets) == (int)u.info_octets && xid.refused == 0);
        FUZZ_CHECK(llc_xid_encode(again, sizeof again, &xid) == (int)u.info_octets);
        FUZZ_CHECK(memcmp(again, info, u.info_octets) == 0);
        FUZZ_CHECK((xid.has >> LLC_XID_IOV_I & 1) == kind.is_network);
    }
}

static void check_i(const struct link_frame *out, const struct llc_abm *header, int octets)
{
    struct sn_data sn;
    FUZZ_CHECK(out->clear_octets == octets && header->cr == kind.is_network);
    FUZZ_CHECK(octets + sn_data_decode(&sn, out->header + octets, out->header_octets - (size_t)octets) ==
               out->header_octets);
    FUZZ_CHECK(sn.first == (out->offset == 0));
    FUZZ_CHECK(sn.more == (out->offset + out->payload_octets < out->n_pdu->octets));
    FUZZ_CHECK(sn.nsapi == out->n_pdu->number >> 8 &&
               (!sn.first || sn.number == (uint8_t)out->n_pdu->number));
    FUZZ_CHECK(out->count % LLC_NU_MODULUS == header->ns && references[index_of(out->n_pdu)] > 0);
    FUZZ_CHECK(out->header_octets + out->payload_octets + LLC_FCS_OCTETS <= MOST_LLC_OCTETS);
}

static void check_out(const struct link_frame *out)
{
    struct llc_abm header;
    uint8_t bytes[sizeof out->header + LLC_FCS_OCTETS] = {0}, again[LLC_ABM_HEADER_MAX_OCTETS];
    FUZZ_CHECK(out->header_octets <= sizeof out->header);
    memcpy(bytes, out->header, out->header_octets);
    int octets = llc_abm_decode(&header, bytes, out->header_octets + (size_t)LLC_FCS_OCTETS);
    FUZZ_CHECK(out->is_i == (octets > 0 && header.is_i) && out->is_ack == (octets > 0 && !header.is_i));
    if (octets < 0) {
        check_u(out, bytes);
        return;
    }
    FUZZ_CHECK(header.sapi == link.sapi && llc_abm_encode(again, sizeof again, &header) == octets);
    FUZZ_CHECK(memcmp(again, bytes, (size_t)octets) == 0);
    if (out->is_i)
        check_i(out, &header, octets);
}

static void send_owed(struct fuzz_input *in)
{
    struct link_frame out;
    unsigned most = (unsigned)fuzz_take(in, 1), left = MOST_OUT, bound;
    for (unsigned i = 0; i < (most & 0x80 ? MOST_OUT : most) && (bound = link_next_octets(&link)) > 0; i++) {
        FUZZ_CHECK(left-- > 0);
        if (!link_next(&link, now, &out))
            continue;
        check_out(&out);
        FUZZ_CHECK((unsigned)out.header_octets + out.payload_octets + LLC_FCS_OCTETS <= bound);
        check();
    }
    FUZZ_CHECK(link_next_octets(&link) > 0 || !link_next(&link, now, &out));
}

/* --- N-PDUs --- */

static struct n_pdu *make(unsigned octets)
{
    for (unsigned i = 0; i < N_PDUS; i++)
        if (references[i] == 0) {
            references[i] = 1;
            n_pdus[i] = (struct n_pdu){.octets = (uint16_t)octets};
            return &n_pdus[i];
        }
    return NULL;
}

static uint8_t take_nsapi(struct fuzz_input *in)
{
    return (uint8_t)(LINK_NSAPI_MIN + fuzz_take(in, 1) % LINK_NSAPIS);
}

static void put(struct fuzz_input *in)
{
    uint8_t nsapi = take_nsapi(in);
    struct n_pdu *n_pdu = make((unsigned)fuzz_take(in, 2) % (MOST_OCTETS + 1));
    if (n_pdu)
        link_put(&link, n_pdu, nsapi);
}

static void send_segment(bool is_last)
{
    struct link_frame out;
    if (!link.midway) /* acknowledged mode began again behind its first segments */
        mine->sent_octets = 0;
    struct link_segment segment = {.n_pdu = mine, .offset = mine->sent_octets, .nsapi = mine_nsapi};
    unsigned sn = mine->sent_octets ? SN_DATA_LATER_OCTETS : SN_DATA_FIRST_OCTETS;
    unsigned room = link.values.n201_i_octets - sn, left = mine->octets - mine->sent_octets;
    segment.payload_octets = (uint16_t)(left < room ? left : room);
    segment.is_last = is_last;
    if (!link_can_send(&link, 1, segment.payload_octets + sn))
        return;
    link_send(&link, &segment, now, &out);
    mine->sent_octets += segment.payload_octets;
    check_out(&out);
    if (mine->sent_octets < mine->octets)
        return;
    let_go(NULL, mine);
    mine = NULL;
}

static void send_own(struct fuzz_input *in)
{
    unsigned how = (unsigned)fuzz_take(in, 1);
    if (!mine) {
        mine_nsapi = take_nsapi(in);
        mine = make(1 + (unsigned)fuzz_take(in, 2) % MOST_OCTETS);
    }
    for (unsigned i = 0; mine && i < (how & 7); i++)
        send_segment(how & 8);
}

/* --- frames in --- */

static void deliver(void)
{
    struct taken *taken;
    struct sn_data sn;
    while ((taken = link_deliver_take(&link))) {
        if (sn_data_decode(&sn, taken->bytes, taken->octets) > 0)
            link_segment_take(&link, &sn);
        drop(NULL, taken);
    }
}

static void receive(const struct llc_abm *header, const uint8_t *info, size_t begun, uint32_t octets)
{
    FUZZ_CHECK(made < FRAMES);
    struct taken *taken = &frames[made++];
    taken->octets = (uint8_t)(begun < sizeof taken->bytes ? begun : sizeof taken->bytes);
    memcpy(taken->bytes, info, taken->octets);
    taken->is_held = true;
    held++;
    struct abm_taken fate = link_receive(&link, header, taken, octets, now);
    if (!fate.is_kept)
        drop(NULL, taken);
    deliver();
}

/* Octets of the input; their numbers may lie near the link's. */
static void arrive(struct fuzz_input *in)
{
    struct llc_abm header;
    struct llc u;
    size_t octets;
    unsigned near = (unsigned)fuzz_take(in, 1), most = (unsigned)fuzz_take(in, 1) % MOST_IN;
    const uint8_t *block = fuzz_take_block(in, most, &octets);
    uint8_t bytes[MOST_IN + LLC_FCS_OCTETS] = {0};
    memcpy(bytes, block, octets);
    size_t whole = octets + LLC_FCS_OCTETS;
    int at = llc_abm_decode(&header, bytes, whole);
    if (at > 0) {
        if (near & 0x80) {
            header.nr = (link.abm.va + (near & 7) - 1) % LLC_NU_MODULUS;
            header.ns = (link.abm.vr + (near >> 3 & 7) - 1) % LLC_NU_MODULUS;
        }
        size_t info = octets - (size_t)at;
        receive(&header, bytes + at, info, (uint32_t)info * (near & 0x40 ? 40 : 1));
    } else if (at == ERR_MALFORMED && octets > 0) {
        uint8_t *copy = fuzz_copy(bytes, octets);
        link_refuse(&link, copy, octets, (uint8_t)(near & 15), now);
        free(copy);
    } else if (llc_decode(&u, bytes, whole) == LLC_U_OCTETS && u.format == LLC_U) {
        uint8_t *copy = fuzz_copy(bytes + LLC_U_OCTETS, u.info_octets);
        link_receive_u(&link, &u, copy, now);
        free(copy);
    }
}

/* A U frame that the link hears. */
static void answer(struct fuzz_input *in)
{
    static const uint8_t commands[] = {LLC_SABM, LLC_UA, LLC_DM, LLC_DISC, LLC_FRMR};
    unsigned what = (unsigned)fuzz_take(in, 1);
    size_t octets;
    const uint8_t *info = fuzz_take_block(in, fuzz_take(in, 1) % MOST_IN, &octets);
    struct llc u = {.format = LLC_U, .sapi = link.sapi, .info_octets = (uint32_t)octets};
    u.command = commands[what % sizeof commands];
    u.pf = !(what & 0x40);
    u.cr = (u.command == LLC_SABM || u.command == LLC_DISC) != kind.is_network;
    uint8_t *copy = fuzz_copy(info, octets);
    link_receive_u(&link, &u, copy, now);
    free(copy);
}

/* --- time and changes --- */

static void pass_time(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    now += (int64_t)what * 10000000;
    if (what & 1 && link.due_ns != MOMENT_NEVER)
        now = moment_max(now, link.due_ns);
    if (what & 2)
        link_expire(&link, now);
    if ((what & 12) == 12)
        link_pause(&link, now);
}

static struct link_values take_values(struct fuzz_input *in)
{
    struct link_values v = {
        .n201_i_octets = (uint16_t)(140 + fuzz_take(in, 2) % 1381),
        .m_down = (uint16_t)(fuzz_take(in, 1) * 10),
        .m_up = (uint16_t)(fuzz_take(in, 1) * 10),
        .t200_ds = (uint16_t)(1 + fuzz_take(in, 1)),
        .k_down = (uint8_t)(1 + fuzz_take(in, 1) % LINK_MOST_FRAMES),
        .k_up = (uint8_t)(1 + fuzz_take(in, 1) % LINK_MOST_FRAMES),
        .n200 = (uint8_t)(1 + fuzz_take(in, 1) % 15),
    };
    return v;
}

/* Unconfirmed N-PDUs are put again, or let go. */
static void empty(bool is_kept)
{
    struct n_pdu_list unconfirmed = {0};
    struct n_pdu *n_pdu;
    link_empty(&link, &unconfirmed);
    while ((n_pdu = n_pdu_list_take(&unconfirmed)))
        if (is_kept)
            link_put(&link, n_pdu, (uint8_t)(n_pdu->number >> 8));
        else
            let_go(NULL, n_pdu);
    FUZZ_CHECK(held == 0 && link.state == LINK_ADM);
}

static void change(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (what % 16 < 8) {
        link_establish(&link, now);
    } else if (what % 16 == 8) {
        link_release(&link, now);
    } else if (what % 16 == 9) {
        empty(what & 0x10);
    } else if (what % 16 == 10) {
        unsigned nsapi = take_nsapi(in);
        link_forget(&link, nsapi);
        if (mine && mine_nsapi == nsapi) {
            let_go(NULL, mine);
            mine = NULL;
        }
    } else if (what % 16 == 11) {
        struct link_values most = take_values(in);
        link_bound(&link, &most);
    } else {
        link_lost(&link, what & 1);
    }
}

static void begin(struct fuzz_input *in)
{
    kind = (struct link_kind){.values = take_values(in),
                              .is_network = fuzz_take(in, 1) & 1,
                              .hold = hold,
                              .let_go = let_go,
                              .abandon = abandon,
                              .opened = open,
                              .failed = fail,
                              .drop = drop};
    kind.new_iov = kind.is_network ? new_iov : NULL;
    memset(references, 0, sizeof references);
    made = held = opened = failed = 0;
    mine = NULL;
    now = 0;
    link_init(&link, &kind, LLC_SAPI_DATA_3, sent, stored);
}

static void (*const inputs[])(struct fuzz_input *) = {put,    send_own, send_owed, send_owed, arrive,
                                                      arrive, answer,   pass_time, change};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    begin(&input);
    for (; input.left > 0 && steps < STEPS; steps++) {
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
        check();
    }
    fuzz_count_sequence(steps);
    empty(false);
    if (mine)
        let_go(NULL, mine);
    FUZZ_CHECK(total_references() == 0);
    return 0;
}
