/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/address_book.h"
#include "control/config/mobile_table.h"

#include "control/base/csv.h"
#include "control/base/utf8.h"
#include "control/config/mobile_keys.h"
#include "control/config/mobile_row.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_CHARS     4096
#define STOP_STRIDE    1024              /* lines between two looks at the stop flag */
#define MOST_IPV6_ENDS 1024              /* of tunnels, as in lua/node/check.lua */
#define MOST_LINKS     UINT32_C(1048576) /* of llc.acknowledged.links */
#define FNV_BASIS      UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME      UINT64_C(0x100000001b3)

static atomic_bool is_stopped;

struct table {
    struct csv csv;
    struct node_config *config;
    const char *name;
    enum mobile_row_column columns[CSV_FIELDS]; /* of the fields, as the header says */
    unsigned field_count;
    unsigned field_of[MOBILE_ROW_COLUMNS]; /* field of a column, from 1; 0: none */
    uint32_t error_count, mobile_cap, context_cap, digest_cap;
    uint32_t acknowledged;               /* contexts in acknowledged mode, also those of mobiles.list */
    uint32_t beyond_line, beyond_column; /* the first of them without a link; 0: none */
    bool is_over;                        /* a limit or memory ended the reading */
    struct mobile_keys keys;
    struct mobile_row first; /* of the present mobile */
};

/* --- errors --- */

/* No error has a value of the file, nor a name of its header, which may be a row: a key may stand in any
 * place by mistake. The line and the column of the text say where. */

static void complain_at(struct table *t, uint32_t line, uint32_t column, const char *form, va_list values)
{
    char text[2 * MOBILE_ROW_COMPLAINT_CHARS];
    vsnprintf(text, sizeof(text), form, values);
    for (char *at = text; *at; at++)
        *at = (unsigned char)*at < ' ' || *at == '\x7f' ? '?' : *at; /* one error is one line */
    if (t->error_count++ < MOBILE_TABLE_ERRORS)
        utf8_printf(stderr, "%s:%u:%u: %s\n", t->name, line, column, text);
}

static __attribute__((format(printf, 3, 4))) void mobile_table_complain(struct table *t, uint32_t column,
                                                                        const char *form, ...)
{
    va_list values;
    va_start(values, form);
    complain_at(t, t->csv.line_number, column, form, values);
    va_end(values);
}

/* An error of the file as a whole, or the first beyond a limit: nothing more is read. */
static __attribute__((format(printf, 2, 3))) bool give_up(struct table *t, const char *form, ...)
{
    va_list values;
    va_start(values, form);
    complain_at(t, t->csv.line_number, 1, form, values);
    va_end(values);
    t->is_over = true;
    return false;
}

/* Place of a column's field in the line; 1 if it has none. */
static uint32_t place_of(const struct table *t, enum mobile_row_column column)
{
    unsigned field = t->field_of[column];
    return field > 0 && field <= t->csv.count ? t->csv.fields[field - 1].column : 1;
}

static bool complain_row(struct table *t, const struct mobile_row_error *error)
{
    mobile_table_complain(t, place_of(t, error->column), "%s: %s", mobile_row_name(error->column),
                          error->text);
    return false;
}

/* Enters a value that must be unique. False: it is taken. */
static bool mobile_table_take(struct table *t, struct u64_map *map, uint64_t key,
                              enum mobile_row_column column)
{
    uint32_t place = mobile_keys_put(map, key, t->csv.line_number);
    if (place == 0)
        return true;
    if (place == MOBILE_KEYS_FULL)
        return give_up(t, "more mobiles or contexts than the limits");
    if (place & MOBILE_KEYS_LISTED)
        mobile_table_complain(t, place_of(t, column), "%s: taken by mobiles.list[%u]",
                              mobile_row_name(column), (place & ~MOBILE_KEYS_LISTED) + 1);
    else
        mobile_table_complain(t, place_of(t, column), "%s: taken by line %u", mobile_row_name(column), place);
    return false;
}

/* --- rows to the configuration --- */

/* An element at the end of an array, all 0; NULL: out of memory. The old memory is wiped: it may have keys.
 */
static void *append(void *array, uint32_t *count, uint32_t *cap, size_t octets)
{
    char **at = array;
    if (*count >= *cap) {
        uint32_t more = *count < 512 ? 1024 : 2 * *count;
        char *grown = calloc(more, octets);
        if (!grown)
            return NULL;
        if (*count > 0) {
            memcpy(grown, *at, *count * octets);
            explicit_bzero(*at, *count * octets);
        }
        free(*at);
        *at = grown;
        *cap = more;
    }
    return memset(*at + octets * (*count)++, 0, octets);
}

static uint64_t mixed(uint64_t digest, const char *text)
{
    for (; *text; text++)
        digest = (digest ^ (uint8_t)*text) * FNV_PRIME;
    return digest;
}

/* The values of a row as text, by columns, so that the order of columns does not count. */
static uint64_t digest_of(const struct table *t, uint64_t digest, uint16_t nsei)
{
    for (unsigned column = 0; column < MOBILE_ROW_COLUMNS; column++) {
        unsigned field = t->field_of[column];
        digest = (digest ^ (0x100 + column)) * FNV_PRIME;
        if (field > 0 && column != MOBILE_ROW_NSEI)
            digest = mixed(digest, t->csv.fields[field - 1].text);
    }
    return (digest ^ (UINT64_C(0x10000) + nsei)) * FNV_PRIME;
}

static bool is_ip_known(struct table *t, const struct mobile_row_ip *ip, uint32_t *address)
{
    *address = address_book_put(&t->config->addresses, ip->octets, ip->count);
    return *address != ADDRESS_NONE;
}

/* --- links of contexts in acknowledged mode, as lua/node/check.lua does for mobiles.list --- */

static void count_listed(struct table *t)
{
    for (uint32_t i = 0; i < t->config->context_count; i++)
        t->acknowledged += t->config->contexts[i].is_acknowledged;
}

/* False: acknowledged mode is off. */
static bool has_links(struct table *t, const struct mobile_row *row)
{
    if (!row->context.is_acknowledged || t->config->mobiles.adds_links || t->config->abm.links > 0)
        return true;
    mobile_table_complain(
        t, place_of(t, MOBILE_ROW_LLC),
        "llc: 'acknowledged' needs a link: raise llc.acknowledged.links above 0, or leave it out");
    return false;
}

static uint64_t most_links(const struct node_config *config)
{
    return (uint64_t)node_config_workers(config) *
           (config->mobiles.adds_links ? MOST_LINKS : config->abm.links);
}

static void count_link(struct table *t)
{
    if (++t->acknowledged <= most_links(t->config) || t->beyond_line > 0)
        return;
    t->beyond_line = t->csv.line_number;
    t->beyond_column = place_of(t, MOBILE_ROW_LLC);
}

static __attribute__((format(printf, 2, 3))) void complain_beyond(struct table *t, const char *form, ...)
{
    va_list values;
    va_start(values, form);
    complain_at(t, t->beyond_line, t->beyond_column, form, values);
    va_end(values);
}

/* After the last row. */
static void settle_links(struct table *t)
{
    struct node_config *config = t->config;
    struct link_settings *abm = &config->abm;
    if (t->beyond_line > 0)
        complain_beyond(t,
                        "llc: %u contexts in acknowledged mode are more than %llu links of all workers: "
                        "raise llc.acknowledged.links",
                        t->acknowledged, (unsigned long long)most_links(config));
    if (t->beyond_line > 0 || !config->mobiles.adds_links)
        return;
    abm->links = t->acknowledged < MOST_LINKS ? t->acknowledged : MOST_LINKS;
    if (abm->buffers < config->mobiles.adds_buffers * abm->links)
        abm->buffers = config->mobiles.adds_buffers * abm->links;
}

static bool add_context(struct table *t, struct mobile_row *row, struct node_config_mobile *mobile)
{
    struct node_config *config = t->config;
    if (!has_links(t, row))
        return false;
    if (config->context_count >= config->limits.contexts)
        return give_up(t, "more contexts than limits.contexts (%u)", config->limits.contexts);
    if (row->context.teid != 0 && !mobile_table_take(t, &t->keys.teids, row->context.teid, MOBILE_ROW_TEID))
        return false;
    if (!is_ip_known(t, &row->sgsn, &row->context.sgsn_address) ||
        !is_ip_known(t, &row->ggsn, &row->context.ggsn_address))
        return give_up(t, "more than %u IPv6 addresses of tunnels", MOST_IPV6_ENDS);
    struct node_config_context *context =
        append(&config->contexts, &config->context_count, &t->context_cap, sizeof(*context));
    if (!context)
        return give_up(t, "out of memory");
    *context = row->context;
    if (context->is_acknowledged)
        count_link(t);
    mobile->context_count++;
    return true;
}

static bool find_cell(struct table *t, const struct mobile_row *row, uint16_t *cell)
{
    bool is_there = mobile_keys_cell(&t->keys, row->nsei, row->bvci, cell);
    if (!is_there)
        mobile_table_complain(t, place_of(t, MOBILE_ROW_BVCI), "bvci: %u is no cell of NSE %u", row->bvci,
                              row->nsei);
    return is_there;
}

static void fill_mobile(struct node_config_mobile *mobile, const struct mobile_row *row,
                        const struct node_config *config)
{
    bool has_sapis = row->given >> MOBILE_ROW_UNPROTECTED_SAPIS & 1;
    memcpy(mobile->imsi, row->imsi, sizeof(mobile->imsi));
    memcpy(mobile->msisdn, row->msisdn, sizeof(mobile->msisdn));
    mobile->tlli = row->tlli;
    mobile->unprotected = has_sapis ? row->unprotected : config->mobiles.unprotected;
    mobile->elements = config->mobiles.elements;
    mobile->ciphering = row->ciphering;
    mobile->first_context = config->context_count;
}

static bool add_mobile(struct table *t, struct mobile_row *row)
{
    struct node_config *config = t->config;
    uint16_t cell;
    if (config->mobile_count >= config->limits.mobiles)
        return give_up(t, "more mobiles than limits.mobiles (%u)", config->limits.mobiles);
    if (!find_cell(t, row, &cell) ||
        !mobile_table_take(t, &t->keys.imsis, mobile_keys_imsi(row->imsi), MOBILE_ROW_IMSI) ||
        !mobile_table_take(t, &t->keys.tllis, row->tlli, MOBILE_ROW_TLLI))
        return false;
    struct node_config_mobile *mobile =
        append(&config->list, &config->mobile_count, &t->mobile_cap, sizeof(*mobile));
    struct node_config_digest *digest =
        append(&config->digests, &config->digest_count, &t->digest_cap, sizeof(*digest));
    if (!mobile || !digest)
        return give_up(t, "out of memory");
    fill_mobile(mobile, row, config);
    mobile->cell = cell;
    *digest = (struct node_config_digest){mobile_keys_imsi(row->imsi), digest_of(t, FNV_BASIS, row->nsei)};
    t->first = *row;
    return add_context(t, row, mobile);
}

static bool is_same_cipher(const struct llc_cipher_params *a, const struct llc_cipher_params *b)
{
    return a->algorithm == b->algorithm && a->kc_octets == b->kc_octets && a->iov_ui == b->iov_ui &&
           memcmp(a->kc, b->kc, sizeof(a->kc)) == 0;
}

/* The first column of the mobile in which a row differs from the mobile's first row; MOBILE_ROW_COLUMNS:
 * none. Optional columns may be empty. */
static enum mobile_row_column difference(const struct mobile_row *a, const struct mobile_row *b)
{
    uint32_t given = b->given;
    if (a->tlli != b->tlli)
        return MOBILE_ROW_TLLI;
    if (a->bvci != b->bvci)
        return MOBILE_ROW_BVCI;
    if (a->nsei != b->nsei)
        return MOBILE_ROW_NSEI;
    if (given >> MOBILE_ROW_MSISDN & 1 && strcmp(a->msisdn, b->msisdn) != 0)
        return MOBILE_ROW_MSISDN;
    if (given >> MOBILE_ROW_UNPROTECTED_SAPIS & 1 && a->unprotected != b->unprotected)
        return MOBILE_ROW_UNPROTECTED_SAPIS;
    if (given >> MOBILE_ROW_CIPHERING & 1 && !is_same_cipher(&a->ciphering, &b->ciphering))
        return MOBILE_ROW_CIPHERING;
    return MOBILE_ROW_COLUMNS;
}

/* A further context of the mobile of the row above. */
static bool add_further(struct table *t, struct mobile_row *row)
{
    struct node_config *config = t->config;
    struct node_config_mobile *mobile = &config->list[config->mobile_count - 1];
    enum mobile_row_column other = difference(&t->first, row);
    if (other != MOBILE_ROW_COLUMNS) {
        mobile_table_complain(t, place_of(t, other), "%s: differs from the first row of the mobile",
                              mobile_row_name(other));
        return false;
    }
    for (uint32_t k = 0; k < mobile->context_count; k++)
        if (config->contexts[mobile->first_context + k].nsapi == row->context.nsapi) {
            mobile_table_complain(t, place_of(t, MOBILE_ROW_NSAPI),
                                  "nsapi: %u is taken by another context of the mobile", row->context.nsapi);
            return false;
        }
    struct node_config_digest *digest = &config->digests[config->digest_count - 1];
    digest->digest = digest_of(t, digest->digest, row->nsei);
    return add_context(t, row, mobile);
}

static bool read_row(struct table *t, struct mobile_row *row)
{
    struct mobile_row_error error;
    bool is_right = true;
    mobile_row_init(row);
    if (t->csv.count != t->field_count) {
        mobile_table_complain(t, 1, "%u fields; the header has %u", t->csv.count, t->field_count);
        return false;
    }
    for (unsigned i = 0; i < t->csv.count; i++)
        if (!mobile_row_read(row, t->columns[i], t->csv.fields[i].text, &error))
            is_right = complain_row(t, &error);
    if (!(row->given >> MOBILE_ROW_NSEI & 1))
        row->nsei = t->config->nses[0].nsei;
    return is_right && (mobile_row_check(row, &error) || complain_row(t, &error));
}

static void take_row(struct table *t)
{
    struct mobile_row row;
    if (t->csv.fault) {
        mobile_table_complain(t, t->csv.fault_column, "%s", t->csv.fault);
        return;
    }
    if (!read_row(t, &row))
        return;
    bool is_further = t->config->digest_count > 0 && strcmp(t->first.imsi, row.imsi) == 0;
    if (is_further)
        add_further(t, &row);
    else
        add_mobile(t, &row);
}

/* --- the whole --- */

static void read_name(struct table *t, unsigned field)
{
    const struct csv_field *name = &t->csv.fields[field];
    enum mobile_row_column column = mobile_row_find(name->text);
    t->columns[field] = column;
    if (column == MOBILE_ROW_COLUMNS)
        mobile_table_complain(t, name->column, "unknown column %u; docs/mobiles.md has the columns",
                              field + 1);
    else if (t->field_of[column] > 0)
        mobile_table_complain(t, name->column, "column '%s' is there twice", name->text);
    else
        t->field_of[column] = field + 1;
}

static bool read_header(struct table *t)
{
    if (!csv_next(&t->csv) || t->csv.fault)
        return give_up(t, "%s",
                       t->csv.fault ? t->csv.fault : "the header, a line with names of columns, is missing");
    t->field_count = t->csv.count;
    for (unsigned i = 0; i < t->field_count; i++)
        read_name(t, i);
    for (unsigned column = 0; column < MOBILE_ROW_COLUMNS; column++)
        if (mobile_row_is_required(column) && t->field_of[column] == 0 && t->error_count == 0)
            mobile_table_complain(t, 1, "column '%s' is missing", mobile_row_name(column));
    return t->error_count == 0;
}

static void read_rows(struct table *t)
{
    while (!t->is_over && csv_next(&t->csv)) {
        take_row(t);
        if (t->csv.line_number % STOP_STRIDE == 0 && atomic_load(&is_stopped))
            give_up(t, "the reading was ended");
    }
    if (!t->is_over && t->csv.fault)
        mobile_table_complain(t, t->csv.fault_column, "%s", t->csv.fault);
}

static void read_whole(struct table *t)
{
    const char *error;
    if (!csv_open(&t->csv, t->name, &error)) {
        utf8_printf(stderr, "%s: %s\n", t->name, error);
        t->error_count++;
    } else if (!mobile_keys_new(&t->keys, t->config)) {
        give_up(t, "out of memory");
    } else if (read_header(t)) {
        count_listed(t);
        read_rows(t);
        settle_links(t);
    }
    if (t->error_count > MOBILE_TABLE_ERRORS)
        utf8_printf(stderr, "%s: and %u more errors\n", t->name, t->error_count - MOBILE_TABLE_ERRORS);
    csv_close(&t->csv);
}

void mobile_table_stop(void)
{
    atomic_store(&is_stopped, true);
}

bool mobile_table_read(struct node_config *config, const char *config_path)
{
    char name[PATH_CHARS];
    const char *slash = strrchr(config_path, '/');
    int folder_chars = slash ? (int)(slash - config_path) + 1 : 0;
    if (!config->mobiles.file[0])
        return true;
    int chars = snprintf(name, sizeof(name), "%.*s%s", folder_chars, config_path, config->mobiles.file);
    struct table *t = chars < PATH_CHARS ? calloc(1, sizeof(*t)) : NULL;
    if (!t) {
        utf8_printf(stderr, "%s: mobiles.file: the name is too long, or memory is short\n", config_path);
        return false;
    }
    t->config = config;
    t->name = name;
    read_whole(t);
    bool is_right = t->error_count == 0;
    mobile_keys_free(&t->keys);
    explicit_bzero(t, sizeof(*t));
    free(t);
    return is_right;
}
