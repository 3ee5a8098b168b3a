/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The associations and rules of ESP in force at a node, and the crypto devices that they use.
 *
 * Workers read a set of rules for each port, which never changes. Whatever comes or goes makes another set of
 * each port; workers change to it between two bursts, and only when all have done so is what the former set
 * had alone freed. One exchange is under way at a time: all that changes meanwhile goes into the next one.
 */
#ifndef CONTROL_ESP_ASSOCIATIONS_H
#define CONTROL_ESP_ASSOCIATIONS_H

#include "control/esp_config/lua_esp_config.h"
#include "control/esp/used_keys.h"
#include "dataplane/esp/sa.h"

#include <stdbool.h>
#include <stdint.h>

#define ASSOCIATIONS_MAX      (2 * ESP_CONFIG_SAS)
#define ASSOCIATIONS_POLICIES 128 /* of IKE, in both directions */
#define ASSOCIATIONS_GROUP                                                                                   \
    UINT32_C(0x10000) /* the first group of IKE; below are those of the configuration */

enum association_state {
    ASSOCIATION_FREE, /* the place is */
    ASSOCIATION_HELD,
    ASSOCIATION_LEAVING, /* not in the next set */
    ASSOCIATION_LEFT,    /* in the former set alone, which some worker may have */
    ASSOCIATION_GONE,    /* of IKE, which notes its numbers and frees it: no worker has it */
};

struct association {
    enum association_state state;
    bool is_of_ike;
    uint32_t group;
    uint64_t order; /* of those of a group, the one with the highest protects what leaves */
    int64_t since_ns;
    struct used_key key;
    struct sa *sa;
};

/* A template of a policy (struct xfrm_user_tmpl of Linux); addresses are those of a tunnel. */
struct association_template {
    uint32_t reqid;
    bool is_tunnel, is_ipv6;
    struct sa_address local, remote;
};

/* A policy of IKE. Of those of a direction that fit a packet, the one with the lowest priority holds. */
struct association_policy {
    bool is_out, is_seen; /* seen: in the list that is coming */
    uint32_t priority, index;
    uint32_t spi;     /* of what leaves: the association that is to protect it; 0: the latest of the group */
    struct rule rule; /* its group: of its template */
};

/* Policies of a direction that found no place: their packets must not find another of lower priority. */
struct associations_missing {
    unsigned count, before; /* before: of those from before the list that is coming */
    uint32_t priority;      /* the lowest of them; policies behind it do not hold */
    uint32_t index;         /* the lowest of that priority */
};

struct associations {
    unsigned workers, policy_count, template_count, device_count;
    bool is_changed; /* the sets of the workers are not those of now */
    bool is_listing; /* a list of all policies is coming */
    bool has_gone;   /* an association is ASSOCIATION_GONE */
    uint64_t orders;
    struct rte_mempool *ops;
    struct sa_device devices[SA_DEVICES];
    struct association list[ASSOCIATIONS_MAX];
    struct association_policy policies[ASSOCIATIONS_POLICIES];
    struct association_template templates[ASSOCIATIONS_POLICIES];
    struct associations_missing missing[2]; /* by is_out */
    struct associations_side {
        struct esp_config_side config;
        struct rules *now, *former; /* former: some worker may have it; NULL: none */
    } sides[ESP_CONFIG_SIDES];
};

/* Opens the devices that the configuration names. False, with a line on stderr. */
bool associations_open(struct associations *a, const struct esp_config *config, unsigned workers);

/* No worker may be in a step. */
void associations_close(struct associations *a);

/* Makes an association that is not in force; any thread. NULL: *reason, a static text, says why. */
struct sa *associations_make(const struct associations *a, const struct sa_params *params,
                             const char **reason);

/* Takes it over, into the next set. NULL, and it stays the caller's: there are too many. */
struct association *associations_add(struct associations *a, struct sa *sa, uint32_t group, int64_t now);

/* Whether an inbound association of the next set has the SPI. Packets find theirs by the SPI alone. */
bool associations_has_inbound(const struct associations *a, uint32_t spi);

/* One that workers do not use any more from the next set on. */
void associations_remove(struct associations *a, struct association *association);

/* The group of a template; UINT32_MAX: there are too many that a policy or an association has. */
uint32_t associations_group(struct associations *a, const struct association_template *wanted);

/* The policy with the index and direction; NULL: there is none. */
struct association_policy *associations_find_policy(struct associations *a,
                                                    const struct association_policy *wanted);

/* One that has come or changed. False: there is no place, so that none of lower priority holds any more. */
bool associations_put_policy(struct associations *a, const struct association_policy *policy);

/* One that has gone, by its index and direction; and all. */
void associations_remove_policy(struct associations *a, const struct association_policy *policy);
void associations_flush_policies(struct associations *a);

/* Before and behind a list of all policies: what it has not has gone. */
void associations_begin_list(struct associations *a);
void associations_end_list(struct associations *a);

/* The next set of each port, for its worker's orders; NULL: the port has no ESP. False: workers have not all
 * changed to the set before, nothing has changed, or there is no memory (then the next call tries again). */
bool associations_exchange(struct associations *a, struct rules *sets[ESP_CONFIG_SIDES]);

/* Whether workers have all that has changed, and nothing is left to free. */
bool associations_is_settled(const struct associations *a);

/* Frees what no worker has any more, but the associations of IKE. */
void associations_tidy(struct associations *a);

/* Frees one that has gone. */
void associations_free(struct association *association);

#endif
