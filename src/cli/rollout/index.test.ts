import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { connect } from '../program.ts'
import { command } from './index.ts'

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
    expect(text).toContain('  1. the template changes; the gate closes\n')
    expect(text).toContain('  3. at 50%, 2 of 4 new pods: smoke (pod, on failure abort)\n')
  })

  it('plans for other numbers of pods', async () => {
    const plans: unknown = JSON.parse(await run('plan', '-f', '/web.yaml', '--replicas', '7', '-o', 'json'))
    expect(plans).toMatchObject([{ replicas: 7, steps: [{}, {}, { point: '50%', pods: 4 }, {}] }])
  })

  it('names with -o wide only fields that change, as they are when a point is reached', async () => {
    const text = await run('plan', '-f', '/web.yaml', '--replicas', '8', '-o', 'wide')
    expect(text).toContain(
      '  2. it moves to the next point and no further (spec.paused: false, spec.minReadySeconds: 2147483646, spec.progressDeadlineSeconds: 2147483647, spec.strategy.type: RollingUpdate, spec.strategy.rollingUpdate.maxSurge: 2, spec.strategy.rollingUpdate.maxUnavailable: 2)\n',
    )
    const early = await run('plan', '-f', '/early.yaml', '-o', 'wide')
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
    expect(text).toContain('  1. the template changes; the gate closes\n')
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
    await expect(run('plan', '-f', '/web.yaml', '-o', 'name')).rejects.toThrow('-o name: expected wide, json or yaml')
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
