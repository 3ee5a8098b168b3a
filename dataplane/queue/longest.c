/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/longest.h"

#include <assert.h>
#include <stdlib.h>

bool longest_new(struct longest *l, uint32_t pkts)
{
    uint32_t count = pkts / LONGEST_MIN_PKTS + 1;

    *l = (struct longest){.nodes = calloc(count, sizeof(struct longest_node)), .free_head = LONGEST_NONE};
    for (unsigned i = 0; i < LONGEST_BINS; i++)
        l->bins[i] = LONGEST_NONE;
    if (!l->nodes)
        return false;
    for (uint32_t i = count; i-- > 0;) {
        l->nodes[i].next = l->free_head;
        l->free_head = i;
    }
    return true;
}

void longest_free(struct longest *l)
{
    free(l->nodes);
    *l = (struct longest){0};
}

static unsigned bin_of(uint16_t pkts)
{
    return pkts < LONGEST_BINS ? pkts : LONGEST_BINS - 1;
}

static void mark(struct longest *l, unsigned bin, bool occupied)
{
    uint64_t *word = &l->occupied[bin / 64];
    uint64_t bit = UINT64_C(1) << bin % 64, word_bit = UINT64_C(1) << bin / 64;
    *word = occupied ? *word | bit : *word & ~bit;
    l->words = *word ? l->words | word_bit : l->words & ~word_bit;
}

static void unlink_node(struct longest *l, uint32_t i)
{
    struct longest_node *node = &l->nodes[i];
    unsigned bin = bin_of(node->pkts);
    if (node->prev != LONGEST_NONE)
        l->nodes[node->prev].next = node->next;
    else
        l->bins[bin] = node->next;
    if (node->next != LONGEST_NONE)
        l->nodes[node->next].prev = node->prev;
    if (l->bins[bin] == LONGEST_NONE)
        mark(l, bin, false);
}

static void link_node(struct longest *l, uint32_t i, uint16_t pkts)
{
    struct longest_node *node = &l->nodes[i];
    unsigned bin = bin_of(pkts);
    node->pkts = pkts;
    node->prev = LONGEST_NONE;
    node->next = l->bins[bin];
    if (node->next != LONGEST_NONE)
        l->nodes[node->next].prev = i;
    l->bins[bin] = i;
    mark(l, bin, true);
}

static uint32_t longest_add(struct longest *l, void *queue, uint16_t pkts)
{
    uint32_t i = l->free_head;
    assert(i != LONGEST_NONE);
    l->free_head = l->nodes[i].next;
    l->nodes[i].queue = queue;
    link_node(l, i, pkts);
    return i;
}

static uint32_t remove_node(struct longest *l, uint32_t i)
{
    unlink_node(l, i);
    l->nodes[i].next = l->free_head;
    l->free_head = i;
    return LONGEST_NONE;
}

uint32_t longest_update(struct longest *l, uint32_t node, void *queue, uint16_t pkts)
{
    if (node == LONGEST_NONE)
        return pkts < LONGEST_MIN_PKTS ? LONGEST_NONE : longest_add(l, queue, pkts);
    if (pkts < LONGEST_MIN_PKTS)
        return remove_node(l, node);
    unlink_node(l, node);
    link_node(l, node, pkts);
    return node;
}

void *longest_get(const struct longest *l)
{
    if (l->words == 0)
        return NULL;
    unsigned word = 63U - (unsigned)__builtin_clzll(l->words);
    unsigned bin = 64 * word + 63U - (unsigned)__builtin_clzll(l->occupied[word]);
    uint32_t i = l->bins[bin], best = i;
    if (bin < LONGEST_BINS - 1)
        return l->nodes[i].queue;
    for (unsigned n = 0; n < LONGEST_SEARCH && i != LONGEST_NONE; n++, i = l->nodes[i].next)
        if (l->nodes[i].pkts > l->nodes[best].pkts)
            best = i;
    return l->nodes[best].queue;
}
