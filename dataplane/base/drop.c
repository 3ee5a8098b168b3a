/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/drop.h"

static const char *const names[DROP_COUNT] = {
    [DROP_NONE] = "none",
    [DROP_NOT_IP] = "not_ip",
    [DROP_IP_MALFORMED] = "ip_malformed",
    [DROP_OTHER_ADDRESS] = "other_address",
    [DROP_NOT_UDP] = "not_udp",
    [DROP_OTHER_PORT] = "other_port",
    [DROP_UDP_MALFORMED] = "udp_malformed",
    [DROP_TOO_LONG] = "too_long",
    [DROP_FRAGMENT_LOST] = "fragment_lost",
    [DROP_GTPU_MALFORMED] = "gtpu_malformed",
    [DROP_GTPU_UNSUPPORTED] = "gtpu_unsupported",
    [DROP_GTPU_OTHER_TYPE] = "gtpu_other_type",
    [DROP_GTPU_ECHO] = "gtpu_echo",
    [DROP_GTPU_ERROR] = "gtpu_error",
    [DROP_GTPU_END_MARKER] = "gtpu_end_marker",
    [DROP_NO_BUFFER] = "no_buffer",
    [DROP_NS_MALFORMED] = "ns_malformed",
    [DROP_UNKNOWN_PEER] = "unknown_peer",
    [DROP_PUNT_FULL] = "punt_full",
    [DROP_UNKNOWN_TLLI] = "unknown_tlli",
    [DROP_LLC_MALFORMED] = "llc_malformed",
    [DROP_LLC_UNSUPPORTED] = "llc_unsupported",
    [DROP_LLC_FCS] = "llc_fcs",
    [DROP_LLC_OLD] = "llc_old",
    [DROP_SNDCP_MALFORMED] = "sndcp_malformed",
    [DROP_SNDCP_NO_CONTEXT] = "sndcp_no_context",
    [DROP_SNDCP_INCOMPLETE] = "sndcp_incomplete",
    [DROP_UNKNOWN_TEID] = "unknown_teid",
    [DROP_OTHER_GGSN] = "other_ggsn",
    [DROP_NPDU_MALFORMED] = "npdu_malformed",
    [DROP_NPDU_TOO_LONG] = "npdu_too_long",
    [DROP_NPDU_VERSION] = "npdu_version",
    [DROP_NPDU_GTP] = "npdu_gtp",
    [DROP_NPDU_INFRASTRUCTURE] = "npdu_infrastructure",
    [DROP_NPDU_ADDRESS] = "npdu_address",
    [DROP_QUEUE_FULL] = "queue_full",
    [DROP_LIFETIME] = "lifetime",
    [DROP_PARTIAL] = "partial",
    [DROP_BVC_RESET] = "bvc_reset",
    [DROP_CONTEXT_DELETED] = "context_deleted",
};

const char *drop_name(enum drop reason)
{
    return (unsigned)reason < DROP_COUNT && names[reason] ? names[reason] : "?";
}
