import { chmod } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunning } from '../../../test/machine/is-running.ts'
import { createRealFiles } from './files.ts'
import { createRealProcesses } from './processes.ts'
import { isPreservedByShell, isStartedByKernel } from './shell-lane.ts'

const files = createRealFiles()
let folder = ''

beforeAll(async () => {
  folder = await files.makeTemporary("short programs' ")
})
afterAll(() => files.remove(folder))

async function put(name: string, script: string): Promise<string> {
  await files.write(`${folder}/${name}`, `#!/bin/sh\n${script}\n`)
  await chmod(`${folder}/${name}`, 0o755)
  return name
}

interface Report {
  readonly answers: readonly ({ readonly stdout: string; readonly stderr: string } | null)[]
  /** Milliseconds for all programs. */
  readonly took: number
  /** Number of pipes that are still open. */
  readonly left: number
}

interface Given {
  /** In addition to PATH. */
  readonly env?: Readonly<Record<string, string>>
  /** Time limit in milliseconds; long, because the machine may be busy. */
  readonly time?: number
  /** When pipes are created; `too late` means that mkfifo cannot be found. */
  readonly pipes?: 'when they are needed' | 'before' | 'too late'
}

/** Runs in its own process: tests run in worker threads, which have no pipes. */
async function run(
  names: readonly string[],
  { env = {}, time = 60_000, pipes = 'when they are needed' }: Given = {},
): Promise<Report> {
  const program = `import { existsSync, readdirSync, readlinkSync } from 'node:fs'
    import { runShort } from ${JSON.stringify(new URL('short-programs.ts', import.meta.url))}
    import { StandardStreams } from ${JSON.stringify(new URL('stdio.ts', import.meta.url))}
    const streams = new StandardStreams()
    if (${pipes === 'before'}) await streams.fillStock()
    if (${pipes !== 'when they are needed'}) process.env.PATH = '/nowhere'
    const env = ${JSON.stringify({ PATH: process.env['PATH'], ...env })}
    const at = (name) => '/proc/self/fd/' + name
    const pipes = () => readdirSync('/proc/self/fd').filter((name) => name > 2 && existsSync(at(name)) && readlinkSync(at(name)).includes('carabiner-streams'))
    const run = async (programs) => {
      const text = (bytes) => Buffer.from(bytes).toString()
      const answers = await Promise.all(runShort(streams, programs, env, { timeoutMs: ${time} }))
      return answers.map((answer) => answer && { stdout: text(answer.stdout), stderr: text(answer.stderr) })
    }
    const cwd = ${JSON.stringify(folder)}
    const start = performance.now()
    const answers = await run(${JSON.stringify(names)}.map((name) => ({ command: cwd + '/' + name, args: ["it's"], cwd })))
    const took = performance.now() - start
    while (pipes().length > 0 && performance.now() < start + 20_000) await new Promise((resolve) => setTimeout(resolve, 10))
    console.log(JSON.stringify({ answers: answers.map((one) => one ?? null), took, left: pipes().length }))`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const environment = { PATH: process.env['PATH'] ?? '' }
  const running = createRealProcesses().spawn({ command: process.execPath, args, env: environment })
  let text = ''
  for await (const chunk of running.stdout) text += Buffer.from(chunk).toString()
  return JSON.parse(text) as Report
}

const good = { stdout: 'good\n', stderr: '' }

describe('short programs', () => {
  it('use pipes that were created before', async () => {
    const names = [await put('with pipes', 'echo good'), await put('with others', 'echo good')]
    const { answers, left } = await run(names, { pipes: 'before' })
    expect(answers).toEqual([good, good])
    expect(left).toBe(0)
    expect((await run(names, { pipes: 'too late' })).answers).toEqual([null, null])
  })

  it('resolve with their output in the given order', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `number-${index}`)
    for (const name of names) await put(name, `echo ${name} "$1"; echo bad ${name} >&2`)
    const { answers, left } = await run(names)
    expect(answers).toEqual(names.map((name) => ({ stdout: `${name} it's\n`, stderr: `bad ${name}\n` })))
    expect(left).toBe(0)
  })

  it('have working directory and standard streams like every process', async () => {
    const script =
      'cat; pwd; stat -L -c %F /dev/fd/0 /dev/fd/1 /dev/fd/2; echo end > /dev/stdout; echo err > /dev/stderr'
    const { answers } = await run([await put('seen', script)])
    const stdout = [folder, 'character special file', 'fifo', 'fifo', 'end', ''].join('\n')
    expect(answers).toEqual([{ stdout, stderr: 'err\n' }])
  })

  it('have exactly the given environment in spite of the shell', async () => {
    await put('environment', '')
    const show = 'const { _, ...env } = process.env; console.log(JSON.stringify(env))'
    await files.write(`${folder}/environment`, `#!${process.execPath}\n${show}\n`)
    for (const env of [{ A: "it's\n'two'" }, { PWD: '/elsewhere', OLDPWD: '/', SHLVL: '7' }]) {
      const { answers } = await run(['environment'], { env })
      expect(JSON.parse(answers[0]?.stdout ?? '')).toEqual({ PATH: process.env['PATH'], ...env })
    }
  })

  it('can print more than a pipe holds', async () => {
    const { answers } = await run([
      await put('long', 'head -c 300000 /dev/zero | tr "\\0" x'),
      await put('good', 'echo good'),
    ])
    expect(answers.map((answer) => answer?.stdout.length)).toEqual([300_000, 5])
  })

  it('resolve with undefined when they fail, cannot be started or leave children behind', async () => {
    const names = [
      await put('good', 'echo good'),
      await put('fails', 'echo bad; exit 3'),
      await put('killed', 'kill -9 $$'),
      'missing',
      await put('leaves', '(sleep 3; echo late) & echo now'),
      'good',
    ]
    const { answers } = await run(names)
    expect(answers).toEqual([good, null, null, null, null, good])
  })

  it('do not affect others when they kill the shell', async () => {
    // Last in the list, because there may be one shell or several.
    const names = [...Array.from({ length: 7 }, () => 'good'), await put('ends-all', 'kill -9 0')]
    await put('good', 'echo good')
    const { answers, left } = await run(names)
    expect(answers).toEqual([...Array.from({ length: 7 }, () => good), null])
    expect(left).toBe(0)
  })

  it('are killed after the time limit, even when they ignore SIGTERM', async () => {
    await put('stubborn', `trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done`)
    const { answers, took, left } = await run(['stubborn'], { time: 3000 })
    expect([answers, left]).toEqual([[null], 0])
    expect(took).toBeGreaterThan(2990)
    const pid = Number(await files.readText(`${folder}/pid`))
    expect(isRunning(pid)).toBe(false)
  })
})

describe('a shell', () => {
  it('does not preserve every environment', () => {
    expect(isPreservedByShell({ PATH: '/bin', A_1: 'x', _: 'y' })).toBe(true)
    expect(isPreservedByShell({ 'BASH_FUNC_x%%': '() { :; }' })).toBe(false)
    expect(isPreservedByShell({ 'a.b': '' })).toBe(false)
    expect(isPreservedByShell({ IFS: ',' })).toBe(false)
  })

  it('is not used for a file that the kernel would not start', async () => {
    const program = await files.read(process.execPath, 64)
    const other = program.with(18, (program[18] ?? 0) ^ 0xff)
    const starts = async (content: string | Uint8Array) => {
      await files.write(`${folder}/file`, content)
      return isStartedByKernel(`${folder}/file`)
    }
    expect(await starts('#!/bin/sh\n')).toBe(true)
    expect(await starts(program)).toBe(true)
    expect(await starts(other)).toBe(false)
    expect(await starts('echo\n')).toBe(false)
    expect(isStartedByKernel(`${folder}/missing`)).toBe(false)
  })
})
