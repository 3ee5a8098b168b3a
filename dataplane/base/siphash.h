/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SipHash-2-4: a keyed hash of short inputs whose values cannot be predicted without the key, not even by a
 * party that has seen values of other inputs. J.-P. Aumasson, D. J. Bernstein: "SipHash: a fast short-input
 * PRF", INDOCRYPT 2012. Only inputs of 8 octets, given as a number (the first octet is its lowest).
 */
#ifndef DATAPLANE_BASE_SIPHASH_H
#define DATAPLANE_BASE_SIPHASH_H

#include <stdint.h>

/* The two halves of the key of 16 octets, each little-endian. */
struct siphash_key {
    uint64_t low, high;
};

uint64_t siphash_u64(const struct siphash_key *key, uint64_t input);

#endif
