/* SPDX-License-Identifier: BSD-3-Clause */
/* GEA3 and GEA4 on AVX-512: 64 packets side by side, each with its own key. */
#ifndef DATAPLANE_CRYPTO_KASUMI_VECTOR_H
#define DATAPLANE_CRYPTO_KASUMI_VECTOR_H

#include "dataplane/crypto/gea.h"

#include <stddef.h>

/* NULL if this processor runs it, else static text that names the missing instructions. */
const char *kasumi_vector_missing(void);

/* Ciphers count >= 0 jobs. Requires that kasumi_vector_missing() returned NULL. */
void kasumi_vector_cipher(const struct gea_job *jobs, size_t count);

#endif
