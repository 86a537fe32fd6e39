import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { templateHash } from '../../rollouts/engine/template-hash.ts'
import type { Ledger, PolicyCondition, RolloutPolicy } from '../../rollouts/policy/types.ts'
import type { Workload } from '../../rollouts/policy/workload.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { list } from '../terminal/listing.ts'
import { historyListing } from './history.ts'
import { command } from './index.ts'
import { outcomeOf } from './outcome.ts'
import { statusText } from './status.ts'

const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web:1}]}
---
apiVersion: carabiner.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: web}
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  lifecycleHooks:
    - name: smoke
      trigger: {progressAvailableParams: {progressPoint: 50%}}
      execNewPod: {containerName: main, command: [smoke]}
`

async function run(...args: readonly string[]): Promise<string> {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const { context, written } = recordedContext(runtime)
  await simulation.run(async () => {
    await runtime.files.write('/web.yaml', manifest)
    await runtime.files.write('/on.yaml', `${manifest}      on: [ROLLOUT]\n`)
    await runtime.files.write('/typo.yaml', manifest.replace('lifecycleHooks', 'lifecycleHook'))
    await runtime.files.write('/bare.yaml', manifest.replace('spec: {containers', 'spec: {container'))
    await command(context)
      .exitOverride()
      .parseAsync([...args], { from: 'user' })
  })
  return written()
}

describe('carabiner rollout plan', () => {
  it('needs no cluster for files', async () => {
    const text = await run('plan', '-f', '/web.yaml')
    expect(text).toContain(
      'Deployment web, policy default/web, ROLLOUT: 4 pods, at most 1 more and 1 fewer at any time\n',
    )
    expect(text).toContain('  1. the template changes; the gate closes (spec.paused: true)\n')
    expect(text).toContain('  3. at 50%, 2 of 4 new pods: smoke (pod, on failure abort)\n')
  })

  it('plans for other numbers of pods', async () => {
    const plans: unknown = JSON.parse(await run('plan', '-f', '/web.yaml', '--replicas', '7', '-o', 'json'))
    expect(plans).toMatchObject([{ replicas: 7, steps: [{}, {}, { point: '50%', pods: 4 }, {}] }])
  })

  it('refuses bad arguments with a code of the table', async () => {
    await expect(run('plan')).rejects.toMatchObject({ code: 'CRB_USAGE' })
    await expect(run('plan', '-f', '/web.yaml', '--type', 'other')).rejects.toMatchObject({ code: 'CRB_USAGE' })
    await expect(run('plan', '-f', '/on.yaml')).rejects.toMatchObject({ remedy: expect.stringContaining('in quotes') })
    await expect(run('plan', '-f', '/none.yaml')).rejects.toMatchObject({ code: 'CRB_FILE_NOT_FOUND' })
    const invalid = { code: 'CRB_MANIFEST_INVALID' }
    await expect(run('plan', '-f', '/typo.yaml')).rejects.toMatchObject({
      ...invalid,
      message: 'policy web: spec.lifecycleHook: there is no such field',
    })
    await expect(run('plan', '-f', '/bare.yaml')).rejects.toMatchObject({
      ...invalid,
      message: 'Deployment web has no spec.template.spec.containers',
    })
  })
})

const template = { spec: { containers: [{ name: 'main', image: 'web:2' }] } }
const workload = (labels: Readonly<Record<string, string>>) =>
  ({ kind: 'Deployment', metadata: { name: 'web', labels }, spec: { template } }) as unknown as Workload
const ledger: Ledger = {
  id: '1a2b3c4d',
  type: 'ROLLOUT',
  phase: 'Progressing',
  point: '50%',
  waitingFor: 'smoke',
  from: 'web-1',
  to: 'web-2',
  templateHash: templateHash(template),
  startedAt: '2026-01-01T00:00:00.000Z',
  hooks: [{ name: 'smoke', point: '50%', state: 'Running', attempts: 2, message: 'Failed: exit code 1' }],
}
const policy = (holding: PolicyCondition['type'], rollout?: Ledger): RolloutPolicy => ({
  apiVersion: 'carabiner.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  status: {
    conditions: [{ type: holding, status: 'True', reason: 'Any', message: 'why', lastTransitionTime: '' }],
    ...(rollout === undefined ? {} : { rollout }),
  },
})

describe('carabiner rollout status', () => {
  it('tells at rest, failed and going apart', () => {
    const held = workload({ 'carabiner.dev/hold': 'gate' })
    expect(outcomeOf(policy('Ready'), workload({}))).toBe('settled')
    expect(outcomeOf(policy('Reconciling', ledger), held)).toBe('going')
    expect(outcomeOf(policy('Stalled', { ...ledger, phase: 'Aborted' }), held)).toBe('failed')
    expect(outcomeOf(policy('Stalled'), undefined)).toBe('failed')
  })

  it('knows of a new template before the engine does', () => {
    const held = workload({ 'carabiner.dev/hold': 'gate' })
    const before: Ledger = { ...ledger, templateHash: 'other', phase: 'Complete' }
    expect(outcomeOf(policy('Ready', before), held)).toBe('going')
    expect(outcomeOf(policy('Stalled', { ...before, phase: 'Aborted' }), held)).toBe('going')
  })

  it('knows of another attempt before the engine does', () => {
    const aborted = policy('Stalled', { ...ledger, phase: 'Aborted', endedAt: '2026-01-01T00:01:30.000Z' })
    const annotations = { 'carabiner.dev/retry': ledger.id }
    expect(outcomeOf({ ...aborted, metadata: { ...aborted.metadata, annotations } }, undefined)).toBe('going')
  })

  it('shows the rollout and its hooks', () => {
    expect(statusText(policy('Reconciling', ledger), 'going')).toBe(
      [
        'policy     shop/web',
        'target     Deployment web',
        'phase      Progressing',
        'rollout    ROLLOUT 1a2b3c4d',
        'from       web-1',
        'to         web-2',
        'point      50%',
        'waits for  smoke',
        'started    2026-01-01T00:00:00.000Z',
        'message    why',
        '',
        'HOOK    POINT   STATE     ATTEMPTS   MESSAGE',
        'smoke   50%     Running   2          Failed: exit code 1',
        '',
      ].join('\n'),
    )
  })
})

describe('carabiner rollout history', () => {
  it('lists what has ended', () => {
    const ended = { ...ledger, phase: 'Complete' as const, endedAt: '2026-01-01T00:01:30.000Z', message: 'done' }
    const [, row] = list([ended], 'wide', historyListing).split('\n')
    expect(row?.split(/ {3,}/)).toEqual([
      ...['1a2b3c4d', 'ROLLOUT', 'Complete', 'web-1', 'web-2', '2026-01-01T00:00:00.000Z'],
      ...['1 min 30 s', 'smoke=Running', 'done'],
    ])
    expect(list([], 'text', historyListing)).toBe('no rollout has ended yet\n')
  })
})
