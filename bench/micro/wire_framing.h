/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker's framing of a burst, without ports, pools, scheduler and EAL. */
#ifndef BENCH_MICRO_WIRE_FRAMING_H
#define BENCH_MICRO_WIRE_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_FRAMING_BURST 64

struct wire_framing;

/* One N-PDU for each of WIRE_FRAMING_BURST mobiles with known IMSI, to become one LLC-PDU of llc_octets, 30
 * to 1520. Ends the process on an error. */
struct wire_framing *wire_framing_new(uint16_t llc_octets);
void wire_framing_free(struct wire_framing *f);

/* Ciphers the mobiles' frames from now on, each with its own key, GEA3 or GEA4, by the best engine. */
void wire_framing_cipher(struct wire_framing *f, uint8_t algorithm);

/* Adds the elements known from attach to the headers: a radio access capability of 25 octets, DRX parameters,
   priority. */
void wire_framing_elements(struct wire_framing *f);

/* Frames the burst in place, from grants to Ethernet frames with FCS; returns how many. */
unsigned wire_framing_burst(struct wire_framing *f);

/* Are lengths, IPv4 checksum and FCS of the last burst's frames right? Only without ciphering. */
bool wire_framing_is_sound(const struct wire_framing *f);

#endif
