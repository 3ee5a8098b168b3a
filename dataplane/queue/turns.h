/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns in rounds: deficit round robin (Shreedhar and Varghese 1995) in its surplus form, where members that
 * return with an unused part of their quantum go first (as in RFC 8290).
 *
 * Model: in every round each member gets one quantum, and may send while its deficit is above zero. A member
 * that enters with part of this round's quantum left takes its turn in this round, ahead of the others; any
 * other waits for the next round. So no member gets more than a quantum in a round, and a member that sends
 * little does not wait for those that send much.
 *
 * Invariants: a member is in exactly the list that its place names. No charge exceeds the quantum, so a
 * deficit is above -quantum, hence above zero after a quantum is added: at each turn its member may send.
 */
#ifndef DATAPLANE_QUEUE_TURNS_H
#define DATAPLANE_QUEUE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TURNS_QUANTUM_OCTETS 1526 /* the largest LLC-PDU: N201-U of 1520, header, FCS */

enum turns_place {
    TURNS_OUT,
    TURNS_FRESH,
    TURNS_EVEN, /* turns of even and of odd rounds: */
    TURNS_ODD,  /* one list is the current round's, the other the next round's */
    TURNS_PLACES,
};

/* A member; embedded in the struct that takes turns. */
struct turn {
    struct turn *next, *prev;
    union {
        struct {
            uint16_t round; /* in which it got its last quantum */
            int16_t deficit_octets;
        };
        uint32_t tag; /* of the owner's, if it sorts its members in TURNS_FRESH instead of giving quanta */
    };
    uint8_t place;              /* enum turns_place */
    uint8_t pfi, qclass, flags; /* used by the owner; else padding */
};

struct turns_list {
    struct turn *head, *last;
};

struct turns {
    struct turns_list lists[TURNS_PLACES - 1]; /* by place - 1 */
    uint32_t count;
    uint16_t round;
};

static inline struct turns_list *turns_list(struct turns *t, unsigned place)
{
    return &t->lists[place - 1];
}

/* The place of this round's turns, and of the next round's. */
static inline unsigned turns_current(const struct turns *t)
{
    return TURNS_EVEN + (t->round & 1);
}

static inline unsigned turns_next(const struct turns *t)
{
    return TURNS_ODD - (t->round & 1);
}

static inline bool turns_has(const struct turns *t, unsigned place)
{
    return t->lists[place - 1].head != NULL;
}

/* Appends to the list of a place. The turn is in no list. */
static inline void turns_put(struct turns *t, struct turn *turn, unsigned place)
{
    struct turns_list *list = turns_list(t, place);
    turn->place = (uint8_t)place;
    turn->next = NULL;
    turn->prev = list->last;
    if (list->head)
        list->last->next = turn;
    else
        list->head = turn;
    list->last = turn;
    t->count++;
}

/* Puts a turn, which is in no list, behind another in the list of a place; `before` NULL: at its head. */
static inline void turns_put_behind(struct turns *t, struct turn *turn, struct turn *before, unsigned place)
{
    struct turns_list *list = turns_list(t, place);
    turn->place = (uint8_t)place;
    turn->prev = before;
    turn->next = before ? before->next : list->head;
    *(before ? &before->next : &list->head) = turn;
    *(turn->next ? &turn->next->prev : &list->last) = turn;
    t->count++;
}

/* Removes a turn from its list. */
static inline void turns_leave(struct turns *t, struct turn *turn)
{
    struct turns_list *list = turns_list(t, turn->place);
    if (turn->prev)
        turn->prev->next = turn->next;
    else
        list->head = turn->next;
    if (turn->next)
        turn->next->prev = turn->prev;
    else
        list->last = turn->prev;
    turn->place = TURNS_OUT;
    t->count--;
}

/* Gives a member, which is in no list, the state of one that has used nothing. */
static inline void turns_forget(const struct turns *t, struct turn *turn)
{
    turn->round = (uint16_t)(t->round - 1);
    turn->deficit_octets = 0;
}

/* Adds this round's quantum once. The unused part of an earlier quantum is lost, a debt stays. */
static inline void turns_refill(const struct turns *t, struct turn *turn)
{
    if (turn->round == t->round)
        return;
    turn->round = t->round;
    int debt_octets = turn->deficit_octets < 0 ? turn->deficit_octets : 0;
    turn->deficit_octets = (int16_t)(debt_octets + TURNS_QUANTUM_OCTETS);
}

/* Enters in this round when part of its quantum is left, else in the next. */
static inline void turns_enter(struct turns *t, struct turn *turn)
{
    turns_refill(t, turn);
    turns_put(t, turn, turn->deficit_octets > 0 ? (unsigned)TURNS_FRESH : turns_next(t));
}

/* The member whose turn it is; NULL when there are no members. */
static inline struct turn *turns_head(struct turns *t)
{
    if (turns_has(t, TURNS_FRESH))
        return turns_list(t, TURNS_FRESH)->head;
    if (!turns_has(t, turns_current(t)) && t->count > 0)
        t->round++;
    struct turn *turn = turns_list(t, turns_current(t))->head;
    if (turn)
        turns_refill(t, turn);
    return turn;
}

/* Charges a member for what it sends; without deficit left it waits for the next round. */
static inline void turns_charge(struct turns *t, struct turn *turn, uint32_t octets)
{
    turn->deficit_octets = (int16_t)(turn->deficit_octets - (int)octets);
    if (turn->deficit_octets > 0)
        return;
    turns_leave(t, turn);
    turns_put(t, turn, turns_next(t));
}

#endif
