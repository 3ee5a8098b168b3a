/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/neighbour_ip.h"
#include "tests/unit/unit.h"

#define MAPPED 96

static const struct {
    uint32_t to, via; /* via 0: on the link */
    uint8_t bits;
} table[] = {
    {0, 1, 0},           {0x0a000000, 2, 8},  {0x0a010000, 0, 16},
    {0x0a010200, 3, 24}, {0x0a010280, 4, 25}, {0x0a010281, 0, 32},
};

/* Which of the first `count` routes hold, a destination, and its next hop. */
static const struct {
    unsigned count;
    uint32_t dst, hop;
} rows[] = {
    {0, 0x0a010281, 0x0a010281}, {1, 0xc0000201, 1}, {2, 0x0aff0000, 2}, {2, 0x0b000000, 1},
    {3, 0x0a01ff01, 0x0a01ff01}, {4, 0x0a010201, 3}, {5, 0x0a01027f, 3}, {5, 0x0a010280, 4},
    {6, 0x0a010281, 0x0a010281}, {6, 0x0a010282, 4},
};

TEST(the_longest_prefix_wins)
{
    for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct neighbour_route routes[COUNT(table)];
            for (unsigned k = 0; k < rows[i].count; k++)
                routes[is_reversed ? rows[i].count - 1 - k : k] = (struct neighbour_route){
                    .to = neighbour_ip_v4(table[k].to),
                    .bits = (uint8_t)(MAPPED + table[k].bits),
                    .is_direct = table[k].via == 0,
                    .via = neighbour_ip_v4(table[k].via),
                };
            struct neighbour_ip dst = neighbour_ip_v4(rows[i].dst);
            struct neighbour_ip hop = neighbour_ip_hop(routes, rows[i].count, &dst);
            assert_int_equal(neighbour_ip_to_v4(&hop), rows[i].hop);
        }
    }
}

TEST(addresses_print_and_compare)
{
    static const uint8_t v6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
    struct neighbour_ip a = neighbour_ip_v4(0xc0000201), b = neighbour_ip_v6(v6);
    char text[NEIGHBOUR_IP_CHARS];
    assert_string_equal(neighbour_ip_print(&a, text), "192.0.2.1");
    assert_string_equal(neighbour_ip_print(&b, text), "2001:db8::1");
    assert_true(neighbour_ip_is_v4(&a));
    assert_false(neighbour_ip_is_v4(&b));
    assert_int_equal(neighbour_ip_common_bits(&a, &a), 128);
    struct neighbour_ip c = neighbour_ip_v4(0xc0000281);
    assert_int_equal(neighbour_ip_common_bits(&a, &c), MAPPED + 24);
}

UNIT_MAIN(NULL, NULL)
