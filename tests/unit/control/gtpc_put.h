/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of GTP-C of a GGSN, for tests of those who read them. */
#ifndef TESTS_UNIT_CONTROL_GTPC_PUT_H
#define TESTS_UNIT_CONTROL_GTPC_PUT_H

#include "dataplane/wire/gtpc.h"

enum { GTPC_PUT_OCTETS = 512 };

/* Writes a message with the elements that `has` names, in the order of their types, whether the message may
 * have them or not: cause, recovery, TEIDs, teardown, NSAPI, end user address, GSN addresses and QoS. Returns
 * octets. */
int gtpc_put(uint8_t bytes[GTPC_PUT_OCTETS], const struct gtpc *in);

#endif
