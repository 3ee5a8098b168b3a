/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/quic_tls.h"

#include "dataplane/base/bytes.h"
#include "sim/quic_lib.h"

#include <stdlib.h>
#include <string.h>

/* Types of messages (RFC 8446 section 4) and their usual octets, header included: the hello of a browser, one
 * with an X25519 key, a signature by RSA 2048, a SHA-256 hash. */
enum {
    CLIENT_HELLO = 1,
    SERVER_HELLO = 2,
    EXTENSIONS = 8,
    CERTIFICATE = 11,
    VERIFY = 15,
    FINISHED = 20,
    CLIENT_HELLO_OCTETS = 300,
    SERVER_HELLO_OCTETS = 90,
    EXTENSIONS_OCTETS = 120,
    VERIFY_OCTETS = 264,
    FINISHED_OCTETS = 36,
    HEADER_OCTETS = 4,
    PARAMS_AT = HEADER_OCTETS + 2, /* behind their length */
    TAG_OCTETS = 16,
    IV_OCTETS = 12,
    SECRET_OCTETS = 32,
};

static const uint8_t no_iv[IV_OCTETS], no_secret[SECRET_OCTETS];

/* --- frames --- */

enum {
    FRAME_ACK = 0x02,
    FRAME_ACK_ECN = 0x03,
    FRAME_CRYPTO = 0x06,
    FRAME_NEW_TOKEN = 0x07,
    FRAME_STREAM = 0x08,
    FRAME_STREAM_LAST = 0x0f,
    FRAME_NEW_CONNECTION_ID = 0x18,
    FRAME_PATH_CHALLENGE = 0x1a,
    FRAME_PATH_RESPONSE = 0x1b,
    FRAME_HANDSHAKE_DONE = 0x1e,
    HAS_LENGTH = 0x02, /* bits of a FRAME_STREAM frame's type */
    HAS_OFFSET = 0x04,
    PATH_OCTETS = 8,
    RESET_TOKEN_OCTETS = 16,
};

struct cursor {
    const uint8_t *at, *end;
    bool is_bad;
};

/* A variable-length integer (RFC 9000 section 16). */
static uint64_t quic_tls_take(struct cursor *c)
{
    size_t octets = c->at < c->end ? (size_t)1 << (c->at[0] >> 6) : 1;
    if (c->is_bad || (size_t)(c->end - c->at) < octets) {
        c->is_bad = true;
        return 0;
    }
    uint64_t value = c->at[0] & 0x3f;
    for (size_t i = 1; i < octets; i++)
        value = value << 8 | c->at[i];
    c->at += octets;
    return value;
}

static void skip(struct cursor *c, uint64_t octets)
{
    if (c->is_bad || (uint64_t)(c->end - c->at) < octets)
        c->is_bad = true;
    else
        c->at += octets;
}

static void skip_numbers(struct cursor *c, uint64_t count)
{
    for (; count > 0 && !c->is_bad; count--)
        quic_tls_take(c);
}

static void skip_ack(struct cursor *c, bool has_ecn)
{
    skip_numbers(c, 2);
    uint64_t ranges = quic_tls_take(c);
    skip_numbers(c, 1);
    for (; ranges > 0 && !c->is_bad; ranges--)
        skip_numbers(c, 2);
    skip_numbers(c, has_ecn ? 3 : 0);
}

/* Frames that consist of numbers only. */
static int numbers_of(uint64_t type)
{
    static const int8_t numbers[] = {
        [0x00] = 0, [0x01] = 0, [0x04] = 3, [0x05] = 2, [0x10] = 1, [0x11] = 2, [0x12] = 1,
        [0x13] = 1, [0x14] = 1, [0x15] = 2, [0x16] = 1, [0x17] = 1, [0x19] = 1, [0x1e] = 0};
    bool has_numbers = type <= 0x01 || type == 0x04 || type == 0x05 || (type >= 0x10 && type <= 0x17) ||
                       type == 0x19 || type == FRAME_HANDSHAKE_DONE;
    return has_numbers ? numbers[type] : -1;
}

static void skip_frame(struct cursor *c, uint64_t type)
{
    int numbers = numbers_of(type);
    if (numbers >= 0) {
        skip_numbers(c, (uint64_t)numbers);
    } else if (type == FRAME_ACK || type == FRAME_ACK_ECN) {
        skip_ack(c, type == FRAME_ACK_ECN);
    } else if (type == FRAME_CRYPTO || type == FRAME_NEW_TOKEN) {
        skip_numbers(c, type == FRAME_CRYPTO);
        skip(c, quic_tls_take(c));
    } else if (type == FRAME_NEW_CONNECTION_ID) {
        skip_numbers(c, 2);
        uint8_t cid_octets = c->at < c->end ? c->at[0] : 0;
        skip(c, 1 + (uint64_t)cid_octets + RESET_TOKEN_OCTETS);
    } else if (type == FRAME_PATH_CHALLENGE || type == FRAME_PATH_RESPONSE) {
        skip(c, PATH_OCTETS);
    } else {
        c->is_bad = true;
    }
}

/* Stops at a frame that is malformed, unknown, or the last by its nature (CONNECTION_CLOSE). */
static void each_stream_frame(const uint8_t *payload, size_t octets,
                              void (*see)(void *arg, const struct quic_tls_stream_frame *frame), void *arg)
{
    struct cursor c = {payload, payload + octets, false};
    while (!c.is_bad && c.at < c.end) {
        uint64_t type = quic_tls_take(&c);
        if (type < FRAME_STREAM || type > FRAME_STREAM_LAST) {
            skip_frame(&c, type);
            continue;
        }
        struct quic_tls_stream_frame frame = {.stream = quic_tls_take(&c)};
        frame.offset = type & HAS_OFFSET ? quic_tls_take(&c) : 0;
        frame.octets = type & HAS_LENGTH ? quic_tls_take(&c) : (uint64_t)(c.end - c.at);
        skip(&c, frame.octets);
        if (!c.is_bad)
            see(arg, &frame);
    }
}

/* --- the cipher --- */

static int seal(uint8_t *dest, const ngtcp2_crypto_aead *unused_aead, const ngtcp2_crypto_aead_ctx *ctx,
                const uint8_t *plain, size_t octets, const uint8_t *unused_nonce, size_t unused_nonce_octets,
                const uint8_t *unused_aad, size_t unused_aad_octets)
{
    struct quic_tls *tls = ctx->native_handle;
    if (tls)
        each_stream_frame(plain, octets, tls->on_sent, tls->arg);
    memmove(dest, plain, octets);
    memset(dest + octets, 0, TAG_OCTETS);
    return 0;
}

static int open_sealed(uint8_t *dest, const ngtcp2_crypto_aead *unused_aead,
                       const ngtcp2_crypto_aead_ctx *ctx, const uint8_t *sealed, size_t octets,
                       const uint8_t *unused_nonce, size_t unused_nonce_octets, const uint8_t *unused_aad,
                       size_t unused_aad_octets)
{
    static const uint8_t tag[TAG_OCTETS];
    struct quic_tls *tls = ctx->native_handle;
    if (octets < TAG_OCTETS || memcmp(sealed + octets - TAG_OCTETS, tag, TAG_OCTETS) != 0)
        return NGTCP2_ERR_DECRYPT;
    memmove(dest, sealed, octets - TAG_OCTETS);
    if (tls)
        each_stream_frame(dest, octets - TAG_OCTETS, tls->on_arrived, tls->arg);
    return 0;
}

static int mask_header(uint8_t *dest, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *ctx,
                       const uint8_t *sample)
{
    memset(dest, 0, NGTCP2_HP_MASKLEN);
    return 0;
}

static void delete_aead(ngtcp2_conn *conn, ngtcp2_crypto_aead_ctx *ctx, void *user_data)
{
}

static void delete_cipher(ngtcp2_conn *conn, ngtcp2_crypto_cipher_ctx *ctx, void *user_data)
{
}

/* --- keys --- */

static ngtcp2_crypto_ctx null_crypto(void)
{
    return (ngtcp2_crypto_ctx){
        .aead = {.max_overhead = TAG_OCTETS},
        .max_encryption = UINT64_MAX,
        .max_decryption_failure = UINT64_MAX,
    };
}

static int install_initial(ngtcp2_conn *conn)
{
    ngtcp2_crypto_ctx crypto = null_crypto();
    ngtcp2_crypto_aead_ctx aead = {NULL};
    ngtcp2_crypto_cipher_ctx hp = {NULL};
    ngtcp2_conn_set_initial_crypto_ctx(conn, &crypto);
    return ngtcp2_conn_install_initial_key(conn, &aead, no_iv, &hp, &aead, no_iv, &hp, IV_OCTETS);
}

static int install_handshake(ngtcp2_conn *conn)
{
    ngtcp2_crypto_ctx crypto = null_crypto();
    ngtcp2_crypto_aead_ctx aead = {NULL};
    ngtcp2_crypto_cipher_ctx hp = {NULL};
    ngtcp2_conn_set_crypto_ctx(conn, &crypto);
    int failed = ngtcp2_conn_install_rx_handshake_key(conn, &aead, no_iv, IV_OCTETS, &hp);
    return failed ? failed : ngtcp2_conn_install_tx_handshake_key(conn, &aead, no_iv, IV_OCTETS, &hp);
}

static int install_rx(ngtcp2_conn *conn, struct quic_tls *tls)
{
    ngtcp2_crypto_aead_ctx aead = {tls};
    ngtcp2_crypto_cipher_ctx hp = {NULL};
    return ngtcp2_conn_install_rx_key(conn, no_secret, SECRET_OCTETS, &aead, no_iv, IV_OCTETS, &hp);
}

static int install_tx(ngtcp2_conn *conn, struct quic_tls *tls)
{
    ngtcp2_crypto_aead_ctx aead = {tls};
    ngtcp2_crypto_cipher_ctx hp = {NULL};
    return ngtcp2_conn_install_tx_key(conn, no_secret, SECRET_OCTETS, &aead, no_iv, IV_OCTETS, &hp);
}

/* Keys of a later phase: ngtcp2 wants them ready. Nothing reads their secrets. */
static int update_key(ngtcp2_conn *unused_conn, uint8_t *unused_rx_secret, uint8_t *unused_tx_secret,
                      ngtcp2_crypto_aead_ctx *rx, uint8_t *rx_iv, ngtcp2_crypto_aead_ctx *tx, uint8_t *tx_iv,
                      const uint8_t *unused_old_rx, const uint8_t *unused_old_tx, size_t unused_octets,
                      void *user_data)
{
    memset(rx_iv, 0, IV_OCTETS);
    memset(tx_iv, 0, IV_OCTETS);
    rx->native_handle = tx->native_handle = user_data;
    return 0;
}

/* --- chance --- */

static void quic_tls_fill(uint8_t *dest, size_t octets, const ngtcp2_rand_ctx *ctx)
{
    for (size_t i = 0; i < octets; i++)
        dest[i] = (uint8_t)rng_below(ctx->native_handle, 256);
}

static void draw(struct quic_tls *tls, uint8_t *dest, size_t octets)
{
    quic_tls_fill(dest, octets, &(ngtcp2_rand_ctx){&tls->rng});
}

void quic_tls_id(struct quic_tls *tls, ngtcp2_cid *id, size_t octets)
{
    uint8_t bytes[NGTCP2_MAX_CIDLEN];
    draw(tls, bytes, octets);
    ngtcp2_cid_init(id, bytes, octets);
}

static int new_id(ngtcp2_conn *conn, ngtcp2_cid *id, uint8_t *token, size_t octets, void *user_data)
{
    quic_tls_id(user_data, id, octets);
    draw(user_data, token, NGTCP2_STATELESS_RESET_TOKENLEN);
    return 0;
}

static int challenge(ngtcp2_conn *conn, uint8_t *data, void *user_data)
{
    draw(user_data, data, NGTCP2_PATH_CHALLENGE_DATALEN);
    return 0;
}

/* --- messages --- */

static int quic_tls_put(ngtcp2_conn *conn, quic_lib_level level, uint8_t type, uint32_t octets)
{
    uint8_t *bytes = calloc(1, octets);
    if (!bytes)
        return NGTCP2_ERR_NOMEM;
    bytes_put_u32(bytes, (uint32_t)type << 24 | (octets - HEADER_OCTETS));
    ngtcp2_ssize failed = 0;
    if (type == CLIENT_HELLO || type == EXTENSIONS) {
        ngtcp2_ssize params =
            ngtcp2_conn_encode_local_transport_params(conn, bytes + PARAMS_AT, octets - PARAMS_AT);
        failed = params < 0 ? params : 0;
        bytes_put_u16(bytes + HEADER_OCTETS, params < 0 ? 0 : (uint16_t)params);
    }
    if (!failed)
        failed = ngtcp2_conn_submit_crypto_data(conn, level, bytes, octets);
    free(bytes);
    return (int)failed;
}

static int take_params(ngtcp2_conn *conn, const struct quic_tls_message *message)
{
    uint32_t octets = bytes_get_u16(message->kept + HEADER_OCTETS);
    if (octets > QUIC_TLS_KEPT_OCTETS - PARAMS_AT)
        return NGTCP2_ERR_CRYPTO;
    return quic_lib_set_remote_params(conn, message->kept + PARAMS_AT, octets);
}

static int answer_hello(ngtcp2_conn *conn, struct quic_tls *tls, const struct quic_tls_message *hello)
{
    const struct {
        uint8_t type;
        uint32_t octets;
    } flight[] = {
        {EXTENSIONS, EXTENSIONS_OCTETS},
        {CERTIFICATE, tls->certificate_octets},
        {VERIFY, VERIFY_OCTETS},
        {FINISHED, FINISHED_OCTETS},
    };
    int failed = take_params(conn, hello);
    if (!failed)
        failed = quic_tls_put(conn, QUIC_LIB_INITIAL, SERVER_HELLO, SERVER_HELLO_OCTETS);
    if (!failed)
        failed = install_handshake(conn);
    for (size_t i = 0; !failed && i < sizeof(flight) / sizeof(flight[0]); i++)
        failed = quic_tls_put(conn, QUIC_LIB_HANDSHAKE, flight[i].type, flight[i].octets);
    return failed ? failed : install_tx(conn, tls);
}

static int quic_tls_finish(ngtcp2_conn *conn, struct quic_tls *tls)
{
    int failed = install_rx(conn, tls);
    if (!failed && !tls->is_server)
        failed = install_tx(conn, tls);
    if (!failed && !tls->is_server)
        failed = quic_tls_put(conn, QUIC_LIB_HANDSHAKE, FINISHED, FINISHED_OCTETS);
    if (!failed)
        quic_lib_handshake_completed(conn);
    return failed;
}

static int take_message(ngtcp2_conn *conn, struct quic_tls *tls, const struct quic_tls_message *message)
{
    switch (message->kept[0]) {
    case CLIENT_HELLO:
        return answer_hello(conn, tls, message);
    case SERVER_HELLO:
        return install_handshake(conn);
    case EXTENSIONS:
        return take_params(conn, message);
    case FINISHED:
        return quic_tls_finish(conn, tls);
    default:
        return 0;
    }
}

static uint32_t quic_tls_octets_of(const struct quic_tls_message *message)
{
    return HEADER_OCTETS + (bytes_get_u32(message->kept) & 0xffffff);
}

static int receive(ngtcp2_conn *conn, quic_lib_level level, uint64_t unused_offset, const uint8_t *data,
                   size_t octets, void *user_data)
{
    struct quic_tls *tls = user_data;
    if ((int)level >= QUIC_TLS_LEVELS)
        return 0;
    struct quic_tls_message *message = &tls->message[level];
    for (size_t i = 0; i < octets; i++) {
        if (message->octets < QUIC_TLS_KEPT_OCTETS)
            message->kept[message->octets] = data[i];
        message->octets++;
        if (message->octets < HEADER_OCTETS || message->octets < quic_tls_octets_of(message))
            continue;
        if (take_message(conn, tls, message))
            return NGTCP2_ERR_CALLBACK_FAILURE;
        *message = (struct quic_tls_message){0};
    }
    return 0;
}

/* --- beginning --- */

static int begin_client(ngtcp2_conn *conn, void *user_data)
{
    if (install_initial(conn) || quic_tls_put(conn, QUIC_LIB_INITIAL, CLIENT_HELLO, CLIENT_HELLO_OCTETS))
        return NGTCP2_ERR_CALLBACK_FAILURE;
    return 0;
}

static int begin_server(ngtcp2_conn *conn, const ngtcp2_cid *dcid, void *user_data)
{
    return install_initial(conn) ? NGTCP2_ERR_CALLBACK_FAILURE : 0;
}

static int receive_retry(ngtcp2_conn *conn, const ngtcp2_pkt_hd *header, void *user_data)
{
    return NGTCP2_ERR_CALLBACK_FAILURE; /* our servers send none */
}

void quic_tls_callbacks(ngtcp2_callbacks *callbacks)
{
    callbacks->client_initial = begin_client;
    callbacks->recv_client_initial = begin_server;
    callbacks->recv_crypto_data = receive;
    callbacks->recv_retry = receive_retry;
    callbacks->encrypt = seal;
    callbacks->decrypt = open_sealed;
    callbacks->hp_mask = mask_header;
    callbacks->update_key = update_key;
    callbacks->rand = quic_tls_fill;
    callbacks->get_new_connection_id = new_id;
    callbacks->get_path_challenge_data = challenge;
    callbacks->delete_crypto_aead_ctx = delete_aead;
    callbacks->delete_crypto_cipher_ctx = delete_cipher;
}
