/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/qos.h"

#include "dataplane/base/bytes.h"

#include <stdbool.h>

static int64_t base_rate_kbps(unsigned code)
{
    if (code < 0x40)
        return code;
    if (code < 0x80)
        return 64 + (code - 0x40) * 8;
    return code == 0xff ? 0 : 576 + (code - 0x80) * 64;
}

/* Codes above the last defined one have its value. */
static int64_t extended_rate_kbps(int64_t code)
{
    if (code <= 0x4a)
        return 8600 + code * 100;
    if (code <= 0xba)
        return (16 + code - 0x4a) * 1000;
    return (128 + ((code > 0xfa ? 0xfa : code) - 0xba) * 2) * 1000;
}

/* An extension octet counts only behind the highest base rate. */
static int64_t rate_bps(unsigned code, unsigned extension)
{
    if (code == 0)
        return QOS_RATE_UNSET;
    return 1000 * (code == 0xfe && extension ? extended_rate_kbps(extension) : base_rate_kbps(code));
}

static uint16_t sdu_octets(unsigned code)
{
    static const uint16_t high[] = {1502, 1510, 1520};
    if (code <= 150)
        return (uint16_t)(code * 10);
    return code <= 0x99 ? high[code - 0x97] : 0;
}

static uint16_t delay_ms(unsigned code)
{
    if (code < 16)
        return (uint16_t)(code * 10);
    if (code < 32)
        return (uint16_t)(200 + (code - 16) * 50);
    return code < 63 ? (uint16_t)(1000 + (code - 32) * 100) : 0;
}

static void decode_r99(struct qos *out, const uint8_t *bytes, size_t len)
{
    uint8_t more[5] = {0}; /* octets 12 to 16, where present */
    for (size_t i = 0; i < sizeof more && QOS_R99_OCTETS + i < len; i++)
        more[i] = bytes[QOS_R99_OCTETS + i];
    out->traffic_class = bytes[3] >> 5;
    out->delivery_order = bytes[3] >> 3 & 3;
    out->erroneous_sdu = bytes[3] & 7;
    out->max_sdu_octets = sdu_octets(bytes[4]);
    out->transfer_delay_ms = delay_ms(bytes[8] >> 2);
    out->thp = bytes[8] & 3;
    out->signalling = more[0] >> 4 & 1;
    out->max_rate_up_bps = rate_bps(bytes[5], more[3]);
    out->max_rate_down_bps = rate_bps(bytes[6], more[1]);
    out->guaranteed_rate_up_bps = rate_bps(bytes[9], more[4]);
    out->guaranteed_rate_down_bps = rate_bps(bytes[10], more[2]);
}

int qos_decode(struct qos *out, const uint8_t *bytes, size_t len)
{
    if (len < QOS_R97_OCTETS)
        return ERR_TRUNCATED;
    if (len > QOS_R97_OCTETS && len < QOS_R99_OCTETS)
        return ERR_MALFORMED;
    *out = (struct qos){
        .max_rate_up_bps = QOS_RATE_UNSET,
        .max_rate_down_bps = QOS_RATE_UNSET,
        .guaranteed_rate_up_bps = QOS_RATE_UNSET,
        .guaranteed_rate_down_bps = QOS_RATE_UNSET,
        .delay_class = bytes[0] >> 3 & 7,
        .reliability_class = bytes[0] & 7,
        .peak_class = bytes[1] >> 4,
        .precedence = bytes[1] & 7,
        .mean_class = bytes[2] & 31,
    };
    if (len >= QOS_R99_OCTETS)
        decode_r99(out, bytes, len);
    return (int)len;
}

static enum qclass interactive(unsigned priority)
{
    return priority == 1 ? QCLASS_THP1 : priority == 2 ? QCLASS_THP2 : QCLASS_THP3;
}

enum qclass qos_qclass(const struct qos *qos)
{
    switch (qos->traffic_class) {
    case QOS_CONVERSATIONAL:
        return QCLASS_CONVERSATIONAL;
    case QOS_STREAMING:
        return QCLASS_STREAMING;
    case QOS_INTERACTIVE:
        return interactive(qos->thp);
    case QOS_BACKGROUND:
        return QCLASS_BACKGROUND;
    default:
        return qos->delay_class >= 1 && qos->delay_class <= 3 ? interactive(qos->delay_class)
                                                              : QCLASS_BACKGROUND;
    }
}
