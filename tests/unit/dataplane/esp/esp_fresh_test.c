/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IVs of packets that leave, for each suite, mode and crypto device. One of AES-GCM is new under its key (RFC
 * 4106 clause 3.1). One of AES-CBC cannot be predicted either (RFC 3602 clause 3), also by the other end,
 * which has the key: neither IVs nor what AES makes of them, with or without the sequence number, have parts
 * that repeat, or repeat in their differences. A counter, E_K of a counter and E_K(0) have such parts.
 */
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "tests/unit/dataplane/esp/esp_rig.h"

#include <nettle/aes.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

enum { PACKETS = 10000, SENDERS = 2, BURST = 50, TEXT_OCTETS = 100, BLOCK = 16, ICV_OCTETS = 16 };
enum { RIG_KEY = 0x42, GCM_IV = 8, CASES_LEAST = 30 };

static const struct esp_rig_case modes[] = {
    {.has_esn = true},
    {.is_inner_ipv6 = true},
    {.is_tunnel = true},
    {.is_tunnel = true, .is_ipv6 = true, .has_esn = true, .first_sequence = (UINT64_C(1) << 32) - 5000},
    {.is_tunnel = true, .has_encap = true, .has_esn = true},
    {.is_tunnel = true, .is_ipv6 = true, .is_inner_ipv6 = true, .has_encap = true},
};

/* What the network sees of each packet. */
struct seen {
    uint64_t iv[2]; /* of AES-GCM the first alone */
    uint8_t last[BLOCK];
    uint32_t number;
};

static struct seen seen[PACKETS];

static bool is_gcm(enum sa_suite suite)
{
    return suite == SA_AES_GCM_128 || suite == SA_AES_GCM_256;
}

static unsigned head_of(const struct esp_rig_case *c)
{
    bool is_ipv6 = c->is_tunnel ? c->is_ipv6 : c->is_inner_ipv6;
    return ETHER_OCTETS + (unsigned)(is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS) + (c->has_encap ? UDP_OCTETS : 0);
}

static void see(struct seen *s, const struct esp_rig_case *c, const struct rte_mbuf *frame)
{
    const uint8_t *esp = rte_pktmbuf_mtod_offset(frame, const uint8_t *, head_of(c)),
                  *end = rte_pktmbuf_mtod_offset(frame, const uint8_t *, frame->data_len);
    assert_int_equal(bytes_get_u32(esp), ESP_RIG_SPI);
    s->number = bytes_get_u32(esp + 4);
    s->iv[0] = bytes_get_u64(esp + ESP_HEAD_OCTETS);
    s->iv[1] = is_gcm(c->suite) ? 0 : bytes_get_u64(esp + ESP_HEAD_OCTETS + 8);
    memcpy(s->last, end - ICV_OCTETS - BLOCK, BLOCK);
}

/* The same packet again and again, by two workers in turn. */
static void send_all(struct esp_rig *rig, const struct esp_rig_case *c)
{
    const struct esp senders[SENDERS] = {rig->sender, rig->sender};
    struct rte_mbuf *plain = esp_rig_packet(c->is_inner_ipv6, TEXT_OCTETS, 0), *frames[BURST];
    for (unsigned i = 0; i < PACKETS; i += BURST) {
        for (unsigned k = 0; k < BURST; k++)
            frames[k] = esp_rig_copy(plain);
        assert_int_equal(esp_send(&senders[i / BURST % SENDERS], frames, BURST, rig->unsent), BURST);
        for (unsigned k = 0; k < BURST; k++)
            see(&seen[i + k], c, frames[k]);
        rte_pktmbuf_free_bulk(frames, BURST);
    }
    rte_pktmbuf_free(plain);
}

/* --- judges --- */

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

/* Whether no value comes twice. */
static bool are_all_new(const uint64_t *values, unsigned count)
{
    static uint64_t sorted[PACKETS];
    memcpy(sorted, values, count * sizeof(values[0]));
    qsort(sorted, count, sizeof(sorted[0]), by_value);
    for (unsigned i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1])
            return false;
    return true;
}

/* Whether no value, no difference of two neighbours and no bits in which they differ come twice. */
static bool are_unlike(const uint64_t *values)
{
    static uint64_t minus[PACKETS], bits[PACKETS];
    for (unsigned i = 1; i < PACKETS; i++) {
        minus[i] = values[i] - values[i - 1];
        bits[i] = values[i] ^ values[i - 1];
    }
    return are_all_new(values, PACKETS) && are_all_new(minus + 1, PACKETS - 1) &&
           are_all_new(bits + 1, PACKETS - 1);
}

/* The block that AES with the rig's key makes the IV of. */
static void block_of(const struct seen *s, bool is_256, uint64_t block[2])
{
    uint8_t key[AES256_KEY_SIZE], in[BLOCK], out[BLOCK];
    struct aes128_ctx small;
    struct aes256_ctx large;
    memset(key, RIG_KEY, sizeof(key));
    bytes_put_u64(in, s->iv[0]);
    bytes_put_u64(in + 8, s->iv[1]);
    if (is_256) {
        aes256_set_decrypt_key(&large, key);
        aes256_decrypt(&large, BLOCK, out, in);
    } else {
        aes128_set_decrypt_key(&small, key);
        aes128_decrypt(&small, BLOCK, out, in);
    }
    block[0] = bytes_get_u64(out);
    block[1] = bytes_get_u64(out + 8);
}

static void assert_unpredictable(const char *where, bool is_256)
{
    static uint64_t ivs[2][PACKETS], blocks[2][PACKETS], numbered[2][PACKETS];
    for (unsigned i = 0; i < PACKETS; i++) {
        uint64_t block[2];
        block_of(&seen[i], is_256, block);
        for (unsigned half = 0; half < 2; half++) {
            ivs[half][i] = seen[i].iv[half];
            blocks[half][i] = block[half];
            numbered[half][i] = block[half] ^ seen[i].number;
        }
        if (i > 0 && seen[i].iv[0] == bytes_get_u64(seen[i - 1].last))
            fail_msg("%s: the IV of a packet is the end of the one before", where);
    }
    for (unsigned half = 0; half < 2; half++) {
        if (!are_unlike(ivs[half]))
            fail_msg("%s: IVs are alike", where);
        if (!are_unlike(blocks[half]) || !are_unlike(numbered[half]))
            fail_msg("%s: IVs are encrypted numbers", where);
    }
}

static void assert_new(const char *where)
{
    static uint64_t ivs[PACKETS];
    for (unsigned i = 0; i < PACKETS; i++)
        ivs[i] = seen[i].iv[0];
    if (!are_all_new(ivs, PACKETS))
        fail_msg("%s: IVs repeat", where);
}

/* --- cases --- */

static void judge(const struct esp_rig_case *c, const struct sa_device *device)
{
    char where[200];
    struct esp_rig rig;
    snprintf(where, sizeof(where), "%s by %s%s, %s, IPv%u in %s, %s", sa_suite_name(c->suite), device->name,
             device->is_at_once || device->is_direct ? "" : "'s queue", c->is_tunnel ? "tunnel" : "transport",
             c->is_inner_ipv6 ? 6 : 4, c->has_encap ? "UDP" : "IP", c->has_esn ? "ESN" : "no ESN");
    esp_rig_new(&rig, c, device);
    send_all(&rig, c);
    if (is_gcm(c->suite))
        assert_new(where);
    else
        assert_unpredictable(where, c->suite == SA_AES_CBC_256_SHA_256);
    esp_rig_free(&rig);
}

/* Each suite with an IV in each mode by this device; returns how many cases there were. */
static unsigned judge_device(const struct sa_device *device)
{
    unsigned count = 0;
    for (unsigned suite = 0; suite < SA_SUITES; suite++)
        for (unsigned i = 0; i < COUNT(modes); i++) {
            struct esp_rig_case c = modes[i];
            c.suite = suite;
            if (suite == SA_NULL_SHA_256 || !sa_device_has(device, suite))
                continue;
            judge(&c, device);
            count++;
        }
    return count;
}

TEST(ivs_of_10000_packets)
{
    unsigned count = 0;
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++) {
        struct sa_device device = esp_rig_devices[d];
        if (!device.name)
            continue;
        count += judge_device(&device);
        if (!device.is_at_once)
            continue;
        device.is_at_once = false;
        count += judge_device(&device);
    }
    assert_true(count >= CASES_LEAST);
}

/* Ends that are made one after the other with one key, as after a restart, have IVs of their own. */
TEST(ivs_of_the_same_key_made_again)
{
    const struct esp_rig_case c = {.suite = SA_AES_CBC_128_SHA_256, .is_tunnel = true};
    static uint64_t ivs[PACKETS];
    if (!esp_rig_has(c.suite))
        skip();
    for (unsigned i = 0; i < PACKETS; i++) {
        struct esp_rig rig;
        struct rte_mbuf *frame = esp_rig_packet(false, TEXT_OCTETS, 0);
        esp_rig_new(&rig, &c, esp_rig_device(c.suite));
        assert_int_equal(esp_send(&rig.sender, &frame, 1, rig.unsent), 1);
        see(&seen[0], &c, frame);
        ivs[i] = seen[0].iv[0];
        rte_pktmbuf_free(frame);
        esp_rig_free(&rig);
    }
    assert_true(are_unlike(ivs));
}

UNIT_MAIN(esp_rig_start, NULL)
