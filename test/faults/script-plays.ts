/**
 * Scripted hooks for operators that crash: they copy the objects of their contexts, which shows lost events, and record them, which shows
 * their order.
 */
import type { KubeObject } from '../../src/kube/index.ts'
import type { ProcessScript, ScriptedProcess } from '../../src/runtime/simulated/index.ts'

export type ConfigMap = KubeObject & { data?: Record<string, string> }

/** A moment at which the operator may crash; never resolves if it does. */
export type Moment = (what: string) => Promise<void>

interface Element {
  readonly type?: string
  readonly watchEvent?: string
  readonly object?: ConfigMap
  readonly objects?: readonly { readonly object: ConfigMap }[]
  readonly snapshots?: Readonly<Record<string, readonly { readonly object: ConfigMap }[]>>
}

export const where = { namespace: 'default' }
export const app = { app: 'test' }

/** All objects of the users. */
const names = ['a', 'b', 'c', 'd']

export const copiers = ['copy', 'again'] as const

/** The values hooks got of each object, in order, by hook and object. */
export type ReceivedValues = Record<string, number[]>

export function plays(moment: Moment, received: ReceivedValues): Readonly<Record<string, ProcessScript>> {
  let attempts = 0
  return {
    'start.sh': play({ onStartup: 1 }, moment, async () => [
      { operation: 'CreateOrUpdate', object: mapOf('started', '1') },
    ]),
    'copy.sh': play(watching({}), moment, async (contexts) => contexts.flatMap((one) => copy('copy', one, received))),
    // In its own queue; every third run fails and is retried with the same contexts.
    'again.sh': play(watching({ queue: 'own' }), moment, async (contexts) =>
      ++attempts % 3 === 0 ? undefined : contexts.flatMap((one) => copy('again', one, received)),
    ),
    'group.sh': play(watching({ group: 'all', queue: 'group' }), moment, async (contexts) => {
      const seen = contexts.at(-1)?.snapshots?.['maps'] ?? []
      const summary = Object.fromEntries(seen.map(({ object }) => [object.metadata.name, object.data?.['n']]))
      return [{ operation: 'CreateOrUpdate', object: mapOf('summary', JSON.stringify(summary)) }]
    }),
  }
}

function watching(more: object): object {
  return {
    kubernetes: [{ name: 'maps', kind: 'ConfigMap', labelSelector: { matchLabels: app }, jqFilter: '.data', ...more }],
  }
}

/** `ask` returns the operations of the hook; undefined fails the run. */
function play(
  config: object,
  moment: Moment,
  ask: (contexts: readonly Element[]) => Promise<readonly object[] | undefined>,
): ProcessScript {
  return async (process) => {
    if (process.spec.args?.[0] === '--config') {
      process.print(JSON.stringify({ configVersion: 'v1', ...config }))
      return 0
    }
    await moment('run: begins')
    const operations = await ask(await contextsOf(process))
    await process.runtime.clock.sleep(900)
    if (operations === undefined) return 1
    await moment('metric: before')
    await leave(process, 'METRICS_PATH', [{ name: 'copies_total', action: 'add', value: 1 }])
    await moment('metric: after')
    await leave(process, 'KUBERNETES_PATCH_PATH', operations)
    await moment('run: ends')
    return 0
  }
}

async function contextsOf({ spec, runtime: { files } }: ScriptedProcess): Promise<readonly Element[]> {
  return JSON.parse(await files.readText(spec.env['BINDING_CONTEXT_PATH'] ?? '')) as Element[]
}

async function leave({ spec, runtime: { files } }: ScriptedProcess, file: string, lines: readonly object[]) {
  await files.write(spec.env[file] ?? '', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** A Synchronization contains all objects, so copies of missing ones are deleted. */
function copy(
  hook: string,
  { type, watchEvent, object, objects = [] }: Element,
  received: ReceivedValues,
): readonly object[] {
  const copied = ({ metadata: { name }, data }: ConfigMap): object => {
    received[`${hook} ${name}`] = [...(received[`${hook} ${name}`] ?? []), Number(data?.['n'])]
    return { operation: 'CreateOrUpdate', object: mapOf(`${hook}-${name}`, data?.['n'] ?? '') }
  }
  const removal = (name: string) => ({
    operation: 'DeleteInBackground',
    kind: 'ConfigMap',
    name: `${hook}-${name}`,
    ...where,
  })
  if (type === 'Synchronization') {
    const there = new Set(objects.map((one) => one.object.metadata.name))
    const gone = names.filter((name) => !there.has(name))
    return [...objects.map((one) => copied(one.object)), ...gone.map(removal)]
  }
  if (object === undefined) return []
  return [watchEvent === 'Deleted' ? removal(object.metadata.name) : copied(object)]
}

function mapOf(name: string, n: string): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...where }, data: { n } }
}
