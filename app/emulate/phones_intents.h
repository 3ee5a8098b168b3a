/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones of an emulated BSS: their state in C, and the intents of lua/phone. For lua_emulate_phones.c alone.
 */
#ifndef APP_EMULATE_PHONES_INTENTS_H
#define APP_EMULATE_PHONES_INTENTS_H

#include "app/emulate/phones.h"

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
