/** A worker process: it gets a scenario with a fault, or a number, and answers with the result of the run. */
import { expectChanceSound } from '../rollout-chance.ts'
import { disturbRollout, type Plain, playPlain } from '../rollout-disturb.ts'
import { scenarios } from '../rollout-scenarios.ts'
import type { Answer, Disturbance, Task } from './pool.ts'

const plains = new Map<string, Promise<Plain>>()

async function work(task: Task): Promise<Answer> {
  const before = process.cpuUsage()
  const seconds = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  try {
    const runs = 'number' in task ? await draw(task.number) : await disturb(task)
    return { runs, seconds: seconds() }
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { runs: 0, seconds: seconds(), failure }
  }
}

async function draw(number: number): Promise<number> {
  await expectChanceSound(number)
  return 1
}

async function disturb({ scenario: name, fault, strides }: Disturbance): Promise<number> {
  const scenario = scenarios.find((one) => one.name === name)
  if (scenario === undefined) throw new Error(`unknown scenario ${name}`)
  const plain = plains.get(name) ?? playPlain(scenario)
  plains.set(name, plain)
  return disturbRollout(scenario, await plain, fault, strides)
}

process.on('message', (task: Task) => void work(task).then((answer) => process.send?.(answer)))
