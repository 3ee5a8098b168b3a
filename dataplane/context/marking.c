/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/marking.h"

#include "dataplane/aqm/aqm_setup.h"

enum drop marking_take_off(struct n_pdu *n_pdu)
{
    unsigned outer = n_pdu->tos & MARKING_ECN;
    enum aqm_ecn inner = ecn_of(n_pdu);
    if (outer == AQM_ECN_CE && inner == AQM_ECN_NOT)
        return DROP_CE_NOT_ECT;
    if (outer == AQM_ECN_CE)
        ecn_set_ce(n_pdu->data, n_pdu->octets);
    else if (outer == AQM_ECN_ECT1 && inner == AQM_ECN_ECT0)
        ecn_set_ect1(n_pdu->data, n_pdu->octets);
    return DROP_NONE;
}
