/** The hooks of the document, typed in as they are printed there, in its layout. */
import { expect, it } from 'vitest'
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

/** Keeps its contexts through a function of a library, as the document shows it. */
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
  it('[addons B7, D2, E3, X2] run as they are printed', async () => {
    const namespace = await cluster.namespace()
    const pods = `/api/v1/namespaces/${namespace}/pods`
    await cluster.create(pods, {
      metadata: { name: 'web', labels: { myLabel: 'myLabelValue' } },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    })
    const scripts = {
      'global-hooks/events.sh': hook(events),
      'global-hooks/first/start.sh': hook('{"onStartup": 10}'),
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
})
