/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns in rounds: deficit round robin (Shreedhar and Varghese 1995) in its surplus form, with a short way in
 * for those who come with a share that they have not used yet (as in RFC 8290).
 *
 * Model: in every round each member gets one quantum, and may send while its deficit is above zero. One that
 * enters takes its turn in this round, ahead of the others, as long as it has something left of its quantum
 * of this round; else it waits for the next. So nobody gets more than a quantum in a round, and who sends
 * little does not wait for those who send much.
 *
 * Invariants: a member is in exactly the list that its place names. No charge is larger than the quantum, so
 * a deficit is above -quantum, hence above zero once a quantum is added: nobody's turn passes in vain.
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
    TURNS_EVEN, /* turns of the rounds with even numbers, and of those with odd ones: */
    TURNS_ODD,  /* one is the current round's, the other the next one's */
    TURNS_PLACES,
};

/* A member; lies inside what takes turns. */
struct turn {
    struct turn *next, *prev;
    uint16_t round; /* in which it got its last quantum */
    int16_t deficit_octets;
    uint8_t place;              /* enum turns_place */
    uint8_t pfi, qclass, flags; /* the owner's: they would be padding */
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

/* Where the turns of this round are, and those of the next. */
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

/* Appends to the list of a place. The turn is in none. */
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

/* Takes a turn out of its list. */
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

/* Makes a member one that has used nothing here. It is in no list. */
static inline void turns_forget(const struct turns *t, struct turn *turn)
{
    turn->round = (uint16_t)(t->round - 1);
    turn->deficit_octets = 0;
}

/* The quantum of this round, unless it was given. What was left of an earlier one is lost, a debt stays. */
static inline void turns_refill(const struct turns *t, struct turn *turn)
{
    if (turn->round == t->round)
        return;
    turn->round = t->round;
    int debt_octets = turn->deficit_octets < 0 ? turn->deficit_octets : 0;
    turn->deficit_octets = (int16_t)(debt_octets + TURNS_QUANTUM_OCTETS);
}

/* Enters: in this round when something is left of its quantum, else in the next. */
static inline void turns_enter(struct turns *t, struct turn *turn)
{
    turns_refill(t, turn);
    turns_put(t, turn, turn->deficit_octets > 0 ? (unsigned)TURNS_FRESH : turns_next(t));
}

/* Whose turn it is; NULL when nobody is here. */
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

/* Charges a member for what it sends; when nothing is left of its quantum it waits for the next round. */
static inline void turns_charge(struct turns *t, struct turn *turn, uint32_t octets)
{
    turn->deficit_octets = (int16_t)(turn->deficit_octets - (int)octets);
    if (turn->deficit_octets > 0)
        return;
    turns_leave(t, turn);
    turns_put(t, turn, turns_next(t));
}

#endif
