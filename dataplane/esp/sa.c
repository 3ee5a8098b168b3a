/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/sa.h"

#include "dataplane/crypto/gcm.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <assert.h>
#include <rte_bus_vdev.h>
#include <rte_cryptodev.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define QUEUE_OPS 256

static const struct suite {
    const char *name;
    uint8_t key_octets, auth_octets, iv_octets, align, icv_octets, aad_octets;
} suites[SA_SUITES] = {
    [SA_AES_GCM_128] = {"aes-gcm-128", 16, 0, 8, 4, SA_ICV_OCTETS, 8},
    [SA_AES_GCM_256] = {"aes-gcm-256", 32, 0, 8, 4, SA_ICV_OCTETS, 8},
    [SA_AES_CBC_128_SHA_256] = {"aes-cbc-128-sha-256", 16, 32, 16, 16, SA_ICV_OCTETS, 0},
    [SA_AES_CBC_256_SHA_256] = {"aes-cbc-256-sha-256", 32, 32, 16, 16, SA_ICV_OCTETS, 0},
    [SA_NULL_SHA_256] = {"null-sha-256", 0, 32, 0, 4, SA_ICV_OCTETS, 0},
};

#define DIRECT "ipsec_mb"

const char *const sa_devices[SA_DEVICES] = {DIRECT, "crypto_aesni_gcm", "crypto_aesni_mb", "crypto_openssl"};

const char *sa_suite_name(enum sa_suite suite)
{
    return suites[suite].name;
}

static unsigned outer_octets(const struct sa_params *p)
{
    if (!p->is_tunnel)
        return 0;
    return (p->is_ipv6 ? (unsigned)sizeof(struct rte_ipv6_hdr) : (unsigned)sizeof(struct rte_ipv4_hdr)) +
           (p->encap_destination ? (unsigned)sizeof(struct rte_udp_hdr) : 0);
}

struct sa_growth sa_growth_of(const struct sa_params *params, unsigned header_octets)
{
    const struct suite *s = &suites[params->suite];
    unsigned outer = params->is_tunnel ? outer_octets(params) : header_octets;
    return (struct sa_growth){.fixed_octets = outer + ESP_HEAD_OCTETS + s->iv_octets + s->icv_octets,
                              .tail_octets = ESP_TAIL_OCTETS,
                              .block_octets = s->align};
}

unsigned sa_grown_octets(const struct sa_params *params, unsigned octets, unsigned header_octets)
{
    struct sa_growth g = sa_growth_of(params, header_octets);
    unsigned inside = params->is_tunnel ? octets : octets - header_octets;
    return g.fixed_octets + RTE_ALIGN_CEIL(inside + g.tail_octets, g.block_octets);
}

unsigned sa_room_octets(const struct sa_params *params, unsigned most, unsigned header_octets)
{
    struct sa_growth g = sa_growth_of(params, header_octets);
    unsigned inside = most > g.fixed_octets ? RTE_ALIGN_FLOOR(most - g.fixed_octets, g.block_octets) : 0;
    if (inside <= g.tail_octets)
        return 0;
    return inside - g.tail_octets + (params->is_tunnel ? 0 : header_octets);
}

/* --- Devices --- */

/* Configures a device of DPDK and its queues. */
static bool start(struct sa_device *device, unsigned queues, unsigned associations)
{
    char pool[RTE_MEMPOOL_NAMESIZE];
    snprintf(pool, sizeof(pool), "esp.%u", device->id);
    device->sessions = rte_cryptodev_sym_session_pool_create(
        pool, 2 * associations, rte_cryptodev_sym_get_private_session_size(device->id), 0, 0, SOCKET_ID_ANY);
    struct rte_cryptodev_config config = {.socket_id = SOCKET_ID_ANY, .nb_queue_pairs = (uint16_t)queues};
    struct rte_cryptodev_qp_conf queue = {.nb_descriptors = QUEUE_OPS, .mp_session = device->sessions};
    bool is_good = device->sessions && rte_cryptodev_configure(device->id, &config) == 0;
    for (uint16_t i = 0; is_good && i < queues; i++)
        is_good = rte_cryptodev_queue_pair_setup(device->id, i, &queue, SOCKET_ID_ANY) == 0;
    return is_good && rte_cryptodev_start(device->id) == 0;
}

/* NULL: the device is open; else why not. */
static const char *open_of_dpdk(struct sa_device *device, const char *name, unsigned queues,
                                unsigned associations)
{
    struct rte_cryptodev_info info;
    int id = rte_cryptodev_get_dev_id(name);
    if (id < 0 && (rte_vdev_init(name, "") < 0 || (id = rte_cryptodev_get_dev_id(name)) < 0))
        return "DPDK has no such crypto device here";
    device->name = name;
    device->id = (uint8_t)id;
    rte_cryptodev_info_get(device->id, &info);
    device->is_at_once = info.feature_flags & RTE_CRYPTODEV_FF_SYM_CPU_CRYPTO;
    if (queues > info.max_nb_queue_pairs)
        return "the crypto device has fewer queues than there are workers";
    return start(device, queues, associations) ? NULL : "the crypto device does not start";
}

bool sa_device_open(struct sa_device *device, const char *name, unsigned queues, unsigned associations,
                    const char **reason)
{
    *device = (struct sa_device){.is_direct = strcmp(name, DIRECT) == 0};
    *reason = device->is_direct ? gcm_missing() : open_of_dpdk(device, name, queues, associations);
    if (*reason)
        sa_device_close(device);
    else
        device->name = name;
    return !*reason;
}

void sa_device_close(struct sa_device *device)
{
    if (!device->name || device->is_direct) {
        *device = (struct sa_device){0};
        return;
    }
    rte_cryptodev_stop(device->id);
    rte_cryptodev_close(device->id);
    rte_vdev_uninit(device->name);
    rte_mempool_free(device->sessions);
    *device = (struct sa_device){0};
}

/* --- Transforms --- */

/* Both fit one association; the keys are those of params. */
struct transforms {
    struct rte_crypto_sym_xform first, second;
};

static struct rte_crypto_sym_xform auth_of(const struct sa_params *p, const struct suite *s)
{
    return (struct rte_crypto_sym_xform){
        .type = RTE_CRYPTO_SYM_XFORM_AUTH,
        .auth = {.op = p->is_inbound ? RTE_CRYPTO_AUTH_OP_VERIFY : RTE_CRYPTO_AUTH_OP_GENERATE,
                 .algo = RTE_CRYPTO_AUTH_SHA256_HMAC,
                 .key = {.data = p->auth, .length = s->auth_octets},
                 .digest_length = s->icv_octets}};
}

static struct rte_crypto_sym_xform cipher_of(const struct sa_params *p, const struct suite *s)
{
    return (struct rte_crypto_sym_xform){
        .type = RTE_CRYPTO_SYM_XFORM_CIPHER,
        .cipher = {.op = p->is_inbound ? RTE_CRYPTO_CIPHER_OP_DECRYPT : RTE_CRYPTO_CIPHER_OP_ENCRYPT,
                   .algo = s->key_octets ? RTE_CRYPTO_CIPHER_AES_CBC : RTE_CRYPTO_CIPHER_NULL,
                   .key = {.data = s->key_octets ? p->key : NULL, .length = s->key_octets},
                   .iv = {.offset = SA_IV_OFFSET, .length = s->iv_octets}}};
}

static void transforms_make(struct transforms *t, const struct sa_params *p)
{
    const struct suite *s = &suites[p->suite];
    memset(t, 0, sizeof(*t));
    if (s->aad_octets) {
        t->first = (struct rte_crypto_sym_xform){
            .type = RTE_CRYPTO_SYM_XFORM_AEAD,
            .aead = {.op = p->is_inbound ? RTE_CRYPTO_AEAD_OP_DECRYPT : RTE_CRYPTO_AEAD_OP_ENCRYPT,
                     .algo = RTE_CRYPTO_AEAD_AES_GCM,
                     .key = {.data = p->key, .length = s->key_octets},
                     .iv = {.offset = SA_IV_OFFSET, .length = GCM_NONCE_OCTETS},
                     .digest_length = s->icv_octets,
                     .aad_length = (uint16_t)(p->has_esn ? s->aad_octets + 4 : s->aad_octets)}};
        return;
    }
    struct rte_crypto_sym_xform auth = auth_of(p, s), cipher = cipher_of(p, s);
    t->first = p->is_inbound ? auth : cipher;
    t->second = p->is_inbound ? cipher : auth;
    t->first.next = &t->second;
}

bool sa_device_has(const struct sa_device *device, enum sa_suite suite)
{
    const struct suite *s = &suites[suite];
    if (device->is_direct)
        return s->aad_octets != 0;
    struct rte_cryptodev_sym_capability_idx aead = {.type = RTE_CRYPTO_SYM_XFORM_AEAD,
                                                    .algo.aead = RTE_CRYPTO_AEAD_AES_GCM},
                                            auth = {.type = RTE_CRYPTO_SYM_XFORM_AUTH,
                                                    .algo.auth = RTE_CRYPTO_AUTH_SHA256_HMAC},
                                            cipher = {.type = RTE_CRYPTO_SYM_XFORM_CIPHER,
                                                      .algo.cipher = s->key_octets ? RTE_CRYPTO_CIPHER_AES_CBC
                                                                                   : RTE_CRYPTO_CIPHER_NULL};
    if (s->aad_octets)
        return rte_cryptodev_sym_capability_get(device->id, &aead);
    return rte_cryptodev_sym_capability_get(device->id, &auth) &&
           rte_cryptodev_sym_capability_get(device->id, &cipher);
}

/* --- Associations --- */

/* The outer headers that rte_ipsec copies before each packet in place of Ethernet's, whose octets are written
 * later; it adds UDP's, and writes lengths, the identification and the
 * checksum. */
static unsigned outer_put(uint8_t *frame, const struct sa_params *p)
{
    uint8_t *out = frame + ETHER_OCTETS;
    memset(frame, 0, ETHER_OCTETS);
    uint8_t proto = p->encap_destination ? IPPROTO_UDP : IPPROTO_ESP;
    if (p->is_ipv6) {
        struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)out;
        *ip = (struct rte_ipv6_hdr){.vtc_flow = rte_cpu_to_be_32(6U << 28 | (uint32_t)p->dscp << 22),
                                    .proto = proto,
                                    .hop_limits = p->hop_limit};
        memcpy(&ip->src_addr, p->source.octets, sizeof(ip->src_addr));
        memcpy(&ip->dst_addr, p->destination.octets, sizeof(ip->dst_addr));
    } else {
        struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)out;
        *ip = (struct rte_ipv4_hdr){.version_ihl = RTE_IPV4_VHL_DEF,
                                    .type_of_service = (uint8_t)(p->dscp << 2),
                                    .next_proto_id = proto,
                                    .time_to_live = p->hop_limit};
        memcpy(&ip->src_addr, p->source.octets, sizeof(ip->src_addr));
        memcpy(&ip->dst_addr, p->destination.octets, sizeof(ip->dst_addr));
    }
    return ETHER_OCTETS + (unsigned)(p->is_ipv6 ? sizeof(struct rte_ipv6_hdr) : sizeof(struct rte_ipv4_hdr));
}

/* The sum of the words of 16 bits that are alike in each outer IPv4 header: TTL, protocol, addresses. */
static uint32_t outer_sum_of(const uint8_t *outer)
{
    const uint8_t *ip = outer + ETHER_OCTETS;
    uint32_t sum = bytes_get_u16(ip + 8);
    for (unsigned at = 12; at < sizeof(struct rte_ipv4_hdr); at += 2)
        sum += bytes_get_u16(ip + at);
    return sum;
}

static struct rte_ipsec_sa_prm prm_of(const struct sa_params *p, struct transforms *t, const uint8_t *outer,
                                      unsigned outer_length)
{
    struct rte_ipsec_sa_prm prm = {
        .flags = p->is_inbound ? 0 : RTE_IPSEC_SAFLAG_SQN_ATOM, /* inbound: its lock */
        .crypto_xform = &t->first,
        .ipsec_xform = {
            .spi = p->spi,
            .proto = RTE_SECURITY_IPSEC_SA_PROTO_ESP,
            .direction = p->is_inbound ? RTE_SECURITY_IPSEC_SA_DIR_INGRESS : RTE_SECURITY_IPSEC_SA_DIR_EGRESS,
            .mode = p->is_tunnel ? RTE_SECURITY_IPSEC_SA_MODE_TUNNEL : RTE_SECURITY_IPSEC_SA_MODE_TRANSPORT,
            .tunnel.type = p->is_ipv6 ? RTE_SECURITY_IPSEC_TUNNEL_IPV6 : RTE_SECURITY_IPSEC_TUNNEL_IPV4,
            .replay_win_sz = p->is_inbound ? p->window : 0,
            .esn.value = p->first_sequence,
            .options = {.esn = p->has_esn,
                        .udp_encap = !p->is_inbound && p->encap_destination != 0,
                        .copy_dscp = !p->is_inbound && p->copies_dscp,
                        .ecn = !p->is_inbound}}};
    memcpy(&prm.ipsec_xform.salt, p->salt, sizeof(p->salt));
    prm.ipsec_xform.udp.sport = p->encap_source;
    prm.ipsec_xform.udp.dport = p->encap_destination;
    if (p->is_tunnel) {
        prm.tun.hdr_len = (uint8_t)outer_length;
        prm.tun.hdr_l3_off = ETHER_OCTETS;
        prm.tun.next_proto = p->is_inner_ipv6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
        prm.tun.hdr = outer;
    } else
        prm.trs.proto = p->is_ipv6 ? IPPROTO_IPV6 : IPPROTO_IPIP; /* for rte_ipsec the version */
    return prm;
}

static bool session_make(struct rte_ipsec_session *session, struct sa *sa, struct transforms *t,
                         enum rte_security_session_action_type type)
{
    session->sa = (struct rte_ipsec_sa *)(sa + 1);
    session->type = type;
    session->crypto.dev_id = sa->device->id;
    session->crypto.ses = rte_cryptodev_sym_session_create(sa->device->id, &t->first, sa->device->sessions);
    return session->crypto.ses && rte_ipsec_session_prepare(session) == 0;
}

static_assert(sizeof(struct sa) % GCM_ALIGN == 0 && RTE_CACHE_LINE_SIZE % GCM_ALIGN == 0,
              "a key is behind it");

/* An association without what its device has of it, and room behind it; NULL: no memory. */
static struct sa *sa_alloc(const struct sa_params *params, const struct sa_device *device, size_t behind)
{
    struct sa *sa = rte_zmalloc("esp", sizeof(*sa) + behind, RTE_CACHE_LINE_SIZE);
    if (!sa)
        return NULL;
    sa->params = *params;
    memset(sa->params.key, 0, sizeof(sa->params.key));
    memset(sa->params.auth, 0, sizeof(sa->params.auth));
    memset(sa->params.salt, 0, sizeof(sa->params.salt));
    sa->device = device;
    rte_spinlock_init(&sa->lock);
    sa->window =
        (struct sa_window){.size = params->window, .has_esn = params->has_esn, .top = params->first_sequence};
    return sa;
}

static bool has_cbc(const struct sa_params *p)
{
    return p->suite == SA_AES_CBC_128_SHA_256 || p->suite == SA_AES_CBC_256_SHA_256;
}

/* False: the kernel gives no random numbers. */
static bool ivs_init(struct sa_ivs *ivs)
{
    uint8_t key[AES128_KEY_SIZE];
    bool is_good = getrandom(key, sizeof(key), 0) == sizeof(key);
    aes128_set_encrypt_key(&ivs->key, key);
    explicit_bzero(key, sizeof(key));
    return is_good;
}

static struct sa *new_of_rte_ipsec(const struct sa_params *params, const struct sa_device *device,
                                   const uint8_t *outer, unsigned outer_length)
{
    struct transforms transforms;
    struct rte_ipsec_sa_prm prm = prm_of(params, &transforms, outer, outer_length);
    transforms_make(&transforms, params);
    int octets = rte_ipsec_sa_size(&prm);
    struct sa *sa = octets < 0 ? NULL : sa_alloc(params, device, (size_t)octets);
    if (!sa)
        return NULL;
    sa->has_ivs = !params->is_inbound && has_cbc(params);
    bool is_good = rte_ipsec_sa_init((struct rte_ipsec_sa *)(sa + 1), &prm, (uint32_t)octets) == octets &&
                   (!sa->has_ivs || ivs_init(&sa->ivs)) &&
                   session_make(&sa->queued, sa, &transforms, RTE_SECURITY_ACTION_TYPE_NONE) &&
                   (!device->is_at_once || sa->has_ivs ||
                    session_make(&sa->session, sa, &transforms, RTE_SECURITY_ACTION_TYPE_CPU_CRYPTO));
    if (is_good)
        return sa;
    sa_free(sa);
    return NULL;
}

/* The headers before each packet of a tunnel, with UDP's ports. */
static void gcm_outer_put(struct sa_gcm *g, const struct sa_params *p, const uint8_t *outer,
                          unsigned outer_length)
{
    g->outer_octets = (uint8_t)outer_octets(p);
    memcpy(g->outer, outer + ETHER_OCTETS, outer_length - ETHER_OCTETS);
    if (p->encap_destination) {
        uint8_t *udp = g->outer + g->outer_octets - UDP_OCTETS;
        bytes_put_u16(udp, p->encap_source);
        bytes_put_u16(udp + 2, p->encap_destination);
    }
}

static struct sa *new_of_gcm(const struct sa_params *params, const struct sa_device *device,
                             const uint8_t *outer, unsigned outer_length)
{
    struct sa *sa = sa_alloc(params, device, gcm_octets());
    if (!sa)
        return NULL;
    memcpy(sa->gcm.salt, params->salt, sizeof(sa->gcm.salt));
    sa->gcm.next = RTE_MAX(params->first_sequence, 1U);
    if (params->is_tunnel)
        gcm_outer_put(&sa->gcm, params, outer, outer_length);
    sa->gcm.key = (struct gcm *)(sa + 1);
    gcm_init(sa->gcm.key, params->key, suites[params->suite].key_octets);
    return sa;
}

struct sa *sa_new(const struct sa_params *params, const struct sa_device *device, const char **reason)
{
    uint8_t outer[ETHER_OCTETS + sizeof(struct rte_ipv6_hdr)];
    unsigned outer_length = params->is_tunnel ? outer_put(outer, params) : 0;
    *reason = "UDP encapsulation needs tunnel mode";
    if (params->encap_destination && !params->is_tunnel)
        return NULL;
    *reason = "the crypto device has no session for the association, or there is no memory or random number";
    struct sa *sa = (device->is_direct ? new_of_gcm : new_of_rte_ipsec)(params, device, outer, outer_length);
    if (sa && params->is_tunnel && !params->is_ipv6)
        sa->outer_sum = outer_sum_of(outer);
    return sa;
}

struct sa_counts sa_counts_of(const struct sa *sa)
{
    struct sa_counts all = {0};
    for (unsigned i = 0; i < SA_WORKERS; i++) {
        const struct sa_counts *of = &sa->counts[i];
        all.packets += __atomic_load_n(&of->packets, __ATOMIC_RELAXED);
        all.octets += __atomic_load_n(&of->octets, __ATOMIC_RELAXED);
        all.replays += __atomic_load_n(&of->replays, __ATOMIC_RELAXED);
        all.wrong += __atomic_load_n(&of->wrong, __ATOMIC_RELAXED);
        all.numbers += __atomic_load_n(&of->numbers, __ATOMIC_RELAXED);
    }
    return all;
}

static void session_free(struct sa *sa, struct rte_ipsec_session *session)
{
    if (session->crypto.ses)
        rte_cryptodev_sym_session_free(sa->device->id, session->crypto.ses);
}

void sa_free(struct sa *sa)
{
    if (!sa)
        return;
    if (sa->gcm.key)
        explicit_bzero(sa->gcm.key, gcm_octets());
    if (!sa->device->is_direct) {
        session_free(sa, &sa->session);
        session_free(sa, &sa->queued);
        rte_ipsec_sa_fini((struct rte_ipsec_sa *)(sa + 1));
    }
    explicit_bzero(sa, sizeof(*sa));
    rte_free(sa);
}

/* --- the window --- */

void sa_window_note(struct sa_window *r, uint64_t number)
{
    uint64_t top = r->top / SA_WINDOW_BLOCK, last = number / SA_WINDOW_BLOCK;
    if (last > top) {
        uint64_t count = last - top < SA_WINDOW_BLOCKS ? last - top : SA_WINDOW_BLOCKS;
        for (uint64_t i = 0; i < count; i++)
            r->bits[(last - i) % SA_WINDOW_BLOCKS] = 0;
    }
    if (number > r->top)
        r->top = number;
    r->bits[last % SA_WINDOW_BLOCKS] |= UINT64_C(1) << number % SA_WINDOW_BLOCK;
}
