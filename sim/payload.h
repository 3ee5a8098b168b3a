/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The payload of a stream: its key and the position determine each octet, so a receiver can check it. It is
 * random, or text, which V.42bis compresses as it does web pages. Text is made of words of seven letters and
 * a space, in pages of 8192 octets:
 *
 *     90 of 256 words of a page are one of 8 of its own: number 8 x a x b x c, with a, b, c uniform in 0 ..
 * 1; all others are new; letters have about the shares of English
 *
 * The numbers 90 and 8 are fitted, to what V.42bis with 2048 codewords and strings of 20 octets saves of the
 * first 8000 octets of 94 web pages: those of more than 8 kB of the test-pages of mozilla/readability, commit
 * ab4027a8, shuffled. In per cent, with N-PDUs of this payload:
 *
 *     octets of payload                             256    536   1000   1400
 *     a new dictionary for each N-PDU, pages       22.8   31.3   36.7   39.9
 *     a new dictionary for each N-PDU, text        22.3   31.3   37.2   40.3
 *     one dictionary for all pages, pages          51.5   52.0   52.3   52.6
 *     one dictionary for all pages, text           51.2   51.8   52.1   52.0
 *
 * Longer pages repeat themselves more (50 kB: 45 and 60 % with 1400 octets), which this text does not.
 */
#ifndef SIM_PAYLOAD_H
#define SIM_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum payload_content { PAYLOAD_ZEROS, PAYLOAD_RANDOM, PAYLOAD_TEXT };

#define PAYLOAD_KEY_TEXT (UINT64_C(1) << 32)

/* The key of a stream of random octets or text, the same at both ends. */
static inline uint64_t payload_key(uint16_t src_port, uint16_t dst_port, bool is_text)
{
    return (uint64_t)src_port << 16 | dst_port | (is_text ? PAYLOAD_KEY_TEXT : 0);
}

void payload_fill(uint8_t *bytes, uint32_t octets, uint64_t key, uint64_t place);

/* The number of octets that differ from the payload. */
uint32_t payload_mismatches(const uint8_t *bytes, uint32_t octets, uint64_t key, uint64_t place);

#endif
