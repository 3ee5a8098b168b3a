/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/reload.h"

#include "control/live/live.h"
#include "control/live/reload_gb.h"
#include "control/live/reload_limits.h"
#include "control/config/lua_config_diff.h"
#include "control/core/sessions_gtpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- mobiles --- */

static void remove_mobiles(struct live *live, const struct lua_config_diff *diff)
{
    struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < diff->removed_count; i++) {
        sessions_gtpc_forget(s, diff->removed[i]);
        for (uint32_t k = 0; k < s->count; k++)
            if (s->list[k].is_active && strcmp(s->mobiles[s->list[k].mobile].imsi, diff->removed[i]) == 0)
                sessions_end(s, &s->list[k]);
    }
}

static void add_mobiles(struct live *live, const struct lua_config_diff *diff)
{
    for (uint32_t i = 0; i < diff->added_count; i++) {
        struct node_config_mobile listed = diff->config.list[diff->added[i]];
        listed.cell = live_reload_gb_cell(live, diff, listed.cell);
        sessions_add_listed(&live->node.sessions, &diff->config, &listed);
        for (uint32_t k = 0; k < listed.context_count; k++)
            live_links_add_context(&live->links, &diff->config,
                                   &diff->config.contexts[listed.first_context + k]);
    }
}

static void change_classes(struct live *live, const struct lua_config_diff *diff)
{
    for (uint32_t i = 0; i < diff->class_count; i++) {
        const struct node_config_mobile *listed = &diff->config.list[diff->classes[i].mobile];
        const struct node_config_context *context =
            &diff->config.contexts[listed->first_context + diff->classes[i].context];
        sessions_gtpc_change(&live->node.sessions, listed->imsi, context->nsapi, context->qclass);
    }
}

/* --- other differences --- */

static void set_timer(void *arg, const char *group, const char *name, int64_t value)
{
    struct live *live = arg;
    lua_gb_set_duration(&live->node.core.gb, group, name, value);
}

/* --- the whole --- */

static void apply(struct live *live, const struct lua_config_diff *diff, const char *text)
{
    remove_mobiles(live, diff);
    change_classes(live, diff);
    live_reload_gb_apply(live, diff, text);
    if (diff->has_limits)
        live_reload_limits_apply(live, &diff->config);
    add_mobiles(live, diff);
    if (diff->has_timers)
        lua_config_diff_timers(diff, live, set_timer);
    if (diff->has_log_lines)
        live->log.lines_per_s = diff->config.live.log_lines_per_s;
    fprintf(stderr,
            "gbflow: reload: %u mobiles added, %u removed, %u contexts, %u cells, %u links changed, %u "
            "NS-VCs added, %u removed, %u NSEs added, %u removed, %u cells added, %u removed%s%s\n",
            diff->added_count, diff->removed_count, diff->class_count, diff->policy_count, diff->link_count,
            diff->nsvc_count, diff->gone_count, diff->nse_count, diff->gone_nse_count, diff->cell_count,
            diff->gone_cell_count, diff->has_timers ? ", timers changed" : "",
            diff->has_limits ? ", limits changed" : "");
}

void live_reload(struct live *live)
{
    struct lua_config_diff diff = {0};
    char *text = lua_config_diff_text(live->options->node);
    const struct lua_config_diff_texts texts = {live->options->node, live->text, text};
    bool is_new = text && lua_config_diff_new(&diff, &texts, &live->node.config) &&
                  live_reload_gb_has_room(live, &diff);
    if (is_new) {
        live->links.now = live->node.core.now;
        apply(live, &diff, text);
        lua_config_diff_text_free(live->text);
        live->text = text;
    } else {
        fprintf(stderr, "gbflow: reload: rejected; the previous configuration stays in force\n");
        lua_config_diff_text_free(text);
    }
    lua_config_diff_free(&diff);
}
