/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file with an AQM scheme in Lua, and calls of its hooks. The file is refused, or its parameters have
 * defaults in their ranges; a hook passes, marks or drops; after its first error it passes all N-PDUs, and
 * the error stays the same. The text ends with its first octet 0; the octets behind it are the calls.
 */
#include "control/config/lua_aqm_script.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

enum { INSTANCES = 2, CALLS = 64 };

static int64_t now;
static _Alignas(16) uint8_t states[INSTANCES][AQM_MAX_STATE];

/* The file is in memory alone; what the reader prints of its mistakes is lost. */
static struct lua_aqm_script *read_script(const uint8_t *text, size_t octets)
{
    static int fd = -1;
    static FILE *nothing;
    char path[32];
    if (fd < 0) {
        fd = memfd_create("scheme", MFD_CLOEXEC);
        nothing = fopen("/dev/null", "w");
    }
    FUZZ_CHECK(nothing && ftruncate(fd, 0) == 0 && pwrite(fd, text, octets, 0) == (ssize_t)octets);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    FILE *before = stderr;
    stderr = nothing;
    struct lua_aqm_script *script = lua_aqm_script_new(path);
    stderr = before;
    return script;
}

static void check_scheme(const struct aqm_ops *ops)
{
    FUZZ_CHECK(ops->name && ops->name[0] && ops->title && ops->summary && (ops->enqueue || ops->dequeue));
    FUZZ_CHECK(ops->param_count >= 1 && ops->param_count <= AQM_MAX_PARAMS);
    for (uint32_t i = 0; i < ops->param_count; i++) {
        const struct aqm_param *param = &ops->params[i];
        FUZZ_CHECK(param->name && param->name[0] && param->doc);
        FUZZ_CHECK(param->min <= param->initial && param->initial <= param->max);
        for (uint32_t j = 0; j < i; j++)
            FUZZ_CHECK(strcmp(param->name, ops->params[j].name) != 0);
    }
}

static struct aqm_view view_of(struct fuzz_input *in, unsigned what)
{
    struct aqm_view view = {.backlog_octets = (uint64_t)1 << fuzz_take(in, 1) % 64,
                            .octets = what * 3,
                            .backlog_pkts = what,
                            .age_ns = (int64_t)what * 10 * INT64_C(1000000),
                            .sojourn_ns = (int64_t)what * 20 * INT64_C(1000000),
                            .left_ns = what & 0x10 ? MOMENT_NEVER : -1,
                            .qclass = (uint8_t)(what % QCLASS_COUNT),
                            .ecn = what >> 5 & 3};
    return view;
}

static void call(struct fuzz_input *in, struct lua_aqm_script *script, struct aqm_setup *setup)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    struct aqm_view view = view_of(in, what);
    const char *failure = lua_aqm_script_failure(script);
    char before[512] = "";
    snprintf(before, sizeof before, "%s", failure ? failure : "");
    enum aqm_verdict verdict =
        aqm_setup_ask(setup, what & 1 ? AQM_AT_ENQUEUE : AQM_AT_DEQUEUE, states[what >> 1 & 1], &view, now);
    now += (int64_t)what * INT64_C(1000000);
    FUZZ_CHECK(verdict == AQM_PASS || verdict == AQM_MARK || verdict == AQM_DROP);
    FUZZ_CHECK(verdict != AQM_MARK || (setup->is_marking && view.ecn));
    FUZZ_CHECK(!failure || (verdict == AQM_PASS && strcmp(before, failure) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char message[256];
    unsigned steps = 0;
    const uint8_t *end = len ? memchr(bytes, 0, len) : NULL;
    size_t octets = end ? (size_t)(end - bytes) : len;
    struct fuzz_input input = {bytes + octets, len - octets};
    struct lua_aqm_script *script = read_script(bytes, octets);
    if (!script)
        return 0;
    struct aqm_choice choice = {.ops = lua_aqm_script_ops(script), .seed = 1};
    check_scheme(choice.ops);
    FUZZ_CHECK(!lua_aqm_script_failure(script));
    struct aqm_setup *setup = aqm_setup_new(&choice, message, sizeof message);
    FUZZ_CHECK(setup);
    now = 0;
    for (int i = 0; i < INSTANCES; i++)
        aqm_setup_start(setup, states[i], 0);
    setup->is_marking = octets & 1;
    for (fuzz_take(&input, 1); input.left > 0 && steps < CALLS; steps++)
        call(&input, script, setup);
    fuzz_count_sequence(steps);
    aqm_setup_free(setup);
    lua_aqm_script_free(script);
    return 0;
}
