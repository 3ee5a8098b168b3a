/* SPDX-License-Identifier: BSD-3-Clause */
/* Associations and rules in force: what workers get, and when what they had is freed. */
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/esp/associations.h"
#include "control/esp/used_keys.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMORY_OCTETS ((size_t)64 << 20)
#define WORKERS       2
#define FILE_GROUP    3

static struct associations all;

static int start(void **state)
{
    return eal_start_device("net_null0", MEMORY_OCTETS) ? 0 : -1;
}

static int open_all(void **state)
{
    struct esp_config config = {.is_on = true, .device = "auto"};
    struct esp_config_side *gn = &config.sides[ESP_CONFIG_GN];
    gn->is_on = true;
    gn->others = RULE_DROP;
    gn->rules[gn->count++] = (struct rule){.action = RULE_PROTECT, .group = FILE_GROUP};
    return associations_open(&all, &config, WORKERS) ? 0 : -1;
}

static int close_all(void **state)
{
    associations_close(&all);
    return 0;
}

static struct association *add(uint32_t spi, bool is_inbound, uint32_t group)
{
    const char *reason = NULL;
    struct sa_params p = {.spi = spi, .is_inbound = is_inbound, .window = 128, .hop_limit = 64};
    memset(p.key, (int)spi, sizeof(p.key));
    struct sa *sa = associations_make(&all, &p, &reason);
    if (!sa)
        fail_msg("%s", reason);
    struct association *added = associations_add(&all, sa, group, 0);
    assert_non_null(added);
    return added;
}

static struct rules *exchange(void)
{
    struct rules *sets[ESP_CONFIG_SIDES];
    assert_true(associations_exchange(&all, sets));
    assert_null(sets[ESP_CONFIG_GB]);
    assert_non_null(sets[ESP_CONFIG_GN]);
    return sets[ESP_CONFIG_GN];
}

/* As a worker does that changes to another set. */
static void change(struct rules *former)
{
    atomic_fetch_sub(&former->users, 1);
    associations_tidy(&all);
}

TEST_WITH(one_exchange_at_a_time, open_all, close_all)
{
    struct rules *sets[ESP_CONFIG_SIDES], *first, *second;
    struct association *old = add(0x101, true, FILE_GROUP), *new;
    add(0x201, false, FILE_GROUP);
    first = exchange();
    assert_true(associations_is_settled(&all));
    assert_ptr_equal(first->out[0].sa->params.spi, 0x201);
    assert_non_null(rules_inbound(first, 0x101));
    assert_false(associations_exchange(&all, sets)); /* nothing has changed */

    associations_remove(&all, old);
    new = add(0x102, true, FILE_GROUP);
    second = exchange();
    assert_null(rules_inbound(second, 0x101));
    assert_non_null(rules_inbound(second, 0x102));
    add(0x202, false, FILE_GROUP);
    assert_false(associations_exchange(&all, sets)); /* one worker has the first set yet */
    change(first);
    assert_int_equal(old->state, ASSOCIATION_LEFT);
    assert_false(associations_is_settled(&all));
    change(first);
    assert_int_equal(old->state, ASSOCIATION_FREE);
    assert_int_equal(exchange()->out[0].sa->params.spi, 0x202); /* the latest protects */
    assert_int_equal(new->state, ASSOCIATION_HELD);
}

static void policy(bool is_out, uint32_t spi, uint32_t group)
{
    all.policies[all.policy_count++] = (struct association_policy){
        .is_out = is_out, .spi = spi, .rule = {.action = RULE_PROTECT, .group = group}};
    all.is_changed = true;
}

static unsigned order_of(uint32_t *indices)
{
    for (unsigned i = 0; i < all.policy_count; i++)
        indices[i] = all.policies[i].index;
    return all.policy_count;
}

/* Of equal priorities the older one holds, also after its change, and in a list, which has the latest first.
 */
TEST_WITH(policies_of_one_priority, open_all, close_all)
{
    uint32_t indices[ASSOCIATIONS_POLICIES];
    struct association_policy block = {.index = 1, .priority = 5, .rule = {.action = RULE_DROP}},
                              allow = {.index = 9, .priority = 5, .rule = {.action = RULE_PASS}};
    assert_true(associations_put_policy(&all, &block));
    assert_true(associations_put_policy(&all, &allow));
    block.rule.selector.protocol = 17;
    assert_true(associations_put_policy(&all, &block));
    assert_int_equal(order_of(indices), 2);
    assert_int_equal(indices[0], 1);
    assert_int_equal(all.policies[0].rule.selector.protocol, 17);
    associations_flush_policies(&all);
    associations_begin_list(&all);
    assert_true(associations_put_policy(&all, &allow));
    assert_true(associations_put_policy(&all, &block));
    associations_end_list(&all);
    assert_int_equal(order_of(indices), 2);
    assert_int_equal(indices[0], 1);
    allow.priority = 4;
    assert_true(associations_put_policy(&all, &allow));
    assert_int_equal(order_of(indices), 2);
    assert_int_equal(indices[0], 9);
}

TEST_WITH(policies_hold_first, open_all, close_all)
{
    const struct association_template t = {.reqid = 7};
    uint32_t group = associations_group(&all, &t);
    add(0x201, false, FILE_GROUP);
    add(0x301, false, group);
    add(0x302, false, group);
    policy(true, 0x301, group);
    policy(false, 0, group);
    struct rules *rules = exchange();
    assert_int_equal(rules->out_count, 2);
    assert_int_equal(rules->in_count, 2);
    assert_int_equal(rules->out[0].sa->params.spi, 0x301); /* not the latest: the policy names it */
    assert_int_equal(rules->out[1].sa->params.spi, 0x201);
    all.policies[0].spi = 0x399;
    all.is_changed = true;
    change(rules);
    struct rules *sets[ESP_CONFIG_SIDES];
    assert_true(associations_exchange(&all, sets));
    assert_null(sets[ESP_CONFIG_GN]->out[0].sa);
}

/* A set has the action for others and each UDP port once; one that leaves protects no more, nor does one for
 * packets of the other version. */
TEST_WITH(what_a_set_has, open_all, close_all)
{
    static const uint16_t ports[] = {4500, 4501, 4500, 4502};
    struct association *held[4], *old = add(0x201, false, FILE_GROUP), *other = add(0x202, false, FILE_GROUP);
    other->sa->params.is_inner_ipv6 = true;
    for (unsigned i = 0; i < 4; i++) {
        held[i] = add(0x101 + i, true, FILE_GROUP);
        held[i]->sa->params.encap_destination = ports[i];
    }
    struct rules *rules = exchange();
    assert_int_equal(rules->others, RULE_DROP);
    assert_int_equal(rules->encap_count, 3);
    assert_int_equal(rules->encap_ports[0], 4500);
    assert_int_equal(rules->encap_ports[1], 4501);
    assert_int_equal(rules->encap_ports[2], 4502);
    assert_ptr_equal(rules->out[0].sa, old->sa);
    associations_remove(&all, old);
    assert_null(exchange()->out[0].sa);
}

TEST_WITH(templates_are_used_again, open_all, close_all)
{
    struct association_template t = {.reqid = 0};
    for (t.reqid = 0; t.reqid < ASSOCIATIONS_POLICIES; t.reqid++) {
        uint32_t group = associations_group(&all, &t);
        assert_int_equal(group, ASSOCIATIONS_GROUP + t.reqid);
        assert_int_equal(associations_group(&all, &t), group);
        policy(true, 0, group);
    }
    assert_int_equal(associations_group(&all, &t), UINT32_MAX);
    all.policy_count = ASSOCIATIONS_POLICIES / 2;
    assert_int_equal(associations_group(&all, &t), ASSOCIATIONS_GROUP + ASSOCIATIONS_POLICIES / 2);
}

/* Each device by its name, and auto the first that has the suite. */
TEST(devices_by_name)
{
    for (unsigned i = 0; i <= SA_DEVICES; i++) {
        struct esp_config config = {.is_on = true};
        const char *reason, *name = i == SA_DEVICES ? "auto" : sa_devices[i];
        struct sa_params gcm = {.spi = 0x1001, .hop_limit = 64}, cbc = gcm;
        cbc.suite = SA_AES_CBC_128_SHA_256;
        snprintf(config.device, sizeof(config.device), "%s", name);
        if (associations_open(&all, &config, WORKERS)) {
            struct sa *one = associations_make(&all, &gcm, &reason),
                      *other = associations_make(&all, &cbc, &reason);
            assert_true(one || other);
            if (i < SA_DEVICES && one)
                assert_string_equal(one->device->name, name);
            if (i < SA_DEVICES && other)
                assert_string_equal(other->device->name, name);
            assert_true(i == SA_DEVICES || !other || !other->device->is_direct);
            assert_true(i < SA_DEVICES || (one && one->device == &all.devices[0]));
            sa_free(one);
            sa_free(other);
        }
        associations_close(&all);
    }
}

TEST_WITH(too_many, open_all, close_all)
{
    const char *reason = NULL;
    for (unsigned i = 0; i < ASSOCIATIONS_MAX; i++)
        add(0x1000 + i, i % 2, FILE_GROUP);
    struct sa_params p = {.spi = 0x9999, .hop_limit = 64};
    struct sa *sa = associations_make(&all, &p, &reason);
    assert_null(sa ? associations_add(&all, sa, FILE_GROUP, 0) : NULL);
    sa_free(sa);
    exchange();
}

/* A second run finds what the first has noted, also with another SPI. */
TEST(keys_are_noted)
{
    char folder[] = "/tmp/used-keys-XXXXXX", path[64];
    struct used_keys used;
    struct sa_params p = {.spi = 0x1001, .key = {1, 2, 3}};
    struct used_key key = used_key_of(&p), other;
    p.key[0] = 9;
    other = used_key_of(&p);
    assert_false(used_key_is(&key, &other));
    p.spi = 0x1002;
    struct used_key same = used_key_of(&p);
    assert_true(used_key_is(&other, &same));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/esp.keys", folder);
    assert_true(used_keys_open(&used, path));
    assert_false(used_keys_has(&used, &key));
    assert_true(used_keys_note(&used, &key, 1));
    used_keys_close(&used);
    assert_true(used_keys_open(&used, path));
    assert_true(used_keys_has(&used, &key));
    assert_false(used_keys_has(&used, &other));
    used_keys_close(&used);
    unlink(used.path);
    assert_int_equal(rmdir(folder), 0);
}

/* A part of a line, as a full disk leaves it, hides no key behind it; a file that is gone takes none. */
TEST(keys_in_a_spoilt_file)
{
    char folder[] = "/tmp/used-keys-XXXXXX", path[64];
    struct used_keys used;
    struct sa_params p = {.spi = 0x1001, .key = {1, 2, 3}};
    struct used_key key = used_key_of(&p);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/esp.keys", folder);
    assert_true(used_keys_open(&used, path));
    fputs("0123456789abcdef", used.file);
    used_keys_close(&used);
    assert_true(used_keys_open(&used, path));
    assert_true(used_keys_note(&used, &key, 1));
    assert_true(used_keys_has(&used, &key));
    assert_int_equal(unlink(used.path), 0);
    assert_false(used_keys_note(&used, &key, 1));
    used_keys_close(&used);
    assert_int_equal(mkfifo(used.path, 0600), 0);
    assert_false(used_keys_open(&used, path));
    unlink(used.path);
    assert_int_equal(rmdir(folder), 0);
}

UNIT_MAIN(start, NULL)
