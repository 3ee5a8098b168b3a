/* SPDX-License-Identifier: BSD-3-Clause */
/* What a warning says of frames that could not be read. */
#include "tests/unit/unit.h"

#include "capture/unread.h"

#include <stdint.h>
#include <string.h>

static const struct {
    struct capture_link link;
    const char *text;
} kinds[] = {
    {{CAPTURE_LINK_CUT, 0}, "1 cut in front of IP"},
    {{CAPTURE_LINK_PROTOCOL, 0x88cc}, "2 of EtherType 0x88cc (LLDP)"},
    {{CAPTURE_LINK_PROTOCOL, 0x88f7}, "3 of EtherType 0x88f7"},
    {{CAPTURE_LINK_PPP, 0xc021}, "4 of PPP's protocol 0xc021"},
    {{CAPTURE_LINK_LLC, 0x4242}, "5 of IEEE 802.2 LLC, DSAP and SSAP 0x4242"},
    {{CAPTURE_LINK_LABELLED, 0}, "6 with MPLS labels and no IP packet"},
    {{CAPTURE_LINK_UNKNOWN, 105}, "7 of link type 105"},
};

TEST(each_kind)
{
    for (uint64_t i = 0; i < COUNT(kinds); i++) {
        struct capture_unread u = {0};
        struct capture_unread_list list = {0};
        for (uint64_t frame = 0; frame <= i; frame++)
            capture_unread_put(&u, kinds[i].link, 1);
        capture_unread_list_links(&list, &u);
        assert_string_equal(list.text, kinds[i].text);
        assert_int_equal(list.frames, i + 1);
    }
}

/* The most frequent one first; those for which there is no row together; the sum of two captures. */
TEST(order_and_sum)
{
    struct capture_unread u = {0}, all = {0};
    struct capture_unread_list list = {0};
    for (uint32_t type = 0; type < CAPTURE_UNREAD_KINDS + 2; type++)
        capture_unread_put(&u, (struct capture_link){CAPTURE_LINK_PPP, type}, type + 1);
    capture_unread_add(&all, &u);
    capture_unread_add(&all, &u);
    capture_unread_list_links(&list, &all);
    assert_memory_equal(list.text, "16 of PPP's protocol 0x0007, 14 of PPP's protocol 0x0006, ", 58);
    assert_non_null(strstr(list.text, ", 2 of PPP's protocol 0x0000, 38 of other protocols"));
    assert_int_equal(list.frames, 110);
    capture_unread_list_put(&list, 0, "of nothing");
    assert_null(strstr(list.text, "of nothing"));
    capture_unread_list_put(&list, 7, "of mine");
    assert_non_null(strstr(list.text, "protocols, 7 of mine"));
    assert_int_equal(list.frames, 117);
}

/* More than a hundredth. */
TEST(many)
{
    static const struct {
        uint64_t unread, all;
        bool are_many;
    } rows[] = {{0, 0, false},   {0, 9, false},  {1, 9, true},      {1, 99, true},
                {1, 100, false}, {2, 100, true}, {10, 1000, false}, {11, 1000, true}};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(
            capture_unread_are_many(&(struct capture_unread_list){.frames = rows[i].unread}, rows[i].all),
            rows[i].are_many);
}

/* A long list is cut, and its sum is right. */
TEST(long_list)
{
    struct capture_unread_list list = {0};
    for (unsigned i = 0; i < 100; i++)
        capture_unread_list_put(&list, 1, "of a kind whose name is rather long");
    assert_int_equal(list.frames, 100);
    assert_int_equal(strlen(list.text), sizeof(list.text) - 1);
}

UNIT_MAIN(NULL, NULL)
