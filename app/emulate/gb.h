/* SPDX-License-Identifier: BSD-3-Clause */
/* Gb over UDP on kernel sockets: one for each NS-VC, which is a pair of endpoints. */
#ifndef APP_EMULATE_GB_H
#define APP_EMULATE_GB_H

#include "app/emulate/config.h"
#include "sim/ms_stack.h"

#include <stdbool.h>

struct emulate;

/* bss.c: BSS and mobiles. False, with a line on stderr: a TUN device or socket cannot be had, or no memory.
 */
bool emulate_bss_new(struct emulate *e);
void emulate_bss_free(struct emulate *e);
/* Takes a packet from the host behind a TUN device (index). */
void emulate_bss_packet(struct emulate *e, uint32_t device, const uint8_t *packet, size_t octets);

/* The BSS as phones use it, valid as long as e. */
struct emulate_phones_air emulate_bss_air(struct emulate *e);

/* Sends the pending answers of mobiles to XID commands. */
void emulate_bss_answer(struct emulate *e);

/* XID commands of the SGSN to an emulated mobile, and their answer (TS 44.064 clauses 6.4.1.6, 8.5.3). The
 * mobile applies Reset and IOV-UI; other parameters stay as configured and are left out of the answer. */

enum { EMULATE_LLC_ANSWER_OCTETS = 32 };

/* Whether the frame, whose FCS is right, is an XID command. If so, the mobile has applied it, and answer[]
 * has *answer_octets octets of its response. */
bool emulate_llc_take(struct ms_stack *stack, const uint8_t *llc_pdu, size_t octets,
                      uint8_t answer[EMULATE_LLC_ANSWER_OCTETS], size_t *answer_octets);

/* Opens a non-blocking socket from the NS-VC's BSS endpoint to its SGSN endpoint. NS-VCs may share a BSS
 * endpoint. -1, with a line on stderr: failed. */
int emulate_gb_open(const struct emulate_config_nsvc *nsvc);

#endif
