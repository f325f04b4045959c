#!/bin/sh
# Starts a flow, waits for the end of its run, and exits with 0 only where the run has succeeded. For cron and CI.
#
#   BASE=https://automation.example KEY=wsk_… run-flow.sh <flow id> [<input as JSON>]
#
# BASE is the address of the service, KEY an API key with the scopes flows:run and flows:read. A start that is repeated
# with the same IDEMPOTENCY_KEY within a day is the same run. Needs curl 7.76 or later.
set -eu
: "${BASE:?is the address of the service}" "${KEY:?is an API key}"
flow=${1:?the id of a flow is missing}
once=${IDEMPOTENCY_KEY:-$(uname -n)-$$-$(date +%s)}

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# The key goes by stdin, because everybody on the machine may read arguments. curl repeats what is refused for a while
# (429, 503), as long as Retry-After says.
call() {
  printf 'header = "X-API-KEY: %s"\n' "$KEY" |
    curl -K - -sS --fail-with-body --retry 5 --retry-connrefused --max-time 60 -o "$answer" "$@" || {
    cat "$answer" >&2
    exit 1
  }
}

# The run begins with its id. Quotes in texts are escaped, so the first "status": is the run's own.
status() { grep -o '"status":"[A-Z_]*"' "$answer" | head -n 1 | cut -d '"' -f 4; }

call "$BASE/flows/$flow/runs/external" -H 'Content-Type: application/json' -H "Idempotency-Key: $once" \
  -d "{\"input\":${2:-null}}"
run=$(sed 's/^{"id":\([0-9]*\).*/\1/' "$answer")
echo "run $run" >&2
while :; do
  case $(status) in
  QUEUED | RUNNING | WAITING) ;;
  SUCCESS) cat "$answer" && echo && exit 0 ;;
  *) cat "$answer" >&2 && echo >&2 && exit 1 ;;
  esac
  sleep 1
  call "$BASE/flows/runs/$run"
done
