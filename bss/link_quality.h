/* SPDX-License-Identifier: BSD-3-Clause */
/* C/I of a mobile over time, and what it means for a block.

   Model. The C/I of a mobile, in thousandths of a dB, is the sum of
   - its mean: its own (own_mean_mdb), or else that of the cell, which may follow steps in time;
   - a part of its own, drawn once from a normal distribution with the deviation `spread`;
   - log-normal shadowing: a Gauss-Markov process with the deviation `shadowing` whose correlation falls to
     1/e in `decorrelation` (Gudmundson 1991, with time in place of distance). It changes by steps of
     max(20 ms, decorrelation / 64). Normal numbers are sums of twelve uniform ones, at most 6 deviations;
   - in the uplink, a difference.
   Fast fading is in the curves: a C/I is the mean over it.

   Curves. BLER over C/I, by coding scheme: for each scheme the C/I of 10 %, and one shape for all, in steps
   of 1 dB, straight lines between. The C/I of 10 % are those that TS 45.005 table 2 asks of receivers at 900
   MHz, TU3 with ideal frequency hopping; they are quoted from memory of its figures, and assumed for this
   model. A configuration may move the curve of a scheme. The shape is assumed, too: a factor of about 2.3 in
   BLER for 1 dB, as published curves of TU3 have it.

   Not here: adjacent channels, noise, the header of a block, an own shape for each scheme. */
#ifndef BSS_LINK_QUALITY_H
#define BSS_LINK_QUALITY_H

#include "bss/radio.h"
#include "bss/radio_coding.h"
#include "dataplane/base/rng.h"

#include <stdint.h>

/* Of a cell, computed once. */
struct link_quality_params {
    int64_t step_ns;
    int64_t keep_q30, noise_q30; /* of a step: correlation a, and sqrt(1 - a * a) */
};

/* Of one mobile. */
struct link_quality {
    struct rng rng;
    int32_t own_mean_mdb, own_mdb; /* own_mean_mdb: LINK_QUALITY_OF_CELL: as the cell's; own_mdb: drawn */
    int64_t shadow_q20;            /* in deviations */
    int64_t step;                  /* for which it holds */
};

#define LINK_QUALITY_OF_CELL INT32_MIN

void link_quality_params_init(struct link_quality_params *params, const struct radio_link_config *config);

/** A mobile's state at `now`; `tlli` chooses its numbers. */
void link_quality_init(struct link_quality *quality, const struct radio_link_config *config, uint64_t seed,
                       uint32_t tlli);

/** The mobile's C/I in one direction at `now`, which never goes back. */
int32_t link_quality_ci_mdb(struct link_quality *quality, const struct link_quality_params *params,
                            const struct radio_link_config *config, enum radio_way way, int64_t now);

/** The C/I of 10 % of the curve of a scheme, without a shift. */
int32_t link_quality_ten_percent_mdb(enum radio_coding coding);

/** Blocks with errors per million, 0 to 1 000 000. Of MCS-7 to -9: of each of their two RLC blocks. */
uint32_t link_quality_bler_ppm(const struct radio_link_config *config, enum radio_coding coding,
                               int64_t ci_mdb);

/** The C/I of two transmissions together: the sum of the linear ratios, to 0.01 dB. */
int32_t link_quality_sum_mdb(int32_t one_mdb, int32_t other_mdb);

#endif
