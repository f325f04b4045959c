#!/bin/sh
# Brings the services that are named, all of them otherwise, to the image that VERSION in .env names, without
# a stop: as many new containers beside the old ones, and once all of them are well, the old ones end.
# Where a new one does not get well it stops there: the old ones go on, and the new ones are yours to look at.
set -eu
cd "$(dirname "$0")/.."
. deploy/order.sh
for service in ${*:-$order}; do
  old=$(docker compose ps -q "$service")
  : "${old:?no container of $service runs}"
  count=$(echo "$old" | wc -w)
  echo "$service: $count"
  docker compose up -d --no-deps --no-recreate --no-build --scale "$service=$((count * 2))" \
    --wait --wait-timeout 120 "$service"
  docker stop -t 15 $old
  docker rm $old
done
