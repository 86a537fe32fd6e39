/** The validation of the gate: forbidden changes are refused with a helpful message, and ineffective changes get a warning. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { optInLabel } from '../../src/rollouts/labels.ts'
import { rolloutPolicyDefinition } from '../../src/rollouts/policy/definition.ts'
import { definitions, untilServed } from './definitions.ts'
import { asEngine, type InstalledGate, installGate } from './gate.ts'
import { pollUntil } from './poll-until.ts'
import { kubectl, kubectlOk, kubectlPath } from './programs.ts'
import { onCluster } from './suite.ts'
import { daemonSet, deployment, mergePatch, podTemplate, statefulSet } from './workloads.ts'

const registrations = '/apis/admissionregistration.k8s.io/v1'

onCluster('the second look of the gate', (cluster) => {
  let gate: InstalledGate
  beforeAll(async () => {
    gate = await installGate(cluster)
  })
  afterAll(() => gate?.remove())

  const patch = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    cluster.call('PATCH', path, { headers: { ...mergePatch, ...headers }, body })
  const image = (version: number) => ({ spec: { template: podTemplate('web', `example/app:${version}`) } })

  async function optedIn(resource: string, object: { metadata: object }) {
    const ns = await cluster.namespace()
    const collection = `/apis/apps/v1/namespaces/${ns}/${resource}`
    await cluster.create(collection, object)
    const path = `${collection}/web`
    await patch(path, { metadata: { labels: { [optInLabel]: 'shop' } } }, asEngine)
    return { ns, path }
  }

  it('only refers to fields that exist in each workload kind', async (context) => {
    if (gate.kind !== 'policies') context.skip('the API server has no admission policies')
    const { body } = await cluster.call('GET', `${registrations}/validatingadmissionpolicies`)
    for (const { metadata } of body.items ?? []) {
      const path = `${registrations}/validatingadmissionpolicies/${metadata.name}`
      const checked = await cluster.until(
        path,
        ({ status }) => status !== undefined && 'typeChecking' in (status as object),
      )
      expect([metadata.name, checked.status]).toEqual([metadata.name, { observedGeneration: 1, typeChecking: {} }])
    }
  })

  it('refuses a forged hold label', async () => {
    const { ns, path } = await optedIn('deployments', deployment('web', 0))
    const { status, body } = await patch(path, { metadata: { labels: { 'carabiner.dev/hold': 'step' } } })
    expect(status).toBe(403)
    expect(body.message).toContain(
      `label carabiner.dev/hold of Deployment ${ns}/web is set by the gate alone; leave it out`,
    )
  })

  it('accepts writes of the engine and the release label', async () => {
    const { path } = await optedIn('deployments', deployment('web', 0))
    await patch(path, image(2))
    const open = { metadata: { labels: { 'carabiner.dev/hold': null } }, spec: { paused: false } }
    expect((await patch(path, open, asEngine)).status).toBe(200)
    await patch(path, image(3))
    const release = { metadata: { labels: { 'carabiner.dev/release': 'true' } } }
    expect((await patch(path, release)).status).toBe(200)
    expect((await patch(path, open)).body.spec['paused'] ?? false).toBe(false)
  })

  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    it('warns a client that resumes a held Deployment, with the reason and a remedy', async () => {
      const { ns, path } = await optedIn('deployments', deployment('web', 0))
      await patch(path, image(2))
      const resume = () => kubectl(cluster.target, ['-n', ns, 'rollout', 'resume', 'deployment/web'])
      const { code, stderr } = await pollUntil('a warning', resume, (ran) => ran.stderr !== '')
      expect(code).toBe(0)
      expect(stderr).toContain(`Deployment ${ns}/web is held by RolloutPolicy shop until its hooks have passed`)
      expect(stderr).toContain(`carabiner rollout status -n ${ns} shop`)
      expect(stderr).toContain(`kubectl label -n ${ns} deployment/web carabiner.dev/release=true`)
      expect((await cluster.call('GET', path)).body.spec['paused']).toBe(true)
    })

    it('[rollouts W28] warns of a policy that has a field under its previous name', async (context) => {
      if (gate.kind !== 'policies') context.skip('the API server has no admission policies')
      const { name } = rolloutPolicyDefinition.metadata
      await cluster.call('PATCH', `${definitions}/${name}?fieldManager=suite&force=true`, {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: rolloutPolicyDefinition,
      })
      await untilServed(cluster, name)
      const ns = await cluster.namespace()
      const hook = {
        name: 'look',
        trigger: { progressAvailableParams: { progressPoint: 0 } },
        approval: {},
        on: ['ROLLBACK'],
      }
      const policy = {
        ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'web' } },
        spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, lifecycleHooks: [hook] },
      }
      await kubectlOk(cluster.target, ['-n', ns, 'apply', '-f', '-'], JSON.stringify(policy))
      let turn = 0
      const again = () => kubectl(cluster.target, ['-n', ns, 'annotate', 'rop/web', '--overwrite', `at=${turn++}`])
      const { stderr } = await pollUntil('a warning', again, (ran) => ran.stderr !== '')
      expect(stderr).toContain('spec.lifecycleHooks: on is deprecated, write rolloutTypes instead; hooks: look')
    })

    it('does not warn about a template change', async () => {
      const { ns } = await optedIn('deployments', deployment('web', 0))
      const { stderr } = await kubectl(cluster.target, [
        '-n',
        ns,
        'set',
        'image',
        'deployment/web',
        'main=example/app:2',
      ])
      expect(stderr).toBe('')
    })
  })

  describe('when mutation is removed', () => {
    const held: Record<string, { path: string }> = {}
    beforeAll(async () => {
      held['Deployment'] = await optedIn('deployments', deployment('web', 0))
      held['StatefulSet'] = await optedIn('statefulsets', statefulSet('web', 0))
      held['DaemonSet'] = await optedIn('daemonsets', daemonSet('web'))
      for (const { path } of Object.values(held)) await patch(path, image(2))
      const fresh = await optedIn('deployments', deployment('web', 0))
      for (const resource of ['mutatingadmissionpolicybindings', 'mutatingwebhookconfigurations']) {
        const { body } = await cluster.call('GET', `${registrations}/${resource}`)
        // Delete the policies that pin fields before those that hold: a server that observed the last deletion observed
        // all.
        for (const { metadata } of (body.items ?? []).toReversed())
          await cluster.call('DELETE', `${registrations}/${resource}/${metadata.name}`)
      }
      // API servers observe the deletion with a delay; then a change is no longer held and therefore refused.
      const open = { metadata: { labels: { 'carabiner.dev/hold': null } }, spec: { paused: false } }
      const { body } = await pollUntil(
        'a refusal',
        async (turn) => {
          await patch(fresh.path, open, asEngine)
          return patch(fresh.path, image(turn + 3))
        },
        ({ status }) => status === 403,
      )
      expect(body.message).toContain('did not close: something else in admission changes it back')
    })

    it.each([
      ['Deployment', { paused: false }],
      ['StatefulSet', { updateStrategy: { rollingUpdate: { partition: 0 } } }],
      ['DaemonSet', { updateStrategy: { type: 'RollingUpdate' } }],
    ])('refuses to release a %s', async (kind, spec) => {
      const path = held[kind]?.path ?? ''
      const opened = await patch(path, { spec })
      expect([opened.status, opened.body.message]).toEqual([
        403,
        expect.stringMatching(
          new RegExp(
            `${kind} [^ ]+/web is held by RolloutPolicy shop, and only the operator opens it; see: carabiner rollout status`,
          ),
        ),
      ])
      expect((await patch(path, { metadata: { labels: { 'carabiner.dev/hold': null } } })).status).toBe(403)
      expect((await patch(path, { metadata: { annotations: { a: 'b' } } })).status).toBe(200)
      expect((await patch(`${path}/scale`, { spec: { replicas: 0 } })).status).toBe(kind === 'DaemonSet' ? 404 : 200)
      const release = { metadata: { labels: { 'carabiner.dev/release': 'true' } }, spec }
      expect((await patch(path, release)).status).toBe(200)
    })
  })
})
