/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `gbflow doctor`: findings about the machine, each ok, warn or missing, with a remedy. It reads /sys, /proc
 * and the presence of Python, and changes nothing. It starts a device only if it is asked about one.
 */
#ifndef APP_DOCTOR_DOCTOR_H
#define APP_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads files of /sys and /proc below a root: "" for this machine, a folder in tests. Paths are formats as of
 * printf() and begin with a slash. */

enum { HOST_TREE_NAME = 64 };

struct host_tree {
    const char *root;
};

/* The sorted names in a folder; names beyond the first 256 are left out. */
struct host_tree_names {
    char names[256][HOST_TREE_NAME];
    unsigned count;
};

/* The file's text, at most cap - 1 octets of it, without its last newline. False, and an empty text: the file
 * cannot be read. */
bool host_tree_text(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* The file's first number; false: it has no number, or cannot be read. */
bool host_tree_number(const struct host_tree *tree, int64_t *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of a key in a file of lines "KEY: VALUE" or "KEY  VALUE". */
bool host_tree_field(const struct host_tree *tree, const char *path, const char *key, char *out, size_t cap);

/* The last part of the path that a symbolic link points to; false: not a link. */
bool host_tree_link(const struct host_tree *tree, char *out, size_t cap, const char *path, ...)
    __attribute__((format(printf, 4, 5)));

/* The names in a folder, sorted, without those that begin with a dot; empty without such a folder. */
void host_tree_list(const struct host_tree *tree, struct host_tree_names *out, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

bool host_tree_has(const struct host_tree *tree, const char *path);

enum { DOCTOR_FINDINGS = 64 };

enum doctor_verdict {
    DOCTOR_OK,
    DOCTOR_WARN,    /* works, but slower, or with less trustworthy figures */
    DOCTOR_MISSING, /* not there; the parts of gbflow that need it do not work */
    DOCTOR_VERDICTS,
};

struct doctor_finding {
    const char *name;
    enum doctor_verdict verdict;
    bool is_needed;              /* missing, and gbflow does not work at all without it */
    char what[240], advice[240]; /* the finding, and its remedy */
};

struct doctor {
    struct host_tree tree;
    struct doctor_finding findings[DOCTOR_FINDINGS];
    unsigned count;
};

/* Examines the machine whose /sys, /proc and /usr are below root ("": this one). */
void doctor_examine(struct doctor *d, const char *root);

/* False: a finding with is_needed exists. */
bool doctor_is_usable(const struct doctor *d);

/* A table, or one JSON object of schema gbflow-doctor/1. */
void doctor_print(const struct doctor *d, FILE *out);
void doctor_print_json(const struct doctor *d, FILE *out);

/* The parts of an examination. Each adds its findings. */

void doctor_cpu_examine(struct doctor *d);     /* instructions, counter, frequency */
void doctor_cores_examine(struct doctor *d);   /* CPUs, their isolation, SMT */
void doctor_memory_examine(struct doctor *d);  /* memory, huge pages, NUMA */
void doctor_limits_examine(struct doctor *d);  /* limits and rights of a process, Python for reports */
void doctor_devices_examine(struct doctor *d); /* IOMMU, vfio-pci, network cards */

/*
 * Asks the driver of a device (gn.port) what a node of so many workers would get of it: queues, spread of
 * frames, offloads, MTU. Starts DPDK and, for a moment, the device; to be called once.
 */
void doctor_port_examine(struct doctor *d, const char *name, unsigned workers);

/* Adds a finding to an examination. Findings beyond DOCTOR_FINDINGS are left out. */

/* name: a literal. format: the finding's text, as of printf(). advice: the remedy. */
void doctor_ok(struct doctor *d, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void doctor_warn(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void doctor_missing(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Missing, and gbflow does not work at all without it (is_needed). */
void doctor_unusable(struct doctor *d, const char *name, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
