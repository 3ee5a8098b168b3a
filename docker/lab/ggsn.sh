#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The GGSN's container of compose-lab.yaml: the users' server at 203.0.113.1, and osmo-ggsn.
set -eu
ip address add 203.0.113.1/32 dev lo
mkdir -p /tmp/www
head -c 20000 /dev/urandom >/tmp/www/20k
python3 -m http.server 80 --bind 203.0.113.1 --directory /tmp/www &
exec osmo-ggsn -c /etc/gbflow/lab/osmo-ggsn.cfg
