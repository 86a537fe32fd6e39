import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { StatusError } from '../status/status-error.ts'
import { Decoder } from './decode.ts'
import { typeModel } from './model.ts'

const decoder = new Decoder(typeModel())

function deployment(spec: JsonObject, metadata: JsonObject = { name: 'q' }): JsonObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }
}

function decode(body: JsonObject) {
  return decoder.decode(body, { group: 'apps', version: 'v1', kind: 'Deployment' })
}

function errorMessage(body: JsonObject): string {
  try {
    decode(body)
  } catch (error) {
    if (error instanceof StatusError) return error.message.replace(/^.* as a Deployment: /, '')
    throw error
  }
  return ''
}

describe('Decoder', () => {
  it('reports unknown fields with their paths and drops them', () => {
    const { object, faults } = decode({
      ...deployment({ foo: 1, template: { spec: { containers: [{ name: 'a', zzz: 1 }] } } }),
      specc: 1,
    })
    expect(faults).toEqual([
      'unknown field "spec.foo"',
      'unknown field "spec.template.spec.containers[0].zzz"',
      'unknown field "specc"',
    ])
    expect(object['specc']).toBeUndefined()
  })

  it('adds the empty fields the real API server writes', () => {
    const { object } = decode(deployment({ template: { spec: { containers: [{ name: 'a' }] } } }))
    expect(object).toEqual({
      ...deployment({
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: 'a', resources: {} }] } },
      }),
      status: {},
    })
  })

  it('drops optional zeros except significant ones', () => {
    const { object } = decode(deployment({ replicas: 0, minReadySeconds: 0, paused: false }))
    expect(object['spec']).toMatchObject({ replicas: 0 })
    expect(Object.keys(object['spec'] as JsonObject)).not.toContain('minReadySeconds')
    expect(Object.keys(object['spec'] as JsonObject)).not.toContain('paused')
  })

  it.each<[JsonObject, string]>([
    [
      { replicas: 'x' },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { replicas: 1.5 },
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { template: { spec: { containers: { a: 1 } } } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [
      { template: { spec: { containers: [{ ports: [{ containerPort: 'x' }] }] } } },
      'json: cannot unmarshal string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32',
    ],
    [{ paused: 'true' }, 'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool'],
    [
      { strategy: { rollingUpdate: { maxSurge: true } } },
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      { template: { spec: { containers: [{ resources: { limits: { cpu: 'abc' } } }] } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('refuses %j', (spec, message) => {
    expect(errorMessage(deployment(spec))).toBe(message)
  })

  it('refuses labels that are not strings and invalid times', () => {
    expect(errorMessage(deployment({}, { labels: { a: 1 } }))).toBe(
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    )
    expect(errorMessage(deployment({}, { creationTimestamp: 'yesterday' }))).toBe(
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    )
  })

  it('canonicalizes quantities and times', () => {
    const { object } = decode(
      deployment(
        { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 0.5, memory: '1024Mi' } } }] } } },
        { name: 'q', creationTimestamp: '2030-01-01T01:00:00+01:00' },
      ),
    )
    expect(object.metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z')
    expect(JSON.stringify(object)).toContain('"limits":{"cpu":"500m","memory":"1Gi"}')
  })
})
