import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { type ApiObject, at, withMetadata } from '../object.ts'
import type { ServedResource } from '../resource.ts'
import { builtinResources } from './builtin.ts'

const resources = builtinResources()

function find(kind: string, group?: string): ServedResource {
  const found = resources.find((one) => one.kind === kind && (group === undefined || one.group === group))
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

function create(resource: ServedResource, fields: JsonObject, metadata: JsonObject = {}): ApiObject {
  const { group, version, kind, strategy } = resource
  const apiVersion = group === '' ? version : `${group}/${version}`
  const body = { apiVersion, kind, metadata: { name: 'x', ...metadata }, ...fields }
  const object = strategy.default(strategy.decode(body).object)
  return strategy.prepareForCreate(withMetadata(object, { uid: 'uid-1', creationTimestamp: '2030-01-01T00:00:00Z' }))
}

const podTemplate = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } }
const deploymentSpec = { selector: { matchLabels: { app: 'x' } }, template: podTemplate }

describe('defaults', () => {
  it('are set on the containers of a Deployment', () => {
    const deployment = create(find('Deployment'), { spec: deploymentSpec })
    expect(deployment['spec']).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        spec: {
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          terminationGracePeriodSeconds: 30,
          containers: [{ name: 'c', imagePullPolicy: 'Always', terminationMessagePolicy: 'File', resources: {} }],
        },
      },
    })
    expect(deployment['status']).toEqual({})
  })

  it('are taken from the schema', () => {
    const ports = [{ containerPort: 80 }]
    const pod = create(find('Pod'), { spec: { containers: [{ name: 'c', image: 'a:1', ports }] } })
    expect(at(pod, 'spec', 'containers')).toMatchObject([
      { imagePullPolicy: 'IfNotPresent', ports: [{ containerPort: 80, protocol: 'TCP' }] },
    ])
  })

  it('set requests from limits in pods, but not in pod templates', () => {
    const container = { name: 'c', image: 'a', resources: { limits: { cpu: '1' } } }
    const pod = create(find('Pod'), { spec: { containers: [container] } })
    expect(at(pod, 'spec', 'containers')).toMatchObject([{ resources: { requests: { cpu: '1' } } }])
    const template = { ...podTemplate, spec: { containers: [container] } }
    const deployment = create(find('Deployment'), { spec: { ...deploymentSpec, template } })
    expect(JSON.stringify(deployment)).not.toContain('"requests"')
  })

  it('convert stringData of a Secret to data', () => {
    expect(create(find('Secret'), { stringData: { a: 'ä' } })).toMatchObject({ type: 'Opaque', data: { a: 'w6Q=' } })
  })

  it('are idempotent', () => {
    const { strategy } = find('Deployment')
    const once = create(find('Deployment'), { spec: deploymentSpec })
    expect(strategy.default(once)).toBe(once)
    expect(strategy.default(strategy.decode(once).object)).toEqual(once)
  })
})

describe('preparing a new object', () => {
  it('sets phase and QoS class of a pod', () => {
    const resources = { limits: { cpu: '1', memory: '1Gi' } }
    const pod = create(find('Pod'), {
      spec: { containers: [{ name: 'c', image: 'a', resources }] },
      status: { phase: 'Running' },
    })
    expect(pod['status']).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' })
    expect(pod.metadata.generation).toBe(1)
  })

  it('makes a Job select its pods by uid', () => {
    const job = create(find('Job'), { spec: { template: { spec: { ...podTemplate.spec, restartPolicy: 'Never' } } } })
    expect(at(job, 'spec', 'selector')).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } })
    expect(at(job, 'spec', 'template', 'metadata', 'labels')).toEqual({
      'job-name': 'x',
      'batch.kubernetes.io/job-name': 'x',
      'controller-uid': 'uid-1',
      'batch.kubernetes.io/controller-uid': 'uid-1',
    })
    expect(job.metadata.labels).toEqual(at(job, 'spec', 'template', 'metadata', 'labels'))
  })

  it('assigns cluster IPs and node ports', () => {
    const service = find('Service')
    const first = create(service, { spec: { ports: [{ port: 80 }] } })
    const second = create(service, { spec: { type: 'NodePort', ports: [{ port: 80 }] } })
    expect(at(first, 'spec', 'clusterIP')).not.toBe(at(second, 'spec', 'clusterIP'))
    expect(at(second, 'spec', 'ports')).toMatchObject([{ port: 80, targetPort: 80, nodePort: expect.any(Number) }])
  })

  it('adds the finalizer of the namespace controller', () => {
    const namespace = create(find('Namespace'), {})
    expect(namespace['spec']).toEqual({ finalizers: ['kubernetes'] })
    expect(namespace.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'x' })
  })
})

describe('preparing an update', () => {
  const { strategy } = find('Deployment')
  const old = create(find('Deployment'), { spec: deploymentSpec })

  it('increases the generation for a change of the spec, not of the status', () => {
    const scaled = { ...old, spec: { ...(old['spec'] as JsonObject), replicas: 5 } }
    expect(strategy.prepareForUpdate(scaled, old, '').metadata.generation).toBe(2)
    expect(strategy.prepareForUpdate(old, old, '').metadata.generation).toBe(1)
    const reported = strategy.prepareForUpdate({ ...scaled, status: { replicas: 1 } }, old, 'status')
    expect(reported.metadata.generation).toBe(1)
    expect(reported['spec']).toEqual(old['spec'])
    expect(reported['status']).toEqual({ replicas: 1 })
  })

  it('increases the generation for annotations of a Deployment', () => {
    const noted = withMetadata(old, { annotations: { a: 'b' } })
    expect(strategy.prepareForUpdate(noted, old, '').metadata.generation).toBe(2)
  })

  it('keeps the status in writes to the object', () => {
    expect(strategy.prepareForUpdate({ ...old, status: { replicas: 9 } }, old, '')['status']).toEqual(old['status'])
  })

  it('keeps the cluster IP of a Service when it is omitted', () => {
    const service = find('Service')
    const before = create(service, { spec: { ports: [{ port: 80 }] } })
    const { clusterIP: _address, clusterIPs: _addresses, ...spec } = before['spec'] as JsonObject
    const after = service.strategy.prepareForUpdate({ ...before, spec }, before, '')
    expect(after['spec']).toEqual(before['spec'])
  })
})

describe('conversions', () => {
  it('store events of both groups in one version', async () => {
    const { strategy } = find('Event', 'events.k8s.io')
    const event = create(find('Event', 'events.k8s.io'), {
      note: 'm',
      regarding: { kind: 'Pod', name: 'p' },
      reportingController: 'c',
      eventTime: '2030-01-01T00:00:00.000000Z',
    })
    const stored = await strategy.conversion?.toStorage(event)
    expect(stored).toMatchObject({
      apiVersion: 'v1',
      message: 'm',
      involvedObject: { name: 'p' },
      reportingComponent: 'c',
    })
    expect(await strategy.conversion?.fromStorage(stored === undefined ? [] : [stored])).toEqual([event])
  })
})

describe('grace period', () => {
  it('applies to scheduled pods only', () => {
    const { gracePeriodSeconds } = find('Pod').strategy
    const pod = create(find('Pod'), { spec: { containers: [], nodeName: 'n' } })
    expect(gracePeriodSeconds?.(pod, undefined)).toBe(30)
    expect(gracePeriodSeconds?.(pod, 5)).toBe(5)
    expect(gracePeriodSeconds?.(create(find('Pod'), { spec: { containers: [] } }), 5)).toBe(0)
  })
})
