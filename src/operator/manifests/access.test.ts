import { expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { accessManifests } from './access.ts'

type Binding = KubeObject & { readonly roleRef?: { readonly kind: string; readonly name: string } }

const rights = (namespace: string) =>
  (accessManifests({ namespace, name: 'carabiner' }, [], []) as readonly Binding[])
    .filter(({ kind }) => kind.includes('Role'))
    .map(({ kind, metadata, roleRef }) => [kind, metadata.namespace, metadata.name, roleRef?.name])

it('an installation in another namespace has its own ClusterRole, so that it does not overwrite the first', () => {
  expect(rights('carabiner')).toEqual([
    ['ClusterRole', undefined, 'carabiner', undefined],
    ['ClusterRoleBinding', undefined, 'carabiner', 'carabiner'],
    ['Role', 'carabiner', 'carabiner', undefined],
    ['RoleBinding', 'carabiner', 'carabiner', 'carabiner'],
  ])
  expect(rights('ops')).toEqual([
    ['ClusterRole', undefined, 'carabiner-ops', undefined],
    ['ClusterRoleBinding', undefined, 'carabiner-ops', 'carabiner-ops'],
    ['Role', 'ops', 'carabiner', undefined],
    ['RoleBinding', 'ops', 'carabiner', 'carabiner'],
  ])
})
