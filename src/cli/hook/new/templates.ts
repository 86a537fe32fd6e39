/**
 * The templates of a new hook in each language. All do the same, add an annotation to ConfigMaps with a label, so that one test case fits
 * all of them.
 */
export const languages = ['bash', 'python', 'ts'] as const

export type Language = (typeof languages)[number]

export interface Template {
  readonly extension: string
  /** Whether it is an executable with a #! line; otherwise it is loaded as a module. */
  readonly isProgram: boolean
  text(name: string): string
}

const bash = (name: string) => `#!/usr/bin/env bash
# Greets every ConfigMap with the label hook=${name}. It needs bash and jq.
source "$FRAMEWORK_DIR/shell_lib.sh"

__config__() {
  cat <<'CONFIG'
configVersion: v1
kubernetes:
- name: greeted
  kind: ConfigMap
  labelSelector: {matchLabels: {hook: ${name}}}
  executeHookOnEvent: [Added, Modified]
  jqFilter: .data
CONFIG
}

# Called for every binding context: a Synchronization has a list of objects, an Event has one object.
__main__() {
  context::jq -c '(.objects // [.])[] | .object.metadata | {
    operation: "MergePatch", kind: "ConfigMap",
    namespace: .namespace, name: .name, ignoreMissingObject: true,
    mergePatch: {metadata: {annotations: {greeting: "hello \\(.name)"}}}
  }' >>"$KUBERNETES_PATCH_PATH"
  echo "greeted $(context::jq '.objects // [.] | length')"
  echo '{"name": "${metricName(name)}", "action": "add", "value": 1}' >>"$METRICS_PATH"
}

hook::run "$@"
`

const python = (name: string) => `#!/usr/bin/env python3
"""Greets every ConfigMap with the label hook=${name}."""
import json
import os
import sys

CONFIG = {
    "configVersion": "v1",
    "kubernetes": [
        {
            "name": "greeted",
            "kind": "ConfigMap",
            "labelSelector": {"matchLabels": {"hook": "${name}"}},
            "executeHookOnEvent": ["Added", "Modified"],
            "jqFilter": ".data",
        }
    ],
}


def run(contexts, patches, metrics):
    for context in contexts:
        # A Synchronization has a list of objects, an Event has one object.
        seen = context.get("objects", [context])
        for item in seen:
            metadata = item["object"]["metadata"]
            patch = {
                "operation": "MergePatch",
                "kind": "ConfigMap",
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "ignoreMissingObject": True,
                "mergePatch": {"metadata": {"annotations": {"greeting": "hello " + metadata["name"]}}},
            }
            print(json.dumps(patch), file=patches)
        print("greeted", len(seen))
        print(json.dumps({"name": "${metricName(name)}", "action": "add", "value": 1}), file=metrics)


if sys.argv[1:] == ["--config"]:
    print(json.dumps(CONFIG))
else:
    with (
        open(os.environ["BINDING_CONTEXT_PATH"]) as contexts,
        open(os.environ["KUBERNETES_PATCH_PATH"], "a") as patches,
        open(os.environ["METRICS_PATH"], "a") as metrics,
    ):
        run(json.load(contexts), patches, metrics)
`

const typescript = (name: string) => `/** Greets every ConfigMap with the label hook=${name}. */
import { defineHook, type ObjectAndFilterResult } from 'carabiner/script-hooks'

export default defineHook({
  config: {
    kubernetes: [
      {
        name: 'greeted',
        kind: 'ConfigMap',
        labelSelector: { matchLabels: { hook: '${name}' } },
        executeHookOnEvent: ['Added', 'Modified'],
        jqFilter: '.data',
      },
    ],
  },
  run({ contexts, objects, metrics }) {
    for (const context of contexts) {
      // A Synchronization has a list of objects, an Event has one object.
      const seen: readonly ObjectAndFilterResult[] =
        context.type === 'Synchronization' ? context.objects : context.type === 'Event' ? [context] : []
      for (const { object } of seen) {
        if (object === undefined) continue
        const { name, namespace = 'default' } = object.metadata
        objects.mergePatch(
          { kind: 'ConfigMap', namespace, name },
          { metadata: { annotations: { greeting: \`hello \${name}\` } } },
          { ignoreMissingObject: true },
        )
      }
      console.log(\`greeted \${seen.length}\`)
      metrics.add('${metricName(name)}', 1)
    }
  },
})
`

/** For versions of Node.js that cannot load TypeScript. */
const javascript = (name: string) =>
  typescript(name)
    .replace(', type ObjectAndFilterResult', '')
    .replace(': readonly ObjectAndFilterResult[] =\n       ', ' =')

export const templates: Readonly<Record<Language, Template>> = {
  bash: { extension: '.sh', isProgram: true, text: bash },
  python: { extension: '.py', isProgram: true, text: python },
  ts:
    'typescript' in process.features && process.features.typescript
      ? { extension: '.ts', isProgram: false, text: typescript }
      : { extension: '.mjs', isProgram: false, text: javascript },
}

export const testCase = (name: string, file: string) => `# Run it with: carabiner hook test FOLDER
name: ${name} greets ConfigMaps with its label
hooks: [${file}]
given:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: old, namespace: default, labels: {hook: ${name}}}
  data: {a: "1"}
steps:
- expect:
    runs: [{binding: greeted, type: Synchronization}]
    objects:
    - kind: ConfigMap
      metadata: {name: old, namespace: default, annotations: {greeting: hello old}}
- create:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: new, namespace: default, labels: {hook: ${name}}}
    data: {a: "1"}
  expect:
    runs: [{binding: greeted, type: Event, event: Added, exit: 0}]
    logs: [greeted 1]
    patches:
    - {operation: MergePatch, kind: ConfigMap, name: new}
    metrics:
    - {name: ${metricName(name)}, value: 2}
# A change outside the result of jqFilter does not run the hook.
- update:
    kind: ConfigMap
    metadata: {name: new, namespace: default, annotations: {other: thing}}
  expect: {runs: []}
`

function metricName(name: string): string {
  return `${name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=[0-9])/, '_')}_greetings_total`
}
