/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/phones_intents.h"

#include "control/lua/lua_table.h"

#include <stdio.h>
#include <string.h>

void phones_intents_put(struct emulate_phones *phones, const struct emulate_phone *phone, uint32_t tlli,
                        const uint8_t *frame, size_t octets)
{
    struct phones_waiting *waiting =
        lua_table_append(&phones->waiting, &phones->waiting_count, sizeof(*waiting));
    waiting->bvci = phone->bvci;
    waiting->tlli = tlli;
    waiting->octets = (uint16_t)octets;
    memcpy(waiting->frame, frame, octets);
}

static const uint8_t *octets_of(lua_State *L, const char *key, size_t *count)
{
    *count = 0;
    lua_getfield(L, -1, key);
    const uint8_t *octets = lua_isstring(L, -1) ? (const uint8_t *)lua_tolstring(L, -1, count) : NULL;
    lua_pop(L, 1); /* the intent still holds it */
    return octets;
}

static void obey_send(struct emulate_phones *phones, struct emulate_phone *phone)
{
    uint8_t frame[EMULATE_PHONES_FRAME_OCTETS];
    size_t count;
    const uint8_t *octets = octets_of(phones->L, "octets", &count);
    size_t length =
        emulate_phones_wrap(phone, lua_table_boolean(phones->L, "ciphered"), octets, count, frame);
    if (length)
        phones_intents_put(phones, phone, (uint32_t)lua_table_integer(phones->L, "tlli"), frame, length);
}

static void obey_cipher(struct emulate_phones *phones, struct emulate_phone *phone)
{
    size_t count;
    const uint8_t *kc = octets_of(phones->L, "key", &count);
    emulate_phones_cipher(phone, (uint8_t)lua_table_integer(phones->L, "algorithm"), kc, count);
}

/* With an attach the phone's LLC restarts (TS 44.064 clause 7.2.1.1); other TLLIs leave it as it is. */
static void obey_tlli(struct emulate_phones *phones, struct emulate_phone *phone)
{
    uint32_t tlli = (uint32_t)lua_table_integer(phones->L, "tlli");
    phone->former = phone->tlli;
    phone->tlli = tlli;
    if (lua_table_boolean(phones->L, "restarts"))
        phone->stack.llc = phone->user.stack.llc = (struct llc_entity){0};
}

static uint32_t number_of(const struct emulate_phones *phones, const struct emulate_phone *phone)
{
    return (uint32_t)(phone - phones->list);
}

static void obey_up(struct emulate_phones *phones, struct emulate_phone *phone)
{
    char text[64];
    const struct emulate_user_context context = {
        .address = lua_table_address(phones->L, "address"),
        .nsapi = (uint8_t)lua_table_integer(phones->L, "nsapi"),
        .sapi = (uint8_t)lua_table_integer(phones->L, "sapi"),
    };
    emulate_user_up(&phones->host, &phone->user, number_of(phones, phone), &context);
    phones->up_count += !phone->is_up;
    phone->is_up = true;
    if (phones->up_count != phones->count)
        return;
    snprintf(text, sizeof(text), "all %u phones have a context", phones->count);
    log_line(phones->log, "phones", "info", text, phones->now);
}

static void obey_down(struct emulate_phones *phones, struct emulate_phone *phone)
{
    emulate_user_down(&phones->host, &phone->user, number_of(phones, phone));
    phones->up_count -= phone->is_up;
    phone->is_up = false;
}

static void obey_cell(struct emulate_phones *phones, struct emulate_phone *phone)
{
    uint16_t from = phone->bvci;
    uint32_t cell = (uint32_t)lua_table_integer(phones->L, "cell") - 1;
    if (cell >= phones->cell_count || !phones->air)
        return;
    phone->bvci = phones->bvcis[cell];
    phones->air->move(phones->air->arg, phone->tlli, from, phone->bvci);
}

static void obey_data(struct emulate_phones *phones, struct emulate_phone *phone)
{
    phone->is_held = !lua_table_boolean(phones->L, "is_open");
}

static void obey_suspend(struct emulate_phones *phones, struct emulate_phone *phone)
{
    if (!phones->air)
        return;
    phone->is_suspended = true;
    phone->has_reference = false;
    phones->air->suspend(phones->air->arg, phone->tlli, phone->bvci);
}

static void obey_resume(struct emulate_phones *phones, struct emulate_phone *phone)
{
    if (!phones->air)
        return;
    phone->is_suspended = false;
    phones->air->resume(phones->air->arg, phone->tlli, phone->bvci,
                        phone->has_reference ? &phone->reference : NULL);
}

static void obey_done(struct emulate_phones *phones, struct emulate_phone *phone)
{
    char text[64];
    phones->done_count++;
    if (phones->done_count != phones->count)
        return;
    snprintf(text, sizeof(text), "all %u phones have played their script", phones->count);
    log_line(phones->log, "phones", "info", text, phones->now);
}

static const struct {
    const char *what;
    void (*obey)(struct emulate_phones *phones, struct emulate_phone *phone);
} orders[] = {
    {"send", obey_send},       {"cipher", obey_cipher}, {"tlli", obey_tlli}, {"up", obey_up},
    {"down", obey_down},       {"cell", obey_cell},     {"data", obey_data}, {"done", obey_done},
    {"suspend", obey_suspend}, {"resume", obey_resume},
};

static void obey(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_phones *phones = arg;
    char what[8];
    lua_table_text(L, "what", what, sizeof(what));
    uint32_t number = (uint32_t)lua_table_integer(L, "phone") - 1;
    for (size_t i = 0; number < phones->count && i < sizeof(orders) / sizeof(orders[0]); i++)
        if (!strcmp(what, orders[i].what))
            orders[i].obey(phones, &phones->list[number]);
}

/* lua_table_each() takes the list as a field. */
void phones_intents_obey(struct emulate_phones *phones)
{
    lua_State *L = phones->L;
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    lua_setfield(L, -2, "intents");
    lua_table_each(L, "intents", obey, phones, 0);
    lua_pop(L, 1);
}
