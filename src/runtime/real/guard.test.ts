/** What remains after this process was killed: nothing that was given to the guard. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, expect, it } from 'vitest'
import { isRunning } from '../../../test/machine/is-running.ts'
import { createRealClock } from './clock.ts'

const clock = createRealClock()
let parent: ChildProcess | undefined
afterEach(() => void parent?.kill('SIGKILL'))

/** A process that starts a program with a child, makes a folder, and prints both process ids and the folder. */
async function startParent(endsWithParent: boolean): Promise<readonly [leader: number, child: number, folder: string]> {
  const runtime = JSON.stringify(new URL('runtime.ts', import.meta.url))
  const program = `
    import { createRealRuntime } from ${runtime}
    const { processes, files } = createRealRuntime()
    const folder = await files.makeTemporary('guard test-', { endsWithProcess: true })
    await files.write(folder + '/file', 'content')
    const running = processes.spawn({
      command: 'sh', args: ['-c', 'sleep 1000 & echo $! >&2; echo $!; wait'], env: process.env, endsWithParent: ${endsWithParent},
    })
    for await (const chunk of running.stdout) console.log(running.pid + ' ' + Buffer.from(chunk).toString().trim() + ' ' + folder)`
  parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: parent.stdout as NodeJS.ReadableStream })
  const [line] = (await once(lines, 'line')) as [string]
  const [leader = '', child = '', ...folder] = line.split(' ')
  return [Number(leader), Number(child), folder.join(' ')]
}

it('kills process groups and removes folders when this process is killed', async () => {
  const [leader, child, folder] = await startParent(true)
  expect([isRunning(leader), isRunning(child), existsSync(folder)]).toEqual([true, true, true])
  parent?.kill('SIGKILL')
  while (isRunning(leader) || isRunning(child) || existsSync(folder)) await clock.sleep(5)
})

it('leaves other processes alone', async () => {
  const [leader, child, folder] = await startParent(false)
  parent?.kill('SIGKILL')
  while (existsSync(folder)) await clock.sleep(5)
  expect([isRunning(leader), isRunning(child)]).toEqual([true, true])
  process.kill(-leader, 'SIGKILL')
})
