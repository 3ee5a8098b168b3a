/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Phones of an emulated BSS that attach by themselves: GMM and SM are lua/phone, LLC of SAPI 1 is
 * phones.c, user data is phones.c. Times are nanoseconds since the start.
 */
#ifndef APP_EMULATE_PHONES_H
#define APP_EMULATE_PHONES_H

#include "app/emulate/config.h"
#include "bss/bss_ms.h"
#include "control/log/log.h"
#include "dataplane/base/u64_map.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * User data of phones: LLC and SNDCP of a phone's context, and the TUN device that has the addresses of all
 * phones. A context's address is that of the phone alone: one that another phone has is refused.
 */

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
    struct u64_map by_address;       /* to the phone's index */
    struct link_values acknowledged; /* what phones allow of LLC's acknowledged mode */
    uint64_t refused; /* contexts whose address another phone has, or the device did not take */
};

void emulate_user_init(struct emulate_user *user);

/* Memory for `count` phones at device, NULL: none. Ends the program when memory is short. */
void emulate_host_init(struct emulate_host *host, const struct emulate_config_device *device, uint32_t count,
                       const struct link_values *acknowledged);
void emulate_host_free(struct emulate_host *host);

/* A downlink LLC-PDU. False: not one of the context's SAPI. */
bool emulate_user_take(const struct emulate_host *host, struct emulate_user *user, const uint8_t *llc_pdu,
                       size_t octets, int64_t now);

/* The phone with the packet's source address, EMULATE_USER_NONE without. */
uint32_t emulate_user_sender(const struct emulate_host *host, const uint8_t *packet, size_t octets);

/* Sends a packet of its host: send() for each LLC-PDU that may leave now. */
void emulate_user_send(struct emulate_user *user, const uint8_t *packet, size_t octets,
                       ms_stack_send_fn *send, void *arg, int64_t now);

enum { EMULATE_PHONES_FRAME_OCTETS = 520 };

struct emulate_phones;
struct lua_State;

/* A phone's LLC. */
struct emulate_phone {
    uint32_t tlli, former; /* both receive; former: that before the last change */
    uint16_t bvci;
    bool is_up;   /* it has a context */
    bool is_held; /* it may not send user data now */
    bool is_suspended, has_reference;
    uint8_t reference;     /* of its last suspension, with has_reference */
    struct ms_stack stack; /* entity and key of SAPI 1 */
    struct emulate_user user;
};

/* Of a message that came on SAPI 1. */
struct emulate_phones_message {
    const uint8_t *octets;
    size_t count;
    bool is_ciphered;
    uint8_t clear[EMULATE_PHONES_FRAME_OCTETS]; /* where octets point to */
};

/* False: no UI frame of SAPI 1 with a right FCS, or a repeated one. */
bool emulate_phones_unwrap(struct emulate_phone *phone, const uint8_t *llc_pdu, size_t octets,
                           struct emulate_phones_message *message);

/* The BSS of the phones. */
struct emulate_phones_air {
    void *arg;
    bool (*is_up)(void *arg, uint16_t bvci);
    void (*move)(void *arg, uint32_t tlli, uint16_t from, uint16_t to);
    void (*suspend)(void *arg, uint32_t tlli, uint16_t bvci);
    void (*resume)(void *arg, uint32_t tlli, uint16_t bvci,
                   const uint8_t *reference); /* NULL: no SUSPEND-ACK */
    void (*send)(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets);
};

struct emulate_phones_row {
    const char *imsi, *state, *session, *address, *dns; /* "-": none */
    uint32_t tlli;
    uint16_t bvci;
    const struct emulate_user *user;
};

/* Phones of an emulated BSS: their state in C, and the intents of lua/phone. For lua_emulate.c alone.
 */

/* An uplink frame that the next step sends. */
struct phones_waiting {
    uint16_t bvci;
    uint16_t octets;
    uint32_t tlli;
    uint8_t frame[EMULATE_PHONES_FRAME_OCTETS];
};

struct emulate_phones {
    struct lua_State *L;
    int object; /* in the registry */
    bool has_started;
    uint32_t count, up_count, waiting_count; /* up_count: phones with a context */
    uint32_t done_count;                     /* phones that have played their script */
    uint32_t cell_count;
    uint16_t *bvcis; /* of the cells */
    struct log *log;
    int64_t now;
    const struct emulate_phones_air *air; /* during a step, else NULL */
    struct emulate_phone *list;
    struct phones_waiting *waiting;
    struct emulate_host host;
    uint64_t bad_frames, other_frames;
};

/* Queues a frame for the next step. */
void phones_intents_put(struct emulate_phones *phones, const struct emulate_phone *phone, uint32_t tlli,
                        const uint8_t *frame, size_t octets);

/* Carries out the list of intents on top of the stack, and pops it. */
void phones_intents_obey(struct emulate_phones *phones);

#endif
