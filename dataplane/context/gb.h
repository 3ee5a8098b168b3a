/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb at a worker: NSEs, their NS-VCs over UDP, and the cells (BVCs). */
#ifndef DATAPLANE_CONTEXT_GB_H
#define DATAPLANE_CONTEXT_GB_H

#include "dataplane/base/drop.h"
#include "dataplane/context/defaults.h"
#include "dataplane/context/gb_policy.h"
#include "dataplane/sched/sched.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

#define GB_NSE_NSVCS         64 /* NS-VCs of one NSE */
#define GB_HEADER_OCTETS     42 /* Ethernet, IPv4, UDP */
#define GB_HEADER_MAX_OCTETS 62 /* Ethernet, IPv6, UDP */
#define GB_BVC_NONE          UINT16_MAX

struct gb_nsvc_params {
    uint32_t local_ip, remote_ip; /* base/address.h, of one IP version */
    uint16_t local_port, remote_port;
    uint8_t local_mac[6], remote_mac[6];
    uint16_t nse;        /* index */
    bool needs_mac;      /* remote_mac is not resolved yet */
    uint8_t data_weight; /* its share of users' frames among the NS-VCs of its NSE; 0: none */
};

struct gb_nsvc {
    struct gb_nsvc_params params;
    uint8_t header[GB_HEADER_MAX_OCTETS]; /* template: an empty IP packet, IPv4 with its checksum and ID 0 */
    uint8_t header_octets;
    bool is_ipv6;
    uint16_t ip_id;
    bool in_use;
    bool usable; /* alive and unblocked */
};

struct gb_nse {
    struct sched_link sched;
    int64_t signal_ns; /* when the first of its waiting signalling frames may leave; undefined without any */
    uint16_t nsei;
    bool in_use;
    bool is_even; /* all of its NS-VCs are usable, each with a weight of 1 */
    uint8_t nsvc_count;
    uint8_t signals;             /* its waiting signalling frames */
    uint16_t weight;             /* of its usable NS-VCs: the sum of share[] */
    uint8_t share[GB_NSE_NSVCS]; /* of each NS-VC; 0: not usable */
    uint16_t nsvc[GB_NSE_NSVCS];
};

/* The announcement of FLOW-CONTROL-BVC, -MS or an entry of -PFC. */
struct gb_flow {
    uint64_t bucket_octets;
    uint64_t rate_bps;
    uint64_t ms_bucket_octets; /* defaults for mobiles; unused for a single mobile or packet flow */
    uint64_t ms_rate_bps;
    int32_t ratio_percent; /* Bucket_Full Ratio, B_PFC; negative: not given */
    uint16_t delay_cs;     /* BVC Measurement, GB_DELAY_INFINITE; if has_delay */
    bool has_delay;
};

#define GB_DELAY_INFINITE UINT16_MAX

/* N-PDUs of one class in a cell (worker/fate.h): those of mobiles that arrived, left, and left with CE
 * by gbflow, which are estimates at high rates; and drops by reason, from DROP_FIRST_NPDU on, which are
 * exact. The worker writes, others may read single fields at any time. */
struct gb_counts {
    uint64_t in, in_octets, out, out_octets, marked;
    uint64_t drops[DROP_COUNT - DROP_FIRST_NPDU];
};

/* The fields that each frame needs besides sched are in one cache line. */
struct gb_bvc {
    alignas(64) struct sched_bvc sched;
    alignas(64) struct defaults defaults; /* Bmax_default_MS, and R_default_MS as policy takes it */
    uint16_t bvci;
    uint16_t nse; /* index */
    bool in_use;
    bool unblocked;
    bool flow_known;          /* a FLOW-CONTROL-BVC since the last reset */
    uint32_t busy_head;       /* mobiles that may have queued N-PDUs (ms.h), MS_NONE ends */
    uint32_t ms_head;         /* all its mobiles, MS_NONE ends */
    struct gb_flow announced; /* last */
    struct gb_policy policy;
    uint16_t up_ticks; /* when it was last allowed to send: READY timers of its mobiles run from then at the
                          earliest */
};

static_assert(offsetof(struct gb_bvc, sched) == 0, "gb_bvc_of()");
static_assert(offsetof(struct gb_bvc, announced) <= offsetof(struct gb_bvc, defaults) + 64, "in one line");

/* The cell of a scheduler's struct. */
static inline const struct gb_bvc *gb_bvc_of(const struct sched_bvc *sched)
{
    return (const struct gb_bvc *)(const void *)sched;
}

/* LLC-DISCARDED: octets that the BSS deleted. */
struct gb_discard {
    uint64_t octets;
    uint32_t ms;  /* index of their mobile, MS_NONE: not known */
    uint16_t bvc; /* index of the cell; GB_BVC_NONE: the mobile's cell */
    uint8_t pfi;  /* N_PDU_NO_PFI: not given */
};

/* FLUSH-LL-ACK: octets that were deleted from cell `from`, or moved to another. */
struct gb_flush {
    uint64_t octets;
    uint32_t ms;       /* index, MS_NONE: not known */
    uint16_t from, to; /* indices; to: GB_BVC_NONE: they were deleted; from: GB_BVC_NONE: another worker's */
};

#endif
