/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_options.h"

#include "dataplane/base/bytes.h"

enum { END = 0, NO_OPERATION = 1, WINDOW_SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMP = 8 };

static void read_sacks(struct gi_options *out, const uint8_t *bytes, size_t octets)
{
    for (size_t at = 2; at + 8 <= octets && out->sacks < GI_OPTIONS_SACKS; at += 8) {
        out->sack_left[out->sacks] = bytes_get_u32(bytes + at);
        out->sack_right[out->sacks++] = bytes_get_u32(bytes + at + 4);
    }
}

static void read_timestamp(struct gi_options *out, const uint8_t *bytes, size_t octets)
{
    if (octets != 10)
        return;
    out->has_timestamp = true;
    out->ts_value = bytes_get_u32(bytes + 2);
    out->ts_echo = bytes_get_u32(bytes + 6);
}

static void read_one(struct gi_options *out, const uint8_t *bytes, size_t octets)
{
    switch (bytes[0]) {
    case WINDOW_SCALE:
        if (octets == 3)
            out->window_scale = bytes[2] < GI_OPTIONS_MOST_SCALE ? bytes[2] : GI_OPTIONS_MOST_SCALE;
        break;
    case SACK_PERMITTED:
        out->has_sack_permitted = true;
        break;
    case SACK:
        read_sacks(out, bytes, octets);
        break;
    case TIMESTAMP:
        read_timestamp(out, bytes, octets);
        break;
    default:
        break;
    }
}

void gi_options_decode(struct gi_options *out, const uint8_t *bytes, size_t captured, size_t octets)
{
    out->sacks = 0;
    out->window_scale = GI_OPTIONS_NO_SCALE;
    out->has_sack_permitted = out->has_timestamp = false;
    out->is_cut = captured < octets;
    for (size_t at = 0; at < captured && bytes[at] != END;) {
        if (bytes[at] == NO_OPERATION) {
            at++;
            continue;
        }
        if (at + 2 > captured || bytes[at + 1] < 2 || at + bytes[at + 1] > captured) {
            out->is_cut = true;
            return;
        }
        read_one(out, bytes + at, bytes[at + 1]);
        at += bytes[at + 1];
    }
}
