import { describe, expect, it } from 'vitest'
import type { HookAction } from '../policy/compile.ts'
import type { PodSpec, PodTemplate } from '../policy/workload.ts'
import { filledPod, unknownVariable, valuesOf, withValues } from './variables.ts'

const template: PodTemplate = {
  spec: {
    initContainers: [{ name: 'wait', image: 'tools:3' }],
    containers: [{ name: 'web', image: 'shop/web:2' }],
  },
}
const context = { from: 'web-1', to: 'web-2', toUid: 'u', toKind: 'ReplicaSet', type: 'ROLLOUT', rollout: 'r' } as const
const values = valuesOf(template, { ...context, workload: 'web' })
const jobOf = (spec: PodSpec): HookAction => ({ kind: 'job', spec: { template: { spec } } })

describe('variables in the pods of hooks', () => {
  it('[rollouts W31] stand for facts of the new revision in image, command, arguments and env', () => {
    const container = {
      ...{ name: 'main', image: '$(containers.web.image)', command: ['migrate', '--to=$(to)'] },
      ...{ args: ['$(from)/$(workload.name)'], env: [{ name: 'TOOLS', value: '$(containers.wait.image)' }] },
    }
    expect(withValues({ containers: [container], initContainers: [container] }, values)).toEqual({
      containers: [
        {
          ...{ name: 'main', image: 'shop/web:2', command: ['migrate', '--to=web-2'] },
          ...{ args: ['web-1/web'], env: [{ name: 'TOOLS', value: 'tools:3' }] },
        },
      ],
      initContainers: [expect.objectContaining({ image: 'shop/web:2' })],
    })
  })

  it('[rollouts W31] are empty for what a first rollout does not have', () => {
    const first = valuesOf(template, { ...context, from: undefined, workload: 'web' })
    expect(withValues({ containers: [{ name: 'main', args: ['[$(from)]'] }] }, first).containers[0]).toMatchObject({
      args: ['[]'],
    })
  })

  it.each([
    '$$(to)',
    '$(HOME)',
    '$(toString)',
    '$to',
    '$(to',
    '$(containers)',
    '$(containers.web)',
    '$(workload.kind)',
    '$(constructor)',
  ])('[rollouts W31] leave %s to Kubernetes', (written) => {
    const spec = { containers: [{ name: 'main', command: [written], env: [{ name: 'A', value: written }] }] }
    expect(withValues(spec, values)).toEqual(spec)
    expect(unknownVariable(jobOf(spec), template)).toBeUndefined()
  })

  it('[rollouts W31] read escapes as Kubernetes does', () => {
    const { containers } = withValues({ containers: [{ name: 'main', args: ['$$$(to) $$$$(to)'] }] }, values)
    expect(containers[0]).toMatchObject({ args: ['$$web-2 $$$$(to)'] })
  })

  it('[rollouts W31] leave a variable that the container declares itself', () => {
    const env = [{ name: 'to', value: 'prod' }]
    const spec = { containers: [{ name: 'main', command: ['deploy', '$(to)'], env }] }
    expect(withValues(spec, values)).toEqual(spec)
  })

  it('[rollouts W31] are unknown for a container that the template does not have', () => {
    const image = '$(containers.webb.image)'
    expect(unknownVariable(jobOf({ containers: [{ name: 'main', image }] }), template)?.written).toBe(image)
    expect(unknownVariable(jobOf({ containers: [{ name: 'main', image: `$${image}` }] }), template)).toBeUndefined()
    const pod = { containerName: 'web', command: ['echo', image] }
    expect(unknownVariable({ kind: 'pod', pod }, template)?.written).toBe(image)
    expect(unknownVariable({ kind: 'pod', pod: { ...pod, command: ['true'] } }, template)).toBeUndefined()
  })

  it('[rollouts W31] resolve in what execNewPod says, not in what its container says', () => {
    const base = { name: 'web', image: 'shop/web:2', env: [{ name: 'from', value: '$(to)' }] }
    const pod = { containerName: 'web', command: ['m', '$(to)', '$(from)'], env: [{ name: 'A', value: '$(to)' }] }
    expect(filledPod(pod, { spec: { containers: [base] } }, values)).toEqual({
      ...{ containerName: 'web', command: ['m', 'web-2', '$(from)'], env: [{ name: 'A', value: 'web-2' }] },
    })
  })

  it.each([
    {},
    { containers: null },
    { containers: [null] },
    { containers: [{ name: 'main', command: 'x', args: [7], env: 'A=b', image: 1 }] },
    { containers: [{ name: 'main', env: [null, { name: 'A', value: 1 }] }] },
  ])('leave %o for the server to refuse', (spec) => {
    expect(withValues(spec as unknown as PodSpec, values)).toEqual(spec)
    expect(unknownVariable(jobOf(spec as unknown as PodSpec), template)).toBeUndefined()
  })
})
