/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A state machine in Lua and its node, driven by a harness with sequences of inputs. Intents are read and
 * judged by control/core/core_intent.c, as in the program; the harness sees each in place of the worker.
 */
#ifndef TESTS_FUZZ_MACHINE_H
#define TESTS_FUZZ_MACHINE_H

#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/lua_core.h"
#include "tests/fuzz/fuzz.h"

/* What an intent asks for: a message (intent->msg.type), or one of the calls of intents.def. */
enum machine_wish {
    MACHINE_MESSAGE,
    MACHINE_UP,
    MACHINE_CLASS,
    MACHINE_DOWN,
    MACHINE_ENDED,
    MACHINE_LOSE,
    MACHINE_MODIFY,
    MACHINE_IMSI, /* of a phone */
    MACHINE_GONE,
    MACHINE_PDP_ADD,
    MACHINE_PDP_DEL,
    MACHINE_PDP_CLASS,
    MACHINE_PDP_MODIFIED,
    MACHINE_PDP_LLC,
    MACHINE_PLACE,
    MACHINE_RADIO, /* what a phone says of its radio */
    MACHINE_PAGE,
    MACHINE_HLR,
    MACHINE_SGSN, /* a packed record for or of another SGSN, or N-PDUs that are forwarded */
    MACHINE_RIM,
    MACHINE_DNS,
    MACHINE_ACT, /* one of an operator's has ended */
};

/* The harness's function for an intent that core_intent.c has read and accepted. */
typedef void machine_sees(const struct core_intent *intent, enum machine_wish wish);
extern machine_sees *machine_see;

/* Its config is the node's, in which the harness may mark parts as deleted until the next machine_begin(). */
extern struct core machine_core;
extern struct node_config machine_node;

/* An event for an object of its, and such a question. */
#define machine_tell(now_ns, event, ...)                                                                     \
    (machine_core.now = (now_ns), core_tell(&machine_core, event, ##__VA_ARGS__))
#define machine_ask(now_ns, event, otherwise, ...)                                                           \
    (machine_core.now = (now_ns), core_ask(&machine_core, event, otherwise, ##__VA_ARGS__))
#define machine_object(object) (&machine_core.objects[CORE_OBJECT_##object])

/* With the checked node on top of its stack, for changes of the configuration. */
extern lua_State *machine_table;

/* The Lua state with the checked node of this text, which lives as long as the process; the first call makes
 * it. Intents go to `sees` from now on. */
lua_State *machine_state(const char *text, machine_sees *sees);

/* A new sequence: no intent was refused yet, and Lua had no error. Pushes the checked node. */
void machine_begin(void);

/* Calls the chunk, a constant, with the checked node, which machine_begin() has pushed, and the number of the
 * features that an input chooses. It sets what each of them is about, chosen or not. */
void machine_choose(const char *chunk, unsigned chosen);

/* Calls the chunk, a constant, with the object. An error in it is a finding. */
void machine_check(const struct lua_object *object, const char *chunk);

/* Calls the chunk with numbers; writes the octets that it returns. Returns how many. */
size_t machine_make(const char *chunk, const int64_t *numbers, size_t count, uint8_t *out, size_t cap);

/* Calls the chunk with octets; returns its number. */
int64_t machine_read(const char *chunk, const void *octets, size_t count);

/* The end of a sequence: the same, and no intent may have been refused, and Lua may have had no error. */
void machine_end(const struct lua_object *object, const char *chunk);

/* Lets timers of the object expire up to an instant, `most` of them at most; returns the instant reached. */
int64_t machine_wait(const struct lua_object *object, int64_t now, int64_t until, unsigned most);

/* Of core->sessions. */
void core_machine_act(void *unused_arg, enum core_intent_op op, struct core_intent *intent);

#endif
