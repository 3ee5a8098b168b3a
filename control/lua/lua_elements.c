/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_elements.h"

#include "control/lua/lua_table.h"

#include <assert.h>
#include <stdio.h>

/* The octets of hexadecimal digits; absent: none. */
static struct ie_span octets_of(lua_State *L, const char *key, uint8_t *room, size_t cap)
{
    size_t count = 0, digits = 0;
    lua_getfield(L, -1, key);
    const char *text = lua_tolstring(L, -1, &digits);
    for (unsigned octet; count < cap && 2 * count < digits && sscanf(text + 2 * count, "%2x", &octet) == 1;)
        room[count++] = (uint8_t)octet;
    lua_pop(L, 1);
    return (struct ie_span){.at = room, .octets = count};
}

static int number_of(lua_State *L, const char *key)
{
    return (int)lua_table_integer_or(L, key, BSSGP_ELEMENTS_NONE);
}

static int priority_of(lua_State *L)
{
    if (!lua_table_enter(L, "priority"))
        return BSSGP_ELEMENTS_NONE;
    int octet = number_of(L, "octet");
    lua_pop(L, 1);
    return octet;
}

bool lua_elements_of(lua_State *L, struct bssgp_elements *out)
{
    uint8_t capability[BSSGP_ELEMENTS_OCTETS], drx[2], lsa[BSSGP_ELEMENTS_OCTETS];
    const struct bssgp_elements_values values = {
        .ms_ra_capability = octets_of(L, "ra_capability", capability, sizeof capability),
        .drx_parameters = octets_of(L, "drx", drx, sizeof drx),
        .lsa_information = octets_of(L, "lsa_information", lsa, sizeof lsa),
        .priority = priority_of(L),
        .service_utran_cco = number_of(L, "service_utran_cco"),
        .spid = number_of(L, "spid"),
    };
    *out = (struct bssgp_elements){0};
    return bssgp_elements_encode(out, &values) >= 0;
}

void lua_elements_read(lua_State *L, struct bssgp_elements *out)
{
    *out = (struct bssgp_elements){0};
    if (!lua_table_enter(L, "elements"))
        return;
    bool is_good = lua_elements_of(L, out);
    assert(is_good);
    (void)is_good;
    lua_pop(L, 1);
}
