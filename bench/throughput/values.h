/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options whose values are neither whole numbers nor plain text. Each bench_value_X() puts one into a plan as
 * struct command_option asks for it: COMMAND_OK, or COMMAND_USAGE after a message. Each bench_value_show_X()
 * writes what a plan has.
 */
#ifndef BENCH_THROUGHPUT_VALUES_H
#define BENCH_THROUGHPUT_VALUES_H

#include "bench/throughput/plan.h"

#include <stddef.h>

/* Words in a list, beside numbers. */
struct bench_value_words {
    int (*value)(const char *word); /* -1: not a word */
    void (*name)(char out[8], uint32_t value);
    const char *all; /* in a message; NULL: numbers are values, too */
};

extern const struct bench_value_words bench_value_octets, bench_value_ciphers;

/* The values of a list option, "64,512,imix". */
struct bench_value_range {
    const char *name; /* the option's */
    int64_t min, max;
    const struct bench_value_words *words; /* NULL: numbers only */
    bool is_one;
};

int bench_value_list(struct bench_plan_axis *axis, const struct bench_value_range *r, const char *text);
void bench_value_show_list(const struct bench_plan_axis *axis, const struct bench_value_words *words,
                           char *out, size_t chars);

int bench_value_cores(void *plan, char *text);
int bench_value_aqm(void *plan, char *text);
int bench_value_scope(void *plan, char *text);
int bench_value_teids(void *plan, char *text);
int bench_value_zipf(void *plan, char *text);
int bench_value_minutes(void *plan, char *text);

/* N-PDU/s; or percent of NDR, "90%". */
int bench_value_rate(void *plan, char *text);
int bench_value_load(void *plan, char *text);

int bench_value_gn_mac(void *plan, char *text);
int bench_value_gb_mac(void *plan, char *text);

int bench_value_pages(void *plan, char *text); /* "huge" and the like */

void bench_value_show_aqm(const struct bench_plan *plan, char *out, size_t chars);
void bench_value_show_scope(const struct bench_plan *plan, char *out, size_t chars);
void bench_value_show_zipf(const struct bench_plan *plan, char *out, size_t chars);
void bench_value_show_minutes(const struct bench_plan *plan, char *out, size_t chars);
void bench_value_show_load(const struct bench_plan *plan, char *out, size_t chars);

/* "none", "gea3", "gea4"; "imix" or the number; the scheme's name or "none"; the scope's name. */
const char *bench_value_cipher_name(uint8_t cipher);
void bench_value_octets_name(char out[8], uint16_t octets);
const char *bench_value_aqm_name(const struct bench_plan *plan);
const char *bench_value_scope_name(const struct bench_plan *plan);
const char *bench_value_pages_name(const struct bench_plan *plan); /* as --pages takes it */

#endif
