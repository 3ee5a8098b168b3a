/* SPDX-License-Identifier: BSD-3-Clause */
/* Each packet that leaves, opened by Nettle, which shares no code with DPDK's devices. */
#include "tests/unit/unit.h"

#include "tests/unit/dataplane/esp/esp_rig.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <rte_mbuf.h>
#include <string.h>

enum { ESP_HEAD = 8, GCM_IV = 8, CBC_IV = 16, ICV = 16, MOST = 512, COUNT = 32 };

static int start(void **state)
{
    return esp_rig_start(state);
}

struct sealed {
    const uint8_t *esp;
    unsigned octets;
    uint64_t number;
    bool is_256, has_esn;
};

static void open_gcm(const uint8_t *key, const struct sealed *in, uint8_t *plain)
{
    const uint8_t *esp = in->esp;
    unsigned octets = in->octets;
    uint64_t number = in->number;
    bool has_esn = in->has_esn;
    struct gcm_aes128_ctx small;
    struct gcm_aes256_ctx large;
    uint8_t nonce[12] = {0}, aad[12], icv[ICV]; /* the rig's salt is 0 */
    unsigned text = octets - ESP_HEAD - GCM_IV - ICV, aad_octets = has_esn ? 12 : 8;
    memcpy(nonce + 4, esp + ESP_HEAD, GCM_IV);
    memcpy(aad, esp, 4);
    if (has_esn)
        bytes_put_u32(aad + 4, (uint32_t)(number >> 32));
    bytes_put_u32(aad + aad_octets - 4, (uint32_t)number);
    if (in->is_256) {
        gcm_aes256_set_key(&large, key);
        gcm_aes256_set_iv(&large, sizeof(nonce), nonce);
        gcm_aes256_update(&large, aad_octets, aad);
        gcm_aes256_decrypt(&large, text, plain, esp + ESP_HEAD + GCM_IV);
        gcm_aes256_digest(&large, ICV, icv);
    } else {
        gcm_aes128_set_key(&small, key);
        gcm_aes128_set_iv(&small, sizeof(nonce), nonce);
        gcm_aes128_update(&small, aad_octets, aad);
        gcm_aes128_decrypt(&small, text, plain, esp + ESP_HEAD + GCM_IV);
        gcm_aes128_digest(&small, ICV, icv);
    }
    assert_memory_equal(icv, esp + octets - ICV, ICV);
}

static void check_hmac(const uint8_t *auth, const uint8_t *esp, unsigned octets, uint64_t number,
                       bool has_esn)
{
    struct hmac_sha256_ctx hmac;
    uint8_t high[4], icv[ICV];
    hmac_sha256_set_key(&hmac, SA_KEY_OCTETS, auth);
    hmac_sha256_update(&hmac, octets - ICV, esp);
    bytes_put_u32(high, (uint32_t)(number >> 32));
    if (has_esn)
        hmac_sha256_update(&hmac, sizeof(high), high); /* RFC 4303 clause 2.2.1 */
    hmac_sha256_digest(&hmac, ICV, icv);
    assert_memory_equal(icv, esp + octets - ICV, ICV);
}

static void open_cbc(const uint8_t *key, bool is_256, const uint8_t *esp, unsigned octets, uint8_t *plain)
{
    uint8_t iv[CBC_IV];
    struct aes128_ctx small;
    struct aes256_ctx large;
    unsigned text = octets - ESP_HEAD - CBC_IV - ICV;
    memcpy(iv, esp + ESP_HEAD, CBC_IV);
    aes128_set_decrypt_key(&small, key);
    aes256_set_decrypt_key(&large, key);
    cbc_decrypt(is_256 ? (const void *)&large : (const void *)&small,
                is_256 ? (nettle_cipher_func *)aes256_decrypt : (nettle_cipher_func *)aes128_decrypt, CBC_IV,
                iv, text, plain, esp + ESP_HEAD + CBC_IV);
}

/* Opens a packet, whose text must be the packet before; checks the padding (RFC 4303 clause 2.4). */
static void open_with_nettle(const struct esp_rig_case *c, const uint8_t *esp, unsigned octets,
                             uint64_t number, const struct rte_mbuf *before)
{
    uint8_t key[SA_KEY_OCTETS], auth[SA_KEY_OCTETS], plain[MOST];
    struct sealed sealed = {esp, octets, number, c->suite == SA_AES_GCM_256, c->has_esn};
    memset(key, 0x42, sizeof(key));
    memset(auth, 0x43, sizeof(auth));
    bool is_gcm = c->suite == SA_AES_GCM_128 || c->suite == SA_AES_GCM_256,
         is_null = c->suite == SA_NULL_SHA_256;
    unsigned head = ESP_HEAD + (is_gcm ? GCM_IV : is_null ? 0 : CBC_IV), text = octets - head - ICV;
    assert_int_equal(bytes_get_u32(esp), ESP_RIG_SPI);
    assert_int_equal(bytes_get_u32(esp + 4), (uint32_t)number);
    if (!is_gcm)
        check_hmac(auth, esp, octets, number, c->has_esn);
    if (is_gcm)
        open_gcm(key, &sealed, plain);
    else if (is_null)
        memcpy(plain, esp + head, text);
    else
        open_cbc(key, c->suite == SA_AES_CBC_256_SHA_256, esp, octets, plain);
    unsigned padding = plain[text - 2];
    assert_int_equal(plain[text - 1], 4);
    for (unsigned i = 0; i < padding; i++)
        assert_int_equal(plain[text - 2 - padding + i], i + 1);
    unsigned inner = text - 2 - padding;
    assert_int_equal(inner, rte_pktmbuf_data_len(before) - ETHER_OCTETS);
    assert_memory_equal(plain, rte_pktmbuf_mtod(before, const uint8_t *) + ETHER_OCTETS, inner);
}

TEST(packets_opened_by_nettle)
{
    const uint64_t first = (UINT64_C(3) << 32) + 5;
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned i = 0; esp_rig_devices[d].name && i < 2 * SA_SUITES; i++) {
            struct esp_rig_case c = {
                .suite = i / 2, .is_tunnel = true, .has_esn = i % 2, .first_sequence = i % 2 ? first : 5};
            struct esp_rig rig;
            if (!sa_device_has(&esp_rig_devices[d], c.suite))
                continue;
            esp_rig_new(&rig, &c, &esp_rig_devices[d]);
            for (unsigned k = 0; k < 40; k++) {
                struct rte_mbuf *frame = esp_rig_packet(false, 8 + 5 * k, 0), *before = esp_rig_copy(frame);
                assert_int_equal(esp_send(&rig.sender, &frame, 1, rig.unsent), 1);
                unsigned outer = ETHER_OCTETS + IPV4_OCTETS;
                open_with_nettle(&c, rte_pktmbuf_mtod(frame, const uint8_t *) + outer,
                                 rte_pktmbuf_data_len(frame) - outer, c.first_sequence + k, before);
                rte_pktmbuf_free(frame);
                rte_pktmbuf_free(before);
            }
            esp_rig_free(&rig);
        }
}

/* The numbers that the ends begin with are the same: each octet of each packet is. */
static void check_same(const struct esp_rig_case *c, const struct sa_device *a, const struct sa_device *b)
{
    struct esp_rig one, other;
    struct rte_mbuf *frames[COUNT], *same[COUNT];
    esp_rig_new(&one, c, a);
    esp_rig_new(&other, c, b);
    for (unsigned i = 0; i < COUNT; i++) {
        frames[i] = esp_rig_packet(c->is_inner_ipv6, 8 + i * 43, (uint8_t)(i * 7));
        same[i] = esp_rig_copy(frames[i]);
    }
    assert_int_equal(esp_send(&one.sender, frames, COUNT, one.unsent), COUNT);
    assert_int_equal(esp_send(&other.sender, same, COUNT, other.unsent), COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_true(esp_rig_is_same(frames[i], same[i]));
        rte_pktmbuf_free(frames[i]);
        rte_pktmbuf_free(same[i]);
    }
    sa_free(other.out);
    sa_free(other.in);
    rules_free(other.near);
    rules_free(other.far);
    esp_rig_free(&one);
}

TEST(devices_agree)
{
    const struct sa_device *first = esp_rig_device(SA_AES_GCM_128);
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned bits = 0; bits < 128; bits++) {
            struct esp_rig_case c = {.suite = bits & 1 ? SA_AES_GCM_256 : SA_AES_GCM_128,
                                     .is_tunnel = bits & 2,
                                     .is_ipv6 = bits & 4,
                                     .is_inner_ipv6 = bits & 8,
                                     .has_esn = bits & 16,
                                     .has_encap = bits & 32,
                                     .dscp = bits & 64 ? 46 : 0};
            if (!c.is_tunnel && (c.is_ipv6 || c.has_encap))
                continue;
            if (esp_rig_devices[d].name && sa_device_has(&esp_rig_devices[d], c.suite))
                check_same(&c, first, &esp_rig_devices[d]);
        }
}

UNIT_MAIN(start, NULL)
