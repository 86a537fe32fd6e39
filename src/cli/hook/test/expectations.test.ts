import { describe, expect, it } from 'vitest'
import { createClient } from '../../../kube/client/create.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { createSandbox } from '../../../sandbox/index.ts'
import { readCases } from './case.ts'
import { type Problem, problemsIn, type SeenRun, type StepResult } from './expectations.ts'
import { CaseObjects } from './objects.ts'

const run: SeenRun = {
  hook: 'a.sh',
  binding: 'pods',
  type: 'Event',
  event: 'Added',
  exit: 0,
  contexts: [{ type: 'Event' }],
}
const failed: SeenRun = { ...run, exit: 3, failure: 'ExitCode' }
const noResult: StepResult = { runs: [], failures: [], patches: [], lines: [], metrics: '' }
const shop = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
  status: { phase: 'Running' },
}

function compare(expectation: JsonObject, result: Partial<StepResult> = {}): Promise<readonly Problem[]> {
  const [test] = readCases(JSON.stringify({ steps: [{ expect: expectation }] }), 'case')
  const step = test?.steps[0]
  if (step === undefined) throw new Error('no step')
  const simulation = createSimulation(1)
  return simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 0 })
    await sandbox.ready
    const objects = new CaseObjects(createClient({ transport: sandbox.transport(), runtime }), runtime.clock)
    await objects.create(shop)
    const problems = await problemsIn(step.expect, { ...noResult, ...result }, objects)
    await sandbox.stop()
    return problems
  })
}

describe('problemsIn', () => {
  it('compares the number of runs and expects exit code 0 by default', async () => {
    expect(await compare({ runs: [{ hook: 'a.sh', count: 2 }] }, { runs: [run, run] })).toEqual([])
    expect(await compare({ runs: [{ hook: 'a.sh' }] }, { runs: [run, run] })).toMatchObject([{ what: 'runs' }])
    expect(await compare({ runs: [{ hook: 'a.sh' }] }, { runs: [failed], failures: ['a.sh: no'] })).toEqual([
      { what: 'runs', lines: ['  - hook: a.sh', '-   exit: 0', '+   exit: 3', 'a.sh: no'] },
    ])
    expect(await compare({ runs: [{ exit: 3 }] }, { runs: [failed] })).toEqual([])
    expect(await compare({ runs: [{ contexts: [{ type: 'Event' }] }] }, { runs: [run] })).toEqual([])
    expect(await compare({ runs: [{ contexts: [{ type: 'Group' }] }] }, { runs: [run] })).not.toEqual([])
  })

  it('reports failed runs when no runs are expected explicitly', async () => {
    expect(await compare({}, { runs: [failed], failures: ['a.sh: no'] })).toEqual([
      { what: 'a run failed', lines: ['a.sh: no'] },
    ])
  })

  it('compares objects with their status', async () => {
    const pod = { kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } }
    expect(await compare({ objects: [{ ...pod, status: { phase: 'Running' } }] })).toEqual([])
    expect(await compare({ objects: [{ ...pod, status: { phase: 'Failed' } }] })).toMatchObject([
      { what: 'Pod shop/web' },
    ])
    expect(await compare({ objects: [{ kind: 'Pod', metadata: { name: 'db' } }] })).toMatchObject([
      { what: 'Pod db', lines: ['- exists', '+ does not exist'] },
    ])
    expect(await compare({ absent: { kind: 'pods', name: 'db' } })).toEqual([])
    expect(await compare({ absent: { kind: 'pods', name: 'web', namespace: 'shop' } })).toHaveLength(1)
  })

  it('compares metrics by name, labels and value', async () => {
    const metrics = '# TYPE n gauge\nn{a="b",hook="x"} 3\nnn{hook="x"} 4\n'
    expect(
      await compare({ metrics: [{ name: 'n', labels: { a: 'b' }, value: 3 }, { name: 'nn' }] }, { metrics }),
    ).toEqual([])
    expect(await compare({ metrics: [{ name: 'n', value: 4 }] }, { metrics })).toEqual([
      { what: 'metric n', lines: ['- n{} 4', '+ n{a="b",hook="x"} 3'] },
    ])
    expect(await compare({ metrics: [{ name: 'm' }] }, { metrics })).toMatchObject([
      { lines: ['- m{}', '+ no such metric'] },
    ])
  })

  it('finds log lines by a part or a regular expression', async () => {
    const lines = ['made 12 things']
    expect(await compare({ logs: ['12', '/^made \\d+/'] }, { lines })).toEqual([])
    expect(await compare({ logs: ['13'] }, { lines })).toEqual([{ what: 'logs', lines: ['- 13', '+ made 12 things'] }])
  })
})
