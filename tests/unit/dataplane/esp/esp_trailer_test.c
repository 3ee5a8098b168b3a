/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of AES-GCM with a right ICV and any trailer, sealed by Nettle; and the last sequence numbers. */
#include "tests/unit/unit.h"

#include "tests/unit/dataplane/esp/esp_rig.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <nettle/gcm.h>
#include <rte_mbuf.h>
#include <string.h>

enum { IV = 8, ICV = 16, MOST = 600, INNER = 40, NEXT_IPV4 = 4, NEXT_IPV6 = 41 };

static const struct esp_rig_case usual = {.suite = SA_AES_GCM_128, .is_tunnel = true};

/* A frame whose ESP has this text and number; the rig's key, and its salt of 0. */
static struct rte_mbuf *sealed(const uint8_t *text, unsigned octets, uint32_t number)
{
    uint8_t key[16], nonce[12] = {0};
    struct gcm_aes128_ctx gcm;
    struct rte_mbuf *frame = esp_rig_packet(false, ESP_HEAD_OCTETS + IV + octets + ICV, 0);
    uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS), *esp = ip + IPV4_OCTETS;
    ip[9] = ESP_PROTO;
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, IPV4_OCTETS));
    bytes_put_u32(esp, ESP_RIG_SPI);
    bytes_put_u32(esp + 4, number);
    bytes_put_u64(esp + ESP_HEAD_OCTETS, number);
    memset(key, 0x42, sizeof(key));
    memcpy(nonce + 4, esp + ESP_HEAD_OCTETS, IV);
    gcm_aes128_set_key(&gcm, key);
    gcm_aes128_set_iv(&gcm, sizeof(nonce), nonce);
    gcm_aes128_update(&gcm, ESP_HEAD_OCTETS, esp);
    gcm_aes128_encrypt(&gcm, octets, esp + ESP_HEAD_OCTETS + IV, text);
    gcm_aes128_digest(&gcm, ICV, esp + ESP_HEAD_OCTETS + IV + octets);
    return frame;
}

/* A packet of INNER octets with padding and a trailer; returns the octets together. */
static unsigned text_put(uint8_t *text, unsigned pad, uint8_t next)
{
    const struct ipv4 ip = {.src = 0x0a000001,
                            .dst = 0x0a000002,
                            .proto = IPV4_PROTO_UDP,
                            .header_octets = IPV4_OCTETS,
                            .payload_octets = INNER - IPV4_OCTETS};
    memset(text, 0, MOST);
    assert_int_equal(ipv4_encode(text, IPV4_OCTETS, &ip), IPV4_OCTETS);
    for (unsigned i = 0; i < pad; i++)
        text[INNER + i] = (uint8_t)(i + 1);
    text[INNER + pad] = (uint8_t)pad;
    text[INNER + pad + 1] = next;
    return INNER + pad + ESP_TAIL_OCTETS;
}

static enum drop fate_of(struct esp_rig *rig, struct rte_mbuf *frame)
{
    memset(rig->drops, 0, sizeof(rig->drops));
    if (esp_receive(&rig->receiver, &frame, 1, rig->drops) == 1) {
        assert_int_equal(frame->data_len, ETHER_OCTETS + INNER);
        assert_int_equal(frame->pkt_len, frame->data_len);
        rte_pktmbuf_free(frame);
        return DROP_NONE;
    }
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (rig->drops[i])
            return i;
    fail_msg("a frame is lost");
    return DROP_NONE;
}

/* Each octet of padding, and a padding as long as the pad length can say. */
static void padding(void **state)
{
    struct esp_rig rig;
    uint8_t text[MOST];
    uint32_t number = 0;
    esp_rig_new(&rig, &usual, esp_rig_device(SA_AES_GCM_128));
    for (unsigned pad = 2; pad <= 254; pad += 4) {
        unsigned octets = text_put(text, pad, NEXT_IPV4);
        assert_int_equal(fate_of(&rig, sealed(text, octets, ++number)), DROP_NONE);
        for (unsigned i = 0; i < pad; i++) {
            text[INNER + i] ^= 0x10;
            assert_int_equal(fate_of(&rig, sealed(text, octets, ++number)), DROP_ESP_MALFORMED);
            text[INNER + i] ^= 0x10;
        }
    }
    esp_rig_free(&rig);
}

/* A pad length that is more than the text, or as long; and next headers that are not those of the tunnel. */
static void trailers(void **state)
{
    static const uint8_t others[] = {NEXT_IPV6, IPV4_PROTO_UDP, 0};
    struct esp_rig rig;
    uint8_t text[MOST];
    uint32_t number = 0;
    esp_rig_new(&rig, &usual, esp_rig_device(SA_AES_GCM_128));
    for (unsigned i = 0; i < COUNT(others); i++) {
        unsigned octets = text_put(text, 2, others[i]);
        assert_int_equal(fate_of(&rig, sealed(text, octets, ++number)), DROP_ESP_MALFORMED);
    }
    for (unsigned pad = 1; pad < 8; pad++) { /* of 8 octets; 6 is nothing but padding */
        for (unsigned i = 0; i < 6; i++)
            text[i] = (uint8_t)(pad + i - 5);
        text[6] = (uint8_t)pad;
        text[7] = NEXT_IPV4;
        number = pad < 7 ? number + 1
                         : 0x101; /* its last octet, that of the IV, is the 1 of 7 octets of padding */
        assert_int_equal(fate_of(&rig, sealed(text, 8, number)), DROP_ESP_MALFORMED);
    }
    esp_rig_free(&rig);
}

/* Texts that no sender makes have a right ICV, and count as wrong with each device. A burst has them in the
 * middle. */
static void sizes(void **state)
{
    struct esp_rig rig;
    uint8_t text[MOST];
    uint32_t number = 0;
    struct rte_mbuf *frames[ESP_BURST];
    esp_rig_new(&rig, &usual, esp_rig_device(SA_AES_GCM_128));
    for (unsigned octets = 0; octets < INNER; octets++)
        if (octets % 4 != 0 || octets == 0) {
            text_put(text, 2, NEXT_IPV4);
            assert_int_equal(fate_of(&rig, sealed(text, octets, ++number)),
                             octets == 0 && !rig.in->device->is_direct ? DROP_ESP_MALFORMED : DROP_ESP_ICV);
        }
    memset(rig.drops, 0, sizeof(rig.drops));
    for (unsigned i = 0; i < ESP_BURST; i++) {
        unsigned octets = text_put(text, 2, NEXT_IPV4);
        frames[i] = sealed(text, i % 3 == 1 ? octets - 1 : octets, ++number);
    }
    unsigned good = esp_receive(&rig.receiver, frames, ESP_BURST, rig.drops);
    assert_int_equal(rig.drops[DROP_ESP_ICV], ESP_BURST / 3);
    assert_int_equal(good, ESP_BURST - ESP_BURST / 3);
    for (unsigned i = 0; i < good; i++)
        rte_pktmbuf_free(frames[i]);
    esp_rig_free(&rig);
}

/* The last three numbers are used by IPsec-mb's way, and none after them, however often it is tried. */
static void last_numbers(void **state)
{
    if (!esp_rig_device(SA_AES_GCM_128)->is_direct)
        return; /* rte_ipsec: numbers_of_an_sa in esp_test.c */
    for (unsigned has_esn = 0; has_esn < 2; has_esn++) {
        struct esp_rig_case c = usual;
        struct esp_rig rig;
        c.has_esn = has_esn;
        c.first_sequence = (has_esn ? UINT64_MAX : UINT32_MAX) - 2;
        esp_rig_new(&rig, &c, esp_rig_device(SA_AES_GCM_128));
        uint32_t number = UINT32_MAX - 2;
        for (unsigned round = 0; round < 4; round++) {
            static const unsigned tried[] = {2, 5, 5, 5}, left[] = {2, 1, 0, 0};
            struct rte_mbuf *frames[5];
            for (unsigned i = 0; i < tried[round]; i++)
                frames[i] = esp_rig_packet(false, 40, 0);
            assert_int_equal(esp_send(&rig.sender, frames, tried[round], rig.unsent), left[round]);
            for (unsigned i = 0; i < left[round]; i++) {
                const uint8_t *esp =
                    rte_pktmbuf_mtod_offset(frames[i], const uint8_t *, ETHER_OCTETS + IPV4_OCTETS);
                assert_int_equal(bytes_get_u32(esp + 4), number++);
                rte_pktmbuf_free(frames[i]);
            }
        }
        assert_int_equal(rig.unsent[DROP_ESP_SEQUENCE], 14);
        esp_rig_free(&rig);
    }
}

static int group(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding),
        cmocka_unit_test(trailers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(last_numbers),
    };
    return cmocka_run_group_tests(tests, esp_rig_start, NULL);
}

int main(void)
{
    return esp_rig_run(group);
}
