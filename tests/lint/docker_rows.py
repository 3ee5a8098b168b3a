# SPDX-License-Identifier: BSD-3-Clause
"""A sound Dockerfile and compose file, and rows with one fault each, for lint_test.py."""

DOCKERFILE = """\
# SPDX-License-Identifier: BSD-3-Clause
ARG BASE=debian:12
FROM ${BASE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc

FROM debian:12 AS last
COPY --from=build /a /a
# A comment between.
RUN apt-get update \\
    && apt-get install -y --no-install-recommends \\
        python3 \\
    && rm -rf /var/lib/apt/lists/*
USER 65534:65534
ENTRYPOINT ["a"]
CMD ["--help"]
"""

COMPOSE = """\
services:
  a:
    image: a
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    read_only: true
    networks: { gb: { priority: 1 } }
networks:
  gb: {}
"""

# What stands in the sound file, and what stands there instead.
DOCKERFILE_FAULTS = [
    (" AS last", ""),
    ("FROM debian:12", "FROM debian"),
    ("FROM debian:12", "FROM debian:latest"),
    ("--from=build", "--from=built"),
    ("COPY", "ADD"),
    ("USER 65534:65534\n", ""),
    ("USER 65534:65534", "USER root"),
    ("USER 65534:65534", "USER 0:0"),
    ('["a"]', "a"),
    ("install -y --no-install-recommends \\", "install -y \\"),
    ("install -y --no-install-recommends gcc", "install --no-install-recommends gcc"),
    ("RUN apt-get update && ", "RUN "),
    ("\\\n    && rm -rf /var/lib/apt/lists/*", ""),
    ("&& rm", "&& sudo rm"),
]

COMPOSE_FAULTS = [
    ("services:", "service:"),
    ("image: a", "command: [a]"),
    ("cap_drop: [ALL]", "cap_drop: [NET_RAW]"),
    ('["no-new-privileges:true"]', "[]"),
    ("read_only: true", "read_only: false"),
    ("read_only: true", "read_only: true\n    privileged: true"),
    ("read_only: true", "read_only: true\n    network_mode: host"),
    ("  gb: {}", "  gn: {}"),
    ("image: a", "image: [a"),
]


def rows():
    """rule, path, text of each fault."""
    for path, sound, faults in (("docker/Dockerfile", DOCKERFILE, DOCKERFILE_FAULTS),
                                ("docker/compose.yaml", COMPOSE, COMPOSE_FAULTS), ("docker/compose-lab.yaml", COMPOSE, COMPOSE_FAULTS[:1])):
        for there, instead in faults:
            assert there in sound, there
            yield "docker", path, sound.replace(there, instead)
