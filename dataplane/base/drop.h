/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way a frame or an N-PDU can end other than by being delivered. The names are those of reports and
 * JSON.
 *
 * Two kinds, never mixed in one sum:
 *   frames  what arrives at a port and never becomes an N-PDU or a signalling PDU (or a reassembled one),
 *   N-PDUs  user packets: in = out + dropped + queued holds over these.
 */
#ifndef DATAPLANE_BASE_DROP_H
#define DATAPLANE_BASE_DROP_H

#include <stdbool.h>

enum drop {
    DROP_NONE = 0,

    /* Frames on Gn and Gb. */
    DROP_NOT_IP,             /* Ethernet, and neither IPv4 nor IPv6 */
    DROP_IP_MALFORMED,       /* lengths or header checksum of the outer IP packet */
    DROP_IP_ADDRESS,         /* outer IPv4 address of 240.0.0.0/4, which no host has */
    DROP_IP_EXTENSION,       /* outer IPv6 packet with extension headers other than one fragment header */
    DROP_OTHER_ADDRESS,      /* outer destination is none of ours */
    DROP_NOT_UDP,            /* ours, another protocol than UDP */
    DROP_OTHER_PORT,         /* ours, UDP, a port that nobody serves */
    DROP_UDP_MALFORMED,      /* UDP length against IP length */
    DROP_UDP_CHECKSUM,       /* over outer IPv6: missing or wrong */
    DROP_TOO_LONG,           /* longer than a packet buffer after reassembly */
    DROP_FRAGMENT_LOST,      /* outer fragment whose datagram never completed, or no room to wait */
    DROP_GTPU_MALFORMED,     /* GTP-U header or extension chain contradicts its lengths */
    DROP_GTPU_UNSUPPORTED,   /* version, protocol type or an extension that must be understood */
    DROP_GTPU_OTHER_TYPE,    /* a GTP-U message that asks for nothing: notification, tunnel status */
    DROP_GTPU_ECHO_RESPONSE, /* Echo Response; whether it was waited for is counted apart */
    DROP_GTPU_ECHO,          /* Echo Request; whether it was answered is counted apart */
    DROP_GTPU_ERROR,         /* Error Indication; whether it ended a context is counted apart */
    DROP_GTPU_END_MARKER,    /* End Marker, which says nothing to an SGSN */
    DROP_XWORKER_FULL,       /* for a tunnel of another worker, and no room on the way to it */
    DROP_NO_BUFFER,          /* no packet buffer to work with */
    DROP_NEIGHBOUR,          /* ARP, ICMP or ICMPv6, handed to control; whether it was answered is counted
                                apart */
    DROP_GTPC,               /* GTP-C, handed to control */
    DROP_NO_NEXT_HOP,        /* towards a GGSN whose MAC address is not known yet */
    DROP_NS_MALFORMED,       /* NS or BSSGP header of an uplink UNITDATA */
    DROP_UNKNOWN_PEER,       /* Gb datagram from an endpoint that is no NS-VC */
    DROP_PUNT_FULL,          /* signalling for the control core, its ring was full */
    DROP_UNKNOWN_TLLI,       /* uplink LLC-PDU of a mobile we do not have */
    DROP_LLC_MALFORMED,      /* LLC header, reserved SAPI, or longer than N201-U can be */
    DROP_LLC_UNSUPPORTED,    /* UI frame of a SAPI that nobody here serves */
    DROP_LLC_FCS,            /* FCS of a frame in clear wrong */
    DROP_LLC_CIPHERING,      /* in clear though ciphering is on, or the other way round */
    DROP_LLC_DECIPHER,       /* FCS wrong after deciphering: another key, overflow counter, or a bad frame */
    DROP_LLC_OLD,            /* N(U) in the window of old and duplicate frames */
    DROP_SNDCP_MALFORMED,    /* SNDCP header, T bit, NSAPI range, compression */
    DROP_SNDCP_NO_CONTEXT,   /* NSAPI without PDP context */
    DROP_SNDCP_INCOMPLETE,   /* segment of an N-PDU that never completed, or out of limits */
    DROP_UL_MALFORMED,       /* segment of an uplink N-PDU that is no IP packet, or shorter than it says, */
    DROP_UL_VERSION,         /* whose IP version is not of the context's PDP type, */
    DROP_UL_SOURCE,          /* whose source address is not the mobile's, */
    DROP_UL_INFRASTRUCTURE,  /* which is for one of our Gn or Gb addresses, or for the GGSN's, */
    DROP_UL_TOO_LONG,        /* or which does not fit gn.mtu, and is not to be fragmented */

    /* N-PDUs. */
    DROP_UNKNOWN_TEID,        /* no PDP context on that address and TEID */
    DROP_STALE_TEID,          /* a TEID as we give them out, of a context that is gone or was replaced */
    DROP_OTHER_GGSN,          /* the tunnel is there, the packet came from another address than its GGSN's */
    DROP_NPDU_MALFORMED,      /* empty, no IP header, or shorter than its own length fields */
    DROP_NPDU_TOO_LONG,       /* longer than SNDCP carries */
    DROP_NPDU_VERSION,        /* IP version that is not of the context's PDP type */
    DROP_NPDU_GTP,            /* GTP inside GTP: for a GTP port of one of our Gn addresses */
    DROP_NPDU_INFRASTRUCTURE, /* for one of our Gn or Gb addresses, or for the GGSN's */
    DROP_NPDU_ADDRESS,        /* for another address, or out of another prefix, than the mobile's */
    DROP_QUEUE_FULL,          /* the mobile's queue limit */
    DROP_CLASS_FULL,          /* the limit of its traffic class on its link */
    DROP_BUDGET,              /* no packet may wait any more, of all: the longest queue paid */
    DROP_AQM,                 /* the AQM scheme of its class, as it came or as it was to leave */
    DROP_LIFETIME,            /* too old before its first segment left */
    DROP_PARTIAL,             /* too old, or its context gone, after its first segment left */
    DROP_BVC_RESET,           /* waiting when its cell was reset */
    DROP_MOVE_FULL,           /* too much waited for a mobile between workers, or on the way to its worker */
    DROP_CONTEXT_DELETED,     /* PDP context or mobile deleted while it waited */

    DROP_COUNT,
};

/* The first reason that counts N-PDUs. */
#define DROP_FIRST_NPDU DROP_UNKNOWN_TEID

/* Name of a reason ("queue_full"), static string; "?" out of range. */
const char *drop_name(enum drop reason);

/* True for reasons that count N-PDUs, false for those that count frames. */
static inline bool drop_is_npdu(enum drop reason)
{
    return reason >= DROP_FIRST_NPDU;
}

#endif
