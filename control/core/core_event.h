/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events for the state machines in Lua: rows of events.def. Each is one call that finds the object, and does
 * nothing if the core has no such object, calls the method with the time of the core's present step, and
 * carries out the intents.
 */
#ifndef CONTROL_CORE_CORE_EVENT_H
#define CONTROL_CORE_CORE_EVENT_H

#include "control/lua/lua_object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;

enum core_object {
#define OBJECT(object, module) CORE_OBJECT_##object,
#include "control/core/events.def"
    CORE_OBJECTS,
};

enum core_event {
#define EVENT(object, method, ...)     CORE_EVENT_##object##_##method,
#define EVENT_SET(object, method, ...) CORE_EVENT_##object##_##method,
#define EVENT_ASK(object, method, ...) CORE_EVENT_##object##_##method,
#include "control/core/events.def"
    CORE_EVENTS,
};

#define CORE_EVENT_COUNT(...) CORE_EVENT_COUNTED(_, ##__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)

#define CORE_EVENT_COUNTED(none, a, b, c, d, e, f, g, count, ...) count
/* How many arguments an event has. */
enum {
#define EVENT(object, method, ...)     CORE_ARGUMENTS_##object##_##method = CORE_EVENT_COUNT(__VA_ARGS__),
#define EVENT_SET(object, method, ...) CORE_ARGUMENTS_##object##_##method = CORE_EVENT_COUNT(__VA_ARGS__),
#define EVENT_ASK(object, method, ...) CORE_ARGUMENTS_##object##_##method = CORE_EVENT_COUNT(__VA_ARGS__),
#include "control/core/events.def"
};

/* The arguments of an event, each LUA_ARG(), LUA_OCTETS() and so on (lua_object.h): as many as its row has.
 */
#define CORE_EVENT_LIST(event, ...)                                                                          \
    ((const struct lua_arg[CORE_ARGUMENTS_##event + CORE_EVENT_END(event, ##__VA_ARGS__)]){__VA_ARGS__})
/* clang-format off */
#define CORE_EVENT_END(event, ...)                                                                           \
    sizeof(struct {                                                                                          \
        _Static_assert(CORE_EVENT_COUNT(__VA_ARGS__) == CORE_ARGUMENTS_##event, "not as its row"); \
        char is_one;                                                                                         \
    })
/* clang-format on */

/* Calls a method that returns intents or nothing. */
#define core_tell(core, event, ...)                                                                          \
    core_event_tell(core, CORE_EVENT_##event, CORE_EVENT_LIST(event, ##__VA_ARGS__))
/* Calls a method that returns an integer, or true or false, as 1 and 0; otherwise: it returns none, has
 * failed, or there is no object. */
#define core_ask(core, event, otherwise, ...)                                                                \
    core_event_ask(core, CORE_EVENT_##event, otherwise, CORE_EVENT_LIST(event, ##__VA_ARGS__))
/* Reads the table that a method returns; false: there is none. */
#define core_read(core, event, fields, out, ...)                                                             \
    core_event_read(core, CORE_EVENT_##event, fields, out, CORE_EVENT_LIST(event, ##__VA_ARGS__))
/* Reads the list that a method returns; no call of list->each(): there is none. */
#define core_each(core, event, list, ...)                                                                    \
    core_event_each(core, CORE_EVENT_##event, list, CORE_EVENT_LIST(event, ##__VA_ARGS__))

void core_event_tell(struct core *core, enum core_event event, const struct lua_arg *arguments);
int64_t core_event_ask(const struct core *core, enum core_event event, int64_t otherwise,
                       const struct lua_arg *arguments);
bool core_event_read(const struct core *core, enum core_event event, const struct lua_field *fields,
                     void *out, const struct lua_arg *arguments);
void core_event_each(const struct core *core, enum core_event event, const struct lua_list *list,
                     const struct lua_arg *arguments);

/* Whether the core has an object: core_has(core, phones). */
#define core_has(core, object) ((core)->objects[CORE_OBJECT_##object].L != NULL)

/* --- structs that are arguments or answers, as tables: CORE_RECORD(from, &from), CORE_LIST(numbers, array,
 * count) --- */

#define CORE_RECORD(name, record)                                                                            \
    LUA_RECORD(core_event_##name##_fields, ((const struct core_event_##name *const[]){record})[0])
#define CORE_LIST(name, array, count)                                                                        \
    LUA_LIST(core_event_##name##_fields, ((const struct core_event_##name *const[]){array})[0], count)

/* The table of an intent that is carried out, or a field of it, as it is: for another object, which keeps it.
 */
#define CORE_INTENT(intent)            LUA_OF((intent)->place, NULL)
#define CORE_INTENT_FIELD(intent, key) LUA_OF((intent)->place, (void *)(key))

/* Answers of phones_admit; else the slot of a mobile. */
enum { CORE_EVENT_REFUSE = -1, CORE_EVENT_NEW = -2 };

/* Where a message of a phone comes from; is_restarted: its N(U) is old, or far ahead: the phone's LLC may
 * have begun again. */
struct core_event_from {
    uint32_t tlli, nsei, bvci;
    bool is_restarted;
};

/* A cell identity. */
struct core_event_cell {
    const char *mcc, *mnc;
    uint16_t lac, ci;
    uint8_t rac;
};

/* N-PDU numbers of a context in acknowledged mode: of the next N-PDU to the phone, and from it. */
struct core_event_numbers {
    uint8_t nsapi, send, receive;
};

#define CORE_EVENT_WORDS      8
#define CORE_EVENT_PLAN_CHARS 320

/* An operator's order: names and values, all texts. */
struct core_event_order {
    struct {
        const char *name, *value;
    } words[CORE_EVENT_WORDS];
    unsigned count;
};

struct core_event_plan {
    unsigned parts;  /* how often the end of the order is told (intent acted); 0: it is refused */
    int64_t most_ns; /* the longest time until then */
    char text[CORE_EVENT_PLAN_CHARS]; /* why it is refused, or what will be sent */
};

/* An NS-RESET of an endpoint that no NS-VC has; slot: for its NS-VC, -1: none is free; has_room: for an NSE
 * and its cells. */
struct core_event_unlisted {
    uint32_t nsei, nsvci;
    const char *address, *own_address;
    uint16_t udp_port, own_port;
    int slot;
    bool has_room, has_address_room;
};

/* The flow control policy of a cell, which holds from its next announcement on, initial values at once. */
struct core_event_flow {
    uint32_t max_rise_ppm;                /* most that announced values may rise at once; 0: unlimited */
    int64_t bss_target_ns;                /* 0: none */
    uint64_t initial_octets, initial_bps; /* before the first announcement; 0: the cell waits */
};

/* State of a mobile in its cell. */
struct core_event_ms {
    bool is_suspended, is_paged;
};

/* A context, of whose N-PDUs headers of IPv4, or all, may be shortened or not; is_old: it was there before a
 * restart. */
struct core_event_context {
    uint8_t nsapi, sapi;
    bool takes_headers, takes_data, is_acknowledged, is_old;
};

/* A configured context to be requested of a GGSN. Addresses are texts; texts NULL: none. */
struct core_event_wanted {
    const char *imsi, *msisdn, *apn, *pdp_type, *qclass;
    const char *ours, *ggsn, *ipv4, *ipv6;
    uint8_t nsapi;
};

/* Fields of a requested context that control in C gives. */
struct core_event_place {
    uint32_t teid;
    uint64_t linked; /* of a secondary context: the id of one with the same address; 0: of another */
    int zone;        /* as of struct core_gtpc_place */
    struct lua_field_octets cell; /* Cell Identifier; NULL: none */
};

/* The endpoints of a received datagram: ours is its destination, theirs its source. */
struct core_event_way {
    const char *ours, *theirs;
    uint16_t port;      /* theirs */
    bool is_right_port; /* a response that came to the port of its request */
};

/* The context of a mobile on an NSAPI. */
struct core_event_ids {
    uint8_t nsapi;
    uint64_t id;
};

extern const struct lua_field core_event_from_fields[], core_event_cell_fields[], core_event_numbers_fields[],
    core_event_plan_fields[], core_event_unlisted_fields[], core_event_flow_fields[], core_event_ms_fields[],
    core_event_context_fields[], core_event_wanted_fields[], core_event_place_fields[],
    core_event_way_fields[], core_event_ids_fields[];

/* The fields of an order are its words. */
void core_event_order_fields(const struct core_event_order *order,
                             struct lua_field fields[CORE_EVENT_WORDS + 1]);

#endif
