import { describe, expect, it } from 'vitest'
import type { AdmissionBinding } from '../config/types.ts'
import type { Hook } from '../hook.ts'
import { admissionEndpoints } from './admission.ts'
import { webhookOf } from './registration.ts'

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }
const binding: AdmissionBinding = {
  name: 'quota.example.com',
  rules: [rule],
  sideEffects: 'NoneOnDryRun',
  timeoutSeconds: 5,
  matchConditions: [{ name: 'skip', expression: 'true' }],
  includeSnapshotsFrom: [],
  objectSelector: { matchLabels: { checked: 'yes' } },
  namespaceSelector: { matchLabels: { tenant: 'a' } },
}

function hook(name: string, validating: readonly AdmissionBinding[], mutating: readonly AdmissionBinding[] = []): Hook {
  return { name, config: { validating, mutating } } as unknown as Hook
}

describe('webhookOf', () => {
  const [endpoint] = admissionEndpoints([hook('a.sh', [binding])])
  if (endpoint === undefined) throw new Error('no endpoint')
  const service = { namespace: 'ops', name: 'svc', port: 443 }

  it('[addons A6] contains all fields of the binding, with a Service or a URL', () => {
    const common = {
      name: 'quota.example.com',
      rules: [rule],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'NoneOnDryRun',
      timeoutSeconds: 5,
      admissionReviewVersions: ['v1'],
      matchConditions: [{ name: 'skip', expression: 'true' }],
      objectSelector: { matchLabels: { checked: 'yes' } },
      namespaceSelector: { matchLabels: { tenant: 'a' } },
    }
    const path = '/hooks/validating-quota.example.com'
    // Comments in CA bundles may contain non-ASCII characters.
    expect(webhookOf(endpoint, 'Fail', { reached: { service }, ca: '# Főtanúsítvány' })).toEqual({
      ...common,
      clientConfig: { service: { ...service, path }, caBundle: 'IyBGxZF0YW7DunPDrXR2w6FueQ==' },
    })
    expect(webhookOf(endpoint, 'Fail', { reached: { url: 'https://127.0.0.1:9680/' }, ca: 'CA' })).toEqual({
      ...common,
      clientConfig: { url: `https://127.0.0.1:9680${path}`, caBundle: btoa('CA') },
    })
  })

  it('[addons Z14] uses the failurePolicy of the operator unless the binding has its own', () => {
    const way = { reached: { service }, ca: '' }
    expect(webhookOf(endpoint, 'Ignore', way)).toMatchObject({ failurePolicy: 'Ignore' })
    const own = { ...endpoint, binding: { ...binding, failurePolicy: 'Fail' as const } }
    expect(webhookOf(own, 'Ignore', way)).toMatchObject({ failurePolicy: 'Fail' })
  })

  it('[addons A15] admissionEndpoints refuses two hooks with the same binding name', () => {
    expect(() => admissionEndpoints([hook('a.sh', [binding]), hook('b.sh', [binding])])).toThrow(
      'duplicate kubernetesValidating binding quota.example.com: in a.sh and b.sh',
    )
    expect(admissionEndpoints([hook('a.sh', [binding], [binding])])).toHaveLength(2)
  })
})
