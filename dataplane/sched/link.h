/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link: the classes of its cells share its rate by weight, and its bucket parks it.
 */
#ifndef DATAPLANE_SCHED_LINK_H
#define DATAPLANE_SCHED_LINK_H

#include "dataplane/queue/bucket.h"
#include "dataplane/sched/sched.h"

/* Long before tags would wrap, all are decreased by the same amount. */
#define SCHED_REBASE_TAG (UINT64_C(1) << 62)

/* The committed rate of a link, in NS-PDU octets, and the most that signalling may take of it. */
struct sched_link_rate {
    uint64_t rate_bps;   /* 0: no limit */
    uint64_t max_octets; /* of its bucket */
    uint32_t signalling_percent;
};

/* A link without a rate. */
void sched_link_init(struct sched_link *link, int64_t now);
void sched_link_set(struct sched *s, struct sched_link *link, const struct sched_link_rate *rate,
                    int64_t now);

/* From now on its frames are made so. */
void sched_link_set_frame(struct sched *s, struct sched_link *link, struct sched_link_frame frame);

/* The octets that the bucket counts for `octets`. */
static inline uint32_t sched_link_octets(const struct sched_link *link, uint32_t octets)
{
    const struct sched_link_frame *f = &link->frame;
    if (__builtin_expect(!link->is_framed, 1))
        return octets;
    uint32_t pad = f->pad_octets, whole = octets + (uint32_t)f->before_octets + pad;
    return (whole & ~pad) + (uint32_t)f->behind_octets;
}

/* Its last cell has been removed: the scheduler holds no reference to it, and its memory may be reused. */
void sched_link_fini(struct sched *s, struct sched_link *link);

/* Whether a signalling frame may leave before all users' frames; and charges it. */
bool sched_link_can_signal(const struct sched_link *link, uint32_t octets, int64_t now);
void sched_link_signal(struct sched_link *link, uint32_t octets, int64_t now);

/* Puts a class of a cell in SCHED_MODE_LINK into the turns of the link, or removes it, by its flows. */
void sched_link_sync(struct sched *s, struct sched_link *link, struct sched_class *c);

/* A change may have opened a bucket for which it is parked: tests it again. */
void sched_link_changed(struct sched *s, struct sched_link *link);

/* The link has something to send. */
static inline void sched_link_ready(struct sched *s, struct sched_link *link)
{
    if (link->is_ready || link->is_parked)
        return;
    link->is_ready = true;
    link->next = NULL;
    if (s->links)
        s->links_last->next = link;
    else
        s->links = link;
    s->links_last = link;
}

/* The class whose turn it is, of a cell in SCHED_MODE_LINK or LIMITED. NULL: nothing to send. */
struct sched_class *sched_link_choose(struct sched *s, struct sched_link *link);
/* The same of a cell that its bucket limits and that has something to send. */
struct sched_class *sched_link_choose_limited(struct sched *s, struct sched_bvc *bvc);
/* The same of one that has no holder. Most have one class that has something to send. */
static inline struct sched_class *sched_link_choose_next(struct sched *s, struct sched_bvc *bvc)
{
    struct sched_class *c = &bvc->classes[__builtin_ctz(bvc->active)];
    if (bvc->active & (bvc->active - 1) || c->tag >= SCHED_REBASE_TAG)
        return sched_link_choose_limited(s, bvc);
    if (bvc->now_tag < c->tag)
        bvc->now_tag = c->tag;
    return c;
}
static inline bool sched_link_can_take(const struct sched_link *link, uint32_t octets, int64_t now)
{
    return link->bucket.rate_bps == 0 || bucket_can_take(&link->bucket, octets, now);
}

/* Parks a link whose bucket is closed for `octets`. */
void sched_link_park(struct sched *s, struct sched_link *link, uint32_t octets);

/* A class of a cell in SCHED_MODE_LINK has sent. */
void sched_link_sent(struct sched *s, struct sched_link *link, struct sched_class *c, uint32_t octets);
void sched_link_woken(struct sched *s, struct sched_link *link, int64_t at_ns);

#endif
