import { describe, expect, it } from 'vitest'
import { listQueues, queuesAsText, type ShownQueue } from './listing.ts'

const queue = (name: string, status: ShownQueue['status'], ...hooks: string[]): ShownQueue => ({
  name,
  status,
  tasks: () =>
    hooks.map((hook, index) => ({
      task: {
        id: hook,
        hook,
        type: 'HookRun',
        bindingType: 'kubernetes',
        binding: 'pods',
        cause: undefined,
        isMergeable: true,
        allowFailure: false,
      },
      failures: index === 0 ? 1 : 0,
    })),
})

const queues = [
  queue('main', { kind: 'retrying', delay: 3000 }, 'a.sh', 'b.sh'),
  queue('own', { kind: 'running' }, 'c.sh'),
  queue('quiet', { kind: 'empty' }),
]

describe('list of queues', () => {
  it('has the JSON form of shell-operator', () => {
    expect(listQueues(queues)).toEqual({
      active: [
        {
          name: 'main',
          tasksCount: 2,
          status: 'sleep after fail for 3s',
          tasks: [
            { index: 1, description: 'HookRun:main:kubernetes:a.sh:pods:failures 1' },
            { index: 2, description: 'HookRun:main:kubernetes:b.sh:pods:failures 0' },
          ],
        },
        {
          name: 'own',
          tasksCount: 1,
          status: 'run first task',
          tasks: [{ index: 1, description: 'HookRun:own:kubernetes:c.sh:pods:failures 1' }],
        },
      ],
      empty: [{ name: 'quiet', tasksCount: 0, status: 'waiting for task', tasks: [] }],
      summary: { mainQueueTasks: 2, otherQueues: { active: 1, empty: 1, tasks: 1 }, totalTasks: 3 },
    })
  })

  it('is text without empty queues', () => {
    expect(queuesAsText(queues)).toBe(`Queue "main": length 2, status: sleep after fail for 3s
1. HookRun:main:kubernetes:a.sh:pods:failures 1
2. HookRun:main:kubernetes:b.sh:pods:failures 0

Queue "own": length 1, status: run first task
1. HookRun:own:kubernetes:c.sh:pods:failures 1
`)
    expect(queuesAsText([])).toBe('All queues are empty.\n')
  })
})
