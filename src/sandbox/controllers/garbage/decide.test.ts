import { describe, expect, it } from 'vitest'
import { resources } from '../../../kube/kinds/index.ts'
import { decideGarbage, type GarbageDecision } from './decide.ts'
import { Graph, type Item } from './graph.ts'

function item(uid: string, facts: Partial<Item> & { ownedBy?: readonly string[]; blocking?: boolean } = {}): Item {
  const owners = (facts.ownedBy ?? []).map((owner) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner,
    uid: owner,
    blockOwnerDeletion: facts.blocking ?? true,
  }))
  return {
    type: resources.configMaps,
    uid,
    name: uid,
    namespace: 'n',
    version: '1',
    owners,
    finalizers: [],
    deleting: false,
    ...facts,
  }
}

function decide(uid: string, items: readonly Item[], absent: readonly string[] = []): GarbageDecision {
  const graph = new Graph()
  for (const one of items) graph.put(one)
  const found = graph.get(uid)
  if (found === undefined) throw new Error('no such item')
  return decideGarbage(found, graph, new Set(absent))
}

const foreground = { deleting: true, finalizers: ['foregroundDeletion'] }

describe('garbage', () => {
  it.each<[string, readonly Item[], readonly string[], GarbageDecision]>([
    ['keeps an object without owners', [item('x')], [], { do: 'nothing' }],
    ['keeps an object with an existing owner', [item('o'), item('x', { ownedBy: ['o'] })], [], { do: 'nothing' }],
    [
      'looks up an owner that is not in the cache',
      [item('x', { ownedBy: ['o'] })],
      [],
      { do: 'ask', owners: item('x', { ownedBy: ['o'] }).owners },
    ],
    [
      'deletes an object whose owner is absent',
      [item('x', { ownedBy: ['o'] })],
      ['o'],
      { do: 'delete', propagation: 'Background', unblock: false },
    ],
    [
      'removes the reference to an absent owner when another owner exists',
      [item('o'), item('x', { ownedBy: ['o', 'p'] })],
      ['p'],
      { do: 'dropOwners', uids: ['p'] },
    ],
    [
      'deletes dependents of an owner in foreground deletion',
      [item('o', foreground), item('x', { ownedBy: ['o'] })],
      [],
      { do: 'delete', propagation: 'Background', unblock: false },
    ],
    [
      'propagates foreground deletion to dependents with dependents',
      [item('o', foreground), item('x', { ownedBy: ['o'] }), item('y', { ownedBy: ['x'] })],
      [],
      { do: 'delete', propagation: 'Foreground', unblock: false },
    ],
    [
      'enqueues dependents that block a foreground deletion',
      [item('x', foreground), item('y', { ownedBy: ['x'] })],
      [],
      { do: 'visit', uids: ['y'] },
    ],
    [
      'removes the finalizer of a foreground deletion without blocking dependents',
      [item('x', foreground), item('y', { ownedBy: ['x'], blocking: false })],
      [],
      { do: 'removeFinalizer', finalizer: 'foregroundDeletion' },
    ],
    [
      'orphans dependents',
      [item('x', { deleting: true, finalizers: ['orphan'] })],
      [],
      { do: 'orphan', dependents: [] },
    ],
    [
      'keeps an object that is being deleted',
      [item('x', { deleting: true, ownedBy: ['o'] })],
      ['o'],
      { do: 'nothing' },
    ],
  ])('%s', (_, items, absent, expected) => {
    expect(decide('x', items, absent)).toEqual(expected)
  })

  it('removes dependents whose owner references changed', () => {
    const graph = new Graph()
    graph.put(item('x', { ownedBy: ['o'] }))
    graph.put(item('x'))
    expect(graph.dependentsOf('o')).toEqual([])
  })
})
