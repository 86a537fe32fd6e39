import { expect, it } from 'vitest'
import type { DiscoveredResource } from '../../../kube/discovery/catalog.ts'
import { kindHint } from './kind-hint.ts'

const served = (apiVersion: string, kind: string, verbs = ['list', 'watch']) => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const resource = `${kind.toLowerCase()}s`
  return { group, version, kind, resource, singular: kind.toLowerCase(), shortNames: [], verbs } as unknown
}
const catalog = [
  served('v1', 'Pod'),
  served('v1', 'Event'),
  served('events.k8s.io/v1', 'Event'),
  served('batch/v1', 'CronJob'),
  served('authentication.k8s.io/v1', 'SelfSubjectReview', ['create']),
] as readonly DiscoveredResource[]

it.each([
  [{ kind: 'Event', apiVersion: 'events.k8s.io/v1beta1' }, 'it is served as v1, events.k8s.io/v1'],
  [{ kind: 'SelfSubjectReview' }, 'it cannot be listed and watched'],
  [{ kind: 'Podd' }, 'did you mean Pod?'],
  [{ kind: 'Podd', apiVersion: 'v1' }, 'did you mean Pod?'],
  [{ kind: 'CronTab', apiVersion: 'stable.example.com/v1' }, undefined],
  [{ kind: 'Widget' }, undefined],
])('kindHint for %j is %j', (requested, hint) => {
  expect(kindHint(catalog, requested)).toBe(hint)
})
