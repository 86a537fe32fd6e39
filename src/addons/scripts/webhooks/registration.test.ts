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

describe('the registration of a binding', () => {
  const [endpoint] = admissionEndpoints([hook('a.sh', [binding])])
  if (endpoint === undefined) throw new Error('no endpoint')
  const service = { namespace: 'ops', name: 'svc', port: 443 }

  it('[addons A6] has all its fields, and is reached through a Service or at an address', () => {
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
    // Bundles tell in comments whose certificates they hold, in any language.
    expect(webhookOf(endpoint, 'Fail', { reached: { service }, ca: '# Főtanúsítvány' })).toEqual({
      ...common,
      clientConfig: { service: { ...service, path }, caBundle: 'IyBGxZF0YW7DunPDrXR2w6FueQ==' },
    })
    expect(webhookOf(endpoint, 'Fail', { reached: { url: 'https://127.0.0.1:9680/' }, ca: 'CA' })).toEqual({
      ...common,
      clientConfig: { url: `https://127.0.0.1:9680${path}`, caBundle: btoa('CA') },
    })
  })

  it('[addons Z14] follows the policy of the operator unless it has one of its own', () => {
    const way = { reached: { service }, ca: '' }
    expect(webhookOf(endpoint, 'Ignore', way)).toMatchObject({ failurePolicy: 'Ignore' })
    const own = { ...endpoint, binding: { ...binding, failurePolicy: 'Fail' as const } }
    expect(webhookOf(own, 'Ignore', way)).toMatchObject({ failurePolicy: 'Fail' })
  })

  it('[addons A15] is refused when two hooks use one name', () => {
    expect(() => admissionEndpoints([hook('a.sh', [binding]), hook('b.sh', [binding])])).toThrow(
      'kubernetesValidating bindings are called quota.example.com: a.sh and b.sh both have one',
    )
    expect(admissionEndpoints([hook('a.sh', [binding], [binding])])).toHaveLength(2)
  })
})
