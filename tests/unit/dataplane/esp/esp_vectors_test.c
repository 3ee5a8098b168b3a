/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published packets and digests, and each packet of gbflow opened by Nettle, which shares no code with DPDK's
 * devices: draft-mcgrew-gcm-test-01 (RFC 4106), RFC 3602 clause 4 case 5, RFC 4231 clause 4.
 */
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
#include <stdio.h>
#include <string.h>

enum { ESP_HEAD = 8, GCM_IV = 8, CBC_IV = 16, ICV = 16, GROUP = 7, MOST = 512 };

static unsigned from_hex(const char *text, uint8_t *out)
{
    unsigned count = 0;
    for (; text[0]; text += text[0] == ' ' ? 1 : 2)
        if (text[0] != ' ')
            sscanf(text, "%2hhx", &out[count++]);
    return count;
}

/* --- packets that others have made --- */

struct published {
    const char *key, *salt, *auth, *outer, *esp, *inner;
    enum sa_suite suite;
    uint32_t spi;
    bool is_tunnel;
};

/* The packet is Ethernet, outer, ESP, and for HMAC an ICV by Nettle. */
static struct rte_mbuf *packet_of(const struct published *p)
{
    uint8_t esp[MOST];
    struct rte_mbuf *frame = rte_pktmbuf_alloc(esp_rig_buffers);
    uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(frame, MOST);
    memset(bytes, 0, ETHER_OCTETS);
    bytes_put_u16(bytes + 12, ETHER_TYPE_IPV4);
    unsigned octets = ETHER_OCTETS + from_hex(p->outer, bytes + ETHER_OCTETS), more = from_hex(p->esp, esp);
    memcpy(bytes + octets, esp, more);
    octets += more;
    if (p->auth) {
        struct hmac_sha256_ctx hmac;
        uint8_t key[SA_KEY_OCTETS];
        hmac_sha256_set_key(&hmac, from_hex(p->auth, key), key);
        hmac_sha256_update(&hmac, more, esp);
        hmac_sha256_digest(&hmac, ICV, bytes + octets);
        octets += ICV;
    }
    uint8_t *ip = bytes + ETHER_OCTETS;
    bytes_put_u16(ip + 2, (uint16_t)(octets - ETHER_OCTETS));
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, IPV4_OCTETS));
    rte_pktmbuf_trim(frame, (uint16_t)(MOST - octets));
    return frame;
}

static void open_published(const struct published *p, const struct sa_device *device)
{
    const char *reason;
    uint8_t inner[MOST];
    uint64_t drops[DROP_COUNT] = {0};
    struct sa_params params = {
        .spi = p->spi, .suite = p->suite, .is_inbound = true, .is_tunnel = p->is_tunnel, .window = 64};
    from_hex(p->key, params.key);
    if (p->salt)
        from_hex(p->salt, params.salt);
    if (p->auth)
        from_hex(p->auth, params.auth);
    struct sa *sa = sa_new(&params, device, &reason);
    assert_non_null(sa);
    struct rules *rules = rules_new();
    rules->in[rules->in_count++] = (struct rule){.action = RULE_PROTECT, .group = GROUP};
    assert_true(rules_add_inbound(rules, sa, GROUP));
    struct esp esp = {.rules = rules, .ops = esp_rig_ops, .buffers = esp_rig_buffers};
    struct rte_mbuf *frame = packet_of(p);
    if (esp_receive(&esp, &frame, 1, drops) != 1)
        fail_msg("%s on %s", sa_suite_name(p->suite), device->name);
    unsigned octets = from_hex(p->inner, inner);
    assert_int_equal(rte_pktmbuf_data_len(frame) - ETHER_OCTETS, octets);
    assert_memory_equal(rte_pktmbuf_mtod(frame, uint8_t *) + ETHER_OCTETS, inner, octets);
    rte_pktmbuf_free(frame);
    rules_free(rules);
    sa_free(sa);
}

static int start(void **state)
{
    return esp_rig_start(state);
}

TEST(published_packets)
{
    static const struct published all[] = {
        {.suite = SA_AES_GCM_128,
         .spi = 0xa5f8,
         .is_tunnel = true,
         .key = "feffe9928665731c6d6a8f9467308308",
         .salt = "cafebabe",
         .outer = "45000074698f000080324d75c0a80102c0a80101",
         .esp = "0000a5f800000001 facedbaddecaf888 deb22cd9b07c72c16e3a65beeb8df304 "
                "a5a5897d33ae530f1ba76d5d114d2a5c"
                "3de81827c10e9a4f51330d0eec416642 cfbb85a5b47e48a4ec3b9ba95d918bd4 "
                "29c737579ff19e58cffc607a3bce8994",
         .inner = "4500003e698f000080114dccc0a80102c0a80101 "
                  "0a980035002a2343b2d0010000010000000000000373697009637962"
                  "657263697479 02646b0000010001"},
        {.suite = SA_AES_CBC_128_SHA_256,
         .spi = 0x4321,
         .key = "90d382b410eeba7ad938c46cec1a82bf",
         .auth = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
         .outer = "4500007c08f200004032f9a5c0a87b03c0a87b64",
         .esp = "0000432100000001 e96e8c08ab465763fd098d45dd3ff893 "
                "f663c25d325c18c6a9453e194e120849a4870b66cc6b9965330013b4"
                "898dc856a4699e523a55db080b59ec3a8e4b7e52775b07d1db34ed9c538ab50c551b874aa269add047ad2d5913ac"
                "19b7cfbad4a6",
         .inner = "4500005408f200004001f9fec0a87b03c0a87b64 "
                  "08000ebda70a00008e9c083db95b070008090a0b0c0d0e0f10111213141516"
                  "1718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353637"},
    };
    unsigned opened = 0;
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned i = 0; esp_rig_devices[d].name && i < COUNT(all); i++)
            if (sa_device_has(&esp_rig_devices[d], all[i].suite)) {
                open_published(&all[i], &esp_rig_devices[d]);
                opened++;
            }
    assert_true(opened >= COUNT(all));
}

/* Nettle, by which the others are judged, has the digests of RFC 4231 cases 1, 2 and 4. */
TEST(published_digests)
{
    static const struct {
        const char *key, *data, *digest;
    } all[] = {{"0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
               {"4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
               {"0102030405060708090a0b0c0d0e0f10111213141516171819",
                "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
                "cdcdcdcd",
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"}};
    for (unsigned i = 0; i < COUNT(all); i++) {
        struct hmac_sha256_ctx hmac;
        uint8_t key[MOST], data[MOST], wanted[32], digest[32];
        hmac_sha256_set_key(&hmac, from_hex(all[i].key, key), key);
        hmac_sha256_update(&hmac, from_hex(all[i].data, data), data);
        hmac_sha256_digest(&hmac, sizeof(digest), digest);
        from_hex(all[i].digest, wanted);
        assert_memory_equal(digest, wanted, sizeof(wanted));
    }
}

/* --- packets of gbflow --- */

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

UNIT_MAIN(start, NULL)
