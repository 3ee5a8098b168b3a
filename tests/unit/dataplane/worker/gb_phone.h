/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile in acknowledged mode behind Gb, by hand: a link of abm/link.h over a channel that loses frames,
 * with or without compression. */
#ifndef TESTS_UNIT_DATAPLANE_WORKER_GB_PHONE_H
#define TESTS_UNIT_DATAPLANE_WORKER_GB_PHONE_H

#include "dataplane/abm/link.h"
#include "dataplane/base/rng.h"
#include "dataplane/compression/compression_pool.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GB_PHONE_ROOM = 128, GB_PHONE_SLOTS = 32, GB_PHONE_MOST = 400 };

extern const struct kit_options gb_phone_options;

struct gb_phone_frame;

struct gb_phone {
    struct kit *kit;
    uint32_t index; /* of its mobile and context */
    uint8_t bvci;   /* of the cell that it sends in; 0: KIT_BVCI */
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[GB_PHONE_SLOTS];
    void *stored[GB_PHONE_SLOTS];
    struct rng rng;
    uint32_t loss_ppm;
    struct gb_phone_frame *air;
    uint8_t key[16];
    bool is_ciphered;
    uint8_t room[GB_PHONE_ROOM], unit[1600]; /* in reassembly, behind one another */
    size_t unit_octets;
    uint8_t unit_comp;
    struct compression_pool pool;
    struct compression_scratch scratch;
    struct compression_entity *entities; /* NULL: nothing is compressed */
    unsigned received, sent_up, received_up, abandoned, own_left, opened;
    size_t lengths[GB_PHONE_MOST];
};

/* Its context is ordered in acknowledged mode; of a million frames so many are lost. */
void gb_phone_open(struct gb_phone *p, struct kit *kit, uint32_t loss_ppm);
/* The same with another mobile, TLLI KIT_TLLI + index and TEID KIT_TEID + index. Only one plays at a time: it
 * takes all frames that come. */
void gb_phone_open_other(struct gb_phone *p, struct kit *kit, uint32_t index);
void gb_phone_close(struct gb_phone *p);

/* Agrees on RFC 1144 and V.42bis with the worker. */
void gb_phone_compress(struct gb_phone *p);

/* All frames on the way are lost. */
void gb_phone_lose_air(struct gb_phone *p);
/* All frames on the way in a direction arrive now; nothing is answered. */
void gb_phone_land(struct gb_phone *p, bool is_up);
/* It is in a cell of another worker, which knows its TLLI and TEID. Frames on the way are lost. */
void gb_phone_go(struct gb_phone *p, struct kit *kit);

/* Lets time pass until `until_ns`, or until nothing more happens. */
void gb_phone_play(struct gb_phone *p, int64_t until_ns);

/* N-PDU number i down or up, whose last octets are its number: of random octets, with compression a segment
 * of TCP with a text. */
void gb_phone_down(struct gb_phone *p, unsigned i, uint16_t octets);
void gb_phone_up(struct gb_phone *p, unsigned i, uint16_t octets);

/* An N-PDU up of another NSAPI. */
void gb_phone_up_of(struct gb_phone *p, uint8_t nsapi, uint16_t octets);

/* N-PDUs of many lengths: `count` down, and a quarter of that up. */
void gb_phone_both_ways(struct gb_phone *p, unsigned count);

/* Another key for both sides, whose octets begin with `first`. */
void gb_phone_switch_key(struct gb_phone *p, uint8_t first);

#endif
