/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/mobile_row.h"
#include "control/config/node_config.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/context/ms.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MULTICAST 224 /* first octet of IPv4 */
#define GEA_NAME_CHARS  4

struct column {
    const char *name, *allowed;
    bool (*read)(struct mobile_row *row, const struct column *column, const char *text);
    size_t at;            /* in struct mobile_row */
    uint32_t least, most; /* value, or number of digits */
    uint8_t octets;       /* of an integer */
    bool is_required;
};

/* --- readers of values --- */

/* Decimal, or hexadecimal behind 0x. */
static bool number(const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = is_hex ? text + 2 : text;
    char *end;
    if (!isxdigit((unsigned char)*digits))
        return false;
    errno = 0;
    unsigned long value = strtoul(digits, &end, is_hex ? 16 : 10);
    *out = (uint32_t)value;
    return *end == '\0' && errno == 0 && value >= least && value <= most;
}

static bool read_integer(struct mobile_row *row, const struct column *column, const char *text)
{
    char *at = (char *)row + column->at;
    uint32_t value;
    if (!number(text, column->least, column->most, &value))
        return false;
    if (column->octets == sizeof(uint8_t))
        *(uint8_t *)at = (uint8_t)value;
    else if (column->octets == sizeof(uint16_t))
        *(uint16_t *)(void *)at = (uint16_t)value;
    else
        *(uint32_t *)(void *)at = value;
    return true;
}

static bool read_digits(struct mobile_row *row, const struct column *column, const char *text)
{
    size_t count = strspn(text, "0123456789");
    if (text[count] || count < column->least || count > column->most)
        return false;
    memcpy((char *)row + column->at, text, count + 1); /* `most` is less than its room */
    return true;
}

static bool is_host6(const uint8_t *octets)
{
    static const uint8_t unspecified[ADDRESS_IPV6_OCTETS];
    return octets[0] != 0xff && memcmp(octets, unspecified, sizeof(unspecified)) != 0;
}

static bool read_host6(const char *text, uint8_t *octets)
{
    return !strchr(text, '.') && inet_pton(AF_INET6, text, octets) == 1 && is_host6(octets);
}

static bool read_ip(struct mobile_row *row, const struct column *column, const char *text)
{
    struct mobile_row_ip *ip = (struct mobile_row_ip *)(void *)((char *)row + column->at);
    ip->count = strchr(text, ':') ? ADDRESS_IPV6_OCTETS : 4;
    if (ip->count == ADDRESS_IPV6_OCTETS)
        return read_host6(text, ip->octets);
    return inet_pton(AF_INET, text, ip->octets) == 1 && ip->octets[0] < FIRST_MULTICAST &&
           bytes_get_u32(ip->octets) != 0;
}

static bool read_ipv4(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    uint8_t octets[4];
    if (inet_pton(AF_INET, text, octets) != 1)
        return false;
    row->context.address = bytes_get_u32(octets);
    return row->context.address != 0;
}

static bool read_ipv6(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    if (!read_host6(text, octets))
        return false;
    row->context.prefix = (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
    row->context.interface = (uint64_t)bytes_get_u32(octets + 8) << 32 | bytes_get_u32(octets + 12);
    return true;
}

static bool read_ciphering(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    row->ciphering.algorithm = (uint8_t)(text[3] - '0');
    return strncmp(text, "gea", 3) == 0 && strlen(text) == GEA_NAME_CHARS &&
           (text[3] == '0' || text[3] == '3' || text[3] == '4');
}

static bool read_kc(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    if (text[digits] || (digits != LLC_CIPHER_KC_OCTETS && digits != (size_t)2 * LLC_CIPHER_KC_OCTETS))
        return false;
    row->ciphering.kc_octets = (uint8_t)(digits / 2);
    for (size_t i = 0; i < digits / 2; i++) {
        const char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};
        row->ciphering.kc[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

/* Numbers with blanks between them. */
static bool read_sapis(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    char *end = NULL;
    row->unprotected = 0;
    for (; *text; text = end) {
        unsigned long sapi = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
        int index = sapi == 3 || sapi == 5 || sapi == 9 || sapi == 11 ? ms_sapi_index((uint8_t)sapi) : -1;
        if (index < 0)
            return false;
        row->unprotected |= (uint8_t)(1U << index);
        end += strspn(end, " ");
    }
    return true;
}

static bool read_sapi(struct mobile_row *row, const struct column *column, const char *text)
{
    uint32_t sapi;
    bool is_right = number(text, column->least, column->most, &sapi) &&
                    (sapi == 3 || sapi == 5 || sapi == 9 || sapi == 11);
    row->context.sapi = (uint8_t)(is_right ? sapi : 0);
    return is_right;
}

static bool read_class(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    int qclass = n_pdu_qclass_from_name(text);
    row->context.qclass = (uint8_t)qclass;
    return qclass >= 0;
}

static bool read_pdp_type(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    static const struct {
        const char *name;
        uint8_t version;
    } types[] = {{"ipv4", 4}, {"ipv6", 6}, {"ipv4v6", 0}, {"non_ip", PDP_ANY_PAYLOAD}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(text, types[i].name) == 0) {
            row->context.ip_version = types[i].version;
            return true;
        }
    return false;
}

/* Labels of 1 to 63 letters, digits and hyphens (TS 23.003 clause 9.1); the first octet is no hyphen. */
static bool read_apn(struct mobile_row *row, const struct column *column, const char *text)
{
    size_t label = 0, octets = strlen(text);
    if (octets > column->most || !isalnum((unsigned char)text[0]))
        return false;
    for (const char *at = text; *at; at++) {
        label = *at == '.' ? 0 : label + 1;
        bool is_label_empty = *at == '.' && (at[1] == '.' || at[1] == '\0');
        if (is_label_empty || label > 63 || !(isalnum((unsigned char)*at) || *at == '-' || *at == '.'))
            return false;
    }
    memcpy(row->context.apn, text, octets + 1);
    return true;
}

static bool read_llc(struct mobile_row *row, const struct column *unused_column, const char *text)
{
    row->context.is_acknowledged = strcmp(text, "acknowledged") == 0;
    return row->context.is_acknowledged || strcmp(text, "unacknowledged") == 0;
}

/* --- columns --- */

#define AT(member)    .at = offsetof(struct mobile_row, member)
#define VALUE(member) AT(member), .octets = sizeof(((struct mobile_row *)0)->member), .read = read_integer

static const struct column columns[MOBILE_ROW_COLUMNS] = {
    [MOBILE_ROW_IMSI] = {"imsi", "6 to 15 digits", read_digits, AT(imsi), 6, 15, .is_required = true},
    [MOBILE_ROW_MSISDN] = {"msisdn", "1 to 15 digits", read_digits, AT(msisdn), 1, 15},
    [MOBILE_ROW_TLLI] = {"tlli", "0x80000000 .. 0xFFFFFFFF", VALUE(tlli), .least = 0x80000000,
                         .most = 0xFFFFFFFF, .is_required = true},
    [MOBILE_ROW_BVCI] = {"bvci", "2 .. 65535", VALUE(bvci), .least = 2, .most = 65535, .is_required = true},
    [MOBILE_ROW_NSEI] = {"nsei", "0 .. 65535", VALUE(nsei), .most = 65535},
    [MOBILE_ROW_CIPHERING] = {.name = "ciphering",
                              .allowed = "gea3 or gea4, gea0 for none",
                              .read = read_ciphering},
    [MOBILE_ROW_KC] = {.name = "kc", .allowed = "16 or 32 hexadecimal digits", .read = read_kc},
    [MOBILE_ROW_IOV_UI] = {"iov_ui", "0x0 .. 0xFFFFFFFF", VALUE(ciphering.iov_ui), .most = 0xFFFFFFFF},
    [MOBILE_ROW_UNPROTECTED_SAPIS] = {.name = "unprotected_sapis",
                                      .allowed = "some of 3 5 9 11, with blanks between",
                                      .read = read_sapis},
    [MOBILE_ROW_NSAPI] = {"nsapi", "5 .. 15", VALUE(context.nsapi), .least = 5, .most = 15,
                          .is_required = true},
    [MOBILE_ROW_TEID] = {"teid", "1 .. 4294967295", VALUE(context.teid), .least = 1, .most = 0xFFFFFFFF},
    [MOBILE_ROW_SGSN_ADDRESS] = {"sgsn_address", "the IP address of a host", read_ip, AT(sgsn),
                                 .is_required = true},
    [MOBILE_ROW_GGSN_ADDRESS] = {"ggsn_address", "the IP address of a host", read_ip, AT(ggsn),
                                 .is_required = true},
    [MOBILE_ROW_GGSN_TEID] = {"ggsn_teid", "1 .. 4294967295", VALUE(context.ggsn_teid), .least = 1,
                              .most = 0xFFFFFFFF},
    [MOBILE_ROW_APN] = {"apn", "labels of 1 to 63 letters, digits and -, 100 octets in all", read_apn,
                        .most = 100},
    [MOBILE_ROW_PDP_TYPE] = {.name = "pdp_type",
                             .allowed = "ipv4, ipv6, ipv4v6 or non_ip",
                             .read = read_pdp_type},
    [MOBILE_ROW_ADDRESS] = {.name = "address", .allowed = "an IPv4 address", .read = read_ipv4},
    [MOBILE_ROW_IPV6_ADDRESS] = {.name = "ipv6_address",
                                 .allowed = "the IPv6 address of a host",
                                 .read = read_ipv6},
    [MOBILE_ROW_CLASS] = {.name = "class",
                          .allowed =
                              "signalling, sms, conversational, streaming, thp1, thp2, thp3 or background",
                          .read = read_class},
    [MOBILE_ROW_PFI] = {"pfi", "0 .. 3 or 8 .. 127", VALUE(context.pfi), .most = 127},
    [MOBILE_ROW_SAPI] = {"sapi", "3, 5, 9 or 11", read_sapi, .most = 11},
    [MOBILE_ROW_LLC] = {.name = "llc", .allowed = "acknowledged or unacknowledged", .read = read_llc},
};

const char *mobile_row_name(enum mobile_row_column column)
{
    return columns[column].name;
}

enum mobile_row_column mobile_row_find(const char *name)
{
    unsigned column = 0;
    while (column < MOBILE_ROW_COLUMNS && strcmp(columns[column].name, name) != 0)
        column++;
    return column;
}

bool mobile_row_is_required(enum mobile_row_column column)
{
    return columns[column].is_required;
}

void mobile_row_init(struct mobile_row *row)
{
    memset(row, 0, sizeof(*row));
    row->context.qclass = QCLASS_BACKGROUND;
    row->context.pfi = N_PDU_NO_PFI;
}

bool mobile_row_read(struct mobile_row *row, enum mobile_row_column column, const char *text,
                     struct mobile_row_error *error)
{
    const struct column *c = &columns[column];
    if (!text[0])
        return true;
    row->given |= UINT32_C(1) << column;
    if (c->read(row, c, text))
        return true;
    error->column = column;
    snprintf(error->text, sizeof(error->text), "the value is not allowed: %s", c->allowed);
    return false;
}

/* --- columns together --- */

static bool has(const struct mobile_row *row, enum mobile_row_column column)
{
    return row->given >> column & 1;
}

static bool mobile_row_fail(struct mobile_row_error *error, enum mobile_row_column column, const char *text)
{
    error->column = column;
    snprintf(error->text, sizeof(error->text), "%s", text);
    return false;
}

/* Rules for two columns: if `column` has a value, `other` has one, or has none. */
struct pair {
    enum mobile_row_column column, other;
    bool is_other_wanted;
    enum mobile_row_column place;
    const char *text;
};

static bool check_pairs(const struct mobile_row *row, struct mobile_row_error *error)
{
    static const struct pair pairs[] = {
        {MOBILE_ROW_KC, MOBILE_ROW_CIPHERING, true, MOBILE_ROW_CIPHERING,
         "missing; kc needs it: gea3 or gea4"},
        {MOBILE_ROW_IOV_UI, MOBILE_ROW_CIPHERING, true, MOBILE_ROW_CIPHERING,
         "missing; iov_ui needs it: gea3 or gea4"},
        {MOBILE_ROW_APN, MOBILE_ROW_TEID, false, MOBILE_ROW_TEID,
         "would not be used: with apn it is agreed on by GTP-C"},
        {MOBILE_ROW_APN, MOBILE_ROW_GGSN_TEID, false, MOBILE_ROW_GGSN_TEID,
         "would not be used: with apn it is agreed on by GTP-C"},
        {MOBILE_ROW_PDP_TYPE, MOBILE_ROW_APN, true, MOBILE_ROW_PDP_TYPE,
         "would not be used: it is for contexts with apn"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (has(row, pairs[i].column) && has(row, pairs[i].other) != pairs[i].is_other_wanted)
            return mobile_row_fail(error, pairs[i].place, pairs[i].text);
    return true;
}

static bool check_key(const struct mobile_row *row, struct mobile_row_error *error)
{
    const struct llc_cipher_params *cipher = &row->ciphering;
    unsigned wanted = cipher->algorithm == 0 ? 0 : cipher->algorithm == 3 ? 8 : 16;
    if (cipher->kc_octets == wanted)
        return true;
    return mobile_row_fail(error, MOBILE_ROW_KC,
                           wanted == 0   ? "gea0 ciphers nothing and takes no key"
                           : wanted == 8 ? "gea3 takes 16 hexadecimal digits"
                                         : "gea4 takes 32 hexadecimal digits");
}

static bool check_addresses(struct mobile_row *row, struct mobile_row_error *error)
{
    bool has_ipv4 = has(row, MOBILE_ROW_ADDRESS), has_ipv6 = has(row, MOBILE_ROW_IPV6_ADDRESS);
    uint8_t by_addresses = has_ipv6 ? has_ipv4 ? 0 : 6 : 4, *version = &row->context.ip_version;
    if (row->sgsn.count != row->ggsn.count)
        return mobile_row_fail(error, MOBILE_ROW_GGSN_ADDRESS, "is of another IP version than sgsn_address");
    if (!has(row, MOBILE_ROW_APN) && !has_ipv4 && !has_ipv6)
        return mobile_row_fail(error, MOBILE_ROW_ADDRESS,
                               "missing; a context without apn needs address or ipv6_address");
    if (!has(row, MOBILE_ROW_PDP_TYPE))
        *version = by_addresses;
    if (has_ipv4 && *version == 6)
        return mobile_row_fail(error, MOBILE_ROW_ADDRESS, "is not an address of this pdp_type");
    if (has_ipv6 && *version == 4)
        return mobile_row_fail(error, MOBILE_ROW_IPV6_ADDRESS, "is not an address of this pdp_type");
    return true;
}

bool mobile_row_check(struct mobile_row *row, struct mobile_row_error *error)
{
    for (unsigned column = 0; column < MOBILE_ROW_COLUMNS; column++)
        if (columns[column].is_required && !has(row, column))
            return mobile_row_fail(error, column, "missing; each row needs it");
    if (!has(row, MOBILE_ROW_APN) && !has(row, MOBILE_ROW_GGSN_TEID))
        return mobile_row_fail(error, MOBILE_ROW_GGSN_TEID, "missing; a context without apn needs it");
    if (row->context.pfi >= 4 && row->context.pfi <= 7)
        return mobile_row_fail(error, MOBILE_ROW_PFI, "4 .. 7 are reserved: 0 .. 3 or 8 .. 127");
    return check_pairs(row, error) && check_key(row, error) && check_addresses(row, error);
}
