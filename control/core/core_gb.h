/* SPDX-License-Identifier: BSD-3-Clause */
/* NS-VCs at the workers: those of the configuration, and those that IP-SNS adds and deletes. Their rows in
 * the configuration have the present endpoints. */
#ifndef CONTROL_CORE_CORE_GB_H
#define CONTROL_CORE_CORE_GB_H

#include "control/core/core.h"

/* Requests all NS-VCs of the configuration. */
void core_nsvc_start(struct core *core);

/* Requests an NS-VC (index) at its worker, and informs the other workers. */
void core_nsvc_add(struct core *core, uint32_t index);

/*
 * Paths: pairs of a local address and a GGSN's address that active contexts use (TS 29.060 clause 7.2). This
 * file counts the contexts of each path; Lua decides when to send Echo Requests and when a path is down. A
 * path stays in the list after its last context, so that its counters cover the whole run.
 */

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_path_init(struct core *core);
void core_path_fini(struct core *core);

/* Starts the supervision of the paths added so far. */
void core_path_start(struct core *core);

/* Adds or removes a context of a path. No effect when the GGSN's address is unknown, or in a core without a
 * control plane. */
void core_path_add(struct core *core, uint32_t ours, uint32_t theirs);
void core_path_del(struct core *core, uint32_t ours, uint32_t theirs);

/* Takes MSG_GN_ECHOED, an Echo Response. */
void core_path_answered(struct core *core, const struct msg *msg);

/* LLC in the control core: passes unnumbered frames of mobiles to Lua. */

/* The checked configuration is on top of the Lua stack, and is popped. */
void core_llc_init(struct core *core);
void core_llc_fini(struct core *core);

/* MSG_PUNT_LLC; takes its buffer over. */
void core_llc_punt(struct core *core, const struct msg *msg);

/* A mobile (slot) was requested at the worker, in a cell (index); ciphering NULL or algorithm 0: not
 * ciphered. Like the functions below without effect in a core without a control plane. */
void core_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                     const struct llc_cipher_params *ciphering);
void core_llc_ms_del(struct core *core, uint32_t slot);

/* A cell is in service since it sent FLOW-CONTROL-BVC, or is out of service. */
void core_llc_cell_open(struct core *core, uint32_t nsei, uint32_t bvci);

#endif
