/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of an LLC link in acknowledged mode against any peer: frames from the input, sending, time, busy
 * receivers and cell changes. Each frame that it takes it gives back once, and it keeps its windows.
 */
#include "dataplane/abm/abm.h"
#include "tests/fuzz/fuzz.h"

enum { STEPS = 2000, SLOTS = 256, FRAMES = 4 * STEPS, N201_I = 200 };

static struct abm a;
static struct abm_sent sent[SLOTS];
static void *stored[SLOTS];
static uint8_t held[FRAMES]; /* by the link; a frame is its place in here */
static uint32_t made, in_link;

static void *give(void)
{
    FUZZ_CHECK(made < FRAMES);
    held[made] = 1;
    in_link++;
    return &held[made++];
}

static void get_back(void *frame)
{
    uint8_t *at = frame;
    FUZZ_CHECK(at >= held && at < held + made && *at == 1);
    *at = 0;
    in_link--;
}

static void check(void)
{
    FUZZ_CHECK(a.vs - a.va <= a.params.k_send && a.va - a.confirmed <= SLOTS);
    FUZZ_CHECK(a.waiting <= a.vs - a.va && in_link <= a.vs - a.confirmed + a.params.k_receive);
    FUZZ_CHECK(a.params.send_octets == 0 || a.octets_out <= a.params.send_octets);
    FUZZ_CHECK(a.failure || a.is_timed || a.vs == a.va);
}

static void check_header(const struct llc_abm *header)
{
    uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS + LLC_FCS_OCTETS] = {0};
    struct llc_abm again;
    int octets = llc_abm_encode(bytes, LLC_ABM_HEADER_MAX_OCTETS, header);
    FUZZ_CHECK(octets > 0 && (unsigned)octets == llc_abm_octets(header));
    FUZZ_CHECK(llc_abm_decode(&again, bytes, (size_t)octets + LLC_FCS_OCTETS) == octets);
}

static void give_frame(struct fuzz_input *in)
{
    struct llc_abm header;
    uint32_t octets = (uint32_t)fuzz_take(in, 1);
    if (!abm_can_send(&a, octets))
        return;
    struct abm_frame frame = {.frame = give(), .octets = (uint16_t)octets, .is_last = octets & 1};
    abm_send(&a, &frame, &header);
    check_header(&header);
}

static void take_owed(struct fuzz_input *in)
{
    struct abm_repeat repeat;
    struct llc_abm report;
    unsigned left = SLOTS;
    while (abm_repeat_take(&a, fuzz_take(in, 1) & 1, &repeat)) {
        FUZZ_CHECK(held[(uint8_t *)repeat.frame - held] == 1 && repeat.count - a.va < a.vs - a.va &&
                   left-- > 0);
        check_header(&repeat.header);
    }
    if (abm_report_take(&a, &report))
        check_header(&report);
    FUZZ_CHECK(!abm_report_take(&a, &report));
}

static void settle(void)
{
    void *frame;
    while ((frame = abm_deliver_take(&a)))
        get_back(frame);
    while ((frame = abm_confirm_take(&a)))
        get_back(frame);
}

/* A frame whose octets are the input's, or one whose numbers lie near the link's. */
static void arrive(struct fuzz_input *in)
{
    struct llc_abm header;
    uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS + LLC_FCS_OCTETS] = {3};
    size_t octets;
    const uint8_t *block = fuzz_take_block(in, fuzz_take(in, 1) % LLC_ABM_HEADER_MAX_OCTETS, &octets);
    uint8_t near = (uint8_t)fuzz_take(in, 1);
    memcpy(bytes + 1, block, octets);
    if (llc_abm_decode(&header, bytes, 1 + octets + LLC_FCS_OCTETS) < 0)
        return;
    if (near & 0x80) {
        header.nr = (a.va + (near & 7) - 1) % LLC_NU_MODULUS;
        header.ns = (a.vr + (near >> 3 & 7) - 1) % LLC_NU_MODULUS;
    }
    void *frame = give();
    struct abm_taken taken = abm_receive(&a, &header, frame, near % 4 ? near : 0);
    FUZZ_CHECK(taken.is_kept == (taken.fate == ABM_FATE_NEXT || taken.fate == ABM_FATE_STORED));
    FUZZ_CHECK(taken.why == 0 || (taken.fate == ABM_FATE_REFUSED && a.failure == ABM_FAILED_FRMR));
    if (!taken.is_kept)
        get_back(frame);
}

static void change(struct fuzz_input *in)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (what % 4 == 0)
        abm_set_busy(&a, what & 4);
    else if (what % 4 == 1)
        abm_repeat_all(&a);
    else
        abm_t201(&a);
    abm_timer_take(&a);
}

static void empty(void)
{
    void *frame;
    while ((frame = abm_drop_take(&a)))
        get_back(frame);
    FUZZ_CHECK(in_link == 0);
}

static void establish(struct fuzz_input *in)
{
    struct abm_params params = {.sapi = 3, .n201_i_octets = N201_I, .is_network = true};
    params.k_send = (uint8_t)(fuzz_take(in, 1) | 1);
    params.k_receive = (uint8_t)(fuzz_take(in, 1) | 1);
    params.n200 = (uint8_t)(fuzz_take(in, 1) % 8);
    params.i_bitmap_octets = (uint8_t)(fuzz_take(in, 1) % 33);
    params.send_octets = params.n200 & 1 ? N201_I * (1 + params.n200) : 0;
    FUZZ_CHECK(abm_init(&a, &params, sent, stored) == 0);
}

static void (*const inputs[])(struct fuzz_input *) = {give_frame, arrive, arrive, take_owed, change};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    unsigned steps = 0;
    made = in_link = 0;
    establish(&input);
    for (; input.left > 0 && steps < STEPS; steps++) {
        inputs[fuzz_take(&input, 1) % (sizeof inputs / sizeof inputs[0])](&input);
        settle();
        check();
        if (a.failure) {
            empty();
            establish(&input);
        }
    }
    fuzz_count_sequence(steps);
    empty();
    return 0;
}
