/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User data of phones: LLC and SNDCP of a phone's context, and the TUN device that has the addresses of all
 * phones. A context's address is that of the phone alone: one that another phone has is refused.
 */
#ifndef APP_EMULATE_USERS_H
#define APP_EMULATE_USERS_H

#include "app/emulate/config.h"
#include "dataplane/base/u64_map.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EMULATE_USER_NONE UINT32_MAX

/* Of one phone, or of one mobile of the configuration. Addresses are in host order. */
struct emulate_user {
    struct ms_stack stack; /* SAPI and NSAPI are the context's; key and entity last as long as the phone's */
    uint32_t address;      /* of a phone; 0: no context with user data */
    uint64_t down_npdus, down_octets; /* N-PDUs delivered to its host */
    uint64_t up_npdus, up_octets;     /* N-PDUs that its host sent */
    uint64_t unwritten;               /* N-PDUs that the TUN device did not accept */
    uint64_t unsent;                  /* N-PDUs of its host that were not sent */
};

/* Of all phones. */
struct emulate_users {
    const struct emulate_config_device *device; /* NULL: phones have no user data */
    int tun;
    struct u64_map by_address; /* to the phone's index */
    struct ms_settings stack;  /* `has_link` is each context's */
    uint64_t refused;          /* contexts whose address another phone has, or the device did not take */
};

void emulate_user_init(struct emulate_user *user);

/* Memory for `count` phones at device, NULL: none. Ends the program when memory is short. */
void emulate_users_init(struct emulate_users *host, const struct emulate_config_device *device,
                        const struct emulate_config *config, uint32_t count);
void emulate_users_free(struct emulate_users *host);

/* Takes a downlink LLC-PDU, and writes the N-PDUs that it completes to the TUN device. */
void emulate_user_receive(struct emulate_user *user, int tun, const uint8_t *llc_pdu, size_t octets,
                          int64_t now);

/* A downlink LLC-PDU of a phone. False: not one of the context's SAPI. */
bool emulate_user_take(const struct emulate_users *host, struct emulate_user *user, const uint8_t *llc_pdu,
                       size_t octets, int64_t now);

/* The phone with the packet's source address, EMULATE_USER_NONE without. */
uint32_t emulate_user_sender(const struct emulate_users *host, const uint8_t *packet, size_t octets);

/* Sends a packet of its host: send() for each LLC-PDU that may leave now. */
void emulate_user_send(struct emulate_user *user, const uint8_t *packet, size_t octets,
                       ms_stack_send_fn *send, void *arg, int64_t now);

struct emulate_user_context {
    uint32_t address;
    uint8_t nsapi, sapi;
    bool has_link; /* LLC in the mode with one */
};

/* A context of the phone begins; its end. */
void emulate_user_up(struct emulate_users *host, struct emulate_user *user, uint32_t phone,
                     const struct emulate_user_context *context, int64_t now);
void emulate_user_down(struct emulate_users *host, struct emulate_user *user, uint32_t phone);

#endif
