/* SPDX-License-Identifier: BSD-3-Clause */
/* Link adaptation: the coding scheme of a mobile's blocks in one direction, by the C/I of those before.

   Model. The receiver filters the C/I of the periods in which it got a block by the recursion of TS 45.008
   §10.2.3.2.1: R(n) = (1 - e) R(n-1) + e x(n), M(n) = M(n-1) + e x(n) / R(n) (C/I(n) - M(n-1)), where x is 1
   in a period with a block and 0 in others, and e = block period / T_AVG, at most 1. The specification
   filters bit error probabilities; here it is the C/I in dB, which is known without error. A new TBF begins
   with R = 0. Every `report`, with an acknowledgement, the sender gets M and chooses:
   - EGPRS: the scheme with the greatest payload x (1 - BLER(M)) of all up to the greatest one allowed;
   - GPRS: likewise, among CS-1 to CS-4.
   With a hysteresis h it goes up if M - h / 2 asks for more, down if M + h / 2 asks for less. The thresholds
   are thus where the curves of payload x (1 - BLER) cross, and no number of their own.

   Not here: errors of measurement, the way of a report over the air, BEP classes. */
#ifndef BSS_LINK_ADAPTATION_H
#define BSS_LINK_ADAPTATION_H

#include "bss/radio.h"
#include "bss/radio_coding.h"

#include <stdbool.h>
#include <stdint.h>

/* Of one mobile and direction. */
struct link_adaptation {
    enum radio_coding coding; /* of new blocks */
    int64_t tbf_ns;           /* begin of the TBF that `weight_q20` and the reports belong to */
    int64_t report_ns;        /* when the next report is due */
    int64_t sample_ns;        /* period of the last sample */
    int64_t weight_q20;       /* R; 0: no sample yet */
    int64_t filtered_q8;      /* M, in 1/256 of thousandths of a dB */
};

void link_adaptation_init(struct link_adaptation *adaptation, const struct radio_link_config *config);

/** Says that blocks of a TBF open since `tbf_ns` are sent at `now`, and takes a report that is due. Returns
   the coding scheme of new blocks. */
enum radio_coding link_adaptation_turn(struct link_adaptation *adaptation, const struct radio_config *config,
                                       int64_t tbf_ns, int64_t now);

/** A block was received at `now`; the first one of a period counts. */
void link_adaptation_sample(struct link_adaptation *adaptation, const struct radio_config *config,
                            int32_t ci_mdb, int64_t now);

/** M in thousandths of a dB. */
int32_t link_adaptation_filtered_mdb(const struct link_adaptation *adaptation);

/** Payload x (1 - BLER(M)) of the present scheme, to the payload of config->coding; without a sample without
   the BLER. */
uint64_t link_adaptation_good_ppm(const struct link_adaptation *adaptation,
                                  const struct radio_config *config);

/** The scheme with the greatest payload x (1 - BLER) at a C/I, of those of config->coding's kind up to it. */
enum radio_coding link_adaptation_best(const struct radio_config *config, int64_t ci_mdb);

/**
 * The coding scheme in which a block first sent in `first` is repeated while new blocks are sent in
 * `command`: the greatest of its family not above `command`, else the family's smallest (TS 44.060
 * tables 8.1.1.1 and 8.1.1.2). Without `can_split` only schemes that carry the block whole. Blocks of GPRS
 * keep theirs.
 */
enum radio_coding link_adaptation_repeat(enum radio_coding first, enum radio_coding command, bool can_split);

#endif
