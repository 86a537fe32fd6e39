/** One of several processes among which the disturbed rollouts are shared; it is given a scenario and a fault, and answers how that went. */
import { disturbRollout, type Plain, playPlain } from '../rollout-disturb.ts'
import { scenarios } from '../rollout-scenarios.ts'
import type { Answer, Task } from './crew.ts'

const plains = new Map<string, Promise<Plain>>()

async function work({ scenario: name, fault, stride }: Task): Promise<Answer> {
  try {
    const scenario = scenarios.find((one) => one.name === name)
    if (scenario === undefined) throw new Error(`no scenario is called ${name}`)
    const plain = plains.get(name) ?? playPlain(scenario)
    plains.set(name, plain)
    return { runs: await disturbRollout(scenario, await plain, fault, stride) }
  } catch (error) {
    return { runs: 0, failure: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) }
  }
}

process.on('message', (task: Task) => void work(task).then((answer) => process.send?.(answer)))
