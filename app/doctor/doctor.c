/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/doctor/doctor.h"

#include "app/doctor/parts.h"

void doctor_examine(struct doctor *d, const char *root)
{
    *d = (struct doctor){.tree = {.root = root}};
    doctor_cpu_examine(d);
    doctor_cores_examine(d);
    doctor_memory_examine(d);
    doctor_limits_examine(d);
    doctor_devices_examine(d);
}

bool doctor_is_usable(const struct doctor *d)
{
    for (unsigned i = 0; i < d->count; i++)
        if (d->findings[i].is_needed)
            return false;
    return true;
}

const char *doctor_verdict_name(enum doctor_verdict verdict)
{
    static const char *const names[DOCTOR_VERDICTS] = {"ok", "warn", "missing"};
    return names[verdict];
}
