/* SPDX-License-Identifier: BSD-3-Clause */
/* Params of an SA, a security association of ESP; a configuration has them before DPDK starts. */
#ifndef DATAPLANE_ESP_SA_PARAMS_H
#define DATAPLANE_ESP_SA_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

/* Octets around what ESP protects (RFC 4303 clause 2), but for IV, padding and ICV. */
enum {
    ESP_PROTO = 50,
    ESP_NO_NEXT = 59, /* next header of a packet without content, a dummy */
    ESP_HEAD_OCTETS = 8,
    ESP_TAIL_OCTETS = 2
}; /* SPI and number; pad length, next header */

#define SA_KEY_OCTETS  32 /* the longest key of a cipher, and of HMAC */
#define SA_SALT_OCTETS 4  /* of AES-GCM, RFC 4106 */

/* Cipher and proof of integrity. */
enum sa_suite {
    SA_AES_GCM_128,         /* RFC 4106, an ICV of 16 octets */
    SA_AES_GCM_256,         /* the same */
    SA_AES_CBC_128_SHA_256, /* RFC 3602, and HMAC-SHA-256-128 of RFC 4868 */
    SA_AES_CBC_256_SHA_256, /* the same */
    SA_NULL_SHA_256,        /* RFC 2410: nothing is encrypted */
    SA_SUITES,
};

/* An IPv4 address is in the first four octets. */
struct sa_address {
    uint8_t octets[16];
};

struct sa_params {
    uint32_t spi;
    enum sa_suite suite;
    uint8_t key[SA_KEY_OCTETS];  /* of the cipher; as many octets as the suite says */
    uint8_t auth[SA_KEY_OCTETS]; /* of HMAC */
    uint8_t salt[SA_SALT_OCTETS];
    bool is_inbound, is_tunnel;
    bool is_ipv6;            /* the outer addresses are */
    bool is_inner_ipv6;      /* the packets in a tunnel are: it has those of one version */
    bool has_esn;            /* extended sequence numbers of 64 bits */
    bool copies_dscp;        /* of the inner header to the outer one */
    uint8_t dscp, hop_limit; /* of the outer header */
    uint64_t first_sequence; /* the next of an outbound one, 0 or 1: it is new; the last of an inbound one */
    uint32_t window;         /* packets against replay, of an inbound one */
    uint16_t encap_source, encap_destination; /* UDP ports of RFC 3948; 0: none */
    struct sa_address source, destination;    /* outer ones */
};

#endif
