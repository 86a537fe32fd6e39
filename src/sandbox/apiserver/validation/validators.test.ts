import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import { builtinResources } from '../types/builtin.ts'
import { scheduleFault } from './cron.ts'

const resources = builtinResources()
const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
}
const selector = { matchLabels: { app: 'x' } }

function made(apiVersion: string, kind: string, fields: JsonObject): ApiObject {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const resource = resources.find((one) => one.group === group && one.version === version && one.kind === kind)
  if (resource === undefined) throw new Error(`no ${kind}`)
  const { strategy } = resource
  const decoded = strategy.decode({ apiVersion, kind, metadata: { name: 'x' }, ...fields }).object
  return strategy.prepareForCreate(withMetadata(strategy.default(decoded), { uid: 'u' }))
}

function faults(apiVersion: string, kind: string, fields: JsonObject, old?: JsonObject): string[] {
  const object = made(apiVersion, kind, fields)
  const resource = resources.find((one) => one.kind === kind && apiVersion.endsWith(one.version))
  const before = old === undefined ? undefined : made(apiVersion, kind, old)
  return (resource?.strategy.validate(object, before, '') ?? []).map(({ field, message }) => `${field}: ${message}`)
}

function podFaults(spec: JsonObject): string[] {
  return faults('v1', 'Pod', { spec })
}

describe('pods', () => {
  it('require containers with names and images', () => {
    expect(podFaults({})).toEqual(['spec.containers: Required value'])
    expect(podFaults({ containers: [{ name: 'a' }, { name: 'a', image: 'b' }] })).toEqual([
      'spec.containers[0].image: Required value',
      'spec.containers[1].name: Duplicate value: "a"',
    ])
  })

  it('can only mount their own volumes', () => {
    expect(
      podFaults({ containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'nope', mountPath: '/a' }] }] }),
    ).toEqual(['spec.containers[0].volumeMounts[0].name: Not found: "nope"'])
  })

  it('require one valid probe handler', () => {
    const container = { name: 'c', image: 'i', livenessProbe: {}, readinessProbe: { httpGet: { port: 0 } } }
    expect(podFaults({ containers: [container] })).toEqual([
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
      'spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ])
  })

  it('cannot request more than their limits', () => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } }
    expect(podFaults({ containers: [{ name: 'c', image: 'i', resources }] })).toEqual([
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ])
  })

  it('have an immutable spec except for images', () => {
    const spec = { containers: [{ name: 'c', image: 'a' }] }
    expect(faults('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'b' }] } }, { spec })).toEqual([])
    const [fault] = faults('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'a', command: ['x'] }] } }, { spec })
    expect(fault).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec.containers/)
  })
})

describe('workloads', () => {
  it('must select their own pod template', () => {
    expect(faults('apps/v1', 'Deployment', { spec: { selector: { matchLabels: { app: 'y' } }, template } })).toEqual([
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ])
    expect(faults('apps/v1', 'Deployment', { spec: { selector: {}, template } })).toEqual([
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
    ])
  })

  it('require restartPolicy Always', () => {
    const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }
    expect(faults('apps/v1', 'ReplicaSet', { spec: { selector, template: once } })).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ])
  })

  it('refuse zero for both maxSurge and maxUnavailable', () => {
    const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }
    expect(faults('apps/v1', 'Deployment', { spec: { selector, template, strategy } })).toEqual([
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ])
  })

  it('have an immutable selector', () => {
    const other = { matchLabels: { app: 'z' } }
    const moved = { ...template, metadata: { labels: { app: 'z' } } }
    const old = { spec: { selector, template } }
    expect(faults('apps/v1', 'Deployment', { spec: { selector: other, template: moved } }, old)).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"z"}}: field is immutable',
    ])
  })

  it('refuse changes of immutable StatefulSet fields', () => {
    const old = { spec: { serviceName: 's', selector, template } }
    expect(faults('apps/v1', 'StatefulSet', { spec: { serviceName: 't', selector, template } }, old)).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ])
  })

  it('require a restartPolicy for Jobs', () => {
    expect(faults('batch/v1', 'Job', { spec: { template } })).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ])
  })
})

describe('jobs', () => {
  const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }
  const withContainer = (more: JsonObject): JsonObject => ({
    ...once,
    spec: { ...once.spec, containers: [{ name: 'c', image: 'nginx', ...more }] },
  })
  const limited = withContainer({ resources: { limits: { cpu: '1' } } })
  const changed = (suspend: boolean, next: JsonObject): string[] =>
    faults('batch/v1', 'Job', { spec: { suspend, template: next } }, { spec: { suspend, template: once } })

  it('have an immutable template', () => {
    expect(changed(false, limited)[0]).toMatch(/^spec.template: Invalid value: .*: field is immutable$/)
    expect(changed(true, withContainer({ image: 'other' }))[0]).toMatch(/^spec.template.spec: .*field is immutable$/)
  })

  it('have mutable resources while suspended', () => {
    expect(changed(true, limited)).toEqual([])
  })
})

describe('scheduleFault', () => {
  it.each([
    ['* * * * *', undefined],
    ['*/5 0-6 1,15 jan-mar mon', undefined],
    ['@hourly', undefined],
    ['@every 1h30m', undefined],
    ['bad', 'expected exactly 5 fields, found 1: [bad]'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('checks %s', (schedule, fault) => {
    expect(scheduleFault(schedule)).toBe(fault)
  })
})

describe('other kinds', () => {
  it('Services require ports and have an immutable cluster IP', () => {
    expect(faults('v1', 'Service', { spec: {} })).toEqual(['spec.ports: Required value'])
    const ports = [{ port: 80 }]
    expect(
      faults('v1', 'Service', { spec: { clusterIP: '10.96.1.2', ports } }, { spec: { clusterIP: '10.96.1.1', ports } }),
    ).toEqual(['spec.clusterIPs[0]: Invalid value: ["10.96.1.2"]: may not change once set'])
  })

  it('Secrets have an immutable type and required keys', () => {
    expect(faults('v1', 'Secret', { type: 'b' }, { type: 'a' })).toEqual([
      'type: Invalid value: "b": field is immutable',
    ])
    expect(faults('v1', 'Secret', { type: 'kubernetes.io/tls' })).toEqual([
      'data[tls.crt]: Required value',
      'data[tls.key]: Required value',
    ])
  })

  it('an immutable ConfigMap cannot be changed', () => {
    expect(
      faults('v1', 'ConfigMap', { immutable: true, data: { a: '2' } }, { immutable: true, data: { a: '1' } }),
    ).toEqual(['data: Forbidden: field is immutable when `immutable` is set'])
  })

  it('Roles require rules and RoleBindings require subjects', () => {
    expect(faults('rbac.authorization.k8s.io/v1', 'Role', { rules: [{ verbs: [] }] })).toEqual([
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ])
    const roleRef = { kind: 'Role', name: 'x' }
    expect(faults('rbac.authorization.k8s.io/v1', 'RoleBinding', { roleRef, subjects: [{ kind: 'Group' }] })).toEqual([
      'subjects[0].name: Required value',
    ])
  })
})
