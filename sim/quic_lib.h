/* SPDX-License-Identifier: BSD-3-Clause */
/* The interfaces of libngtcp2 0.12 and 1.x under one set of names: no other file looks at the version. */
#ifndef SIM_QUIC_LIB_H
#define SIM_QUIC_LIB_H

#include <ngtcp2/ngtcp2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A part of the user data of a connection, at its beginning: how often its probe timeout (RFC 9002
 * section 6.2) has ended. */
struct quic_lib_probes {
    uint32_t count;
    bool is_expiring;
};

#if NGTCP2_VERSION_NUM >= 0x010000

typedef ngtcp2_encryption_level quic_lib_level;
typedef ngtcp2_ccerr quic_lib_close;

#define QUIC_LIB_INITIAL   NGTCP2_ENCRYPTION_LEVEL_INITIAL
#define QUIC_LIB_HANDSHAKE NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE
#define QUIC_LIB_BBR2      NGTCP2_CC_ALGO_BBR /* 1.x has one BBR */

#define quic_lib_set_remote_params    ngtcp2_conn_decode_and_set_remote_transport_params
#define quic_lib_handshake_completed  ngtcp2_conn_tls_handshake_completed
#define quic_lib_close_of_application ngtcp2_ccerr_set_application_error
#define quic_lib_close_of_error       ngtcp2_ccerr_set_liberr

/* The newest round trip time; 0: there is none yet. */
static inline ngtcp2_duration quic_lib_rtt_ns(ngtcp2_conn *conn)
{
    ngtcp2_conn_info info;
    ngtcp2_conn_get_conn_info(conn, &info);
    return info.min_rtt == UINT64_MAX ? 0 : info.latest_rtt;
}

/* Of probe timeouts 1.x tells in its log only. */
static inline void quic_lib_log(void *user_data, const char *format, ...)
{
    struct quic_lib_probes *probes = user_data;
    char line[256];
    if (!probes->is_expiring)
        return;
    va_list words;
    va_start(words, format);
    vsnprintf(line, sizeof(line), format, words);
    va_end(words);
    probes->count += strstr(line, " pto_count=") != NULL;
}

static inline void quic_lib_watch_probes(ngtcp2_settings *settings)
{
    settings->log_printf = quic_lib_log;
}

static inline int quic_lib_expire(ngtcp2_conn *conn, struct quic_lib_probes *probes, ngtcp2_tstamp now)
{
    probes->is_expiring = true;
    int failed = ngtcp2_conn_handle_expiry(conn, now);
    probes->is_expiring = false;
    return failed;
}

static inline void quic_lib_set_first_id(ngtcp2_transport_params *transport, const ngtcp2_cid *id)
{
    transport->original_dcid = *id;
    transport->original_dcid_present = 1;
}

#elif NGTCP2_VERSION_NUM < 0x000d00

typedef ngtcp2_crypto_level quic_lib_level;
typedef ngtcp2_connection_close_error quic_lib_close;

#define QUIC_LIB_INITIAL   NGTCP2_CRYPTO_LEVEL_INITIAL
#define QUIC_LIB_HANDSHAKE NGTCP2_CRYPTO_LEVEL_HANDSHAKE
#define QUIC_LIB_BBR2      NGTCP2_CC_ALGO_BBR2

#define quic_lib_set_remote_params    ngtcp2_conn_decode_remote_transport_params
#define quic_lib_handshake_completed  ngtcp2_conn_handshake_completed
#define quic_lib_close_of_application ngtcp2_connection_close_error_set_application_error
#define quic_lib_close_of_error       ngtcp2_connection_close_error_set_transport_error_liberr

static inline ngtcp2_duration quic_lib_rtt_ns(ngtcp2_conn *conn)
{
    ngtcp2_conn_stat stat;
    ngtcp2_conn_get_conn_stat(conn, &stat);
    return stat.first_rtt_sample_ts == UINT64_MAX ? 0 : stat.latest_rtt;
}

static inline void quic_lib_watch_probes(ngtcp2_settings *settings)
{
}

static inline int quic_lib_expire(ngtcp2_conn *conn, struct quic_lib_probes *probes, ngtcp2_tstamp now)
{
    ngtcp2_conn_stat before, after;
    ngtcp2_conn_get_conn_stat(conn, &before);
    int failed = ngtcp2_conn_handle_expiry(conn, now);
    ngtcp2_conn_get_conn_stat(conn, &after);
    probes->count += after.pto_count > before.pto_count;
    return failed;
}

static inline void quic_lib_set_first_id(ngtcp2_transport_params *transport, const ngtcp2_cid *id)
{
    transport->original_dcid = *id;
}

#else
#error "libngtcp2 between 0.12 and 1.0 has neither's interface; configure with -Dquic=disabled"
#endif

#endif
