/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User data of phones: LLC and SNDCP of a phone's context, and the TUN device that has the addresses of all
 * phones. A context's address is that of the phone alone: one that another phone has is refused.
 */
#ifndef APP_EMULATE_PHONES_USER_H
#define APP_EMULATE_PHONES_USER_H

#include "app/emulate/config.h"
#include "dataplane/base/u64_map.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EMULATE_USER_NONE UINT32_MAX

/* Of one phone. Addresses are in host order. */
struct emulate_user {
    struct ms_stack stack; /* SAPI and NSAPI are the context's; key and entity last as long as the phone's */
    uint32_t address;      /* 0: no context with user data */
    uint64_t down_npdus, down_octets; /* N-PDUs delivered to its host */
    uint64_t up_npdus, up_octets;     /* N-PDUs that its host sent */
    uint64_t unwritten;               /* N-PDUs that the TUN device did not accept */
    uint64_t unsent;                  /* N-PDUs of its host that were not sent */
};

/* Of all phones. */
struct emulate_host {
    const struct emulate_config_device *device; /* NULL: phones have no user data */
    int tun;
    struct u64_map by_address; /* to the phone's index */
    uint64_t refused;          /* contexts whose address another phone has, or the device did not take */
};

struct emulate_user_context {
    uint32_t address;
    uint8_t nsapi, sapi;
};

void emulate_user_init(struct emulate_user *user);

/* Memory for `count` phones at device, NULL: none. Ends the program when memory is short. */
void emulate_host_init(struct emulate_host *host, const struct emulate_config_device *device, uint32_t count);
void emulate_host_free(struct emulate_host *host);

/* A context of the phone begins; its end. */
void emulate_user_up(struct emulate_host *host, struct emulate_user *user, uint32_t phone,
                     const struct emulate_user_context *context);
void emulate_user_down(struct emulate_host *host, struct emulate_user *user, uint32_t phone);

/* A downlink LLC-PDU. False: not one of the context's SAPI. */
bool emulate_user_take(const struct emulate_host *host, struct emulate_user *user, const uint8_t *llc_pdu,
                       size_t octets);

/* The phone with the packet's source address, EMULATE_USER_NONE without. */
uint32_t emulate_user_sender(const struct emulate_host *host, const uint8_t *packet, size_t octets);

/* Sends a packet of its host: send() for each LLC-PDU. */
void emulate_user_send(struct emulate_user *user, const uint8_t *packet, size_t octets,
                       void (*send)(void *arg, const uint8_t *llc_pdu, size_t octets), void *arg);

#endif
