/** One of several processes among which the disturbed rollouts are shared; it is given a scenario and a fault, and answers how that went. */
import { disturbRollout, type Plain, playPlain } from '../rollout-disturb.ts'
import { scenarios } from '../rollout-scenarios.ts'
import type { Answer, Task } from './crew.ts'

const plains = new Map<string, Promise<Plain>>()

async function work({ scenario: name, fault, stride }: Task): Promise<Answer> {
  const before = process.cpuUsage()
  const seconds = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  try {
    const scenario = scenarios.find((one) => one.name === name)
    if (scenario === undefined) throw new Error(`no scenario is called ${name}`)
    const plain = plains.get(name) ?? playPlain(scenario)
    plains.set(name, plain)
    const runs = await disturbRollout(scenario, await plain, fault, stride)
    return { runs, seconds: seconds() }
  } catch (error) {
    const failure = error instanceof Error ? `${error.message}\n${error.stack}` : String(error)
    return { runs: 0, seconds: seconds(), failure }
  }
}

process.on('message', (task: Task) => void work(task).then((answer) => process.send?.(answer)))
