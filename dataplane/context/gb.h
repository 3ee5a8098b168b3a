/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb at a worker: NSEs, their NS-VCs over UDP, and the cells (BVCs). */
#ifndef DATAPLANE_CONTEXT_GB_H
#define DATAPLANE_CONTEXT_GB_H

#include "dataplane/base/drop.h"
#include "dataplane/context/drained.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/sched/sched.h"
#include "dataplane/wire/identity.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bmax_default_MS and R_default_MS of a cell. Each mobile that follows them applies a change when its bucket
 * is next used, with the same result as at the instant of the change.
 *
 * Model: the leak of a bucket that follows the defaults is, in 10^-9 bit,
 *
 *     leak(t) = R t + offset,    from one change to the next, and the offset keeps it continuous:
 *     offset_after = offset_before + (R_before - R_after) t_change
 *
 * A mobile stores the R and offset with which its bucket was last changed, at t. After any number of
 * changes, the cell's leak at the last of them, minus the mobile's own leak(t), is what has left its bucket
 * by then (a bucket that ran empty in between is empty at the end, too). So a change costs nothing for
 * mobiles without queued N-PDUs.
 */

__extension__ typedef __int128 defaults_nbit;

struct defaults {
    defaults_nbit offset_nbit;
    uint64_t max_octets; /* before the caps of each mobile */
    uint64_t rate_bps;
    int64_t since_ns; /* the last change */
    uint32_t epoch;   /* counts changes */
};

/* Sets Bmax and R from now on; false: they are unchanged. */
bool gb_defaults_set(struct defaults *d, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* Counts as a change without other values. */
void gb_defaults_renew(struct defaults *d, int64_t now);

/* Leaks from a bucket that followed d with offset_nbit up to the last change: its state is then that of that
 * instant. The caller sets Bmax and R. */
void gb_defaults_leak(const struct defaults *d, struct bucket *b, defaults_nbit offset_nbit);

struct gb_policy {
    int64_t bss_target_ns; /* 0: no caps */
    uint64_t max_rate_bps; /* upper limit of the cell's R; 0: none */
    uint64_t max_octets;   /* upper limit of its Bmax; 0: none */
    uint32_t rate_percent; /* factor on every R of the cell, of its mobiles and packet flows: 1 to
                              GB_POLICY_MAX_PERCENT, 100 for none */
};

/* Sets neutral values. */
void gb_policy_default(struct gb_policy *policy);
bool gb_policy_is_valid(const struct gb_policy *policy);

/* The R to use for an announced one, of a mobile or packet flow, and of a cell; at most BUCKET_MAX_RATE_BPS.
 * */
uint64_t gb_policy_rate(const struct gb_policy *policy, uint64_t announced_bps);
uint64_t gb_policy_bvc_rate(const struct gb_policy *policy, uint64_t announced_bps);

/* The Bmax to use for a mobile whose largest LLC-PDU has pdu_octets; rate_bps from gb_policy_rate(). */
uint64_t gb_policy_ms_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                             uint32_t pdu_octets);

/* Octets on the air of a busy cell: a largest LLC-PDU of each of as many mobiles as use up R; 0: no number
 * does. */
uint64_t gb_policy_air_octets(uint64_t rate_bps, uint64_t ms_rate_bps);

/* The Bmax to use for a cell; rates as above. */
uint64_t gb_policy_bvc_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                              uint64_t ms_rate_bps);

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
    bool usable;              /* alive and unblocked */
    struct rte_mbuf *waiting; /* the latest NS PDU while needs_mac, the worker's; NULL: none */
    int64_t waiting_until_ns; /* when it is too old to be sent; if there is one */
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
    uint16_t share_permille; /* of these rates that counts unless drained.h doubts them; 0: all */
    int64_t th_ns; /* of a single mobile: so long the values hold (th.h); 0: until MSG_MS_DEFAULTS */
};

#define GB_DELAY_INFINITE UINT16_MAX

bool gb_flow_is_valid(const struct gb_flow *flow);

/* New parameters of a bucket from now on; the ratio is relative to the announced Bmax. */
void gb_flow_set(struct bucket *bucket, const struct gb_flow *flow, uint64_t octets, uint64_t rate_bps,
                 int64_t now);

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
    struct drained drained;
    uint16_t up_ticks; /* when it was last allowed to send: READY timers of its mobiles run from then at the
                          earliest */
    uint8_t area[AREA_ROUTEING]; /* its routeing area, as the configuration has it */
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
