/* SPDX-License-Identifier: BSD-3-Clause */
/* provenance.json of a run: program, scenario, seed and results, for `gbflow rerun`. */
#include "app/run/run.h"

#include "control/base/json_stream.h"
#include "control/base/command.h"
#include "control/base/whole_file.h"
#include "control/config/aqm_choices.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

/* An object that stays open. crc32: of zlib, as eight digits; not there when the file cannot be read any
 * more. */
static void begin_file(struct json_stream *s, const char *kind, const char *path)
{
    unsigned char block[65536];
    char digits[16];
    uLong crc = crc32(0, NULL, 0);
    uint64_t octets = 0;
    FILE *file = fopen(path, "rb");

    json_stream_object(s, NULL);
    json_stream_text(s, "kind", kind);
    json_stream_text(s, "file", path);
    for (size_t got; file && (got = fread(block, 1, sizeof(block), file)) > 0; octets += got)
        crc = crc32(crc, block, (uInt)got);
    if (file) {
        fclose(file);
        snprintf(digits, sizeof(digits), "%08lx", crc);
        json_stream_count(s, "octets", octets);
        json_stream_text(s, "crc32", digits);
    }
}

static void put_file(struct json_stream *s, const char *kind, const char *path)
{
    begin_file(s, kind, path);
    json_stream_end(s);
}

/* `text` NULL: it is not kept. */
static void put_beside(struct json_stream *s, const struct scenario_run *r, const char *kind,
                       const char *name, const char *text)
{
    char folder[PATH_MAX], path[PATH_MAX];
    scenario_config_folder(r->options->scenario, folder);
    snprintf(path, sizeof(path), "%s%s", folder, name);
    begin_file(s, kind, path);
    json_stream_text(s, "name", name);
    if (text)
        json_stream_text(s, "text", text);
    json_stream_end(s);
}

/* Files beside the scenario. */
static void put_files(struct json_stream *s, const struct scenario_run *r)
{
    const struct scenario_config *scenario = &r->scenario;
    json_stream_array(s, "files");
    for (uint32_t i = 0; i < scenario->module_count; i++)
        put_beside(s, r, "module", scenario->modules[i].file, scenario->modules[i].text);
    for (uint32_t i = 0; i < scenario->trace_count; i++)
        put_beside(s, r, "trace", scenario->traces[i].file, NULL);
    for (uint32_t i = 0; i < scenario->script_count; i++)
        put_beside(s, r, "script", scenario->scripts[i].file, NULL);
    json_stream_end(s);
}

static void put_schemes(struct json_stream *s, const struct aqm_choices *aqm)
{
    json_stream_array(s, "aqm_files");
    for (unsigned i = 0; aqm && i < aqm->script_count; i++)
        put_file(s, "lua", aqm->paths[i]);
    for (unsigned i = 0; aqm && i < aqm->registry.count; i++) {
        struct link_map *map = NULL;
        if (aqm->registry.plugins[i] && dlinfo(aqm->registry.plugins[i], RTLD_DI_LINKMAP, &map) == 0)
            put_file(s, "plugin", map->l_name);
    }
    json_stream_end(s);
}

static void put_command(struct json_stream *s, const struct run_options *options)
{
    char folder[PATH_MAX];
    json_stream_array(s, "command");
    for (char *const *word = options->command; word && *word; word++)
        json_stream_text(s, NULL, *word);
    json_stream_end(s);
    json_stream_text(s, "folder", getcwd(folder, sizeof(folder)) ? folder : "");
}

static void put_sets(struct json_stream *s, const struct run_options *options)
{
    json_stream_array(s, "set");
    for (uint32_t i = 0; i < options->set_count; i++) {
        json_stream_object(s, NULL);
        json_stream_text(s, "path", options->sets[i].path);
        json_stream_text(s, "value", options->sets[i].value);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_links(struct json_stream *s, const struct run_options *options)
{
    const bool has[] = {options->pcap.gi, options->pcap.gn, options->pcap.gb};
    static const char *const names[] = {"gi", "gn", "gb"};
    json_stream_array(s, "pcap");
    for (unsigned i = 0; i < 3; i++)
        if (has[i])
            json_stream_text(s, NULL, names[i]);
    json_stream_end(s);
}

static void put_machine(struct json_stream *s)
{
    struct utsname name;
    json_stream_object(s, "machine");
    if (uname(&name) == 0) {
        json_stream_text(s, "system", name.sysname);
        json_stream_text(s, "release", name.release);
        json_stream_text(s, "architecture", name.machine);
    }
    json_stream_count(s, "processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    json_stream_end(s);
}

bool run_provenance_write(const struct scenario_run *r, const char *path)
{
    FILE *file = whole_file_open(path);
    struct json_stream s = {.file = file};
    if (file) {
        json_stream_begin(&s, "gbflow-provenance/1");
        json_stream_text(&s, "commit", command_commit());
        put_command(&s, r->options);
        json_stream_text(&s, "scenario", r->options->scenario);
        json_stream_count(&s, "seed", r->options->seed);
        put_sets(&s, r->options);
        put_links(&s, r->options);
        json_stream_bool(&s, "is_unsteered", r->options->is_unsteered);
        put_schemes(&s, r->sgsns[0].node.config.aqm);
        put_files(&s, r);
        put_machine(&s);
        json_stream_text(&s, "text", r->scenario.text ? r->scenario.text : "");
        json_stream_end(&s);
    }
    int error = file ? whole_file_close(file, path) : errno;
    if (error)
        fprintf(stderr, "gbflow run: %s: %s\n", path, strerror(error));
    return !error;
}
