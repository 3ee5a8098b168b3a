/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker with sequences of frames on Gn and Gb, orders of control, and time. The first two octets choose
 * its optional features. Every step holds the sums of stats.h; the model of worker_model.h holds flow control
 * and what leaves; at the end every buffer is back.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/worker_features.h"
#include "tests/fuzz/worker_model.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"

#include <rte_mbuf.h>

enum { INPUTS = 120, BUFFERS = 255, WAKES = 400, CONTEXTS = 4, WHOLE = 4200, STATUS_NONE = 1000 };

#define OTHER_SGSN_IP (KIT_GGSN_IP + 3)

static struct kit kit;
static bool has_mobile[WORKER_MODEL_MOBILES], has_context[CONTEXTS];

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *unused_count, char ***unused_argv)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* its checks end the process, as FUZZ_CHECK() does */
    FUZZ_CHECK(kit_start(NULL) == 0);
    worker_features_start();
    return 0;
}

/* --- orders --- */

/* Takes all messages of the worker; the status of the answer to the latest order. */
static int take_messages(void)
{
    struct msg msg;
    int status = STATUS_NONE;
    while (kit_take_msg(&kit, &msg)) {
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
        if (msg.type == MSG_ANSWER && msg.seq == kit.seq)
            status = msg.answer.status;
    }
    return status;
}

/* Lets the worker rest, and looks at what it did; when it wants to be called again. */
static int64_t settle(void)
{
    int64_t next = kit_settle(&kit);
    worker_model_take(&kit);
    worker_features_take(&kit);
    return next;
}

static int order(struct msg msg)
{
    take_messages();
    msg.seq = ++kit.seq;
    FUZZ_CHECK(msg_put(kit.worker->rings.to_worker, &msg));
    kit_settle(&kit);
    int status = take_messages();
    FUZZ_CHECK(status != STATUS_NONE);
    if (status == 0) /* orders come before frames in a step */
        worker_model_note(&msg, kit.now);
    worker_model_take(&kit);
    return status;
}

static struct msg context_of(unsigned i)
{
    return kit_pdp(i, i % WORKER_MODEL_MOBILES, (uint8_t)(KIT_NSAPI + i / WORKER_MODEL_MOBILES),
                   KIT_TEID + i);
}

static void change_context(unsigned i)
{
    if (!has_mobile[i % WORKER_MODEL_MOBILES])
        return;
    struct msg msg = has_context[i] ? (struct msg){.type = MSG_PDP_DEL, .slot = i} : context_of(i);
    FUZZ_CHECK(order(msg) == 0);
    has_context[i] = !has_context[i];
}

static void change_mobile(unsigned i)
{
    for (unsigned k = i; has_mobile[i] && k < CONTEXTS; k += WORKER_MODEL_MOBILES)
        if (has_context[k])
            change_context(k);
    struct msg msg =
        has_mobile[i] ? (struct msg){.type = MSG_MS_DEL, .slot = i} : kit_ms(&kit, i, KIT_TLLI + i);
    if (!has_mobile[i])
        worker_model_add(i, kit.now);
    FUZZ_CHECK(order(msg) == 0);
    has_mobile[i] = !has_mobile[i];
}

static struct gb_flow take_flow(struct fuzz_input *in)
{
    uint64_t most = fuzz_take(in, 1) * 100, rate = fuzz_take(in, 1) * 1000;
    return (struct gb_flow){most, rate, most / 2 + 50, rate / 2, -1, 0, false};
}

static void order_cell(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    struct msg msg = {.slot = what & 1};
    if (what < 0xa0) {
        msg.type = MSG_BVC_FLOW;
        msg.flow = take_flow(in);
    } else if (what < 0xe0) {
        msg.type = MSG_BVC_STATE;
        msg.is_unblocked = what & 2;
    } else {
        msg.type = MSG_BVC_RESET;
    }
    order(msg);
}

static void order_mobile(struct fuzz_input *in)
{
    static const uint16_t types[] = {MSG_MS_FLOW, MSG_MS_FLOW,    MSG_MS_DEFAULTS, MSG_MS_SUSPEND,
                                     MSG_MS_CELL, MSG_MS_SUSPEND, MSG_PAGE_END,    MSG_MS_LOST};
    unsigned what = (unsigned)fuzz_take(in, 1);
    struct msg msg = {.type = types[what & 7], .tlli = KIT_TLLI + (what >> 3) % WORKER_MODEL_MOBILES};
    if (msg.type == MSG_MS_FLOW)
        msg.flow = take_flow(in);
    else if (msg.type == MSG_MS_CELL)
        msg.cell = (struct msg_cell){what >> 7, false};
    else
        msg.is_suspended = what & 0x80; /* or is_lost */
    order(msg);
}

static void change(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (what < 0x60)
        change_mobile(what % WORKER_MODEL_MOBILES);
    else if (what < 0xc0)
        change_context(what % CONTEXTS);
    else if (what < 0xe0)
        order((struct msg){.type = MSG_NSVC_STATE, .slot = 0, .is_usable = what & 1});
    else
        order((struct msg){
            .type = MSG_MS_N201, .slot = what % WORKER_MODEL_MOBILES, .n201_u_octets = 140 + what % 8 * 190});
}

/* A mobile comes from another SGSN, or goes there. Orders that do not fit are refused. */
static void order_relocation(struct fuzz_input *in)
{
    static const uint32_t addresses[] = {ADDRESS_NONE, OTHER_SGSN_IP, KIT_SGSN_IP, KIT_GGSN_IP};
    unsigned what = (unsigned)fuzz_take(in, 1), more = (unsigned)fuzz_take(in, 1), address = more & 3;
    uint8_t nsapi = (uint8_t)(KIT_NSAPI + (more >> 2 & 1));
    struct msg msg = {.slot = what >> 3 & 3};
    switch (what & 7) {
    case 0:
    case 1:
        msg.type = MSG_MS_HOLD;
        msg.is_held = !(what & 1);
        break;
    case 2:
    case 3:
        msg.type = MSG_PDP_FORWARD;
        msg.forward =
            (struct forward_to){.ip = addresses[address], .teid = KIT_TEID + (more >> 4), .nsapi = nsapi};
        break;
    case 4:
        msg.type = MSG_PDP_FROM;
        msg.forwarder_ip = addresses[address];
        break;
    case 5:
        msg.type = MSG_PDP_GGSN;
        msg.ggsn = (struct msg_ggsn){addresses[address], KIT_GGSN_TEID + (more >> 4)};
        break;
    case 6:
        msg.type = MSG_MS_RECEIVED;
        msg.received = (struct msg_received){.nsapi = nsapi, .number = (uint8_t)(more >> 4)};
        break;
    default:
        msg.type = MSG_PDP_LLC;
        msg.llc_mode = (struct msg_llc_mode){.is_acknowledged = more & 1,
                                             .is_continued = more & 2,
                                             .send = (uint8_t)(more >> 4),
                                             .receive = (uint8_t)(more >> 2)};
    }
    order(msg);
}

/* --- frames --- */

/* One octet may become another. A port without a free buffer loses the frame. */
static void push(struct fuzz_input *in, struct vport *port, uint8_t *frame, size_t octets)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (octets > 0 && what >= 0xf0)
        frame[fuzz_take(in, 1) % octets] = (uint8_t)fuzz_take(in, 1);
    if (octets > 0)
        (void)vport_push(port, frame, octets);
    settle();
}

static void give_gn(struct fuzz_input *in)
{
    uint8_t frame[KIT_FRAME_OCTETS] = {0};
    unsigned what = (unsigned)fuzz_take(in, 1), length = (unsigned)fuzz_take(in, 1);
    struct gn_frame g_pdu = {
        .teid = KIT_TEID + what % 5, .inner_octets = (uint16_t)(length * 6), .seed = (uint16_t)what};
    g_pdu.gtp_flags = what & 0x80 ? 2 : 0;
    unsigned copies = what & 0x40 ? 8 : 1;
    size_t octets = gn_frame_build(frame, &g_pdu);
    while (--copies > 0)
        (void)vport_push(&kit.gn, frame, octets);
    push(in, &kit.gn, frame, octets);
}

/* From another SGSN, with an N-PDU number or without. */
static void give_forwarded(struct fuzz_input *in)
{
    uint8_t whole[KIT_FRAME_OCTETS] = {0}, frame[KIT_FRAME_OCTETS] = {0};
    unsigned what = (unsigned)fuzz_take(in, 1), number = (unsigned)fuzz_take(in, 1);
    const struct gn_frame g_pdu = {.teid = KIT_TEID + what % 5,
                                   .inner_octets = (uint16_t)(40 + (what >> 4) * 90),
                                   .seed = (uint16_t)what,
                                   .gtp_flags = what & 8 ? 1 : 0};
    size_t octets = gn_frame_build(whole, &g_pdu) - GN_FRAME_GTP;
    if (g_pdu.gtp_flags)
        whole[GN_FRAME_GTP + 10] = (uint8_t)number;
    push(in, &kit.gn, frame,
         gn_frame_wrap(frame, (uint32_t[]){OTHER_SGSN_IP, KIT_SGSN_IP}, (uint16_t[]){2152, 2152},
                       whole + GN_FRAME_GTP, octets));
}

static void give_fragment(struct fuzz_input *in)
{
    uint8_t whole[WHOLE], frame[KIT_FRAME_OCTETS] = {0};
    unsigned what = (unsigned)fuzz_take(in, 1), part = (unsigned)fuzz_take(in, 1);
    struct gn_frame g_pdu = {
        .teid = KIT_TEID, .inner_octets = (uint16_t)(300 + 150 * (what & 15)), .seed = (uint16_t)(what & 15)};
    size_t octets = gn_frame_build(whole, &g_pdu), piece = octets / (2 + (what >> 4) % 3) / 8 * 8;
    push(in, &kit.gn, frame, gn_frame_fragment(frame, whole, octets, piece, part % 5));
}

static void give_gb(struct fuzz_input *in)
{
    static uint8_t n_pdu[1500];
    uint8_t frame[KIT_FRAME_OCTETS] = {0};
    unsigned what = (unsigned)fuzz_take(in, 1), length = (unsigned)fuzz_take(in, 1),
             more = (unsigned)fuzz_take(in, 1);
    unsigned i = what % WORKER_MODEL_MOBILES;
    struct gb_frame_uplink up = {
        .tlli = KIT_TLLI + i,
        .bvci = (uint16_t)(KIT_BVCI + (what >> 4 & 1)),
        .nu = (uint16_t)((llc_entity_nu(kit.worker->context.mobiles[i].llc[1].vur) + (what >> 6)) % 512),
        .segment = more & 7,
        .more = more & 8,
        .number = (uint16_t)(more >> 4 & 3),
        .has_bad_fcs = more >= 0xf0,
        .octets = (uint16_t)(length * 5)};
    gn_frame_inner(n_pdu, up.octets, 1);
    up.data = more & 0x80 ? n_pdu : NULL;
    push(in, &kit.gb, frame, gb_frame_uplink(frame, &up));
}

/* Acknowledged mode: UA, SABM, DM or DISC, else I and S frames of any octets. */
static void give_link(struct fuzz_input *in)
{
    static const uint8_t unnumbered[] = {0xf6, 0xf7, 0xe1, 0xf4};
    uint8_t frame[KIT_FRAME_OCTETS] = {0};
    size_t octets;
    unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t *data = fuzz_take_block(in, what >> 4, &octets);
    const struct gb_frame_uplink up = {.tlli = KIT_TLLI + (what & 3) % WORKER_MODEL_MOBILES,
                                       .control = what & 8 ? unnumbered[octets & 3] : 1 + (what >> 4) * 12,
                                       .octets = (uint16_t)octets,
                                       .data = data};
    push(in, &kit.gb, frame, gb_frame_uplink(frame, &up));
}

/* TCP of a mobile, both ways; its entities of compression. */
static void give_tcp(struct fuzz_input *in)
{
    uint8_t frame[KIT_FRAME_OCTETS] = {0}, packet[KIT_FRAME_OCTETS];
    unsigned what = (unsigned)fuzz_take(in, 1), number = (unsigned)fuzz_take(in, 1), more = number >> 6;
    bool is_up = what & 8;
    unsigned octets = what & 4 && !(is_up && what & 3) ? 100 * (1 + more) : 0;
    uint16_t all = worker_features_segment(packet, is_up, what, number & 0x3f, octets);
    const struct gn_frame g_pdu = {.teid = KIT_TEID, .inner_octets = all};
    struct gb_frame_uplink up = {.nu = llc_entity_nu(kit.worker->context.mobiles[0].llc[1].vur),
                                 .compression = (uint8_t)more,
                                 .octets = all,
                                 .data = packet};
    if (is_up) {
        push(in, &kit.gb, frame, gb_frame_uplink(frame, &up));
        return;
    }
    size_t frame_octets = gn_frame_build(frame, &g_pdu);
    memcpy(frame + GN_FRAME_INNER, packet, all);
    push(in, &kit.gn, frame, frame_octets);
}

static void order_compression(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1), mobile = what >> 3 & 1;
    struct msg msg;
    if (worker_features_compress(mobile, what, &msg))
        order(msg);
}

/* Octets in UDP of a path or of an NS-VC. */
static void give_raw(struct fuzz_input *in)
{
    uint8_t frame[KIT_FRAME_OCTETS] = {0};
    size_t octets;
    unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t *block = fuzz_take_block(in, (size_t)fuzz_take(in, 1), &octets);
    if (what & 1)
        push(in, &kit.gb, frame, gb_frame_wrap(frame, what >> 1 & 1, block, octets));
    else
        push(in, &kit.gn, frame,
             gn_frame_wrap(frame, (uint32_t[]){KIT_GGSN_IP + (what >> 6), KIT_SGSN_IP},
                           (uint16_t[]){2152, what & 2 ? 2123 : 2152}, block, octets));
}

static void wait(struct fuzz_input *in)
{
    int64_t until = kit.now + (INT64_C(1000000) << fuzz_take(in, 1) % 14);
    for (unsigned i = 0; i < WAKES; i++) {
        int64_t next = settle();
        if (next > until)
            break;
        kit.now = next;
    }
    kit.now = until > kit.now ? until : kit.now;
    settle();
}

static void (*const inputs[])(struct fuzz_input *) = {
    give_gn,    give_gn,          give_gb,  wait,           give_fragment,    change,
    order_cell, order_mobile,     give_raw, give_forwarded, order_relocation, give_link,
    give_tcp,   order_compression};

/* --- a sequence --- */

static const struct kit_options plain = {
    .rx_buffers = BUFFERS,
    .tx_buffers = BUFFERS,
    .fragments = 8,
    .reassemblies = 2,
    .has_gtpc = true,
    .has_no_gea = true,
    .abm = {.links = 2,
            .buffers = 16,
            .values = {.n201_i_octets = 1503, .t200_ds = 20, .k_down = 4, .k_up = 4, .n200 = 3},
            .seed = 1},
    .lifetime_ns = 4 * MOMENT_SECOND};

/* The ports stay from one worker to the next. */
static void make(unsigned features)
{
    static struct kit_options options;
    if (!kit.rx_pool) {
        kit_open(&kit, &plain);
        options = kit.options;
        kit_pause(&kit);
    }
    kit.options = options;
    worker_features_choose(features, &kit.options);
    kit_resume(&kit);
    worker_features_begin(&kit);
}

static void begin(unsigned features)
{
    memset(has_mobile, 0, sizeof has_mobile);
    memset(has_context, 0, sizeof has_context);
    worker_model_begin();
    make(features);
    has_mobile[0] = has_context[0] = true;
    worker_model_add(0, kit.now);
    order((struct msg){.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = KIT_BVCI + 1, .nse = 0}});
    order((struct msg){.type = MSG_BVC_STATE, .slot = 1, .is_unblocked = true});
    for (unsigned cell = 0; cell < WORKER_MODEL_CELLS; cell++)
        order((struct msg){
            .type = MSG_BVC_FLOW, .slot = cell, .flow = {20000, 80000, 10000, 40000, -1, 0, false}});
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    begin((unsigned)fuzz_take(&input, 2));
    for (; input.left > 0 && steps < INPUTS; steps++)
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
    fuzz_count_sequence(steps);
    settle();
    take_messages();
    worker_model_end(&kit);
    kit_pause(&kit);
    worker_features_end(&kit);
    return 0;
}
