import { describe, expect, it } from 'vitest'
import { resources } from '../../../kube/types.ts'
import { decideGarbage, type Verdict } from './decide.ts'
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

function decide(uid: string, items: readonly Item[], absent: readonly string[] = []): Verdict {
  const graph = new Graph()
  for (const one of items) graph.put(one)
  const found = graph.get(uid)
  if (found === undefined) throw new Error('no such item')
  return decideGarbage(found, graph, new Set(absent))
}

const foreground = { deleting: true, finalizers: ['foregroundDeletion'] }

describe('garbage', () => {
  it.each<[string, readonly Item[], readonly string[], Verdict]>([
    ['leaves what has no owner', [item('x')], [], { do: 'nothing' }],
    ['leaves what has an owner', [item('o'), item('x', { ownedBy: ['o'] })], [], { do: 'nothing' }],
    [
      'asks about an owner it has never seen',
      [item('x', { ownedBy: ['o'] })],
      [],
      { do: 'ask', owners: item('x', { ownedBy: ['o'] }).owners },
    ],
    [
      'deletes when the owner is absent',
      [item('x', { ownedBy: ['o'] })],
      ['o'],
      { do: 'delete', propagation: 'Background', unblock: false },
    ],
    [
      'drops the absent owner when another is there',
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
      'passes foreground on to those with dependents',
      [item('o', foreground), item('x', { ownedBy: ['o'] }), item('y', { ownedBy: ['x'] })],
      [],
      { do: 'delete', propagation: 'Foreground', unblock: false },
    ],
    [
      'visits what blocks a foreground deletion',
      [item('x', foreground), item('y', { ownedBy: ['x'] })],
      [],
      { do: 'visit', uids: ['y'] },
    ],
    [
      'ends a foreground deletion that nothing blocks',
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
    ['leaves what is being deleted', [item('x', { deleting: true, ownedBy: ['o'] })], ['o'], { do: 'nothing' }],
  ])('%s', (_, items, absent, expected) => {
    expect(decide('x', items, absent)).toEqual(expected)
  })

  it('forgets dependents whose owners changed', () => {
    const graph = new Graph()
    graph.put(item('x', { ownedBy: ['o'] }))
    graph.put(item('x'))
    expect(graph.dependentsOf('o')).toEqual([])
  })
})
