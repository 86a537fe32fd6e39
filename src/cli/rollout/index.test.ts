import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { templateHash } from '../../rollouts/objects/template-hash.ts'
import type { EndedRollout, Ledger, PolicyCondition, RolloutPolicy } from '../../rollouts/policy/types.ts'
import type { Workload } from '../../rollouts/policy/workload.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { connect } from '../program.ts'
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
  const { text, error } = await attempt(...args)
  if (error instanceof Error) throw error
  return text
}

async function attempt(...args: readonly string[]): Promise<{ text: string; error?: unknown }> {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const { context, written } = recordedContext(runtime)
  const ended = simulation.run(async () => {
    await runtime.files.write('/web.yaml', manifest)
    await runtime.files.write('/early.yaml', manifest.replace('50%', '0'))
    const [, other = ''] = manifest.split('---')
    await runtime.files.write('/other.yaml', other.replace('{name: web}\nspec', '{name: other}\nspec'))
    await runtime.files.write('/asleep.yaml', manifest.replace('  lifecycleHooks', '  suspend: true\n  lifecycleHooks'))
    const paused = manifest.replace('  replicas: 4', '  replicas: 4\n  paused: true')
    await runtime.files.write('/paused.yaml', paused)
    const held = '{name: web, labels: {carabiner.dev/hold: gate}}'
    await runtime.files.write('/held.yaml', paused.replace('{name: web}', held))
    await runtime.files.write('/on.yaml', `${manifest}      on: [ROLLOUT]\n`)
    await runtime.files.write('/lost.yaml', (manifest.split('---')[1] ?? '').replaceAll('name: web', 'name: lost'))
    await runtime.files.write('/typo.yaml', manifest.replace('lifecycleHooks', 'lifecycleHook'))
    await runtime.files.write('/bare.yaml', manifest.replace('spec: {containers', 'spec: {container'))
    const rollout = command(context)
    connect(rollout, context)
    await rollout.parseAsync([...args], { from: 'user' })
  })
  return ended.then(
    () => ({ text: written() }),
    (error: unknown) => ({ text: written(), error }),
  )
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

  it('names only fields that change, as they are when a point is reached', async () => {
    const text = await run('plan', '-f', '/web.yaml', '--replicas', '8')
    expect(text).toContain(
      '  2. it moves to the next point and no further (spec.paused: false, spec.minReadySeconds: 2147483646, spec.progressDeadlineSeconds: 2147483647, spec.strategy.type: RollingUpdate, spec.strategy.rollingUpdate.maxSurge: 2, spec.strategy.rollingUpdate.maxUnavailable: 2)\n',
    )
    const early = await run('plan', '-f', '/early.yaml')
    expect(early).toContain('  3. the gate opens, everything is as it was (spec.paused: false)\n')
  })

  it('warns of two policies for one workload', async () => {
    expect(await run('plan', '-f', '/web.yaml', '/other.yaml')).toContain(
      '  Warning: policy other is for Deployment web too: only the older one runs its hooks\n',
    )
  })

  it('plans what can be planned beside policies that are wrong, and says what is wrong with them', async () => {
    const { text, error } = await attempt('plan', '-f', '/web.yaml', '/lost.yaml', '/typo.yaml')
    expect(text).toBe(await run('plan', '-f', '/web.yaml'))
    expect(error).toMatchObject({
      message:
        'policy web: spec.lifecycleHook: there is no such field; policy lost: its target, Deployment lost, is not there',
    })
  })

  it('warns of a policy that does nothing', async () => {
    expect(await run('plan', '-f', '/asleep.yaml')).toContain(
      '  Warning: the policy is suspended: rollouts pass without hooks\n',
    )
  })

  it('plans for a paused Deployment as if it were resumed, and says so', async () => {
    const text = await run('plan', '-f', '/paused.yaml')
    expect(text).toContain('  1. the template changes; the gate closes (spec.paused: true)\n')
    expect(text).toContain('  Warning: Deployment web is paused: hooks begin when it is resumed\n')
  })

  it('plans for a Deployment that is held as if it were at rest', async () => {
    expect(await run('plan', '-f', '/held.yaml')).toBe(await run('plan', '-f', '/web.yaml'))
  })

  it('prints YAML too', async () => {
    expect(await run('plan', '-f', '/web.yaml', '-o', 'yaml')).toMatch(
      /^- policy: default\/web\n {2}target: Deployment web\n/,
    )
  })

  it('refuses bad arguments with a code of the table', async () => {
    await expect(run('plan', '-f', '/web.yaml', '-o', 'wide')).rejects.toThrow('-o wide: expected json or yaml')
    await expect(run('plan', '-f', '/other.yaml')).rejects.toMatchObject({
      message: 'policy other: its target, Deployment web, is not there',
      remedy: expect.stringContaining('spec.targetRef.name'),
    })
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

describe('carabiner rollout simulate', () => {
  it.each([
    ['--seed', 'x', 'It must be a whole number from 0 to 999999999.'],
    ['--crash-after', '0', 'It must be a whole number, 1 or more.'],
  ])('refuses %s %s', async (flag, value, message) => {
    const { error } = await attempt('simulate', '-f', '/web.yaml', flag, value)
    expect(error).toMatchObject({ code: 'commander.invalidArgument', message: expect.stringContaining(message) })
  })
})

describe('carabiner rollout logs', () => {
  it.each([
    [['--wait'], '--wait waits for one rollout: name its policy'],
    [['--timeout', '5m'], '--timeout waits for one rollout: name its policy'],
    [['web', '-A'], '-A lists all policies: leave out web, or name its namespace with -n'],
  ])('does not leave out silently what was asked for: status %s', async (args, message) => {
    expect((await attempt('status', ...args)).error).toMatchObject({ code: 'CRB_USAGE', message })
  })

  it('cannot follow in a format for programs', async () => {
    await expect(run('logs', 'web', '-f', '-o', 'json')).rejects.toMatchObject({ code: 'CRB_USAGE' })
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

  it('asks whether an operator is running when a request has not been observed', () => {
    const said = statusText(policy('Ready'), 'going')
    expect(said).toContain('\nmessage    waits for the operator, which has not seen it yet\n')
    expect(said).toContain('\n  carabiner doctor   see whether an operator is at work\n')
  })

  it('does not take the last rollout for the one that has not begun', () => {
    const over: Ledger = { ...ledger, phase: 'Complete', endedAt: '2026-01-01T00:01:30.000Z' }
    expect(statusText(policy('Reconciling', over), 'going')).toContain(
      '\nphase      starting; the last rollout: Complete\n',
    )
    expect(statusText(policy('Stalled', over), 'failed')).toContain(
      '\nphase      stalled; the last rollout: Complete\n',
    )
  })

  it('does not call a policy at rest stalled, although the waiting command fails', () => {
    const back = { ...ledger, phase: 'Complete' as const, endedAt: '2026-01-01T00:01:30.000Z', undoOf: '4d3c2b1a' }
    const said = statusText(policy('Ready', back), 'failed')
    expect(said).toContain('\nphase      Complete\n')
    expect(said).toContain('\ninstead    of 4d3c2b1a\n')
  })

  it('says what can be done, and which hooks never had their turn', () => {
    const hooks: Ledger['hooks'] = [
      { name: 'smoke', point: '50%', state: 'Failed', attempts: 1, message: 'Failed: exit code 1' },
      { name: 'later', point: '100%', state: 'Pending', attempts: 0 },
    ]
    const over = { ...ledger, phase: 'Aborted' as const, endedAt: '2026-01-01T00:01:30.000Z', hooks }
    const [, said = ''] = statusText(policy('Stalled', over), 'failed').split('\n\nHOOK')
    expect(said).toContain('\nlater   100%    NotRun   0\n')
    expect(said.slice(said.indexOf('What to do'))).toBe(
      [
        'What to do:',
        '  carabiner rollout logs -n shop web    see what its hooks said',
        '  carabiner rollout retry -n shop web   go on with it, once the cause is fixed',
        '  carabiner rollout undo -n shop web    go back to web-1',
        '',
      ].join('\n'),
    )
    const asking = policy('Reconciling', ledger)
    const trigger = { progressAvailableParams: { progressPoint: '50%' } }
    const spec = { ...asking.spec, lifecycleHooks: [{ name: 'smoke', trigger, approval: { message: 'Fine?' } }] }
    expect(statusText({ ...asking, spec }, 'going')).toContain(
      '\nWhat to do:\n  carabiner rollout approve -n shop web smoke   say yes; with --reject, no\n',
    )
  })

  it('says when a hook that failed is tried again, as long as that is still to come', () => {
    const retryAt = '2026-01-01T00:02:00.000Z'
    const hooks: Ledger['hooks'] = [
      { name: 'smoke', point: '50%', state: 'Pending', attempts: 1, message: 'Failed: exit code 1', retryAt },
    ]
    const said = statusText(policy('Reconciling', { ...ledger, hooks }), 'going')
    expect(said).toMatch(/\nsmoke +50% +Pending +1 +tried again at 2026-01-01T00:02:00.000Z: Failed: exit code 1\n/)
    const over = { ...ledger, phase: 'Aborted' as const, endedAt: retryAt, hooks }
    expect(statusText(policy('Stalled', over), 'failed')).toMatch(/\nsmoke +50% +Failed +1 +Failed: exit code 1\n/)
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
    const hooks: EndedRollout['hooks'] = [
      { name: 'smoke', point: '50%', state: 'Cancelled', attempts: 2 },
      { name: 'again', point: '50%', state: 'Pending', attempts: 1 },
      { name: 'later', point: '100%', state: 'Pending', attempts: 0 },
    ]
    const end = { phase: 'Complete', endedAt: '2026-01-01T00:01:30.000Z', message: 'done' } as const
    const ended = { ...ledger, ...end, hooks }
    const [, row] = list([ended], 'wide', historyListing, { isTerminal: false, columns: 80 }).split('\n')
    expect(row?.split(/ {3,}/)).toEqual([
      ...['1a2b3c4d', 'ROLLOUT', 'Complete', 'web-1', 'web-2', '2026-01-01T00:00:00.000Z'],
      ...['1 min 30 s', 'smoke=Cancelled,again=Failed,later=NotRun', 'done'],
    ])
    expect(list([], 'text', historyListing, { isTerminal: false, columns: 80 })).toBe('no rollout has ended yet\n')
  })
})
