/**
 * The deployer contract against the cluster under test: validation of the landscaper's resources, and complete
 * lifecycles of items and executions with a test deployer.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Deployer, defineDeployer } from '../../src/deployers/index.ts'
import { isFinal, itemsOf, startDeployers, statusOf } from './deployers.ts'
import { kubectlOk } from './programs.ts'
import { onCluster } from './suite.ts'
import { mergePatch } from './workloads.ts'

const type = 'example.com/acceptance'
const operation = 'landscaper.gardener.cloud/operation'
const finalizer = 'finalizer.landscaper.gardener.cloud'
const executionsOf = (ns: string) => `/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/executions`
const config = { apiVersion: 'example.com/v1', kind: 'Configuration', size: 3 }

/** Records its calls; waits when its configuration asks for it. */
function recorder(acts: string[]): Deployer {
  return defineDeployer({
    type,
    name: 'acceptance',
    async reconcile({ deployItem, exports, setProviderStatus, config: given }) {
      const { name, namespace } = deployItem.metadata
      acts.push(`+${namespace}/${name}`)
      setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', done: true })
      if (given?.['wait'] === true) return { unfinished: true, requeueAfterMs: 200 }
      await exports({ name })
      return undefined
    },
    delete: ({ deployItem }) => void acts.push(`-${deployItem.metadata.namespace}/${deployItem.metadata.name}`),
  })
}

onCluster('deployers', (cluster) => {
  const acts: string[] = []
  let stop = async () => {}
  beforeAll(async () => {
    stop = await startDeployers(cluster, () => [recorder(acts)])
  })
  afterAll(() => stop())

  const item = (name: string, spec: object = {}, metadata: object = {}) => ({
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'DeployItem',
    metadata: { name, ...metadata },
    spec: { type, config, ...spec },
  })
  const execution = (deployItems: readonly object[]) => ({
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'Execution',
    metadata: { name: 'all' },
    spec: { deployItems },
  })
  const annotate = (path: string, value: string | null) =>
    cluster.call('PATCH', path, { headers: mergePatch, body: { metadata: { annotations: { [operation]: value } } } })

  it('[deployers A2 F1 F2 F3 W6 W9] runs an item from creation to deletion', async () => {
    const ns = await cluster.namespace()
    await cluster.create(itemsOf(ns), item('one'))
    const done = await cluster.until(`${itemsOf(ns)}/one`, isFinal)
    expect(done.status).toMatchObject({
      phase: 'Succeeded',
      observedGeneration: 1,
      deployer: { identity: 'acceptance', name: 'acceptance' },
      providerStatus: { kind: 'ProviderStatus', done: true },
      exportRef: { name: 'one-export', namespace: ns },
    })
    expect(done.metadata.finalizers).toEqual([finalizer])
    await cluster.call('DELETE', `${itemsOf(ns)}/one`)
    await cluster.untilGone(`${itemsOf(ns)}/one`)
    expect(acts.filter((act) => act.includes(ns))).toEqual([`+${ns}/one`, `-${ns}/one`])
  })

  it('[deployers A1 A4 A7] runs again on request and on change, and the deletion increases the generation', async () => {
    const ns = await cluster.namespace()
    const path = `${itemsOf(ns)}/two`
    await cluster.create(itemsOf(ns), item('two', {}, { finalizers: ['example.com/hold'] }))
    await cluster.until(path, isFinal)
    await annotate(path, 'reconcile')
    await cluster.until(path, (found) => found.metadata.annotations?.[operation] === undefined && isFinal(found))
    await cluster.call('PATCH', path, { headers: mergePatch, body: { spec: { timeout: '9m' } } })
    await cluster.until(path, (found) => statusOf(found).observedGeneration === 2 && isFinal(found))
    await cluster.call('DELETE', path)
    const held = await cluster.until(path, (found) => statusOf(found).observedGeneration === 3 && isFinal(found))
    expect(held.metadata.finalizers).toEqual(['example.com/hold'])
    await cluster.call('PATCH', path, { headers: mergePatch, body: { metadata: { finalizers: null } } })
    await cluster.untilGone(path)
    expect(acts.filter((act) => act.includes(ns))).toEqual([`+${ns}/two`, `+${ns}/two`, `+${ns}/two`, `-${ns}/two`])
  })

  it('[deployers N2 T4] aborts an item on request and after its timeout', async () => {
    const ns = await cluster.namespace()
    const path = `${itemsOf(ns)}/slow`
    await cluster.create(itemsOf(ns), item('slow', { config: { ...config, wait: true } }))
    await cluster.until(path, (found) => statusOf(found).phase === 'Progressing')
    await annotate(path, 'abort')
    const over = await cluster.until(
      path,
      (found) => isFinal(found) && found.metadata.annotations?.[operation] === undefined,
    )
    expect(statusOf(over).lastError?.message).toBe('the deployer stopped because an abort was requested')
    await cluster.create(itemsOf(ns), item('late', { timeout: '2s', config: { ...config, wait: true } }))
    const late = await cluster.until(`${itemsOf(ns)}/late`, isFinal)
    expect(statusOf(late).phase).toBe('Failed')
  })

  it('[deployers P6] runs an execution and deletes it in reverse', async () => {
    const ns = await cluster.namespace()
    const template = (name: string, ...dependsOn: string[]) => ({
      name,
      type,
      config,
      ...(dependsOn.length > 0 ? { dependsOn } : {}),
    })
    await cluster.create(executionsOf(ns), execution([template('app', 'db'), template('db')]))
    const done = await cluster.until(`${executionsOf(ns)}/all`, (found) => statusOf(found).phase === 'Succeeded')
    expect(statusOf(done).exportRef?.name).toBe('all-export')
    await cluster.call('DELETE', `${executionsOf(ns)}/all`)
    await cluster.untilGone(`${executionsOf(ns)}/all`)
    const order = acts.filter((act) => act.includes(ns)).map((act) => act.replace(/^(.).*all-(\w+)-\w+$/, '$1$2'))
    expect(order).toEqual(['+db', '+app', '-app', '-db'])
  })

  it('refuses invalid objects by the rules of the definitions', async () => {
    const ns = await cluster.namespace()
    const refused = async (path: string, body: object) => (await cluster.call('POST', path, { body })).body.message
    expect(await refused(itemsOf(ns), item('a', { type: '' }))).toContain('spec.type')
    expect(await refused(itemsOf(ns), item('a', { timeout: 'soon' }))).toContain('spec.timeout')
    expect(await refused(itemsOf(ns), item('a', { config: { size: 3 } }))).toContain('spec.config.apiVersion')
    const twice = { name: 'a', type, config }
    expect(await refused(executionsOf(ns), execution([twice, twice]))).toContain('Duplicate value')
    expect(await refused(executionsOf(ns), execution([{ ...twice, dependsOn: ['a'] }]))).toContain(
      'an item cannot depend on itself',
    )
    await cluster.create(itemsOf(ns), item('a', { type: 'example.com/other', timeout: 'none' }))
    const changed = await cluster.call('PATCH', `${itemsOf(ns)}/a`, { headers: mergePatch, body: { spec: { type } } })
    expect(changed.status).toBe(422)
    expect(changed.body.message).toContain('type is immutable')
  })

  it('has printer columns and creates a Context in every namespace', async () => {
    const ns = await cluster.namespace()
    await cluster.create(itemsOf(ns), item('one'))
    await cluster.until(`${itemsOf(ns)}/one`, isFinal)
    await cluster.until(`/apis/landscaper.gardener.cloud/v1alpha1/namespaces/${ns}/contexts/default`, () => true)
    const stdout = await kubectlOk(cluster.target, ['get', 'di,ctx', '-n', ns])
    expect(stdout).toMatch(/NAME\s+TYPE\s+PHASE\s+EXPORTREF\s+AGE/)
    expect(stdout).toMatch(/one\s+example\.com\/acceptance\s+Succeeded\s+one-export/)
    expect(stdout).toContain('context.landscaper.gardener.cloud/default')
  })
})
