#!/bin/sh
# Restarts the services of this machine that are named, all that are enabled otherwise, one after the other: the
# next one once the last takes calls. Meanwhile another machine needs a process of the same service. Where one does
# not get well within 2 minutes it stops there: `journalctl -u workspace-automation@<service>` has the reason.
set -eu
cd "$(dirname "$0")/../.."
. deploy/order.sh

enabled() {
  for service in $order; do
    if systemctl is-enabled --quiet "workspace-automation@$service.service"; then echo "$service"; fi
  done
}

# The health check of a process, with the environment that systemd has given the process.
is_well() {
  pid=$(systemctl show --value --property MainPID "workspace-automation@$1.service")
  [ "$pid" != 0 ] || return 1
  # A process can change what the file shows. So nothing is taken over that makes the loader, OpenSSL or Node.js run code,
  # which root would run here.
  # Only bash reads texts that end with NUL; as arguments everybody on this machine could read them.
  env -i bash --norc -c '
    while IFS= read -r -d "" variable; do
      case $variable in
        NODE_ENV=*) ;;
        LD_* | NODE_* | OPENSSL_* | GCONV_PATH=* | GLIBC_TUNABLES=*) continue ;;
      esac
      export "$variable"
    done < "$1"
    exec node_modules/.bin/node deploy/health.ts' bash "${PROC:-/proc}/$pid/environ"
}

for service in ${*:-$(enabled)}; do
  echo "$service"
  systemctl restart "workspace-automation@$service.service"
  tries=0
  until is_well "$service"; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || exit 1
    sleep 2
  done
done
