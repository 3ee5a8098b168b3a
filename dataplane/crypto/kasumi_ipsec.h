/* SPDX-License-Identifier: BSD-3-Clause */
/* GEA3 and GEA4 by Intel's IPsec-mb: a reference for the other engines; slow as Debian builds it. */
#ifndef DATAPLANE_CRYPTO_KASUMI_IPSEC_H
#define DATAPLANE_CRYPTO_KASUMI_IPSEC_H

#include "dataplane/crypto/gea.h"

#include <stddef.h>

/*
 * NULL if it runs here, else static text with the reason. The first call allocates the library's memory,
 * which is never freed: call it at start, before threads.
 */
const char *kasumi_ipsec_missing(void);

/* Ciphers count >= 0 jobs, one after the other. Requires that kasumi_ipsec_missing() returned NULL. */
void kasumi_ipsec_cipher(const struct gea_job *jobs, size_t count);

#endif
