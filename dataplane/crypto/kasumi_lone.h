/* SPDX-License-Identifier: BSD-3-Clause */
/* GEA3 and GEA4 in portable C for few packets, one after the other. */
#ifndef DATAPLANE_CRYPTO_KASUMI_LONE_H
#define DATAPLANE_CRYPTO_KASUMI_LONE_H

#include "dataplane/crypto/gea_job.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether kasumi_lone_cipher() takes less time for these count > 0 jobs than kasumi_sliced_cipher(). */
bool kasumi_lone_pays(const struct gea_job *jobs, size_t count);

/* Ciphers count >= 0 jobs. */
void kasumi_lone_cipher(const struct gea_job *jobs, size_t count);

#endif
