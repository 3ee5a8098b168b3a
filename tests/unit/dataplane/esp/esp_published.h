/* SPDX-License-Identifier: BSD-3-Clause */
/* Published ESP packets and proofs of integrity, in hexadecimal. */
#ifndef TESTS_UNIT_DATAPLANE_ESP_ESP_PUBLISHED_H
#define TESTS_UNIT_DATAPLANE_ESP_ESP_PUBLISHED_H

#include "dataplane/esp/sa_params.h"

#include <stdbool.h>

/* A packet without an ICV leaves it to HMAC. */
struct esp_vector {
    const char *name;
    enum sa_suite suite;
    bool is_tunnel;
    const char *key, *salt;
    const char *head;   /* SPI and sequence number, of 8 octets if it is extended */
    const char *iv;     /* as the packet has it */
    const char *text;   /* in ESP, with padding, pad length and next header */
    const char *cipher; /* the same, encrypted */
    const char *icv;
};

/* `data` as ESP: SPI, sequence number, and the rest with a trailer that contradicts its lengths. */
struct esp_proof {
    const char *name, *key, *data, *icv;
};

#define ESP_VECTORS 17
#define ESP_PROOFS  11
extern const struct esp_vector esp_vectors[ESP_VECTORS];
extern const struct esp_proof esp_proofs[ESP_PROOFS];

#endif
