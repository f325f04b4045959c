#!/bin/sh
# Brings the services that are named, all of them otherwise, to what a kustomization says now, without a stop:
# roll.sh FOLDER [SERVICE...]. The next service follows once all pods of the last are new and ready. Where they do
# not get ready it stops there: the old pods go on.
set -eu
folder=${1:?the folder of the kustomization is missing} && shift
. "$(dirname "$0")/../order.sh"
objects=$(kubectl kustomize "$folder")

apply() {
  printf '%s\n' "$objects" | kubectl apply -l "app.kubernetes.io/name=$1" -f -
}

apply settings
for service in ${*:-$order}; do
  apply "$service"
  kubectl -n workspace-automation rollout status --timeout=10m "deployment/$service"
done
