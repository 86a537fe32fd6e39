/** The hooks of the addon-operator document, verbatim and in its layout. */
import { expect, it } from 'vitest'
import { twoSchedules } from './document-schedules.ts'
import { startScripts } from './script-operator.ts'
import { onCluster } from './suite.ts'

const events = `{
  "onKubernetesEvent": [
    {
      "name": "Trigger on labels changes of Pods with myLabel:myLabelValue in any namespace",
      "kind": "pod",
      "event": ["update"],
      "selector": {
        "matchLabels": {
          "myLabel": "myLabelValue"
        }
      },
      "namespaceSelector": {
        "any": true
      },
      "jqFilter": ".metadata.labels",
      "allowFailure": true
    }
  ]
}`

/** The documented forms with values filled in, including the commas before closing brackets. */
const everyField = (namespace: string) => `{
  "onKubernetesEvent": [
    {
      "name": "BINDING_NAME",
      "kind": "ConfigMap",
      "event": [ "add", "update", "delete" ],
      "selector": {
        "matchLabels": {
          "myLabel": "myLabelValue",
          "someKey": "someValue",
        },
        "matchExpressions": [
          {
            "key": "tier",
            "operation": "In",
            "values": ["cache"],
          },
        ],
      },
      "namespaceSelector": {
        "matchNames": ["${namespace}", "proj-production", "proj-stage"],
        "any": false,
      },
      "jqFilter": ".metadata.labels",
      "allowFailure": true,
      "disableDebug": true,
    },
  ]
}`

const schedules = `{
  "schedule": [
     {
      "name": "EVENT_NAME",
      "crontab": "*/10 * * * * *",
      "allowFailure": true,
    },
    {
      "crontab": "* 30 12 * * *",
      "allowFailure": false,
    },
  ]
}`

const kinds = [
  ...['namespace', 'cronjob', 'daemonset', 'deployment', 'job', 'pod', 'replicaset', 'replicationcontroller'],
  ...['statefulset', 'endpoints', 'ingress', 'service', 'configmap', 'secret', 'persistentvolumeclaim'],
  ...['storageclass', 'node', 'serviceaccount'],
]

/** In another language, as the document allows. */
const python = (name: string, config: string) => `#!/usr/bin/env python3
import json
import os
import sys

if len(sys.argv) > 1 and sys.argv[1] == "--config":
    print('''${config}''')
else:
    with open(os.environ["BINDING_CONTEXT_PATH"]) as context, open(os.environ["OUT"] + "/${name}", "a") as out:
        out.write(json.dumps(json.load(context)) + "\\n")
`

/** Stores its contexts with a library function, as in the document. */
const hook = (config: string) => `#!/bin/bash
if [ "$1" = "--config" ] ; then
cat <<EOF
${config}
EOF
else
source $WORKING_DIR/lib/functions.sh
keep $(basename $0)
fi
`

const library = `keep() {
  (jq -c . $BINDING_CONTEXT_PATH) >> $OUT/$1
}
`

onCluster('hooks of the document', (cluster) => {
  it('[addons B7, D2, E3, X2] run as printed', async () => {
    const namespace = await cluster.namespace()
    const pods = `/api/v1/namespaces/${namespace}/pods`
    await cluster.create(pods, {
      metadata: { name: 'web', labels: { myLabel: 'myLabelValue' } },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    })
    const scripts = {
      'global-hooks/events.sh': hook(events),
      'global-hooks/first/start.sh': hook('{"onStartup": 10}'),
      // Executed in virtual time elsewhere; here it is only loaded.
      'global-hooks/schedules.sh': hook(twoSchedules),
      'lib/functions.sh': library,
    }
    const operator = await startScripts(cluster.target, '--working-dir', scripts)
    try {
      await operator.until('the start', () => operator.contexts('start.sh').length === 1)
      const patch = { headers: { 'content-type': 'application/merge-patch+json' } }
      await cluster.call('PATCH', `${pods}/web`, { ...patch, body: { metadata: { annotations: { a: 'b' } } } })
      await cluster.call('PATCH', `${pods}/web`, { ...patch, body: { metadata: { labels: { more: 'x' } } } })
      await operator.until('the label', () => operator.contexts('events.sh').length > 0)
      expect(operator.contexts('start.sh')).toEqual([[{ binding: 'onStartup' }]])
      expect(operator.contexts('events.sh')).toEqual([
        [
          {
            binding: 'Trigger on labels changes of Pods with myLabel:myLabelValue in any namespace',
            resourceEvent: 'update',
            resourceNamespace: namespace,
            resourceKind: 'Pod',
            resourceName: 'web',
          },
        ],
      ])
    } finally {
      await operator.stop()
    }
  })

  it('[addons B6, B7, C4, D5, X2, X5] accept every field as printed, in any language', async () => {
    const namespace = await cluster.namespace()
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const operator = await startScripts(cluster.target, '--working-dir', {
      'global-hooks/fields.py': python('fields.py', everyField(namespace)),
      'global-hooks/schedules.py': python('schedules.py', schedules),
    })
    try {
      const labels = { myLabel: 'myLabelValue', someKey: 'someValue', tier: 'cache' }
      await cluster.create(maps, { metadata: { name: 'other', labels: { ...labels, tier: 'front' } } })
      await cluster.create(maps, { metadata: { name: 'one', labels } })
      const patch = { headers: { 'content-type': 'application/merge-patch+json' } }
      await cluster.call('PATCH', `${maps}/one`, { ...patch, body: { data: { a: 'b' } } })
      await cluster.call('PATCH', `${maps}/one`, { ...patch, body: { metadata: { labels: { more: 'x' } } } })
      await cluster.call('DELETE', `${maps}/one`)
      await operator.until('the end of the object', () => operator.contexts('fields.py').length === 3)
      const common = {
        binding: 'BINDING_NAME',
        resourceNamespace: namespace,
        resourceKind: 'ConfigMap',
        resourceName: 'one',
      }
      expect(operator.contexts('fields.py')).toEqual(
        ['add', 'update', 'delete'].map((resourceEvent) => [{ ...common, resourceEvent }]),
      )
      await operator.until('ten seconds', () => operator.contexts('schedules.py').length > 0)
      expect(operator.contexts('schedules.py')[0]).toEqual([{ binding: 'EVENT_NAME' }])
    } finally {
      await operator.stop()
    }
  })

  it('[addons B7] watch all eighteen kinds', async () => {
    const namespace = await cluster.namespace()
    const config = JSON.stringify({
      onKubernetesEvent: kinds.map((kind) => ({ name: kind, kind, event: ['add'] })),
    })
    const scripts = { 'global-hooks/kinds.sh': hook(config), 'lib/functions.sh': library }
    const operator = await startScripts(cluster.target, '--working-dir', scripts)
    try {
      expect(operator.outputLines.filter((line) => line.includes('does not serve this kind'))).toEqual([])
      const [core, apps] = [`/api/v1/namespaces/${namespace}`, `/apis/apps/v1/namespaces/${namespace}`]
      const pod = { containers: [{ name: 'main', image: 'example/app:1' }] }
      const template = { metadata: { labels: { app: 'a' } }, spec: pod }
      await cluster.create(`${core}/services`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } })
      await cluster.create(`${core}/secrets`, { metadata: { name: 'a' } })
      await cluster.create(`${core}/serviceaccounts`, { metadata: { name: 'a' } })
      await cluster.create(`${apps}/deployments`, {
        metadata: { name: 'a' },
        spec: { replicas: 1, selector: { matchLabels: { app: 'a' } }, template },
      })
      const seen = () => {
        const own = operator.contexts('kinds.sh').filter(([context]) => context?.['resourceNamespace'] === namespace)
        return new Set(own.map(([context]) => context?.['binding']))
      }
      const expected = ['deployment', 'pod', 'replicaset', 'secret', 'service', 'serviceaccount']
      await operator.until('six of them', () => expected.every((kind) => seen().has(kind)))
    } finally {
      await operator.stop()
    }
  })
})
