#!/usr/bin/env bash
# Writes the label `team` of each namespace into a ConfigMap of that namespace, and counts the namespaces of each team.
source "$FRAMEWORK_DIR/shell_lib.sh"

__config__() {
  cat <<'CONFIG'
configVersion: v1
kubernetes:
- name: namespaces
  kind: Namespace
  labelSelector: {matchExpressions: [{key: team, operator: Exists}]}
  executeHookOnEvent: [Added, Modified]
  keepFullObjectsInMemory: false
  includeSnapshotsFrom: [namespaces]
  jqFilter: '{name: .metadata.name, team: .metadata.labels.team}'
CONFIG
}

__main__() {
  echo "namespaces with a team: $(context::jq '.snapshots.namespaces | length')"
  context::jq -c '(.objects // [.])[] | .filterResult | {
    operation: "CreateOrUpdate",
    object: {
      apiVersion: "v1", kind: "ConfigMap",
      metadata: {name: "team", namespace: .name},
      data: {team: .team}
    }
  }' >>"$KUBERNETES_PATCH_PATH"
  context::jq -c '.snapshots.namespaces | group_by(.filterResult.team)[] | {
    name: "team_namespaces", group: "teams", action: "set",
    value: length, labels: {team: .[0].filterResult.team}
  }' >>"$METRICS_PATH"
}

hook::run "$@"
