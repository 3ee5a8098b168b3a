/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers of ciphered frames in clear, as they pass and later. */
#include "sim/gb_wire.h"
#include "tests/unit/unit.h"

#include <string.h>

#define FRAME_OCTETS 60
#define FRAMES       1400

static const struct llc_key key = {
    .key = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}, .iov_ui = 99, .algorithm = 3};

static struct llc_tap fresh(void)
{
    return (struct llc_tap){.key = key, .gea = gea_init("portable", NULL)};
}

/* Header and SNDCP header of the count-th frame in clear; the rest counts on. */
static void clear_frame(uint8_t *frame, uint32_t count)
{
    for (unsigned i = 0; i < FRAME_OCTETS; i++)
        frame[i] = (uint8_t)(i + count);
    frame[0] = 0x43;
    frame[1] = (uint8_t)(0xc0 | (count % 512) >> 6);
    frame[2] = (uint8_t)((count & 63) << 2 | 3);
}

static void ciphered_frame(const struct llc_tap *tap, uint8_t *frame, uint32_t count)
{
    struct gea_job job = {key.key, frame + 3, llc_cipher_input(key.iov_ui, 3, count), FRAME_OCTETS - 3,
                          GEA_DOWNLINK};
    clear_frame(frame, count);
    gea_cipher_burst(tap->gea, &job, 1);
}

TEST(passes)
{
    struct llc_tap tap = fresh();
    uint8_t frame[FRAME_OCTETS], clear[FRAME_OCTETS];

    for (uint32_t count = 0; count < FRAMES; count++) {
        ciphered_frame(&tap, frame, count);
        clear_frame(clear, count);
        assert_memory_equal(llc_tap_pass(&tap, frame, FRAME_OCTETS), clear, LLC_TAP_OCTETS);
        for (uint32_t ago = 0; ago < 512 && ago <= count; ago += 73) {
            ciphered_frame(&tap, frame, count - ago);
            clear_frame(clear, count - ago);
            assert_memory_equal(llc_tap_passed(&tap, frame, FRAME_OCTETS), clear, LLC_TAP_OCTETS);
        }
    }
}

/* What is in clear, or no UI frame, is left alone. */
TEST(left_alone)
{
    struct llc_tap tap = fresh();
    uint8_t frame[FRAME_OCTETS];

    clear_frame(frame, 1);
    frame[2] &= (uint8_t)~2;
    assert_ptr_equal(llc_tap_pass(&tap, frame, FRAME_OCTETS), frame);
    assert_ptr_equal(llc_tap_passed(&tap, frame, FRAME_OCTETS), frame);
    frame[1] = 0xfb;
    assert_ptr_equal(llc_tap_pass(&tap, frame, FRAME_OCTETS), frame);
    assert_ptr_equal(llc_tap_pass(&tap, frame, 2), frame);
    tap.key.algorithm = 0;
    ciphered_frame(&tap, frame, 1);
    assert_ptr_equal(llc_tap_pass(&tap, frame, FRAME_OCTETS), frame);
}

/* The shortest frame that can be: no information. */
TEST(short_frame)
{
    struct llc_tap tap = fresh();
    uint8_t frame[] = {0x43, 0xc0, 0x03, 0, 0, 0};
    assert_ptr_equal(llc_tap_pass(&tap, frame, sizeof(frame)), tap.clear);
}

UNIT_MAIN(NULL, NULL)
