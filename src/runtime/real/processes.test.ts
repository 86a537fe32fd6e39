import { chmod } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunning } from '../../../test/machine/is-running.ts'
import type { ProcessSpec, RunningProcess } from '../processes.ts'
import { createRealClock } from './clock.ts'
import { createRealFiles } from './files.ts'
import { createRealProcesses } from './processes.ts'

const files = createRealFiles()
const clock = createRealClock()
const processes = createRealProcesses()
const env = { PATH: process.env['PATH'] ?? '' }
let folder = ''

beforeAll(async () => {
  folder = await files.makeTemporary('processes-')
})
afterAll(() => files.remove(folder))

const bash = (script: string, more: Partial<ProcessSpec> = {}): RunningProcess =>
  processes.spawn({ command: 'bash', args: ['-c', script], env, ...more })

async function textOf(output: RunningProcess['stdout']): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of output) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

async function script(name: string, content: string, mode: number): Promise<string> {
  const path = `${folder}/${name}`
  await files.write(path, content)
  await chmod(path, mode)
  return path
}

/** Runs code in its own process: tests run in worker threads, where output goes through sockets instead of pipes. */
function inOwnProcess(program: string): Promise<string> {
  const from = (name: string) => JSON.stringify(new URL(name, import.meta.url))
  // Without the starter: its pipes would be counted.
  const head = `import { createRealProcesses } from ${from('processes.ts')}
    import { Starter } from ${from('starter.ts')}
    const processes = createRealProcesses(new Starter({ interpreter: '/nowhere' }))`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', `${head}\n${program}`]
  return textOf(processes.spawn({ command: process.execPath, args, env }).stdout)
}

describe('a process', () => {
  it('gets arguments, input, working directory and exactly the given environment', async () => {
    const stdin = new TextEncoder().encode('from stdin')
    const running = bash('cat; echo; pwd; env | grep -v -e ^_= -e ^SHLVL= | sort; echo problem >&2; exit 7', {
      env: { ...env, ONLY: 'this' },
      cwd: folder,
      stdin,
    })
    const shown = await textOf(running.stdout)
    expect(shown).toBe(`from stdin\n${folder}\nONLY=this\nPATH=${env.PATH}\nPWD=${folder}\n`)
    expect(await textOf(running.stderr)).toBe('problem\n')
    expect(await running.exit).toEqual({ code: 7, signal: undefined })
  })

  it('leads a process group, so that a kill reaches its children', async () => {
    const running = bash('sleep 1000 & echo $!; wait')
    const output = running.stdout[Symbol.asyncIterator]()
    const child = Number(Buffer.from((await output.next()).value ?? []).toString())
    expect(isRunning(child)).toBe(true)
    running.kill('SIGTERM')
    expect(await running.exit).toEqual({ code: undefined, signal: 'SIGTERM' })
    while (isRunning(child)) await clock.sleep(1)
    running.kill('SIGKILL')
  })

  it('has standard streams like in a shell: files and pipes, no sockets', async () => {
    const shown = await inOwnProcess(`
      const script = 'echo out > /dev/stdout; echo err > /dev/stderr; stat -L -c %F /dev/fd/0 /dev/fd/1 /dev/fd/2'
      for (const stdin of [undefined, new TextEncoder().encode('x')]) {
        const running = processes.spawn({ command: 'bash', args: ['-c', script], env: process.env, stdin })
        for await (const chunk of running.stdout) process.stdout.write(chunk)
        for await (const chunk of running.stderr) process.stdout.write(chunk)
      }`)
    expect(shown).toBe('out\ncharacter special file\nfifo\nfifo\nerr\nout\nregular file\nfifo\nfifo\nerr\n')
  })

  it('loses no output however short it runs, even with remaining children, and leaves no pipe open', async () => {
    const shown = await inOwnProcess(`
      import { readdirSync } from 'node:fs'
      const open = () => readdirSync('/proc/self/fd').length
      const run = async (script, command = 'bash') => {
        const running = processes.spawn({ command, args: ['-c', script], env: process.env })
        let size = 0
        for await (const chunk of running.stdout) size += chunk.byteLength
        return [size, await running.exit.then(({ code }) => code, ({ code }) => code)]
      }
      await run('true')
      const before = open()
      const each = [run('exec printf quick'), run('exec head -c 300000 /dev/zero'), run('(sleep 0.1; echo late) & echo now'), run('', 'nowhere')]
      const results = await Promise.all(each)
      console.log(JSON.stringify(results), open() - before)`)
    expect(shown).toBe('[[5,0],[300000,0],[9,0],[0,"CRB_PROCESS_NOT_FOUND"]] 0\n')
  })

  it('is reaped', async () => {
    const running = bash('true')
    await running.exit
    expect(() => process.kill(running.pid, 0)).toThrow('ESRCH')
  })

  it('ends without a reader, and its output can be read afterwards', async () => {
    const running = bash('head -c 5000000 /dev/zero; echo unread >&2')
    expect(await running.exit).toEqual({ code: 0, signal: undefined })
    expect(await textOf(running.stderr)).toBe('unread\n')
  })

  it('a slow reader gets every byte', async () => {
    const running = bash('head -c 5000000 /dev/zero')
    let size = 0
    for await (const chunk of running.stdout) {
      size += chunk.byteLength
      await clock.sleep(0)
    }
    expect(size).toBe(5_000_000)
  })

  it('can end without reading its input', async () => {
    const running = bash('exit 0', { stdin: new Uint8Array(1_000_000) })
    expect((await running.exit).code).toBe(0)
  })
})

describe('a process that cannot start', () => {
  const failure = (spec: Partial<ProcessSpec>): Promise<unknown> =>
    processes.spawn({ command: 'true', env, ...spec }).exit.then(
      () => 'started',
      (error: unknown) => error,
    )

  it('reports a missing program', async () => {
    expect(await failure({ command: 'no-such-program' })).toMatchObject({
      code: 'CRB_PROCESS_NOT_FOUND',
      message: 'cannot start "no-such-program": no such program',
    })
  })

  it('reports a file that is not executable', async () => {
    const command = await script('plain.sh', '#!/bin/sh\n', 0o644)
    expect(await failure({ command })).toMatchObject({
      code: 'CRB_PROCESS_NOT_STARTED',
      message: `cannot start "${command}": the file is not executable`,
      remedy: `Make it executable: chmod +x ${command}`,
    })
  })

  it('reports a missing interpreter', async () => {
    const command = await script('windows.sh', '#!/bin/bash\r\necho\r\n', 0o755)
    expect(await failure({ command })).toMatchObject({
      code: 'CRB_PROCESS_NOT_STARTED',
      message: `cannot start "${command}": its first line names the interpreter "/bin/bash\\r", which does not exist`,
    })
  })

  it('reports an environment that is too large', async () => {
    expect(await failure({ env: { ...env, HUGE: 'x'.repeat(10_000_000) } })).toMatchObject({
      code: 'CRB_PROCESS_NOT_STARTED',
      message: expect.stringContaining('E2BIG'),
    })
  })

  it('has empty output when no pipes can be created either', async () => {
    const shown = await inOwnProcess(`
      process.env.PATH = '/nowhere'
      const running = processes.spawn({ command: '/bin/true', env: { HUGE: 'x'.repeat(10_000_000) } })
      const late = setTimeout(() => console.log('never ends'), 5000)
      for await (const chunk of running.stdout) console.log('something')
      clearTimeout(late)
      console.log(await running.exit.catch(({ code }) => code))`)
    expect(shown).toBe('CRB_PROCESS_NOT_STARTED\n')
  }, 30_000)

  it('reports a missing working directory', async () => {
    expect(await failure({ cwd: `${folder}/missing` })).toMatchObject({
      code: 'CRB_PROCESS_NOT_STARTED',
      message: `cannot start "true": the working directory "${folder}/missing" does not exist`,
    })
  })
})
