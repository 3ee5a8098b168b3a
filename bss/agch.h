/* SPDX-License-Identifier: BSD-3-Clause */
/* The access grant channel of a cell (AGCH): a queue of IMMEDIATE ASSIGNMENTs, sent one by one.

   Model. A message is on the channel for a constant time; the next begins when it ends, without waiting for
   the next block of the CCCH. Messages of a Poisson process therefore wait as in the queue M/D/1, and without
   a limit rho / (2 (1 - rho)) times that constant time in the mean, rho being the channel's load.

   Not here: IMMEDIATE ASSIGNMENT EXTENDED and REJECT, paging on the same blocks. */
#ifndef BSS_AGCH_H
#define BSS_AGCH_H

#include <stdbool.h>
#include <stdint.h>

#define AGCH_MOST_MESSAGES (1U << 20) /* whatever the limit */

struct agch_config {
    int64_t service_ns; /* of one message; 0: at once */
    unsigned limit;     /* messages that wait or are sent; 0: AGCH_MOST_MESSAGES */
};

/* A request that a message answers, by its number and its life (bss/access.h); 0: none. */
struct agch_for {
    uint32_t number, life;
};

/* `rider`: another one that takes the message for its own. */
struct agch_message {
    struct agch_for to, rider;
    int64_t done_ns;
};

/* offered = refused + those that wait, are sent or were taken out */
struct agch_stats {
    uint64_t offered, refused;
    double wait_sum_ns; /* of those not refused: from put to begin */
};

/* A ring of `cap` messages, `count` in it from `first` on. */
struct agch {
    struct agch_config config;
    struct agch_message *ring;
    uint32_t cap, first, count;
    int64_t free_ns; /* the last message in the queue ends */
    struct agch_stats stats;
};

/** An empty channel. agch_fini() frees its memory. */
void agch_init(struct agch *agch, const struct agch_config *config);
void agch_fini(struct agch *agch);

/** Puts a message that arrives at `now`, which never goes back. False: the queue is full. Ends the program
    when memory is short. */
bool agch_put(struct agch *agch, struct agch_for to, struct agch_for rider, int64_t now);

/** The end of the first message; INT64_MAX: none. */
int64_t agch_due_ns(const struct agch *agch);

/** Takes the first message, which is there. */
struct agch_message agch_take(struct agch *agch);

#endif
