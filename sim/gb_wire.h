/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wire of Gb in virtual time: UDP/IP/Ethernet frames between workers' ports and the emulated BSSs, with a
 * capture of both directions.
 */
#ifndef SIM_GB_WIRE_H
#define SIM_GB_WIRE_H

#include "bss/bss.h"
#include "capture/writer.h"
#include "sim/delay_line.h"
#include "dataplane/ports/port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
