/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A row of a table of mobiles (mobiles.file): the values of a PDP context and of its mobile. Columns have the
 * names and ranges of the keys of mobiles.list and its contexts (lua/node/schema.lua).
 */
#ifndef CONTROL_CONFIG_MOBILE_ROW_H
#define CONTROL_CONFIG_MOBILE_ROW_H

#include "control/config/node_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns; those before NSAPI are of the mobile, the others of the context. */
enum mobile_row_column {
    MOBILE_ROW_IMSI,
    MOBILE_ROW_MSISDN,
    MOBILE_ROW_TLLI,
    MOBILE_ROW_BVCI,
    MOBILE_ROW_NSEI,
    MOBILE_ROW_CIPHERING,
    MOBILE_ROW_KC,
    MOBILE_ROW_IOV_UI,
    MOBILE_ROW_UNPROTECTED_SAPIS,
    MOBILE_ROW_NSAPI,
    MOBILE_ROW_TEID,
    MOBILE_ROW_SGSN_ADDRESS,
    MOBILE_ROW_GGSN_ADDRESS,
    MOBILE_ROW_GGSN_TEID,
    MOBILE_ROW_APN,
    MOBILE_ROW_PDP_TYPE,
    MOBILE_ROW_ADDRESS,
    MOBILE_ROW_IPV6_ADDRESS,
    MOBILE_ROW_CLASS,
    MOBILE_ROW_PFI,
    MOBILE_ROW_SAPI,
    MOBILE_ROW_LLC,
    MOBILE_ROW_COLUMNS,
};

struct mobile_row_ip {
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    uint8_t count; /* 4 or 16; 0: none */
};

struct mobile_row {
    uint32_t given; /* bit n: column n has a value */
    uint32_t tlli;
    uint16_t bvci, nsei;
    uint8_t unprotected; /* as in struct ms */
    char imsi[NODE_CONFIG_IMSI_CHARS], msisdn[NODE_CONFIG_IMSI_CHARS];
    struct llc_cipher_params ciphering;
    struct mobile_row_ip sgsn, ggsn;
    struct node_config_context context; /* but for the addresses of the tunnel */
};

#define MOBILE_ROW_COMPLAINT_CHARS 200

/* An error in a row. */
struct mobile_row_error {
    enum mobile_row_column column;
    char text[MOBILE_ROW_COMPLAINT_CHARS]; /* value and remedy, without the column's name */
};

/* Name of a column, as in the header of a table. */
const char *mobile_row_name(enum mobile_row_column column);

/* The column with a name; MOBILE_ROW_COLUMNS: none. */
enum mobile_row_column mobile_row_find(const char *name);

/* Whether each row needs a value in the column. */
bool mobile_row_is_required(enum mobile_row_column column);

/* The default values. */
void mobile_row_init(struct mobile_row *row);

/* Reads the value of a column; empty text: none. False: error->text is set. */
bool mobile_row_read(struct mobile_row *row, enum mobile_row_column column, const char *text,
                     struct mobile_row_error *error);

/* Checks required columns and what columns demand of each other, as lua/node/check_contexts.lua and
 * lua/node/ciphering.lua do; fills in the IP version. False: *error is set. */
bool mobile_row_check(struct mobile_row *row, struct mobile_row_error *error);

#endif
