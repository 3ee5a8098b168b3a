/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wire of Gb in virtual time: UDP/IP/Ethernet frames between workers' ports and the emulated BSSs, with a
 * capture of both directions.
 */
#ifndef SIM_GB_WIRE_H
#define SIM_GB_WIRE_H

#include "bss/bss.h"
#include "capture/writer.h"
#include "sim/loop.h"
#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Deciphers the LLC and SNDCP headers of a mobile's downlink frames at the BSS, by which gb_wire.h
 * counts.
 */

#define LLC_TAP_OCTETS ((int)LLC_UI_OCTETS + (int)SNDCP_FIRST_OCTETS)

struct llc_tap {
    struct llc_key key; /* algorithm 0: frames are not ciphered */
    const struct gea_engine *gea;
    struct llc_entity llc; /* of one SAPI */
    uint8_t clear[LLC_TAP_OCTETS];
};

/* A frame towards the BSS: returns the frame itself, or its first LLC_TAP_OCTETS octets in clear, valid until
   the next call. */
const uint8_t *llc_tap_pass(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets);

/* As llc_tap_pass(), for a frame that passed at most 512 frames ago. */
const uint8_t *llc_tap_passed(struct llc_tap *t, const uint8_t *llc_pdu, size_t octets);

/*
 * Fates of a mobile's N-PDUs in the BSS, counted by the SNDCP headers of the LLC-PDUs that enter, are
 * discarded and are delivered: in = out + dropped + queued. An N-PDU is in when its first segment arrives,
 * out when the mobile has all of it, and dropped once when one of its segments is discarded or the SGSN sent
 * it only in part. In acknowledged mode each I frame counts for itself, as each is repeated for itself.
 */

enum bss_account_end {
    BSS_ACCOUNT_LIFETIME,   /* the PDU Lifetime ended before the first block */
    BSS_ACCOUNT_FULL,       /* the BSS had no room */
    BSS_ACCOUNT_OTHER,      /* discarded for another reason */
    BSS_ACCOUNT_INCOMPLETE, /* the SGSN sent only a part of it */
    BSS_ACCOUNT_PREEMPTED,  /* flushed when calls took the cell's PDCHs */
    BSS_ACCOUNT_RLC,        /* a block was bad, and RLC is unacknowledged */
    BSS_ACCOUNT_ENDS,
};

/* How many N-PDU numbers share a piece of memory. */
#define BSS_ACCOUNT_CHUNK 256

/* By N-PDU number. A long queue of short packets holds several N-PDUs of a number; the oldest ends first. */
struct bss_account_numbers {
    uint8_t queued[BSS_ACCOUNT_CHUNK]; /* at most RADIO_MAX_QUEUE_FRAMES / 4096 = 64 each */
    bool is_dead[BSS_ACCOUNT_CHUNK];   /* the last to end was dropped: further segments do not count */
};

/* A zeroed one is empty. */
struct bss_account {
    uint64_t in, out;
    uint64_t dropped[BSS_ACCOUNT_ENDS];
    uint64_t queued_frames; /* I frames */
    bool is_open;           /* the last segment of N-PDU open_number has not arrived */
    uint16_t open_number;
    /* NULL: no N-PDU with these numbers has come. */
    struct bss_account_numbers *chunks[SNDCP_NPDU_MODULUS / BSS_ACCOUNT_CHUNK];
};

/* Frees the memory and empties it. */
void bss_account_fini(struct bss_account *a);

/* Counts an LLC-PDU that arrived on Gb. Ends the program when memory is short, as the next two. */
void bss_account_down(struct bss_account *a, const uint8_t *llc_pdu, size_t octets);

/* Counts an LLC-PDU that the BSS discarded. */
void bss_account_discard(struct bss_account *a, const uint8_t *llc_pdu, size_t octets,
                         enum bss_account_end end);

/* Counts an LLC-PDU that has reached the mobile; those of unacknowledged mode do not count here. */
void bss_account_frame_delivered(struct bss_account *a, const uint8_t *llc_pdu, size_t octets);

/* Counts an N-PDU that the mobile has received whole. */
void bss_account_delivered(struct bss_account *a, uint16_t number);

/* N-PDUs in the BSS; walks over all numbers. */
uint64_t bss_account_queued(const struct bss_account *a);

/* One NS-VC: the SGSN's endpoint, the BSS's endpoint, the BSS and its index there. */
struct gb_wire_end {
    uint32_t sgsn_ip, bss_ip;
    uint16_t sgsn_port, bss_port;
    uint8_t sgsn_mac[6], bss_mac[6];
    unsigned bss; /* in bsses[] */
    unsigned nsvc;
    unsigned port; /* of its worker, in ports[] */
};

struct gb_wire {
    struct vport *ports;
    unsigned port_count;
    bool is_in_turn; /* frames from BSSs arrive at the ports in turn */
    unsigned next_port;
    struct capture_writer *capture; /* NULL: none */
    struct bss **bsses;
    unsigned bss_count;
    struct gb_wire_end *ends;
    unsigned end_count;
    struct delay_line down, up; /* set up by gb_wire_init() */
    int64_t now;                /* of the step that runs */
    uint16_t ip_id;
    uint64_t strays; /* frames from the SGSN to an unknown endpoint */
    uint64_t lost;   /* NS PDUs from a BSS: unknown NS-VC, too long, or refused by the port */
};

/* Sets up a wire with this delay in each direction, after ports and capture are set. The caller owns the
   arrays. */
void gb_wire_init(struct gb_wire *wire, int64_t delay_ns);
void gb_wire_fini(struct gb_wire *wire);

/* The sender of one BSS: the arg of its ops. Must live as long as the BSS. */
struct gb_wire_tap {
    struct gb_wire *wire;
    unsigned bss;
};

/* For bss_ops.send; arg is a struct gb_wire_tap. */
void gb_wire_send(void *tap, unsigned nsvc, const uint8_t *ns_pdu, size_t octets);

/* Carries the workers' frames to the BSSs and steps the BSSs: an actor of the loop; self is a struct gb_wire.
 */
int64_t gb_wire_step(void *self, int64_t now);

#endif
