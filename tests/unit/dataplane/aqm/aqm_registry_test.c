/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void path_of(const char *name, char *path, size_t cap)
{
    const char *folder = getenv("PLUGINS");
    assert_non_null(folder);
    snprintf(path, cap, "%s/%s.so", folder, name);
}

TEST_IN(finds_what_is_built_in, struct aqm_registry, r, aqm_registry_init(r), aqm_registry_fini(r))
{
    static const char *const names[] = {"tail_drop", "lifetime_only", "red",      "adaptive_red", "ttlred1",
                                        "ttlred2",   "codel",         "fq_codel", "cobalt",       "pie"};
    assert_true(r->count >= COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(aqm_registry_find(r, names[i])->name, names[i]);
    assert_null(aqm_registry_find(r, "green"));
}

/* What is built in would be taken as a plug-in, too. */
TEST(is_in_order)
{
    struct aqm_registry all, r = {.count = 0};
    char message[128];
    aqm_registry_init(&all);
    for (unsigned i = 0; i < all.count; i++)
        if (!aqm_registry_add(&r, all.schemes[i], message, sizeof(message)))
            fail_msg("%s: %s", all.schemes[i]->name, message);
}

TEST(loads_a_plugin)
{
    struct aqm_registry r;
    char path[512], message[256] = "";
    path_of("example_plugin", path, sizeof(path));
    aqm_registry_init(&r);
    assert_true(aqm_registry_load(&r, path, message, sizeof(message)));
    assert_false(aqm_registry_load(&r, path, message, sizeof(message)));
    assert_string_equal(message, "there is a scheme of that name");
    const struct aqm_ops *ops = aqm_registry_find(&r, "one_second");
    struct aqm_setup *setup = aqm_setup_new(&(struct aqm_choice){.ops = ops}, message, sizeof(message));
    struct aqm_view view = {.backlog_octets = 10000, .rate_bps = 80000, .octets = 500};
    assert_int_equal(aqm_setup_ask(setup, AQM_AT_ENQUEUE, NULL, &view, 0), AQM_PASS);
    view.backlog_octets++;
    assert_int_equal(aqm_setup_ask(setup, AQM_AT_ENQUEUE, NULL, &view, 0), AQM_DROP);
    aqm_setup_free(setup);
    aqm_registry_fini(&r);
}

TEST(refuses_what_does_not_fit)
{
    static const struct {
        const char *name, *expect;
    } rows[] = {
        {"wrong_plugin1", "there is a scheme of that name"},
        {"wrong_plugin2", "a parameter's default is out of its range, or the range is below 0"},
        {"wrong_plugin3", "it has too many parameters, or too large a state"},
        {"wrong_plugin4", "it speaks version 3 of the interface, this program version 2"},
        {"wrong_plugin5", "it was compiled with other sizes of the interface's structures"},
        {"wrong_plugin6", "it has no gbflow_aqm_plugin"},
        {"no_plugin", "cannot open shared object file"},
    };
    struct aqm_registry r;
    aqm_registry_init(&r);
    unsigned count = r.count;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[512], message[512] = "";
        path_of(rows[i].name, path, sizeof(path));
        assert_false(aqm_registry_load(&r, path, message, sizeof(message)));
        if (!strstr(message, rows[i].expect))
            fail_msg("%s: %s", rows[i].name, message);
        assert_int_equal(r.count, count);
    }
    aqm_registry_fini(&r);
}

TEST(has_an_end)
{
    static char names[AQM_REGISTRY_MAX + 1][8];
    static struct aqm_ops many[AQM_REGISTRY_MAX + 1];
    struct aqm_registry r = {.count = 0};
    char message[128];
    for (unsigned i = 0; i <= AQM_REGISTRY_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "s%u", i);
        many[i] = (struct aqm_ops){.name = names[i], .title = "", .summary = "", .source = ""};
        assert_int_equal(aqm_registry_add(&r, &many[i], message, sizeof(message)), i < AQM_REGISTRY_MAX);
    }
    assert_string_equal(message, "there is no room for another scheme");
}

UNIT_MAIN(NULL, NULL)
