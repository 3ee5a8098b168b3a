/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_xid.h"

#include <stdbool.h>
#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"

enum { LONG_FORM = 0x80, SHORT_OCTETS = 3, TYPE_MASK = 31 };

static const struct llc_xid_row rows[LLC_XID_TYPES] = {
    [LLC_XID_VERSION] = {"version", 1, 0x0f, 0, 15},
    [LLC_XID_IOV_UI] = {"iov_ui", 4, UINT32_MAX, 0, UINT32_MAX},
    [LLC_XID_IOV_I] = {"iov_i", 4, UINT32_MAX, 0, UINT32_MAX},
    [LLC_XID_T200] = {"t200_ds", 2, 0x0fff, 1, 4095},
    [LLC_XID_N200] = {"n200", 1, 0x0f, 1, 15},
    [LLC_XID_N201_U] = {"n201_u_octets", 2, 0x07ff, 140, 1520},
    [LLC_XID_N201_I] = {"n201_i_octets", 2, 0x07ff, 140, 1520},
    [LLC_XID_M_D] = {"m_d", 2, 0x7fff, 9, 24320},
    [LLC_XID_M_U] = {"m_u", 2, 0x7fff, 9, 24320},
    [LLC_XID_K_D] = {"k_d", 1, 0xff, 1, 255},
    [LLC_XID_K_U] = {"k_u", 1, 0xff, 1, 255},
};

/* Columns of table 9 in the order of the SAPIs; all user data SAPIs share N201. */
static const struct defaults {
    uint8_t sapi, k;
    uint16_t t200_ds, n201_u_octets, m;
} defaults[] = {
    {LLC_SAPI_GMM, 0, 50, 400, 0},        {LLC_SAPI_TOM2, 0, 50, 270, 0},
    {LLC_SAPI_DATA_3, 16, 50, 500, 1520}, {LLC_SAPI_DATA_5, 8, 100, 500, 760},
    {LLC_SAPI_SMS, 0, 200, 270, 0},       {LLC_SAPI_TOM8, 0, 200, 270, 0},
    {LLC_SAPI_DATA_9, 4, 200, 500, 380},  {LLC_SAPI_DATA_11, 2, 400, 500, 190},
};

enum { DEFAULT_N200 = 3, DEFAULT_N201_I_OCTETS = 1503, IOV_I_STEP_LOG2 = 27 };

const struct llc_xid_row *llc_xid_row_get(unsigned type)
{
    return type < LLC_XID_L3 ? &rows[type] : NULL;
}

static uint32_t default_of(enum llc_xid_type type, const struct defaults *d)
{
    switch (type) {
    case LLC_XID_T200:
        return d->t200_ds;
    case LLC_XID_N200:
        return DEFAULT_N200;
    case LLC_XID_N201_U:
        return d->n201_u_octets;
    case LLC_XID_N201_I:
        return d->k ? DEFAULT_N201_I_OCTETS : 0;
    case LLC_XID_IOV_I:
        return d->k ? (uint32_t)d->sapi << IOV_I_STEP_LOG2 : 0;
    case LLC_XID_M_D:
    case LLC_XID_M_U:
        return d->m;
    case LLC_XID_K_D:
    case LLC_XID_K_U:
        return d->k;
    default:
        return 0;
    }
}

uint32_t llc_xid_default_get(enum llc_xid_type type, unsigned sapi)
{
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (defaults[i].sapi == sapi)
            return default_of(type, &defaults[i]);
    return 0;
}

int llc_xid_item_decode(struct llc_xid_item *out, const uint8_t *bytes, size_t len)
{
    *out = (struct llc_xid_item){0};
    if (len < 1)
        return ERR_TRUNCATED;
    out->type = bytes[0] >> 2 & TYPE_MASK;
    size_t at = 1, octets = bytes[0] & 3;
    if (bytes[0] & LONG_FORM) {
        if (len < 2)
            return ERR_TRUNCATED;
        octets = octets << 6 | bytes[1] >> 2;
        at = 2;
    }
    if (octets > len - at)
        return ERR_TRUNCATED;
    out->octets = (uint8_t)octets;
    out->value = bytes + at;
    return (int)(at + octets);
}

int llc_xid_item_encode(uint8_t *bytes, size_t cap, const struct llc_xid_item *in)
{
    size_t at = in->octets > SHORT_OCTETS ? 2 : 1;
    if (in->type > TYPE_MASK)
        return ERR_RANGE;
    if (cap < at + in->octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)(in->type << 2 | in->octets);
    if (at == 2) {
        bytes[0] = (uint8_t)(LONG_FORM | in->type << 2 | in->octets >> 6);
        bytes[1] = (uint8_t)(in->octets << 2);
    }
    if (in->octets)
        memcpy(bytes + at, in->value, in->octets);
    return (int)at + in->octets;
}

static bool is_allowed(unsigned type, uint32_t value)
{
    const struct llc_xid_row *row = &rows[type];
    bool is_m = type == LLC_XID_M_D || type == LLC_XID_M_U;
    return (value >= row->min && value <= row->max) || (is_m && value == 0);
}

static uint32_t value_get(const struct llc_xid_item *item)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < item->octets; i++)
        value = value << 8 | item->value[i];
    return value;
}

/* False: the item counts as absent. */
static bool llc_xid_take(struct llc_xid *out, const struct llc_xid_item *item, bool is_first)
{
    if (out->has >> item->type & 1)
        return false;
    if (item->type == LLC_XID_RESET)
        return is_first && item->octets == 0;
    if (item->type == LLC_XID_L3) {
        out->l3 = item->value;
        out->l3_octets = item->octets;
        return true;
    }
    const struct llc_xid_row *row = &rows[item->type];
    uint32_t value = item->octets == row->octets ? value_get(item) & row->mask : 0;
    if (item->octets != row->octets || !is_allowed(item->type, value))
        return false;
    out->value[item->type] = value;
    return true;
}

int llc_xid_decode(struct llc_xid *out, const uint8_t *bytes, size_t len)
{
    *out = (struct llc_xid){0};
    for (size_t at = 0; at < len;) {
        struct llc_xid_item item;
        int octets = llc_xid_item_decode(&item, bytes + at, len - at);
        if (octets < 0)
            return octets;
        if (item.type < LLC_XID_TYPES) {
            uint16_t bit = (uint16_t)(1u << item.type);
            *(llc_xid_take(out, &item, at == 0) ? &out->has : &out->refused) |= bit;
        }
        at += (size_t)octets;
    }
    return (int)len;
}

/* The item of a type, its number written to room. ERR_RANGE, or 0. */
static int item_of(struct llc_xid_item *item, uint8_t room[4], const struct llc_xid *in, unsigned type)
{
    *item = (struct llc_xid_item){.type = (uint8_t)type};
    if (type == LLC_XID_RESET)
        return 0;
    if (type == LLC_XID_L3) {
        item->value = in->l3;
        item->octets = in->l3_octets;
        return 0;
    }
    if (!is_allowed(type, in->value[type]))
        return ERR_RANGE;
    bytes_put_u32(room, in->value[type]);
    item->octets = rows[type].octets;
    item->value = room + 4 - item->octets;
    return 0;
}

int llc_xid_encode(uint8_t *bytes, size_t cap, const struct llc_xid *in)
{
    size_t done = 0;
    for (unsigned i = 0; i < LLC_XID_TYPES; i++) {
        unsigned type = i == 0 ? LLC_XID_RESET : i - 1;
        struct llc_xid_item item;
        uint8_t room[4];
        if (!(in->has >> type & 1))
            continue;
        int n = item_of(&item, room, in, type);
        if (n == 0)
            n = llc_xid_item_encode(bytes + done, cap - done, &item);
        if (n < 0)
            return n;
        done += (size_t)n;
    }
    return (int)done;
}
