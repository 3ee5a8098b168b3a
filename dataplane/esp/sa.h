/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SAs, security associations of ESP (RFC 4303), with their crypto devices: of DPDK, by rte_ipsec, or IPsec-mb
 * itself. Control makes and frees them; all workers use them at a time.
 *
 * An outbound association counts its sequence number in one place for all workers. The window of an inbound
 * one belongs to the worker that holds its lock: packets of one association mostly come to one queue.
 */
#ifndef DATAPLANE_ESP_SA_H
#define DATAPLANE_ESP_SA_H

#include "dataplane/esp/sa_params.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <nettle/aes.h>
#include <rte_ipsec.h>
#include <rte_spinlock.h>

/*
 * The window of an inbound association (RFC 4303 clause 3.4.3 and appendix A2, bits in blocks as in RFC
 * 6479). rte_ipsec's own, up to DPDK 26.07 at least, forgets the upper half of each 64 sequence numbers: it
 * keeps a bit of 64 in a word of 32.
 */

#define SA_WINDOW_MAX    4096
#define SA_WINDOW_BLOCK  64
#define SA_WINDOW_BLOCKS (2 * SA_WINDOW_MAX / SA_WINDOW_BLOCK) /* a power of 2 */

struct sa_window {
    uint64_t top;  /* the highest sequence number that was proven */
    uint32_t size; /* sequence numbers, up to SA_WINDOW_MAX */
    bool has_esn;
    uint64_t bits[SA_WINDOW_BLOCKS];
};

/* The whole number of a packet that carries its lower 32 bits: the first that fits from the window's lower
 * end on (RFC 4303 appendix A2.2). */
static inline uint64_t sa_window_number(const struct sa_window *r, uint32_t low)
{
    if (!r->has_esn)
        return low;
    uint64_t bottom = r->top >= r->size ? r->top - r->size + 1 : 0;
    return bottom + (uint32_t)(low - (uint32_t)bottom);
}

/* Whether no packet with the number was noted, and it is not behind the window. */
static inline bool sa_window_is_new(const struct sa_window *r, uint64_t number)
{
    if (number > r->top)
        return true;
    if (number == 0 || r->top - number >= r->size)
        return false;
    return !(r->bits[number / SA_WINDOW_BLOCK % SA_WINDOW_BLOCKS] >> number % SA_WINDOW_BLOCK & 1);
}

/* Notes the number of a packet whose ICV is right. */
void sa_window_note(struct sa_window *r, uint64_t number);

struct gcm;
struct sa_device;

#define SA_WORKERS 16 /* TEID_WORKERS */

/* Of one worker, which alone writes them. */
struct sa_counts {
    uint64_t packets, octets; /* of IP without ESP, that were proven or have left */
    uint64_t replays, wrong;  /* of an inbound one: numbers that came before, or wrong ICVs */
    uint64_t numbers;         /* of an outbound one: sequence numbers that were taken */
} __rte_cache_aligned;

#define SA_OUTER_IPV4_OCTETS 32 /* room for an outer IPv4 header and UDP; less than is before the text */
#define SA_OUTER_IPV6_OCTETS 56

/* Of an association that IPsec-mb computes: see sa_compute(). */
struct sa_gcm {
    struct gcm *key;
    atomic_uint_fast64_t next; /* sequence number of an outbound one */
    uint8_t salt[SA_SALT_OCTETS];
    uint8_t outer_octets; /* of a tunnel's headers before ESP */
    uint8_t outer[SA_OUTER_IPV6_OCTETS];
};

/*
 * Vectors of packets that leave with AES-CBC: AES of a counter under a key of their own, which the kernel
 * gives once. An end that has all vectors up to one, and the association's keys, cannot predict the next.
 */
struct sa_ivs {
    struct aes128_ctx key;
    atomic_uint_fast64_t next; /* counter; all workers take from it */
};

struct sa {
    struct sa_params params; /* without keys */
    uint32_t outer_sum;      /* of a tunnel's IPv4 header, without its first four words and the checksum */
    const struct sa_device *device;
    struct sa_gcm gcm;
    bool has_ivs;                     /* packets of AES-CBC leave by it: see sa_compute() */
    struct sa_ivs ivs;                /* of these packets */
    struct rte_ipsec_session session; /* of a burst that is computed at once, if the device can */
    struct rte_ipsec_session queued;  /* of one that goes through a queue of the device */
    rte_spinlock_t lock;              /* of the window */
    struct sa_window window;          /* of an inbound one */
    struct sa_counts counts[SA_WORKERS];
};

/* A crypto device of DPDK and its queues, one for each worker; or IPsec-mb without one. */
struct sa_device {
    uint8_t id;
    const char *name;
    bool is_direct;  /* IPsec-mb: it has no more than the name */
    bool is_at_once; /* it computes in the call; else in a queue */
    struct rte_mempool *sessions;
};

#define SA_DEVICES 4

/* Names of the crypto devices as auto tries them: ipsec_mb, and DPDK's. */
extern const char *const sa_devices[SA_DEVICES];

/*
 * Makes a device by its name, such as crypto_aesni_gcm, with a queue for each worker and room for
 * associations. False: *reason, a static text, says why, and the device has no name.
 */
bool sa_device_open(struct sa_device *device, const char *name, unsigned queues, unsigned associations,
                    const char **reason);
void sa_device_close(struct sa_device *device);

/* Whether the device has the suite. */
bool sa_device_has(const struct sa_device *device, enum sa_suite suite);

/* Makes an association; NULL: *reason, a static text, says why. The keys are copied to the device alone. */
struct sa *sa_new(const struct sa_params *params, const struct sa_device *device, const char **reason);

/* No worker may use it any more. Overwrites what there is of keys. */
void sa_free(struct sa *sa);

/* A worker's queue of a device that computes in one. */
struct sa_queue {
    struct rte_mempool *ops;
    uint16_t number;
};

/* Where an operation of the queue has its vector, as its session says. */
#define SA_IV_OFFSET (sizeof(struct rte_crypto_op) + sizeof(struct rte_crypto_sym_op))

/*
 * Computes a burst of an association, up to ESP_BURST frames. l2_len is that of Ethernet, l3_len that of IP,
 * or of all headers before ESP; around a frame that leaves is room for ESP. A packet from a tunnel begins
 * with its own IP header afterwards, others with Ethernet. Returns how many frames are good. The others are
 * behind them: inbound, a wrong ICV has RTE_MBUF_F_RX_SEC_OFFLOAD_FAILED, and wrong padding or a wrong next
 * header has not; outbound, there was no sequence number. Frames that the device refused or kept are left out
 * of *count.
 *
 * AES-CBC of packets that leave goes through a queue with any device: rte_ipsec (DPDK 22.11) writes the
 * sequence number where a packet has its vector (RFC 3602 clause 3), and encrypts that, too. In a queue the
 * operation's vector is ours, so what leaves is E_K(vector xor number). In the call it is the number again,
 * so each packet would have E_K(0).
 */
unsigned sa_compute(struct sa *sa, const struct sa_queue *queue, struct rte_mbuf **frames, unsigned *count);

/* Whether a frame from a tunnel whose ICV is right, and that is not good, is a dummy (RFC 4303 clause 2.6).
 */
bool sa_is_dummy(const struct sa *sa, const struct rte_mbuf *frame);

/* The same by IPsec-mb, of a direct device. */
unsigned sa_gcm_seal(struct sa *sa, struct rte_mbuf **frames, unsigned count);
unsigned sa_gcm_open(struct sa *sa, struct rte_mbuf **frames, unsigned count);

/* The sums of all workers' counts; any thread may call it. */
struct sa_counts sa_counts_of(const struct sa *sa);

/* A suite's name, such as "aes-gcm-128". */
const char *sa_suite_name(enum sa_suite suite);

#define SA_ICV_OCTETS 16 /* of each suite */

/* Of any association: outer IPv6 40, UDP 8, ESP 8, IV 16, padding 15, pad length and next header 2, ICV 16.
 */
#define SA_OVERHEAD_MAX_OCTETS 105

/*
 * A packet becomes one of fixed_octets + ceil((inside + tail_octets) / block_octets) block_octets; inside:
 * what is in ESP, of a tunnel the whole packet, else all but its header.
 */
struct sa_growth {
    unsigned fixed_octets, tail_octets, block_octets;
};

/* Of IP packets with such headers. */
struct sa_growth sa_growth_of(const struct sa_params *params, unsigned header_octets);

/* The octets that become an IP packet, header included, of a packet whose header has header_octets. */
unsigned sa_grown_octets(const struct sa_params *params, unsigned octets, unsigned header_octets);

/* The longest IP packet with such a header that becomes one of at most `most` octets; 0: none. */
unsigned sa_room_octets(const struct sa_params *params, unsigned most, unsigned header_octets);

#endif
