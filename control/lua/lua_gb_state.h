/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies the state of the Gb control plane for `gbflow show` and the reports. */
#ifndef CONTROL_LUA_LUA_GB_STATE_H
#define CONTROL_LUA_LUA_GB_STATE_H

#include "control/lua/lua_gb.h"

#define LUA_GB_STATE_CHARS 32

struct lua_gb_state_nsvc {
    uint32_t nsei, nsvci, index;
    char state[LUA_GB_STATE_CHARS], test[LUA_GB_STATE_CHARS];
};

struct lua_gb_state_bvc {
    uint32_t nsei, bvci;
    char state[LUA_GB_STATE_CHARS];
    bool is_usable, is_announced; /* the next four: last FLOW-CONTROL-BVC */
    uint64_t bucket_octets, rate_bps, ms_bucket_octets, ms_rate_bps;
    uint32_t own_buckets; /* mobiles that have one */
};

struct lua_gb_state_count {
    const char *name; /* until the call returns */
    uint64_t count;
};

/* Each calls fn for all entries: NS-VCs and BVCs in the order of the configuration, counts in the order of
 * names. */
void lua_gb_state_nsvcs(const struct lua_gb *gb, void *arg,
                        void (*fn)(void *arg, const struct lua_gb_state_nsvc *nsvc));
void lua_gb_state_bvcs(const struct lua_gb *gb, void *arg,
                       void (*fn)(void *arg, const struct lua_gb_state_bvc *bvc));
void lua_gb_state_counts(const struct lua_gb *gb, void *arg,
                         void (*fn)(void *arg, const struct lua_gb_state_count *count));

/* The cell and state of a mobile; false: the control plane does not have it. */
struct lua_gb_state_ms {
    uint32_t nsei, bvci;
    uint32_t moves; /* cell changes that it may make now */
    bool is_suspended, is_paged;
};
bool lua_gb_state_ms(const struct lua_gb *gb, uint32_t tlli, int64_t now, struct lua_gb_state_ms *ms);

#endif
