/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixture of the codecs: bursts of packets in memory, and the codecs' stages over them one by one:
 * compiled from C, as the worker is. */
#ifndef BENCH_MICRO_WIRE_FIXTURE_H
#define BENCH_MICRO_WIRE_FIXTURE_H

#include "dataplane/wire/llc_fcs.h"

#include <stdbool.h>
#include <stdint.h>

#define WIRE_FIXTURE_BURST 32

struct wire_fixture;

/* Packets from Gn with N-PDUs of `octets` octets, 20 to 1520. Stages repeat over the same burst, so that the
 * caches stay hot. NULL: no memory. */
struct wire_fixture *wire_fixture_new(uint16_t octets);
void wire_fixture_free(struct wire_fixture *fixture);

/* Stages, each over the burst; the result depends on every packet. */

/* Checksums that a card could compute: an IPv4 header's tested, and the flag of a card read in place of it;
 * UDP's over IPv6 written, and left to the card (port_leave_sum()). */
uint32_t wire_fixture_test_ipv4_sum(struct wire_fixture *fixture);
uint32_t wire_fixture_read_flag(struct wire_fixture *fixture);
uint32_t wire_fixture_write_udp_sum(struct wire_fixture *fixture);
uint32_t wire_fixture_leave_udp_sum(struct wire_fixture *fixture);

uint32_t wire_fixture_fcs(struct wire_fixture *fixture, const struct llc_fcs_engine *engine);

/* CRC-24 by one table look-up per octet, for comparison. */
struct llc_fcs_engine wire_fixture_octet_table(void);

/* The worker's framing of a burst, without ports, pools, scheduler and EAL. */

#define WIRE_FRAMING_BURST 64

struct wire_framing;

/* One N-PDU for each of WIRE_FRAMING_BURST mobiles with known IMSI, to become one LLC-PDU of llc_octets, 30
 * to 1520. Ends the process on an error. */
struct wire_framing *wire_fixture_framing_new(uint16_t llc_octets);
void wire_fixture_framing_free(struct wire_framing *f);

/* Ciphers the mobiles' frames from now on, each with its own key, GEA3 or GEA4, by the best engine. */
void wire_fixture_framing_cipher(struct wire_framing *f, uint8_t algorithm);

/* Adds the elements known from attach to the headers: a radio access capability of 25 octets, DRX parameters,
   priority. */
void wire_fixture_framing_elements(struct wire_framing *f);

/* Frames the burst in place, from grants to Ethernet frames with FCS; returns how many. */
unsigned wire_fixture_framing_burst(struct wire_framing *f);

/* Are lengths, IPv4 checksum and FCS of the last burst's frames right? Only without ciphering. */
bool wire_fixture_framing_is_sound(const struct wire_framing *f);

#endif
