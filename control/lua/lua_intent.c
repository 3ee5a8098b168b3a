/* SPDX-License-Identifier: BSD-3-Clause */
/* --- ops --- */
#include "control/lua/lua_intent.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

void lua_intents_init(struct lua_intents *intents, lua_State *L, lua_intent_emit emit, void *arg)
{
    lua_newtable(L);
    *intents = (struct lua_intents){.L = L, .ops = luaL_ref(L, LUA_REGISTRYINDEX), .emit = emit, .arg = arg};
}

void lua_intents_fini(struct lua_intents *intents)
{
    luaL_unref(intents->L, LUA_REGISTRYINDEX, intents->ops);
}

void lua_intents_name(struct lua_intents *intents, const char *op, unsigned number)
{
    lua_rawgeti(intents->L, LUA_REGISTRYINDEX, intents->ops);
    lua_pushinteger(intents->L, number);
    lua_setfield(intents->L, -2, op);
    lua_pop(intents->L, 1);
}

/* The number of the op of the intent on top of the stack; `ops`: stack index of the table of numbers. */
static unsigned lua_intent_number_of(lua_State *L, int ops)
{
    if (!lua_istable(L, -1))
        return LUA_INTENT_NO_OP;
    if (lua_getfield(L, -1, "op") == LUA_TNIL) {
        lua_pop(L, 1);
        return LUA_INTENT_NO_OP;
    }
    unsigned number = lua_rawget(L, ops) == LUA_TNUMBER ? (unsigned)lua_tointeger(L, -1) : LUA_INTENT_NO_OP;
    lua_pop(L, 1);
    return number;
}

void lua_intents_take(const struct lua_intents *intents, const struct lua_object *from)
{
    lua_State *L = from->L;
    int list = lua_gettop(L);
    if (!lua_istable(L, list)) {
        intents->emit(intents->arg, from, LUA_INTENT_NO_OP);
        return;
    }
    lua_Unsigned count = lua_rawlen(L, list);
    lua_rawgeti(L, LUA_REGISTRYINDEX, intents->ops);
    for (lua_Unsigned i = 1; i <= count; i++) {
        lua_rawgeti(L, list, (lua_Integer)i);
        intents->emit(intents->arg, from, lua_intent_number_of(L, list + 1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* --- fields: each reader takes the value on top of the stack, which is not nil; false: it does not fit ---
 */

static void store(uint8_t kind, lua_Integer value, void *at)
{
    if (kind == LUA_INTENT_U8)
        *(uint8_t *)at = (uint8_t)value;
    else if (kind == LUA_INTENT_U16)
        *(uint16_t *)at = (uint16_t)value;
    else if (kind == LUA_INTENT_U32)
        *(uint32_t *)at = (uint32_t)value;
    else if (kind == LUA_INTENT_I32)
        *(int32_t *)at = (int32_t)value;
    else
        *(uint64_t *)at = (uint64_t)value;
}

static bool put_integer(lua_State *L, uint8_t kind, void *at)
{
    static const struct {
        lua_Integer min, max;
    } ranges[] = {
        [LUA_INTENT_U8] = {0, UINT8_MAX},          [LUA_INTENT_U16] = {0, UINT16_MAX},
        [LUA_INTENT_U32] = {0, UINT32_MAX},        [LUA_INTENT_U64] = {0, LUA_MAXINTEGER},
        [LUA_INTENT_I32] = {INT32_MIN, INT32_MAX},
    };
    int is_integer;
    lua_Integer value = lua_tointegerx(L, -1, &is_integer);
    if (lua_type(L, -1) != LUA_TNUMBER || !is_integer || value < ranges[kind].min || value > ranges[kind].max)
        return false;
    store(kind, value, at);
    return true;
}

static bool put_bool(lua_State *L, uint8_t unused_kind, void *at)
{
    *(bool *)at = lua_toboolean(L, -1);
    return lua_isboolean(L, -1);
}

static bool put_is_there(lua_State *L, uint8_t unused_kind, void *at)
{
    *(bool *)at = true;
    return true;
}

/* The intent's table keeps the text alive. A text with a NUL in it would be cut. */
static bool put_text(lua_State *L, uint8_t unused_kind, void *at)
{
    size_t octets;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    const char *text = *(const char **)at = lua_tolstring(L, -1, &octets);
    return strlen(text) == octets;
}

static bool put_octets(lua_State *L, uint8_t unused_kind, void *at)
{
    struct lua_intent_octets *octets = at;
    if (lua_type(L, -1) != LUA_TSTRING)
        return false;
    octets->bytes = lua_tolstring(L, -1, &octets->count);
    return true;
}

static bool put_address(lua_State *L, uint8_t unused_kind, void *at)
{
    struct lua_intent_address *address = at;
    address->count =
        lua_type(L, -1) == LUA_TSTRING ? lua_table_text_ip(lua_tostring(L, -1), address->octets) : 0;
    return address->count > 0;
}

static bool put_elements(lua_State *L, uint8_t unused_kind, void *at)
{
    return lua_istable(L, -1) && lua_elements_of(L, at);
}

static bool (*const put[])(lua_State *L, uint8_t kind, void *at) = {
    [LUA_INTENT_BOOL] = put_bool,         [LUA_INTENT_IS_THERE] = put_is_there,
    [LUA_INTENT_U8] = put_integer,        [LUA_INTENT_U16] = put_integer,
    [LUA_INTENT_U32] = put_integer,       [LUA_INTENT_U64] = put_integer,
    [LUA_INTENT_I32] = put_integer,       [LUA_INTENT_TEXT] = put_text,
    [LUA_INTENT_OCTETS] = put_octets,     [LUA_INTENT_ADDRESS] = put_address,
    [LUA_INTENT_ELEMENTS] = put_elements,
};

static bool read_field(lua_State *L, const struct lua_intent_field *field, void *at)
{
    bool is_integer = put[field->kind] == put_integer;
    if (lua_getfield(L, -1, field->key) != LUA_TNIL) {
        bool is_good = put[field->kind](L, field->kind, at);
        lua_pop(L, 1);
        return is_good;
    }
    lua_pop(L, 1);
    if (is_integer)
        store(field->kind, field->absent, at);
    return !field->is_needed;
}

const char *lua_intent_read(lua_State *L, const struct lua_intent_field *fields, void *out)
{
    for (const struct lua_intent_field *field = fields; field->key; field++)
        if (!read_field(L, field, (char *)out + field->offset))
            return field->key;
    return NULL;
}

#define LEAST_BUCKETS 64
#define MOVED_BUCKETS 4 /* for each record that is put, while the table grows */

void lua_records_init(struct lua_records *records, size_t limit_octets)
{
    *records = (struct lua_records){.limit_octets = limit_octets};
    TAILQ_INIT(&records->list);
}

static size_t lua_intent_octets_of(const struct lua_record *record)
{
    return sizeof(*record) + record->count + strlen(record->key) + 1;
}

static void release(struct lua_record *record)
{
    explicit_bzero(record, lua_intent_octets_of(record));
    free(record);
}

void lua_records_free(struct lua_records *records)
{
    struct lua_record *record = TAILQ_FIRST(&records->list);
    while (record) {
        struct lua_record *next = TAILQ_NEXT(record, all);
        release(record);
        record = next;
    }
    free(records->buckets);
    free(records->old_buckets);
    lua_records_init(records, records->limit_octets);
}

void lua_records_move(struct lua_records *to, struct lua_records *from)
{
    uint64_t lost = from->lost;
    *to = *from;
    to->lost = 0;
    TAILQ_INIT(&to->list);
    TAILQ_CONCAT(&to->list, &from->list, all);
    lua_records_init(from, from->limit_octets);
    from->lost = lost;
}

/* --- buckets --- */

static uint32_t hash_of(const char *who, const char *key)
{
    uint32_t hash = 2166136261u ^ (uint32_t)(uintptr_t)who; /* FNV-1a */
    for (; *key; key++)
        hash = (hash ^ (uint8_t)*key) * 16777619u;
    return hash;
}

static struct lua_record **bucket_of(const struct lua_records *records, const char *who, const char *key)
{
    uint32_t hash = hash_of(who, key), old = hash & records->old_mask;
    return records->old_buckets && old >= records->moved ? &records->old_buckets[old]
                                                         : &records->buckets[hash & records->mask];
}

static void enter(struct lua_records *records, struct lua_record *record)
{
    struct lua_record **bucket = bucket_of(records, record->who, record->key);
    record->next = *bucket;
    *bucket = record;
}

/* All at once would take 30 ms with 131 072 records. */
static void move_some(struct lua_records *records)
{
    for (unsigned i = 0; records->old_buckets && i < MOVED_BUCKETS; i++) {
        struct lua_record *record = records->old_buckets[records->moved++];
        while (record) {
            struct lua_record *next = record->next;
            enter(records, record);
            record = next;
        }
        if (records->moved > records->old_mask) {
            free(records->old_buckets);
            records->old_buckets = NULL;
        }
    }
}

/* Without memory for more buckets the ones that there are become longer. */
static void lua_intent_grow(struct lua_records *records)
{
    uint32_t count = records->buckets ? 2 * (records->mask + 1) : LEAST_BUCKETS;
    struct lua_record **buckets = calloc(count, sizeof(*buckets));
    if (!buckets)
        return;
    records->old_buckets = records->buckets;
    records->old_mask = records->mask;
    records->moved = 0;
    records->buckets = buckets;
    records->mask = count - 1;
}

/* The pointer to a record in its bucket. */
static struct lua_record **lua_intent_find(const struct lua_records *records, const char *who,
                                           const char *key)
{
    struct lua_record **at = records->buckets ? bucket_of(records, who, key) : NULL;
    while (at && *at && ((*at)->who != who || strcmp((*at)->key, key) != 0))
        at = &(*at)->next;
    return at && *at ? at : NULL;
}

/* --- records --- */

static struct lua_record *lua_intent_make(const struct lua_records *records, const char *key, size_t count)
{
    size_t chars = strlen(key) + 1, octets = sizeof(struct lua_record) + count + chars;
    struct lua_record *record = records->octets + octets <= records->limit_octets ? calloc(1, octets) : NULL;
    if (!record)
        return NULL;
    record->count = count;
    record->key = memcpy(record->octets + count, key, chars);
    return record;
}

bool lua_records_put(struct lua_records *records, const char *who, const char *key, const void *octets,
                     size_t count)
{
    lua_records_del(records, who, key);
    move_some(records);
    if (!records->buckets || (!records->old_buckets && records->count > records->mask))
        lua_intent_grow(records);
    struct lua_record *record = records->buckets ? lua_intent_make(records, key, count) : NULL;
    if (!record) {
        records->lost++;
        return false;
    }
    record->who = who;
    memcpy(record->octets, octets, count);
    TAILQ_INSERT_TAIL(&records->list, record, all);
    enter(records, record);
    records->count++;
    records->octets += lua_intent_octets_of(record);
    return true;
}

void lua_records_del(struct lua_records *records, const char *who, const char *key)
{
    struct lua_record **at = lua_intent_find(records, who, key);
    if (!at)
        return;
    struct lua_record *record = *at;
    *at = record->next;
    TAILQ_REMOVE(&records->list, record, all);
    records->count--;
    records->octets -= lua_intent_octets_of(record);
    release(record);
}

const struct lua_record *lua_records_get(const struct lua_records *records, const char *who, const char *key)
{
    struct lua_record **at = lua_intent_find(records, who, key);
    return at ? *at : NULL;
}
