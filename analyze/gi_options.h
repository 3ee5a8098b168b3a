/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a TCP header (RFC 9293 3.1, RFC 7323, RFC 2018), as far as they were captured. */
#ifndef ANALYZE_GI_OPTIONS_H
#define ANALYZE_GI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GI_OPTIONS_SACKS = 4, GI_OPTIONS_NO_SCALE = 255, GI_OPTIONS_MOST_SCALE = 14 };

struct gi_options {
    uint32_t sack_left[GI_OPTIONS_SACKS], sack_right[GI_OPTIONS_SACKS];
    uint8_t sacks;
    uint8_t window_scale; /* GI_OPTIONS_NO_SCALE: no such option */
    bool has_sack_permitted, has_timestamp;
    bool is_cut;                /* further options were not captured or are malformed */
    uint32_t ts_value, ts_echo; /* while has_timestamp */
};

/* Decodes `octets` octets of options of which `captured` were captured; a truncated or malformed option ends
 * the decoding. */
void gi_options_decode(struct gi_options *out, const uint8_t *bytes, size_t captured, size_t octets);

#endif
