/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker's own framing of a burst, without ports, pools and scheduler: no DPDK is started for it. */
#ifndef BENCH_MICRO_WIRE_FRAMING_H
#define BENCH_MICRO_WIRE_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_FRAMING_BURST 64

struct wire_framing;

/* One N-PDU for each of WIRE_FRAMING_BURST mobiles with known IMSI, to become one LLC-PDU of so many octets,
 * 30 to 1520. Ends the process when something is missing. */
struct wire_framing *wire_framing_new(uint16_t llc_octets);
void wire_framing_free(struct wire_framing *f);

/* From now on the mobiles' frames are ciphered with keys of their own, GEA3 or GEA4, by the best engine. */
void wire_framing_cipher(struct wire_framing *f, uint8_t algorithm);

/* From now on the headers say all that a mobile attached with: a capability of 25 octets, DRX, priority. */
void wire_framing_elements(struct wire_framing *f);

/* Frames the burst where it lies, from grants to Ethernet frames with FCS; returns how many. */
unsigned wire_framing_burst(struct wire_framing *f);

/* The last burst's frames, in clear, carry what they should: lengths, IPv4 checksum, FCS. */
bool wire_framing_is_sound(const struct wire_framing *f);

#endif
