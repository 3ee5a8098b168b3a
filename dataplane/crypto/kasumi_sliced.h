/* SPDX-License-Identifier: BSD-3-Clause */
/* GEA3 and GEA4 in portable C for many packets: 64 packets side by side, each with its own key. */
#ifndef DATAPLANE_CRYPTO_KASUMI_SLICED_H
#define DATAPLANE_CRYPTO_KASUMI_SLICED_H

#include "dataplane/crypto/gea.h"

#include <stddef.h>

/* Ciphers count >= 0 jobs. One job takes about as long as 64. */
void kasumi_sliced_cipher(const struct gea_job *jobs, size_t count);

#endif
