/* SPDX-License-Identifier: BSD-3-Clause */
/* The optional features of matrix.h: what a worker is made of, orders, and whether packets met them. */
#ifndef TESTS_UNIT_DATAPLANE_SHARD_MATRIX_FEATURES_H
#define TESTS_UNIT_DATAPLANE_SHARD_MATRIX_FEATURES_H

#include "tests/unit/dataplane/shard/matrix.h"

enum { MATRIX_DSCP = 10 };

extern struct tap matrix_taps[MATRIX_WORKERS];

/* What outlives the workers: rules of ESP, memory of entities. */
void matrix_features_make(struct matrix *m);
void matrix_features_free(struct matrix *m);

struct link_settings matrix_features_abm(const struct matrix *m);
struct compression_settings matrix_features_compression(const struct matrix *m);
/* cluster_options.configure, with the matrix. */
void matrix_features_configure(void *arg, struct worker_config *config);

/* Orders, before anything is sent; then what a feature needs to meet packets. */
void matrix_features_order(struct matrix *m);
void matrix_features_begin(struct matrix *m);

const char *matrix_features_name(enum matrix_feature feature);

/* Whether the feature has met packets. */
bool matrix_features_seen(const struct matrix *m, enum matrix_feature feature);

#endif
