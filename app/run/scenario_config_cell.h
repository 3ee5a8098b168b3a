/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell of a scenario (app/run/scenario_config.h): its radio, its calls and its block errors. */
#ifndef APP_RUN_SCENARIO_CONFIG_CELL_H
#define APP_RUN_SCENARIO_CONFIG_CELL_H

#include <stdbool.h>
#include <stdint.h>

#define SCENARIO_CONFIG_CODING_CHARS 8
#define SCENARIO_CONFIG_POINTS       64

/* Circuit-switched calls in a cell, by schedule or by chance; see bss/calls.h. */
struct scenario_config_calls {
    uint32_t channels; /* most that calls may take; 0: the cell has no calls */
    uint32_t taken;    /* channels that a call of the schedule takes */
    int64_t first_ns, every_ns, hold_ns;
    int64_t interval_ns, mean_hold_ns;
    int64_t flush_ns; /* time without a PDCH until the cell's queues are flushed; MOMENT_NEVER: never */
    int64_t restart_wait_ns, uplink_keep_ns;
};

/* Block errors that vary in time; see bss/radio_errors.h. */
struct scenario_config_errors {
    int64_t good_ns, bad_ns; /* 0: no fading */
    uint32_t bad_bler_ppm;
    uint32_t trace; /* number in traces[], from 1; 0: none */
    int64_t every_ns;
    uint32_t point_count; /* of C/I to BLER, rising; 0: the trace has rates */
    struct {
        double ci_db;
        uint32_t bler_ppm;
    } points[SCENARIO_CONFIG_POINTS];
};

struct scenario_config_cell {
    uint16_t bvci;
    uint32_t pdchs;
    char coding[SCENARIO_CONFIG_CODING_CHARS]; /* "CS-2" */
    uint32_t block_payload_octets;             /* of that scheme, in one radio block of 20 ms */
    uint32_t bler_down_ppm, bler_up_ppm;
    int64_t retransmission_ns;              /* from a bad block to its next try */
    int64_t processing_ns;                  /* added to each LLC-PDU, in each direction */
    uint32_t control_every;                 /* one block in control_every carries control; 0: none; not 1 */
    uint32_t window_blocks;                 /* RLC */
    bool has_levels;                        /* classes have precedence on the air */
    uint32_t downlink_slots, uplink_slots;  /* most of one mobile */
    int64_t setup_ns, setup_with_uplink_ns; /* of a downlink TBF: from idle, while an uplink TBF is open */
    int64_t release_ns;                     /* from the last block of a downlink TBF to its release */
    int64_t uplink_access_ns, uplink_hold_ns;
    uint64_t mobile_buffer_octets, cell_buffer_octets; /* limits of the BSS's queues */
    uint32_t up_payload_octets;                        /* of an uplink block */
    uint64_t stop_octets, go_octets; /* thresholds of the BSS's queue for the rate it announces; 0: none */
    int64_t measured_ns; /* it announces measured rates R, and Bmax = R * measured_ns; 0: configured ones */
    struct scenario_config_calls calls;
    struct scenario_config_errors errors;
};

#endif
