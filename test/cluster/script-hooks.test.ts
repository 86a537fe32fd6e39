/** Folders of real scripts against a cluster: discovery, configuration, contexts and object patches. */
import { expect, it } from 'vitest'
import { definitions } from './definitions.ts'
import { pollUntil } from './poll-until.ts'
import { type BindingContext, keeping, type ScriptOperator, startScripts } from './script-operator.ts'
import { type Cluster, onCluster } from './suite.ts'
import { conditionOf } from './workloads.ts'

const merge = { headers: { 'content-type': 'application/merge-patch+json' } }

async function withScripts(
  cluster: Cluster,
  flag: '--hooks-dir' | '--working-dir',
  scripts: Readonly<Record<string, string>>,
  act: (operator: ScriptOperator) => Promise<void>,
): Promise<void> {
  const operator = await startScripts(cluster.target, flag, scripts)
  try {
    await act(operator)
  } finally {
    await operator.stop()
  }
}

const inNamespace = (namespace: string) => ({ namespace: { nameSelector: { matchNames: [namespace] } } })
const label = { labelSelector: { matchLabels: { app: 'test' } } }
const configMap = (name: string, data: object) => ({ metadata: { name, labels: { app: 'test' } }, data })
const types = (contexts: readonly (readonly BindingContext[])[]) =>
  contexts.flat().map(({ type, watchEvent, binding }) => watchEvent ?? type ?? binding)

onCluster('script hooks', (cluster) => {
  it('[addons N1, W14, R9, O2] receive objects in order and patch them', async () => {
    const namespace = await cluster.namespace()
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    await cluster.create(maps, configMap('one', { a: '1' }))
    const copy = `
printf '{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"seen","namespace":"${namespace}"},"data":{"runs":"%s"}}}' \\
  "$(wc -l < "$OUT/a.sh")" > "$KUBERNETES_PATCH_PATH"
echo '{"name":"suite_runs_total","action":"add","value":1}' > "$METRICS_PATH"
`
    const binding = { name: 'maps', kind: 'configmap', jqFilter: '.data', ...label, ...inNamespace(namespace) }
    const config = { configVersion: 'v1', onStartup: 1, kubernetes: [binding] }
    await withScripts(cluster, '--hooks-dir', { 'a.sh': keeping(config, copy) }, async ({ contexts, until, get }) => {
      await until('the list', () => contexts('a.sh').length === 2)
      await cluster.create(maps, configMap('two', { b: '1' }))
      await until('an added object', () => contexts('a.sh').length === 3)
      await cluster.call('PATCH', `${maps}/two`, { body: { metadata: { labels: { more: 'x' } } }, ...merge })
      await cluster.call('PATCH', `${maps}/two`, { body: { data: { b: '2' } }, ...merge })
      await until('a changed object', () => contexts('a.sh').length === 4)
      await cluster.call('DELETE', `${maps}/two`)
      await until('a deleted object', () => contexts('a.sh').length === 5)
      const received = contexts('a.sh')
      expect(types(received)).toEqual(['onStartup', 'Synchronization', 'Added', 'Modified', 'Deleted'])
      expect(received[1]?.[0]?.['objects']).toMatchObject([
        { filterResult: { a: '1' }, object: { metadata: { name: 'one' } } },
      ])
      expect(received[3]?.[0]).toMatchObject({
        filterResult: { b: '2' },
        object: { kind: 'ConfigMap', apiVersion: 'v1' },
      })
      await cluster.until(`${maps}/seen`, ({ data }) => data?.['runs'] === '5')
      expect(await get('/metrics/hooks')).toContain('suite_runs_total{hook="a.sh"} 5')
      expect(await get('/metrics')).toContain('shell_operator_hook_run_success_total')
      // A run ends a moment after its patches are applied.
      await pollUntil(
        'the end of the run',
        () => get('/queue'),
        (text) => text === 'All queues are empty.\n',
      )
    })
  })

  it('[addons B7, X2, X5] below a working directory receive one context per run and share a library', async () => {
    const namespace = await cluster.namespace()
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const events = {
      onKubernetesEvent: [
        {
          name: 'Trigger on labels changes',
          kind: 'configmap',
          event: ['update'],
          selector: { matchLabels: { myLabel: 'myLabelValue' } },
          namespaceSelector: { matchNames: [namespace] },
          jqFilter: '.metadata.labels',
          allowFailure: true,
        },
      ],
    }
    const schedule = `{"schedule": [{"name": "each second", "crontab": "* * * * * *", "allowFailure": true}]}`
    const scripts = {
      'global-hooks/001-labels/hook.sh': keeping(events),
      'global-hooks/002-time.sh': keeping(schedule),
      'global-hooks/003-start.sh': keeping(
        '{"onStartup": 10}',
        'source "$WORKING_DIR/lib/functions.sh"; say "$WORKING_DIR"',
      ),
      'lib/functions.sh': 'say() { echo "lib says $1"; }\n',
    }
    await withScripts(cluster, '--working-dir', scripts, async ({ contexts, until, outputLines, get }) => {
      const metadata = { name: 'm', labels: { myLabel: 'myLabelValue' } }
      await cluster.create(maps, { metadata })
      const path = `${maps}/m`
      await cluster.call('PATCH', path, { body: { data: { a: '1' } }, ...merge })
      await cluster.call('PATCH', path, { body: { metadata: { labels: { more: 'x' } } }, ...merge })
      await until('a changed label', () => contexts('hook.sh').length > 0)
      expect(contexts('hook.sh')).toEqual([
        [
          {
            binding: 'Trigger on labels changes',
            resourceEvent: 'update',
            resourceNamespace: namespace,
            resourceKind: 'ConfigMap',
            resourceName: 'm',
          },
        ],
      ])
      await until('the clock', () => contexts('002-time.sh').length > 1)
      expect(contexts('002-time.sh')[0]).toEqual([{ binding: 'each second' }])
      expect(contexts('003-start.sh')).toEqual([[{ binding: 'onStartup' }]])
      expect(outputLines.some((line) => line.includes('lib says /'))).toBe(true)
      expect(await get('/metrics')).toContain('addon_operator_hook_run_success_total')
    })
  })

  it('can be functions and use the bash framework', async () => {
    const scripts = {
      'a.mjs': `import { defineHook } from 'carabiner/script-hooks'
import { appendFileSync } from 'node:fs'
export default defineHook({
  config: { configVersion: 'v1', onStartup: 1, kubernetes: [{ name: 'nodes', kind: 'node' }] },
  run: async ({ contexts }) => appendFileSync(process.env.OUT + '/a.mjs', JSON.stringify(contexts) + '\\n'),
})
`,
      'b.sh': `#!/usr/bin/env bash
source $FRAMEWORK_DIR/shell_lib.sh
__config__() { echo '{"configVersion":"v1","onStartup":2}'; }
__on_startup() { (cat "$BINDING_CONTEXT_PATH"; echo) >> "$OUT/b.sh"; }
hook::run "$@"
`,
    }
    await withScripts(cluster, '--hooks-dir', scripts, async ({ contexts, until }) => {
      await until('the function', () => contexts('a.mjs').length === 2)
      expect(types(contexts('a.mjs'))).toEqual(['onStartup', 'Synchronization'])
      await until('the framework', () => contexts('b.sh').length === 1)
    })
  })

  it('[addons C5] that cannot be loaded stop the operator, also functions', async () => {
    const scripts = {
      'a.mjs': `import { defineHook } from 'carabiner/script-hooks'\nexport default defineHook({ config: { onStartup: 'soon' } })\n`,
      'b.sh': '#!/bin/sh\nexit 3\n',
      'c.sh': keeping({ configVersion: 'v1', onStartup: 1 }),
    }
    await expect(startScripts(cluster.target, '--hooks-dir', scripts)).rejects.toThrow(
      /the operator ended with 1[\s\S]*CRB_HOOK_INVALID: 2 of 3 hooks are invalid:\n {2}a\.mjs: onStartup: must be a whole number, not "soon"\n {2}b\.sh: --config exited with code 3/,
    )
  })

  it('[addons W13] follow the labels of namespaces', async () => {
    const [one, two] = [await cluster.namespace(), await cluster.namespace()]
    const set = (namespace: string, team: string | null) =>
      cluster.call('PATCH', `/api/v1/namespaces/${namespace}`, {
        body: { metadata: { labels: { [one]: team } } },
        ...merge,
      })
    await set(one, 'a')
    for (const namespace of [one, two])
      await cluster.create(`/api/v1/namespaces/${namespace}/configmaps`, configMap('m', { in: namespace }))
    const namespace = { labelSelector: { matchLabels: { [one]: 'a' } } }
    const config = {
      configVersion: 'v1',
      kubernetes: [{ name: 'maps', kind: 'ConfigMap', jqFilter: '.data.in', ...label, namespace }],
    }
    await withScripts(cluster, '--hooks-dir', { 'a.sh': keeping(config) }, async ({ contexts, until }) => {
      await until('the list', () => contexts('a.sh').length === 1)
      await set(two, 'a')
      await until('a namespace that came', () => contexts('a.sh').length === 2)
      await set(one, null)
      await until('a namespace that left', () => contexts('a.sh').length === 3)
      const received = contexts('a.sh').flat()
      expect(received[0]?.['objects']).toMatchObject([{ filterResult: one }])
      expect(received[1]).toMatchObject({ watchEvent: 'Added', filterResult: two })
      expect(received[2]).toMatchObject({ watchEvent: 'Deleted', filterResult: one })
    })
  })

  it('[addons N10] wait for a missing kind without blocking other hooks', async () => {
    const namespace = await cluster.namespace()
    const plural = `widgets${process.pid}`
    const definition = `${definitions}/${plural}.suite.example`
    const define = async () => {
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
      await cluster.create(definitions, {
        metadata: { name: `${plural}.suite.example` },
        spec: {
          group: 'suite.example',
          scope: 'Namespaced',
          names: { plural, kind: `Widget${process.pid}` },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      })
    }
    /** An established definition is served with a delay. */
    const put = async (name: string) => {
      await cluster.until(definition, (found) => conditionOf(found, 'Established')?.status === 'True')
      const body = { apiVersion: 'suite.example/v1', kind: `Widget${process.pid}`, metadata: { name } }
      await pollUntil(
        `${plural} that are served`,
        () => cluster.call('POST', `/apis/suite.example/v1/namespaces/${namespace}/${plural}`, { body }),
        ({ status }) => status === 201,
      )
    }
    const late = {
      configVersion: 'v1',
      kubernetes: [{ name: 'widgets', kind: plural, jqFilter: '.metadata.name', ...inNamespace(namespace) }],
    }
    const scripts = {
      'a.sh': keeping(late),
      'b.sh': keeping({ configVersion: 'v1', onStartup: 1, kubernetes: [{ kind: 'node' }] }),
    }
    await withScripts(cluster, '--hooks-dir', scripts, async ({ contexts, until }) => {
      await until('the other hook', () => contexts('b.sh').length === 2)
      expect(contexts('a.sh')).toEqual([])
      await define()
      await until('the kind', () => contexts('a.sh').length === 1)
      await put('first')
      await until('an object of the kind', () => contexts('a.sh').length === 2)
      await cluster.call('DELETE', definition)
      await until('the end of the kind', () => contexts('a.sh').length === 3)
      await cluster.untilGone(definition)
      await define()
      await put('second')
      await until('the kind that came back', () => contexts('a.sh').length === 4)
      expect(types(contexts('a.sh'))).toEqual(['Synchronization', 'Added', 'Deleted', 'Added'])
      expect(
        contexts('a.sh')
          .flat()
          .slice(1)
          .map(({ filterResult }) => filterResult),
      ).toEqual(['first', 'first', 'second'])
    })
    await cluster.call('DELETE', definition)
  })

  it('[addons Q3, Q5] are retried until they succeed, unless failure is allowed', async () => {
    const stubborn = keeping(
      '{"onStartup": 1}',
      '[[ $(wc -l < "$OUT/a.sh") -ge 2 ]] || { echo "not yet" >&2; exit 3; }',
    )
    const loose = keeping(
      '{"configVersion":"v1","schedule":[{"name":"often","crontab":"* * * * * *","allowFailure":true}]}',
      'exit 1',
    )
    await withScripts(cluster, '--hooks-dir', { 'a.sh': stubborn, 'b.sh': loose }, async (operator) => {
      const { contexts, until, get, stdoutLines } = operator
      await until('a failure that was let go', () => contexts('b.sh').length > 0)
      expect(contexts('a.sh')).toEqual([[{ binding: 'onStartup' }], [{ binding: 'onStartup' }]])
      const metrics = await get('/metrics')
      expect(metrics).toContain('shell_operator_hook_errors{hook="a.sh"} 1')
      expect(stdoutLines.some((line) => line.includes('hook failed') && line.includes('not yet'))).toBe(true)
      await until('the count', () => contexts('b.sh').length > 1)
      expect(await get('/metrics')).toContain('shell_operator_hook_allowed_errors{hook="b.sh"}')
    })
  })
})
