/* SPDX-License-Identifier: BSD-3-Clause */
/* The Gb side as the worker sees it: NSEs, their NS-VCs over UDP, and the cells (BVCs). */
#ifndef DATAPLANE_CONTEXT_GB_H
#define DATAPLANE_CONTEXT_GB_H

#include "dataplane/queue/sched.h"

#define GB_NSE_NSVCS     64 /* NS-VCs of one NSE */
#define GB_HEADER_OCTETS 42 /* Ethernet, IPv4, UDP */

struct gb_nsvc_params {
    uint32_t local_ip, remote_ip; /* host order */
    uint16_t local_port, remote_port;
    uint8_t local_mac[6], remote_mac[6];
    uint16_t nse; /* index */
};

struct gb_nsvc {
    struct gb_nsvc_params params;
    uint8_t header[GB_HEADER_OCTETS]; /* template: lengths, identification and checksum are set per frame */
    uint16_t ip_id;
    bool in_use;
    bool usable; /* alive and unblocked */
};

struct gb_nse {
    uint16_t nsei;
    bool in_use;
    uint8_t nsvc_count;
    uint16_t nsvc[GB_NSE_NSVCS];
};

struct gb_bvc {
    struct sched_bvc sched;
    uint16_t bvci;
    uint16_t nse; /* index */
    bool in_use;
    bool unblocked;
    bool flow_known;      /* a FLOW-CONTROL-BVC since the last reset */
    uint64_t ms_octets;   /* Bmax_default_MS */
    uint64_t ms_rate_bps; /* R_default_MS */
    uint32_t ms_head;     /* its mobiles, MS_NONE ends */
};

/* What FLOW-CONTROL-BVC or -MS announces. */
struct gb_flow {
    uint64_t bucket_octets;
    uint64_t rate_bps;
    uint64_t ms_bucket_octets; /* defaults for mobiles; unused for a single mobile */
    uint64_t ms_rate_bps;
    int32_t ratio_percent; /* Bucket_Full Ratio, negative: not given */
};

#endif
