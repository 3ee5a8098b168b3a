/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One side of an LLC link of a (TLLI, SAPI) that may be in acknowledged mode, with SNDCP's acknowledged mode
 * on it: establishment, release and re-establishment (SABM, UA, DISC, DM, FRMR; TS 44.064 clauses 8.5
 * and 8.7), their XID parameters, T200 and T201, and N-PDUs as segments in I frames (TS 44.065 clause 6.7).
 *
 *     ADM      no acknowledged mode; N-PDUs wait
 *     SETUP    SABM was sent, T200 runs
 *     ABM      I and S frames (abm.h), T201 runs
 *     RELEASE  DISC was sent, T200 runs
 *
 * The SGSN and the mobile use the same functions. N-PDUs are references: a frame that is not confirmed holds
 * one reference to its N-PDU, whose octets stay in clear until the last one ends. When acknowledged mode is
 * established again, N-PDUs that are not confirmed go to `queue`, and are sent from there before all others,
 * with their numbers.
 *
 * Decisions where the clauses leave a choice:
 *   - A side asks for acknowledged mode when it has an N-PDU to send. After N200 SABMs without an answer, or
 * DM, it is in ADM until its next N-PDU.
 *   - SABM that crosses SABM is answered with UA; the own UA then opens the link.
 *   - DM, or UA that nothing asked for, in ABM, and N200 repetitions of a frame, establish the link again; so
 * does an FRMR of either side.
 *   - SABM and UA carry all parameters. Each is bounded by what the own side allows; a UA that exceeds a
 * proposal is bounded by it.
 *   - N-PDUs that were numbered and given up keep their numbers. After more than 128 in a row of an NSAPI,
 * none of which arrived, the receiver takes the next ones for old ones (sn_receive.h): clause 6.9.1 knows no
 * giving up.
 *   - The network names a new IOV-I for each establishment, so that no keystream is used again; a SABM that
 * is repeated has that of the first.
 *
 * Octets of FCS, ciphering, buckets and the clock are the caller's.
 */
#ifndef DATAPLANE_ABM_LINK_H
#define DATAPLANE_ABM_LINK_H

#include "dataplane/abm/abm.h"
#include "dataplane/abm/sn_receive.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINK_NSAPI_MIN = 5, LINK_NSAPIS = 11, LINK_MOST_FRAMES = 127 };

enum link_state { LINK_ADM, LINK_SETUP, LINK_ABM, LINK_RELEASE };

/* Parameters in force, or bounds of them. */
struct link_values {
    uint16_t n201_i_octets; /* 140..1520 */
    uint16_t m_down, m_up;  /* in 16 octets, 0: no limit */
    uint16_t t200_ds;       /* T200 and T201, in tenths of a second */
    uint8_t k_down, k_up;   /* frames, 1..LINK_MOST_FRAMES */
    uint8_t n200;
};

/* Of all links of a worker. */
struct link_settings {
    uint32_t links;            /* 0: acknowledged mode is off */
    uint32_t buffers;          /* references that all links hold at most */
    struct link_values values; /* proposals, and bounds of what mobiles propose */
    uint64_t seed;             /* of IOV-I */
};

struct link;

/* The part that the links of one side have in common. */
struct link_kind {
    struct link_values values; /* proposals, and the most that is accepted of the other side */
    bool is_network;
    /* N-PDUs of frames: one reference more, one less. */
    void (*hold)(void *arg, struct n_pdu *n_pdu);
    void (*let_go)(void *arg, struct n_pdu *n_pdu);
    /* An N-PDU that will not be sent, with its reference: acknowledged mode cannot be had, or was ended. */
    void (*abandon)(void *arg, struct n_pdu *n_pdu);
    void (*opened)(void *arg, struct link *link); /* acknowledged mode, with link->values in force */
    void (*failed)(void *arg, struct link *link); /* by N200, DM, FRMR; it may be established again at once */
    /* A received frame that the link does not need any more. */
    void (*drop)(void *arg, void *frame);
    uint32_t (*new_iov)(void *arg, const struct link *link); /* for IOV-I; NULL of a mobile */
    /* Shortens an N-PDU of `queue` whose first segment is about to go, and undoes that. One that is sent
     * again goes plain, as the other side may drop it without a look; with packs_again it is shortened
     * again. NULL: none is. */
    void (*pack)(void *arg, struct n_pdu *n_pdu);
    void (*unpack)(void *arg, struct n_pdu *n_pdu);
    bool packs_again;
    void *arg;
};

/* Read state, sapi, iov_i, queue, values and is_done; use the functions for the rest. */
struct link {
    struct abm abm; /* in SETUP its N201-I is that of the SABMs, which an answer may leave out */
    const struct link_kind *kind;
    struct n_pdu_list queue;   /* to be sent before others; it has a reference to each */
    int64_t due_ns;            /* T200 or T201; MOMENT_NEVER: neither runs */
    struct link_values values; /* in force */
    uint32_t iov_i;            /* for both directions */
    uint16_t offset;           /* of the first octet of queue.head that is not in a frame */
    uint8_t state;             /* enum link_state */
    uint8_t sapi;
    uint8_t midway; /* NSAPI of the caller's N-PDU whose last segment has not gone since the establishment; 0:
                       none */
    uint8_t tries;  /* SABMs or DISCs sent */
    uint8_t owes;   /* bits of U frames to be sent */
    uint8_t why;    /* of the FRMR that is owed, with the header of its frame */
    uint8_t refused[LLC_FRMR_CONTROL_OCTETS];
    bool is_refused_response : 1;
    bool is_crossed : 1;              /* the other side's SABM came in SETUP */
    bool is_refusing : 1;             /* the last SABM was answered with DM, or not at all */
    bool is_done : 1;                 /* released: the caller may free it */
    uint8_t next_number[LINK_NSAPIS]; /* of N-PDUs to be sent */
    struct sn_receive in[LINK_NSAPIS];
};

/* A frame to be sent: LLC header and, of U frames, information; or LLC and SNDCP header, which
 * `payload_octets` from `offset` of the N-PDU follow. FCS is the caller's. */
struct link_frame {
    uint8_t header[LLC_ABM_HEADER_MAX_OCTETS + 40];
    uint8_t header_octets;
    uint8_t clear_octets; /* that are not ciphered: of an I frame, in front of its information */
    bool is_i;
    bool is_ack; /* an S frame */
    bool is_repeat;
    struct n_pdu *n_pdu; /* NULL: not an I frame */
    uint16_t offset, payload_octets;
    uint32_t count; /* of an I frame */
};

/* A link in ADM with tables of abm_slots(k) of the kind's directions, which stay the caller's. */
void link_init(struct link *l, const struct link_kind *kind, uint8_t sapi, struct abm_sent *sent,
               void **stored);

/* Slots of the tables for a kind. */
unsigned link_send_slots(const struct link_kind *kind);
unsigned link_receive_slots(const struct link_kind *kind);

/* Acknowledged mode, or the attempt to have it, begins again, as by an error but for the count of failures:
 * another key is in force, or the other side has lost its state. */
void link_renew(struct link *l, int64_t now);

/* Asks for acknowledged mode, if in ADM. */
void link_establish(struct link *l, int64_t now);

/* Ends acknowledged mode and lets all N-PDUs go: nothing uses it any more. is_done once the other side knows,
 * or does not answer. */
void link_release(struct link *l, int64_t now);

/* Lets all N-PDUs and frames go without a word; N-PDUs that are not confirmed go to `unconfirmed`, with a
 * reference each, if that is not NULL. The link is in ADM. */
void link_empty(struct link *l, struct n_pdu_list *unconfirmed);

/* --- for link.c and link_send.c alone --- */

/* U frames that are owed: answers go before questions. */
enum {
    LINK_OWES_FRMR = 1,
    LINK_OWES_UA = 2,     /* with parameters: it answers a SABM */
    LINK_OWES_UA_END = 4, /* it answers a DISC */
    LINK_OWES_DM = 8,
    LINK_OWES_DM_UNASKED = 16, /* F = 0: it answers I and S frames */
    LINK_OWES_SABM = 32,
    LINK_OWES_DISC = 64,
};

/* After each change of link->abm: confirmed N-PDUs, T201, failures. */
void link_settle(struct link *l, int64_t now);
void link_start_t200(struct link *l, int64_t now);
/* The values that the SABM of SETUP proposes. */
struct link_values link_asked(const struct link *l);

/* --- receiving --- */

/* A U frame with its information; others than SABM, UA, DISC, DM, FRMR are ignored. */
void link_receive_u(struct link *l, const struct llc *header, const uint8_t *info, int64_t now);

/* A U, I or S frame that is malformed: `bytes` from the address on. */
void link_refuse(struct link *l, const uint8_t *bytes, size_t octets, uint8_t why, int64_t now);

/* An I or S frame whose FCS is right. `frame` is the caller's, for its information of `octets` octets;
 * is_kept says whether the link has it now. */
struct abm_taken link_receive(struct link *l, const struct llc_abm *header, void *frame, uint32_t octets,
                              int64_t now);

/* Whether link_receive() would keep an I frame with this N(S): it has not had it. */
static inline bool link_is_new(const struct link *l, uint16_t ns)
{
    return l->state == LINK_ABM && abm_is_new(&l->abm, ns);
}

/* The next frame in sequence; NULL: none. It is the caller's again. */
static inline void *link_deliver_take(struct link *l)
{
    return l->state == LINK_ABM ? abm_deliver_take(&l->abm) : NULL;
}

/* The fate of a segment in sequence. NSAPI as sn_data_decode() allows. */
static inline enum sn_fate link_segment_take(struct link *l, const struct sn_data *in)
{
    return sn_receive_take(&l->in[in->nsapi - LINK_NSAPI_MIN], in);
}

/* --- sending --- */

/* Whether `frames` new I frames with segments of the caller's N-PDUs may be sent, of `octets` of information
 * together. N-PDUs of `queue` go before, but not between the segments of one. */
bool link_can_send(const struct link *l, unsigned frames, uint32_t octets);

/* A segment of the caller's N-PDU, whose `number` is set with the first one. Segments of one go next to each
 * other. */
struct link_segment {
    struct n_pdu *n_pdu;
    uint16_t offset, payload_octets;
    uint8_t nsapi;
    bool is_last;  /* nothing of it or of others follows that is known of */
    bool is_given; /* the caller's reference to the N-PDU becomes the frame's; else it takes one by hold() */
};

/* Makes the I frame of a segment that link_can_send() allows. A later segment needs `midway`: else
 * acknowledged mode was established again meanwhile, and the whole N-PDU is to be given to link_put(). */
void link_send(struct link *l, const struct link_segment *segment, int64_t now, struct link_frame *out);

/* Octets of the LLC-PDU, FCS included, that link_next() makes next, as an upper bound; 0: there is none. */
unsigned link_next_octets(const struct link *l);

/* The next U or S frame, repetition, or segment of `queue`. False: none, or the link has failed meanwhile. */
bool link_next(struct link *l, int64_t now, struct link_frame *out);

/* An N-PDU, with a reference that is now the link's, to be sent behind those in `queue`. It is numbered when
 * its first segment goes, unless it is. */
void link_put(struct link *l, struct n_pdu *n_pdu, uint8_t nsapi);

/* --- time and change --- */

/* T200 or T201 ran out: due_ns. */
void link_expire(struct link *l, int64_t now);

/* Nothing can be sent to the other side now: the timer that runs begins again, and does not count. */
void link_pause(struct link *l, int64_t now);

/* LLC-PDUs were lost on the way (clause 8.3.2): all that are not acknowledged are repeated, or, as it is not
 * known which, the other side is asked. */
void link_lost(struct link *l, bool is_all);

/* A context's NSAPI is free: its N-PDUs in `queue` are let go, those in frames are not sent again after an
 * establishment, and numbers begin at 0. */
void link_forget(struct link *l, unsigned nsapi);

/* Numbers that an NSAPI begins with instead of 0, as another link had them: of the next N-PDU to be sent, and
 * of the next one to be received. */
void link_continue(struct link *l, unsigned nsapi, uint8_t send, uint8_t receive);

/* The other side says its receive number of an NSAPI (TS 44.065 clause 5.1.2.21): N-PDUs before it are not
 * sent again, and later ones have no number before it. Returns how many of `queue` were let go. */
unsigned link_confirm(struct link *l, unsigned nsapi, uint8_t number);

/* Moves the N-PDUs of an NSAPI that are not confirmed to `out`, with a reference each, in order. Acknowledged
 * mode is to be established again. */
void link_take(struct link *l, unsigned nsapi, struct n_pdu_list *out, int64_t now);

/* Bounds what is in force by an XID exchange. Frames on their way may have had the N201-I of before: received
 * ones are held to the new one from the next establishment on. */
void link_bound(struct link *l, const struct link_values *most);

#endif
