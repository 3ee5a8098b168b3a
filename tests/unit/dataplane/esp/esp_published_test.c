/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ESP to the bit, on each crypto device: published packets come in, and what leaves is what nettle computes,
 * no part of any of the devices. nettle itself is judged by the published packets. No IV is read from the
 * packet that is judged: that of AES-GCM is the sequence number, and that of AES-CBC the published one, which
 * the device is given in place of the association's (esp_fresh_test.c judges those).
 */
#include "tests/unit/unit.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "tests/unit/dataplane/esp/esp_rig.h"
#include "tests/unit/dataplane/esp/esp_published.h"

#include <nettle/cbc.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/memxor.h>
#include <rte_cryptodev.h>
#include <rte_mbuf.h>
#include <string.h>

enum { MOST = 256, ICV = 16, ESP_AT = ETHER_OCTETS + IPV4_OCTETS, PROTO_ESP = 50, GROUP = 7 };

struct octets {
    unsigned count;
    uint8_t at[MOST];
};

static void add(struct octets *to, const void *from, unsigned count)
{
    assert_in_range(count, 0, MOST - to->count);
    memcpy(to->at + to->count, from, count);
    to->count += count;
}

static struct octets hex(const char *text)
{
    struct octets all = {0};
    for (unsigned value; text && sscanf(text, "%2x", &value) == 1; text += 2)
        add(&all, &(uint8_t){(uint8_t)value}, 1);
    return all;
}

static void assert_same(const struct octets *a, const struct octets *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->at, b->at, a->count);
}

/* --- ESP by nettle --- */

static void seal_gcm(const struct octets *key, const uint8_t nonce[GCM_IV_SIZE], const struct octets *aad,
                     struct octets *text, uint8_t icv[ICV])
{
    struct gcm_aes128_ctx gcm128;
    struct gcm_aes256_ctx gcm256;
    if (key->count == AES256_KEY_SIZE) {
        gcm_aes256_set_key(&gcm256, key->at);
        gcm_aes256_set_iv(&gcm256, GCM_IV_SIZE, nonce);
        gcm_aes256_update(&gcm256, aad->count, aad->at);
        gcm_aes256_encrypt(&gcm256, text->count, text->at, text->at);
        gcm_aes256_digest(&gcm256, ICV, icv);
        return;
    }
    gcm_aes128_set_key(&gcm128, key->at);
    gcm_aes128_set_iv(&gcm128, GCM_IV_SIZE, nonce);
    gcm_aes128_update(&gcm128, aad->count, aad->at);
    gcm_aes128_encrypt(&gcm128, text->count, text->at, text->at);
    gcm_aes128_digest(&gcm128, ICV, icv);
}

static void prove(const struct octets *key, const struct octets *data, uint8_t icv[ICV])
{
    struct hmac_sha256_ctx hmac;
    hmac_sha256_set_key(&hmac, key->count, key->at);
    hmac_sha256_update(&hmac, data->count, data->at);
    hmac_sha256_digest(&hmac, ICV, icv);
}

/* The packet from the SPI to the ICV with this IV. */
static struct octets sealed(const struct esp_vector *v, const uint8_t *iv)
{
    struct octets key = hex(v->key), head = hex(v->head), text = hex(v->text), salt = hex(v->salt),
                  packet = {0};
    unsigned iv_octets = hex(v->iv).count;
    uint8_t icv[ICV];
    add(&packet, head.at, 4);
    add(&packet, head.at + head.count - 4, 4);
    add(&packet, iv, iv_octets);
    if (v->salt) {
        add(&salt, iv, iv_octets);
        seal_gcm(&key, salt.at, &head, &text, icv);
        add(&packet, text.at, text.count);
    } else {
        struct CBC_CTX(struct aes128_ctx, AES_BLOCK_SIZE) cbc;
        const struct octets auth = hex(esp_proofs[ESP_PROOFS - 1].key);
        aes128_set_encrypt_key(&cbc.ctx, key.at);
        CBC_SET_IV(&cbc, iv);
        CBC_ENCRYPT(&cbc, aes128_encrypt, text.count, text.at, text.at);
        add(&packet, text.at, text.count);
        prove(&auth, &packet, icv);
    }
    add(&packet, icv, ICV);
    return packet;
}

TEST(nettle_seals_as_published)
{
    for (unsigned i = 0; i < ESP_VECTORS; i++) {
        const struct esp_vector *v = &esp_vectors[i];
        struct octets head = hex(v->head), iv = hex(v->iv), cipher = hex(v->cipher), icv = hex(v->icv),
                      all = {0}, got = sealed(v, iv.at);
        add(&all, head.at, 4);
        add(&all, head.at + head.count - 4, 4);
        add(&all, iv.at, iv.count);
        add(&all, cipher.at, cipher.count);
        add(&all, v->icv ? icv.at : got.at + got.count - ICV, ICV);
        assert_same(&got, &all);
    }
    for (unsigned i = 0; i < ESP_PROOFS; i++) {
        struct octets key = hex(esp_proofs[i].key), data = hex(esp_proofs[i].data),
                      icv = hex(esp_proofs[i].icv);
        uint8_t got[ICV];
        prove(&key, &data, got);
        assert_memory_equal(got, icv.at, ICV);
    }
}

/* --- A node with one association --- */

struct end {
    struct sa *sa;
    struct rules *rules;
    struct esp esp;
    uint64_t drops[DROP_COUNT];
};

static uint64_t sequence_of(const struct octets *head)
{
    uint64_t number = 0;
    for (unsigned i = 4; i < head->count; i++)
        number = number << 8 | head->at[i];
    return number;
}

static void end_new(struct end *end, struct sa_params *p, const struct sa_device *device)
{
    const char *reason = NULL;
    struct rule rule = {.action = RULE_PROTECT, .group = GROUP};
    p->hop_limit = 64;
    p->window = ESP_RIG_WINDOW;
    memcpy(p->source.octets, (uint8_t[]){192, 0, 2, 1}, 4);
    memcpy(p->destination.octets, (uint8_t[]){192, 0, 2, 2}, 4);
    *end = (struct end){.sa = sa_new(p, device, &reason), .rules = rules_new()};
    assert_non_null(end->sa);
    end->rules->others = RULE_DROP;
    if (p->is_inbound) {
        end->rules->in[end->rules->in_count++] = rule;
        assert_true(rules_add_inbound(end->rules, end->sa, GROUP));
    } else {
        rule.sa = end->sa;
        end->rules->out[end->rules->out_count++] = rule;
    }
    end->esp = (struct esp){.rules = end->rules, .ops = esp_rig_ops, .buffers = esp_rig_buffers};
}

static void end_free(struct end *end)
{
    rules_free(end->rules);
    sa_free(end->sa);
}

static void end_of(struct end *end, const struct esp_vector *v, bool is_inbound,
                   const struct sa_device *device)
{
    struct octets key = hex(v->key), salt = hex(v->salt), head = hex(v->head),
                  auth = hex(esp_proofs[ESP_PROOFS - 1].key);
    uint64_t number = sequence_of(&head);
    struct sa_params p = {.spi = bytes_get_u32(head.at),
                          .suite = v->suite,
                          .is_inbound = is_inbound,
                          .is_tunnel = v->is_tunnel,
                          .has_esn = head.count > 8,
                          .first_sequence = is_inbound ? number - 1 : number};
    memcpy(p.key, key.at, key.count);
    memcpy(p.salt, salt.at, salt.count);
    memcpy(p.auth, auth.at, auth.count);
    end_new(end, &p, device);
}

/* An Ethernet frame with octets in IPv4. */
static struct rte_mbuf *frame_of(uint8_t proto, const uint8_t *at, unsigned count)
{
    struct rte_mbuf *frame = rte_pktmbuf_alloc(esp_rig_buffers);
    uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)(ESP_AT + count));
    struct ipv4 ip = {.src = 0xc0000201,
                      .dst = 0xc0000202,
                      .proto = proto,
                      .ttl = 64,
                      .header_octets = IPV4_OCTETS,
                      .payload_octets = (uint16_t)count};
    memset(bytes, 0, 12);
    bytes_put_u16(bytes + 12, ETHER_TYPE_IPV4);
    assert_int_equal(ipv4_encode(bytes + ETHER_OCTETS, IPV4_OCTETS, &ip), IPV4_OCTETS);
    memcpy(bytes + ESP_AT, at, count);
    return frame;
}

/* The frame of what a packet holds without its trailer. */
static struct rte_mbuf *plain_of(const struct esp_vector *v)
{
    struct octets text = hex(v->text);
    unsigned count = text.count - 2 - text.at[text.count - 2];
    if (!v->is_tunnel)
        return frame_of(text.at[text.count - 1], text.at, count);
    struct rte_mbuf *frame = frame_of(0, text.at, count - IPV4_OCTETS);
    memcpy(rte_pktmbuf_mtod_offset(frame, uint8_t *, ETHER_OCTETS), text.at, count);
    return frame;
}

static enum drop fate_of(struct end *end, struct rte_mbuf **frame)
{
    enum drop reason = DROP_NONE;
    memset(end->drops, 0, sizeof(end->drops));
    if (esp_receive(&end->esp, frame, 1, end->drops) == 1)
        return DROP_NONE;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        if (end->drops[i])
            reason = i;
    return reason;
}

/* --- Published packets --- */

typedef void played(const struct esp_vector *v, const struct sa_device *device);

/* Each vector on each device that has its suite. */
static void play_all(played *play)
{
    unsigned count = 0;
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned i = 0; esp_rig_devices[d].name && i < ESP_VECTORS; i++) {
            if (!sa_device_has(&esp_rig_devices[d], esp_vectors[i].suite))
                continue;
            play(&esp_vectors[i], &esp_rig_devices[d]);
            assert_int_equal(rte_mempool_avail_count(esp_rig_buffers), ESP_RIG_BUFFERS);
            count++;
        }
    assert_true(count >= ESP_VECTORS);
}

/* rte_ipsec refuses the last numbers of 2^64, whose sum with the window's size overflows; the proof is right.
 */
static bool is_end(const struct esp_vector *v)
{
    struct octets head = hex(v->head);
    return sequence_of(&head) > UINT64_MAX - ESP_RIG_WINDOW;
}

static void receives(const struct esp_vector *v, const struct sa_device *device)
{
    struct end end;
    struct octets packet = sealed(v, hex(v->iv).at);
    end_of(&end, v, true, device);
    for (unsigned i = 8; i < packet.count; i++) {
        packet.at[i] ^= (uint8_t)(1 << i % 8);
        struct rte_mbuf *spoilt = frame_of(PROTO_ESP, packet.at, packet.count);
        assert_int_equal(fate_of(&end, &spoilt), DROP_ESP_ICV);
        packet.at[i] ^= (uint8_t)(1 << i % 8);
    }
    struct rte_mbuf *frame = frame_of(PROTO_ESP, packet.at, packet.count), *plain = plain_of(v);
    enum drop fate = fate_of(&end, &frame);
    if (fate != (is_end(v) && !device->is_direct ? DROP_ESP_MALFORMED : DROP_NONE))
        fail_msg("%s on %s: dropped by reason %u", v->name, device->name, (unsigned)fate);
    if (fate == DROP_NONE) {
        assert_true(esp_rig_is_same(frame, plain));
        rte_pktmbuf_free(frame);
    }
    rte_pktmbuf_free(plain);
    end_free(&end);
}

TEST(published_packets_come)
{
    play_all(receives);
}

/* Without extended numbers rte_ipsec does not use the last of 2^32. */
static bool is_last(const struct octets *head)
{
    return head->count == 8 && sequence_of(head) == UINT32_MAX;
}

/* Stands before a device's queue, and gives each operation the vector from which the published IV comes. */
static struct {
    struct rte_crypto_fp_ops real;
    uint8_t iv[AES_BLOCK_SIZE];
} fake;

static uint16_t enqueue(void *queue, struct rte_crypto_op **ops, uint16_t count)
{
    for (unsigned i = 0; i < count; i++)
        memcpy(rte_crypto_op_ctod_offset(ops[i], uint8_t *, SA_IV_OFFSET), fake.iv, sizeof(fake.iv));
    return fake.real.enqueue_burst(queue, ops, count);
}

/* The IV of a packet that leaves. rte_ipsec has the number in its place, and AES goes over both. */
static struct octets iv_of(const struct esp_vector *v, const struct sa_device *device)
{
    struct octets head = hex(v->head), key = hex(v->key), iv = hex(v->iv);
    uint8_t number[AES_BLOCK_SIZE] = {0};
    struct aes128_ctx aes;
    bytes_put_u64(number, sequence_of(&head));
    if (v->salt) {
        memcpy(iv.at, number, iv.count);
        return iv;
    }
    aes128_set_decrypt_key(&aes, key.at);
    aes128_decrypt(&aes, sizeof(fake.iv), fake.iv, iv.at);
    memxor(fake.iv, number, sizeof(number));
    fake.real = rte_crypto_fp_ops[device->id];
    rte_crypto_fp_ops[device->id].enqueue_burst = enqueue;
    return iv;
}

static void sends(const struct esp_vector *v, const struct sa_device *device)
{
    struct end end;
    struct octets head = hex(v->head), iv = iv_of(v, device), want = sealed(v, iv.at), got = {0};
    struct rte_mbuf *frame = plain_of(v);
    end_of(&end, v, false, device);
    if (is_last(&head) && !device->is_direct) {
        assert_int_equal(esp_send(&end.esp, &frame, 1, end.drops), 0);
        assert_int_equal(end.drops[DROP_ESP_SEQUENCE], 1);
    } else {
        assert_int_equal(esp_send(&end.esp, &frame, 1, end.drops), 1);
        const uint8_t *bytes = rte_pktmbuf_mtod(frame, const uint8_t *);
        add(&got, bytes + ESP_AT, frame->data_len - ESP_AT);
        assert_same(&got, &want);
        assert_int_equal(bytes[ETHER_OCTETS + 9], PROTO_ESP);
        assert_true(ipv4_is_checksum_good(bytes + ETHER_OCTETS, IPV4_OCTETS));
        rte_pktmbuf_free(frame);
    }
    if (!v->salt)
        rte_crypto_fp_ops[device->id] = fake.real;
    end_free(&end);
}

TEST(what_leaves_is_as_computed)
{
    play_all(sends);
}

/* --- Proofs of integrity --- */

/* A key as long as HMAC's block or shorter may end in zeros; a longer one is hashed first (RFC 2104). */
static void put_key(struct sa_params *p, const char *text)
{
    struct octets key = hex(text);
    struct sha256_ctx hash;
    if (key.count <= SA_KEY_OCTETS) {
        memcpy(p->auth, key.at, key.count);
        return;
    }
    sha256_init(&hash);
    sha256_update(&hash, key.count, key.at);
    sha256_digest(&hash, SA_KEY_OCTETS, p->auth);
}

/* Published data are no packets, but their proof is right: with it they are malformed, else unproven. */
static void play_proof(const struct esp_proof *proof, const struct sa_device *device)
{
    struct octets data = hex(proof->data), icv = hex(proof->icv);
    struct end end;
    struct sa_params p = {.spi = bytes_get_u32(data.at),
                          .suite = SA_NULL_SHA_256,
                          .is_inbound = true,
                          .first_sequence = bytes_get_u32(data.at + 4) - 1};
    put_key(&p, proof->key);
    end_new(&end, &p, device);
    add(&data, icv.at, icv.count);
    struct rte_mbuf *frame = frame_of(PROTO_ESP, data.at, data.count);
    assert_int_equal(fate_of(&end, &frame), DROP_ESP_MALFORMED);
    for (unsigned i = 8; i < data.count; i++) {
        data.at[i] ^= 1;
        frame = frame_of(PROTO_ESP, data.at, data.count);
        assert_int_equal(fate_of(&end, &frame), DROP_ESP_ICV);
        data.at[i] ^= 1;
    }
    assert_int_equal(sa_counts_of(end.sa).replays, 0);
    end_free(&end);
}

/* ESP has a header of 8 octets, and behind it whole words. */
TEST(published_proofs_are_right)
{
    unsigned all = 0;
    if (!esp_rig_has(SA_NULL_SHA_256))
        skip();
    for (unsigned d = 0; d < ESP_RIG_DEVICES; d++)
        for (unsigned i = 0; esp_rig_devices[d].name && i < ESP_PROOFS; i++) {
            unsigned count = hex(esp_proofs[i].data).count;
            if (!sa_device_has(&esp_rig_devices[d], SA_NULL_SHA_256) || count == 8 || count % 4)
                continue;
            play_proof(&esp_proofs[i], &esp_rig_devices[d]);
            all++;
        }
    assert_true(all >= 4);
}

UNIT_MAIN(esp_rig_start, NULL)
