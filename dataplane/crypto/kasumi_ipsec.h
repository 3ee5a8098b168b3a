/* SPDX-License-Identifier: BSD-3-Clause */
/* GEA3 and GEA4 by Intel's IPsec-mb: a judge of the other engines, and slow as Debian builds it. */
#ifndef DATAPLANE_CRYPTO_KASUMI_IPSEC_H
#define DATAPLANE_CRYPTO_KASUMI_IPSEC_H

#include "dataplane/crypto/gea_job.h"

#include <stddef.h>

/* NULL where it can run, else why not, as static text. The first call takes the library's memory, for good:
 * at start, before threads. */
const char *kasumi_ipsec_missing(void);

/* Ciphers count >= 0 jobs, one after the other. Only where kasumi_ipsec_missing() was NULL. */
void kasumi_ipsec_cipher(const struct gea_job *jobs, size_t count);

#endif
