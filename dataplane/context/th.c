/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/th.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/ms.h"

bool th_new(struct ths *ths, uint32_t mobiles)
{
    *ths = (struct ths){.first_ns = MOMENT_NEVER, .first = MS_NONE, .last = MS_NONE};
    ths->of = bigmem_new(mobiles * sizeof(*ths->of));
    return ths->of != NULL;
}

void th_free(struct ths *ths, uint32_t mobiles)
{
    bigmem_free(ths->of, mobiles * sizeof(*ths->of));
}

static void th_note_first(struct ths *ths)
{
    ths->first_ns = ths->first == MS_NONE ? MOMENT_NEVER : ths->of[ths->first].end_ns;
}

void th_stop(struct ths *ths, uint32_t index)
{
    struct th *th = &ths->of[index];
    if (th->end_ns == 0)
        return;
    *(th->prev == MS_NONE ? &ths->first : &ths->of[th->prev].next) = th->next;
    *(th->next == MS_NONE ? &ths->last : &ths->of[th->next].prev) = th->prev;
    th->end_ns = 0;
    th_note_first(ths);
}

void th_start(struct ths *ths, uint32_t index, int64_t end_ns)
{
    struct th *th = &ths->of[index];
    th_stop(ths, index);
    uint32_t before = ths->last;
    while (before != MS_NONE && ths->of[before].end_ns > end_ns)
        before = ths->of[before].prev;
    *th = (struct th){end_ns, before, before == MS_NONE ? ths->first : ths->of[before].next};
    *(before == MS_NONE ? &ths->first : &ths->of[before].next) = index;
    *(th->next == MS_NONE ? &ths->last : &ths->of[th->next].prev) = index;
    th_note_first(ths);
}
