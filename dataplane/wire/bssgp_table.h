/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of `bvcs` and `rule` in a BSSGP row; private to the codec. */
#ifndef DATAPLANE_WIRE_BSSGP_TABLE_H
#define DATAPLANE_WIRE_BSSGP_TABLE_H

enum bssgp_table_bvc { BSSGP_TABLE_SIG = 1, BSSGP_TABLE_PTM = 2, BSSGP_TABLE_PTP = 4 };

enum bssgp_table_rule {
    BSSGP_TABLE_NO_RULE,
    BSSGP_TABLE_ONE_AREA,   /* exactly one paging area */
    BSSGP_TABLE_ONE_NAME,   /* exactly one of TLLI, TMSI, IMSI */
    BSSGP_TABLE_TRANSFER,   /* "transferred" names the new BVC */
    BSSGP_TABLE_CAPABILITY, /* "OK" carries the capability */
};

#endif
