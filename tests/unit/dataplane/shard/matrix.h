/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node of two workers with any of the optional features, and the packets of its mobiles. A feature's line
 * in a path that all features share is run with the inputs of all others.
 *
 * The bystander sends and receives; nothing is sent to it or ordered about it but what matrix_check() sends.
 * The victim is what inputs are about.
 */
#ifndef TESTS_UNIT_DATAPLANE_SHARD_MATRIX_H
#define TESTS_UNIT_DATAPLANE_SHARD_MATRIX_H

#include "dataplane/compression/compression_pool.h"
#include "dataplane/esp/esp.h"
#include "dataplane/esp/sa.h"
#include "dataplane/esp_guard/esp_guard.h"
#include "tests/unit/dataplane/shard/cluster.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum matrix_feature {
    MATRIX_PACING,
    MATRIX_REPEATED,
    MATRIX_FQ_CODEL,
    MATRIX_START_TAGS,
    MATRIX_ESP_GN,
    MATRIX_ESP_GB,
    MATRIX_COMPRESSION,
    MATRIX_ACKNOWLEDGED,
    MATRIX_POOL,
    MATRIX_VOLUMES,
    MATRIX_CAPTURE,
    MATRIX_TRACE,
    MATRIX_MARKING,
    MATRIX_IPV6_TRANSPORT,
    MATRIX_IPV6_USERS,
    MATRIX_PAGING,
    MATRIX_LIFETIME,
    MATRIX_PACKET_FLOWS,
    MATRIX_FEATURES,
};

enum matrix_who { MATRIX_BYSTANDER, MATRIX_VICTIM, MATRIX_FORWARDED, MATRIX_TAKEN_OVER, MATRIX_MOBILES };

enum { MATRIX_CONTEXTS = 2, MATRIX_WORKERS = 2, MATRIX_FAR_TEID = 0x7001 };

struct matrix_mobile {
    uint32_t tlli, teids[MATRIX_CONTEXTS];
    unsigned generation; /* of its TEIDs */
    unsigned server;     /* worker */
    uint16_t bvc;
    uint32_t seq, acked; /* of its TCP flow: the server's next octet, and the first that it has not got */
};

/* What the test itself has seen, on the ports, in messages and rings. */
struct matrix_seen {
    uint64_t ipv6_gn, ipv6_gb, marked_gb, esp_gn, esp_gb, pages, taps, traces;
    uint64_t users[2]; /* IPv4, IPv6: TCP both ways as it was built */
};

struct matrix {
    struct cluster c;
    uint32_t features; /* bits of enum matrix_feature */
    const char *input; /* for messages */
    struct matrix_mobile mobiles[MATRIX_MOBILES];
    struct matrix_seen seen;
    struct sa *sas[2][3]; /* of the ports: from the node, to the node, the far end of that */
    struct rules *rules[2];
    struct esp_guard guards[2]; /* of the workers */
    struct esp far[2];
    struct compression_pool pool;
    bool is_marked_checked; /* time will pass, or has: marks were looked at before */
    uint64_t before[2];     /* what the bystander lost: its context, its cell */
};

static inline bool matrix_has(const struct matrix *m, enum matrix_feature feature)
{
    return m->features >> feature & 1;
}

/* DPDK, crypto device, taps. */
int matrix_start(void **state);

/* A node with features, each of which has seen packets; fails the test if one has not. */
void matrix_open(struct matrix *m, uint32_t features, const char *input);
/* All buffers come back. */
void matrix_close(struct matrix *m);

/* The bystander has lost nothing, no mark of it has changed, and it is served as before. */
void matrix_check(struct matrix *m);

/* --- time and orders --- */

void matrix_settle(struct matrix *m);
void matrix_wait(struct matrix *m, int64_t ns);
/* An order at the victim's home, which may fail; its status. */
int matrix_order(struct matrix *m, const struct msg *msg);
/* Orders about a mobile: at its home, worker 0. */
uint32_t matrix_slot(enum matrix_who who, unsigned worker);
uint32_t matrix_pdp_slot(enum matrix_who who, unsigned context, unsigned worker);
void matrix_add(struct matrix *m, enum matrix_who who);
struct msg matrix_move(const struct matrix *m, enum matrix_who who, unsigned worker, uint16_t bvc);
/* Buckets of the victim's cell of each worker. */
void matrix_flow(struct matrix *m, uint64_t octets, uint64_t rate_bps);

/* --- packets --- */

enum matrix_port { MATRIX_GN, MATRIX_GB };

/* Of Gb, ours and the BSS's; those of Gn are gn_ipv6_addresses. Places 3 and 4. */
extern const uint8_t matrix_gb_addresses[2][16];

/* A frame at a worker's port, with ESP if the port has that; the worker settles. */
void matrix_put(struct matrix *m, enum matrix_port port, unsigned worker, const uint8_t *frame,
                size_t octets);
/* The same as it is, without ESP. */
void matrix_put_plain(struct matrix *m, enum matrix_port port, unsigned worker, const uint8_t *frame,
                      size_t octets);
/* Puts ESP around a frame, if the port has it; octets of the frame. */
size_t matrix_protect(struct matrix *m, enum matrix_port port, uint8_t *frame, size_t octets);

/* GTP in a frame from the GGSN, or from another host; octets. */
size_t matrix_wrap_gn(const struct matrix *m, bool is_other, uint8_t *frame, const uint8_t *gtp,
                      size_t octets);
/* An NS PDU in a frame from the BSS. */
size_t matrix_wrap_gb(const struct matrix *m, uint8_t *frame, const uint8_t *ns, size_t octets);

/* A G-PDU with a segment of the server; its octets. */
size_t matrix_g_pdu(struct matrix *m, enum matrix_who who, unsigned context, uint16_t data_octets,
                    uint8_t *gtp);
/* The NS PDU of an uplink frame; its octets. */
struct gb_frame_uplink;
size_t matrix_uplink(struct matrix *m, enum matrix_who who, struct gb_frame_uplink *in, uint8_t *ns);

/* The handshake of a mobile's connection. */
void matrix_connect(struct matrix *m, enum matrix_who who);

/* A segment to a mobile, and one of it with so many octets of data and no window closed. */
void matrix_down(struct matrix *m, enum matrix_who who, unsigned context, uint16_t data_octets);
void matrix_up(struct matrix *m, enum matrix_who who, uint16_t data_octets);
/* The first SNDCP segment of an N-PDU, whose rest does not come. */
void matrix_up_half(struct matrix *m, enum matrix_who who);
/* A segment of another connection, of which no handshake came by. */
void matrix_down_other(struct matrix *m, enum matrix_who who, uint32_t seq, uint16_t data_octets);

/* N-PDUs of all contexts of the victim wait, the first in part sent where it is not held; one of its own came
 * in part. */
void matrix_fill(struct matrix *m);

/* All drops of a reason, frames and N-PDUs that came at a port. */
uint64_t matrix_drops(const struct matrix *m, enum matrix_port port, unsigned reason);

/* --- rows --- */

struct matrix_input {
    const char *name;
    void (*give)(struct matrix *m);
    unsigned reason; /* enum drop that grows; DROP_NONE: it need not */
    bool is_of_esp;  /* it grows at each port with ESP, and need not at others */
};

extern const struct matrix_input matrix_inputs[];
extern const unsigned matrix_input_count;

#endif
