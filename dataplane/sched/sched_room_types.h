/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of the room of mobiles: parameters, and the load of a cell's classes (model: sched_room.h). */
#ifndef DATAPLANE_SCHED_SCHED_ROOM_TYPES_H
#define DATAPLANE_SCHED_SCHED_ROOM_TYPES_H

#include "dataplane/base/qclass.h"

#include <stdbool.h>
#include <stdint.h>

/* Octets that a class of a cell sent in a window (sched_room.h), and the number of mobiles that got them. */
struct sched_load_of {
    uint32_t octets, mobiles;
};

struct sched_load {
    uint32_t window;
    struct sched_load_of now[QCLASS_COUNT], last[QCLASS_COUNT]; /* this window's, and the one's before */
};

/* A limit in packets and in time at a mobile's share. */
struct sched_room_of {
    int64_t time_ns;
    uint32_t pkts;
};

/* sched_room.h */
struct sched_room {
    struct sched_room_of loaded, alone; /* loaded.pkts 0: off */
    bool protects;                      /* a flow's only N-PDU */
};

#endif
