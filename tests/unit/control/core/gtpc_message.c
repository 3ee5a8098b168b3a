/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/control/core/gtpc_message.h"

#include <string.h>

static void add(struct gtpc_message_bytes *b, const void *bytes, size_t octets)
{
    memcpy(b->at + b->octets, bytes, octets);
    b->octets += octets;
}

static void add_number(struct gtpc_message_bytes *b, uint64_t value, unsigned octets)
{
    while (octets-- > 0)
        b->at[b->octets++] = (uint8_t)(value >> 8 * octets);
}

static void add_addresses(struct gtpc_message_bytes *b, const struct gtpc_message *m)
{
    uint8_t address[16] = {m->host ? 0x20 : 0, m->host ? 1 : 0, [15] = m->host};
    for (unsigned i = 0; i < 2; i++) {
        if (m->is_over_ipv6)
            memcpy(address, (uint8_t[16]){0x20, 1, [15] = m->from}, sizeof(address));
        if (m->is_over_ipv6 || (i == 1 && m->is_ipv6)) {
            add_number(b, 0x850010, 3);
            add(b, address, sizeof(address));
            continue;
        }
        add_number(b, 0x850004, 3);
        add_number(b, 0x0a000000u + m->from, 4);
    }
}

static void add_elements(struct gtpc_message_bytes *b, const struct gtpc_message *m)
{
    bool is_create = m->type == 16 || m->type == 17, is_request = m->type % 2 == 0;
    if (!is_request)
        add_number(b, 0x0100u | (m->cause ? m->cause : 128), 2);
    if (m->type == 16) /* 262420000000001 */
        add_number(b, 0x02, 1), add_number(b, UINT64_C(0x62420200000000f0) + m->mobile, 8);
    if (m->type == 20 && m->is_teardown)
        add_number(b, 0x13ff, 2);
    if (is_create && !m->has_no_data_teid)
        add_number(b, (UINT64_C(0x10) << 32) + (is_request ? 0x10u : 0x30u) + m->tunnel, 5);
    if (is_create)
        add_number(b, (UINT64_C(0x11) << 32) + (is_request ? 0x20u : 0x40u) + m->tunnel, 5);
    if (is_request)
        add_number(b, 0x1400u | (m->nsapi ? m->nsapi : 5), 2);
    if (m->type == 17)
        add_number(b, 0x800006f1210a0b00, 8), add_number(b, m->tunnel, 1);
    if (is_create)
        add_addresses(b, m);
    if (is_create)
        add_number(b, 0x87000402, 4), add_number(b, 0x23921f, 3);
}

static void add_ip_header(struct gtpc_message_bytes *frame, const struct gtpc_message *m, size_t octets)
{
    const uint8_t from[16] = {0x20, 1, [15] = m->from}, to[16] = {0x20, 1, [15] = m->to};
    if (m->is_over_ipv6) {
        add_number(frame, 0x86dd60000000, 6);
        add_number(frame, octets, 2);
        add_number(frame, 0x1140, 2);
        add(frame, from, sizeof(from));
        add(frame, to, sizeof(to));
        return;
    }
    add_number(frame, 0x08004500, 4);
    add_number(frame, 20 + octets, 2);
    add_number(frame, 0x0000000040110000, 8);
    add_number(frame, 0x0a000000u + m->from, 4);
    add_number(frame, 0x0a000000u + m->to, 4);
}

void gtpc_message_build(struct gtpc_message_bytes *frame, const struct gtpc_message *m)
{
    struct gtpc_message_bytes ie = {.octets = 0};
    add_elements(&ie, m);
    *frame = (struct gtpc_message_bytes){.octets = 0};
    add_number(frame, 0x020000000001, 6);
    add_number(frame, 0x020000000002, 6);
    add_ip_header(frame, m, 8 + 12 + ie.octets);
    add_number(frame, 0x084b084b, 4);
    add_number(frame, 8 + 12 + ie.octets, 2);
    add_number(frame, 0x000032, 3);
    add_number(frame, m->type, 1);
    add_number(frame, 4 + ie.octets, 2);
    add_number(frame, m->teid, 4);
    add_number(frame, m->seq, 2);
    add_number(frame, 0, 2);
    add(frame, ie.at, ie.octets);
}
