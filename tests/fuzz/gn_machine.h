/* SPDX-License-Identifier: BSD-3-Clause */
/* The node and the GGSNs of gn_machine_fuzz.c: which contexts there are, what was asked for, and who may
 * answer. */
#ifndef TESTS_FUZZ_GN_MACHINE_H
#define TESTS_FUZZ_GN_MACHINE_H

#include "tests/unit/control/gtpc_put.h"
#include "tests/fuzz/machine.h"

#include <arpa/inet.h>

enum {
    GN_MACHINE_SLOTS = 8,
    GN_MACHINE_SENDERS = 11,
    GN_MACHINE_PORT = 2123,
    GN_MACHINE_STRANGER_PORT = 40000
};

/* The node's configuration: three GGSNs with networks of their own, the third over IPv6. */
extern const char *const gn_machine_text;

/* Sources of datagrams: the GGSNs, other addresses of their networks, addresses of none, one of the node's.
 */
extern const char *const gn_machine_senders[GN_MACHINE_SENDERS];

/* A request as the node sent it latest. */
struct gn_machine_request {
    uint8_t type; /* 0: none yet */
    uint16_t seq;
    uint32_t teid_control; /* of the context, the node's; 0: an Echo Request */
    char theirs[INET6_ADDRSTRLEN], ours[INET6_ADDRSTRLEN];
};

/* A context that the node is to have. */
struct gn_machine_context {
    uint64_t id; /* 0: none; never used again in a sequence */
    uint32_t teid_control;
    uint32_t ggsn_teid; /* for signalling, while it is up */
    bool is_up;
    bool is_once; /* of a phone, which is asked what its GGSN wants */
    struct gn_machine_request latest;
    char control[2][INET6_ADDRSTRLEN]; /* addresses for signalling that its GGSN has given */
};

extern struct gn_machine_context gn_machine_contexts[GN_MACHINE_SLOTS];

/* A new sequence: no contexts, and the node's random numbers from the beginning. */
void gn_machine_begin(void);

/* Adds or deletes the context of a slot. */
void gn_machine_add(unsigned slot, unsigned what, int64_t now);
void gn_machine_del(unsigned slot, int64_t now);

/* The context by number or by a TEID of the node's, NULL. */
struct gn_machine_context *gn_machine_by_id(uint64_t id);
struct gn_machine_context *gn_machine_by_teid(uint32_t teid_control);

/* The address that a context is requested of. */
const char *gn_machine_ggsn_of(const struct gn_machine_context *context);

/* Whether the configuration lets a context's GGSN name an address in its answers. */
bool gn_machine_may_name(const struct gn_machine_context *context, const char *address);

/* Whether a datagram from an address comes from a context's GGSN: where it is requested, or what that has
 * given. */
bool gn_machine_is_from(const struct gn_machine_context *context, const char *sender);

/* Notes a request that the node sends, as decoded. */
void gn_machine_note(const struct gtpc *message, const char *ours, const char *theirs);

/* One of the latest requests; NULL: there was none. */
const struct gn_machine_request *gn_machine_request(unsigned number);

/* What a GGSN or another sender sends, chosen by the input: octets, or not above 0. `from` becomes the
 * sender. */
int gn_machine_answer(struct fuzz_input *in, const char **from, uint8_t bytes[GTPC_PUT_OCTETS]);
int gn_machine_ask(struct fuzz_input *in, const char **from, uint8_t bytes[GTPC_PUT_OCTETS]);

#endif
