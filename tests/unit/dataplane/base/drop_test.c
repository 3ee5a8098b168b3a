/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <string.h>

/* These names are keys in reports and JSON: others read them, so they are spelled a second time here. */
static const struct {
    enum drop reason;
    const char *name;
    bool n_pdu;
} rows[] = {
    {DROP_NONE, "none", false},
    {DROP_NOT_IP, "not_ip", false},
    {DROP_IP_MALFORMED, "ip_malformed", false},
    {DROP_IP_RESERVED_ADDRESS, "ip_reserved_address", false},
    {DROP_IP_EXTENSION, "ip_extension", false},
    {DROP_OTHER_ADDRESS, "other_address", false},
    {DROP_NOT_UDP, "not_udp", false},
    {DROP_OTHER_PORT, "other_port", false},
    {DROP_UDP_MALFORMED, "udp_malformed", false},
    {DROP_UDP_CHECKSUM, "udp_checksum", false},
    {DROP_FRAGMENT_LOST, "fragment_lost", false},
    {DROP_GTPU_MALFORMED, "gtpu_malformed", false},
    {DROP_GTPU_UNSUPPORTED, "gtpu_unsupported", false},
    {DROP_GTPU_OTHER_TYPE, "gtpu_other_type", false},
    {DROP_GTPU_ECHO_RESPONSE, "gtpu_echo_response", false},
    {DROP_GTPU_END_MARKER, "gtpu_end_marker", false},
    {DROP_ESP_KEEPALIVE, "esp_keepalive", false},
    {DROP_ESP_DUMMY, "esp_dummy", false},
    {DROP_XWORKER_FULL, "xworker_full", false},
    {DROP_NO_BUFFER, "no_buffer", false},
    {DROP_GTPC, "gtpc", false},
    {DROP_NS_MALFORMED, "ns_malformed", false},
    {DROP_UNKNOWN_NSVC, "unknown_nsvc", false},
    {DROP_PUNT_FULL, "punt_full", false},
    {DROP_UNKNOWN_TLLI, "unknown_tlli", false},
    {DROP_LLC_MALFORMED, "llc_malformed", false},
    {DROP_LLC_FCS, "llc_fcs", false},
    {DROP_LLC_OLD, "llc_old", false},
    {DROP_SNDCP_MALFORMED, "sndcp_malformed", false},
    {DROP_SNDCP_NO_CONTEXT, "sndcp_no_context", false},
    {DROP_SNDCP_MODE, "sndcp_mode", false},
    {DROP_SNDCP_INCOMPLETE, "sndcp_incomplete", false},
    {DROP_SNDCP_LIMIT, "sndcp_limit", false},
    {DROP_UL_MALFORMED, "ul_malformed", false},
    {DROP_UL_VERSION, "ul_version", false},
    {DROP_UL_SOURCE, "ul_source", false},
    {DROP_UL_INFRASTRUCTURE, "ul_infrastructure", false},
    {DROP_UL_TOO_LONG, "ul_too_long", false},
    {DROP_UNKNOWN_TEID, "unknown_teid", true},
    {DROP_STALE_TEID, "stale_teid", true},
    {DROP_NPDU_MALFORMED, "npdu_malformed", true},
    {DROP_NPDU_TOO_LONG, "npdu_too_long", true},
    {DROP_QUEUE_FULL, "queue_full", true},
    {DROP_DUPLICATE, "duplicate", true},
    {DROP_LIFETIME, "lifetime", true},
    {DROP_PARTIAL, "partial", true},
    {DROP_MOVE_FULL, "move_full", true},
    {DROP_CONTEXT_DELETED, "context_deleted", true},
};

#define ROWS (COUNT(rows))

TEST(reasons_have_these_names_and_kinds)
{
    for (size_t i = 0; i < ROWS; i++) {
        assert_string_equal(drop_name(rows[i].reason), rows[i].name);
        assert_int_equal(drop_is_npdu(rows[i].reason), rows[i].n_pdu);
    }
}

/* Frames that a protocol says to ignore are no loss. */
TEST(ignored_frames_are_handled)
{
    static const enum drop ignored[] = {DROP_GTPU_OTHER_TYPE, DROP_GTPU_END_MARKER},
                           lost[] = {DROP_GTPU_UNSUPPORTED, DROP_NOT_UDP};
    assert_true(drop_is_handled(DROP_ESP_KEEPALIVE) && drop_is_handled(DROP_ESP_DUMMY));
    assert_true(!drop_is_handled(DROP_ESP_MISSING) && !drop_is_handled(DROP_ESP_MALFORMED));
    for (size_t i = 0; i < COUNT(ignored); i++)
        assert_true(drop_is_handled(ignored[i]));
    for (size_t i = 0; i < COUNT(lost); i++)
        assert_false(drop_is_handled(lost[i]));
}

/* A reason that joins the enum without a name, or a name that two share, would merge two counters. */
TEST(every_reason_has_a_name_of_its_own)
{
    for (int a = 0; a < DROP_COUNT; a++) {
        assert_string_not_equal(drop_name((enum drop)a), "?");
        for (int b = 0; b < a; b++)
            assert_string_not_equal(drop_name((enum drop)a), drop_name((enum drop)b));
    }
}

TEST(out_of_range_is_a_question_mark)
{
    static const int outside[] = {DROP_COUNT, DROP_COUNT + 1, 255, INT32_MAX, -1, INT32_MIN};
    for (size_t i = 0; i < COUNT(outside); i++)
        assert_string_equal(drop_name((enum drop)outside[i]), "?");
}

UNIT_MAIN(NULL, NULL)
