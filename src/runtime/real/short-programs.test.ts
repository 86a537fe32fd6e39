import { chmod } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lives } from '../../../test/machine/lives.ts'
import { createRealFiles } from './files.ts'
import { createRealProcesses } from './processes.ts'
import { passesThroughShell, startsBySystem } from './shell-lane.ts'

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

interface Told {
  readonly answers: readonly ({ readonly stdout: string; readonly stderr: string } | null)[]
  /** Of all, in milliseconds. */
  readonly took: number
  /** Pipes that are still open. */
  readonly left: number
}

interface Given {
  /** Beside PATH. */
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds; a busy machine takes its time, but not this much. */
  readonly time?: number
  /** When pipes are made; whoever comes too late finds no program that makes them. */
  readonly pipes?: 'when they are needed' | 'before' | 'too late'
}

/** By a process of its own, for worker threads, in which tests run, have no pipes. */
async function run(
  names: readonly string[],
  { env = {}, time = 60_000, pipes = 'when they are needed' }: Given = {},
): Promise<Told> {
  const program = `import { existsSync, readdirSync, readlinkSync } from 'node:fs'
    import { runShort } from ${JSON.stringify(new URL('short-programs.ts', import.meta.url))}
    import { StandardStreams } from ${JSON.stringify(new URL('stdio.ts', import.meta.url))}
    const streams = new StandardStreams()
    if (${pipes === 'before'}) await streams.stockUp()
    if (${pipes !== 'when they are needed'}) process.env.PATH = '/nowhere'
    const env = ${JSON.stringify({ PATH: process.env['PATH'], ...env })}
    const at = (name) => '/proc/self/fd/' + name
    const pipes = () => readdirSync('/proc/self/fd').filter((name) => name > 2 && existsSync(at(name)) && readlinkSync(at(name)).includes('carabiner-streams'))
    const run = async (programs) => {
      const text = (bytes) => Buffer.from(bytes).toString()
      const answers = await Promise.all(runShort(streams, programs, env, undefined, ${time}))
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
  return JSON.parse(text) as Told
}

const good = { stdout: 'good\n', stderr: '' }

describe('short programs', () => {
  it('use pipes that were made before', async () => {
    const names = [await put('with pipes', 'echo good'), await put('with others', 'echo good')]
    const { answers, left } = await run(names, { pipes: 'before' })
    expect(answers).toEqual([good, good])
    expect(left).toBe(0)
    expect((await run(names, { pipes: 'too late' })).answers).toEqual([null, null])
  })

  it('are each answered with what they printed, in the order given', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `number-${index}`)
    for (const name of names) await put(name, `echo ${name} "$1"; echo bad ${name} >&2`)
    const { answers, left } = await run(names)
    expect(answers).toEqual(names.map((name) => ({ stdout: `${name} it's\n`, stderr: `bad ${name}\n` })))
    expect(left).toBe(0)
  })

  it('find the folder and the streams that every process gets', async () => {
    const script =
      'cat; pwd; stat -L -c %F /dev/fd/0 /dev/fd/1 /dev/fd/2; echo end > /dev/stdout; echo err > /dev/stderr'
    const { answers } = await run([await put('seen', script)])
    const stdout = [folder, 'character special file', 'fifo', 'fifo', 'end', ''].join('\n')
    expect(answers).toEqual([{ stdout, stderr: 'err\n' }])
  })

  it('find exactly the environment given, whatever a shell makes of it', async () => {
    await put('environment', '')
    const show = 'const { _, ...env } = process.env; console.log(JSON.stringify(env))'
    await files.write(`${folder}/environment`, `#!${process.execPath}\n${show}\n`)
    for (const env of [{ A: "it's\n'two'" }, { PWD: '/elsewhere', OLDPWD: '/', SHLVL: '7' }]) {
      const { answers } = await run(['environment'], { env })
      expect(JSON.parse(answers[0]?.stdout ?? '')).toEqual({ PATH: process.env['PATH'], ...env })
    }
  })

  it('may print more than a pipe holds', async () => {
    const { answers } = await run([
      await put('long', 'head -c 300000 /dev/zero | tr "\\0" x'),
      await put('good', 'echo good'),
    ])
    expect(answers.map((answer) => answer?.stdout.length)).toEqual([300_000, 5])
  })

  it('are no answer when they fail, cannot be started or leave somebody behind', async () => {
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

  it('do not take others along when they end the shell', async () => {
    // Last, for there may be one shell or several.
    const names = [...Array.from({ length: 7 }, () => 'good'), await put('ends-all', 'kill -9 0')]
    await put('good', 'echo good')
    const { answers, left } = await run(names)
    expect(answers).toEqual([...Array.from({ length: 7 }, () => good), null])
    expect(left).toBe(0)
  })

  it('are given up when they take too long, and ended, even if they do not want to', async () => {
    await put('stubborn', `trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done`)
    const { answers, took, left } = await run(['stubborn'], { time: 3000 })
    expect([answers, left]).toEqual([[null], 0])
    expect(took).toBeGreaterThan(2990)
    const pid = Number(await files.readText(`${folder}/pid`))
    expect(lives(pid)).toBe(false)
  })
})

describe('a shell', () => {
  it('does not pass on every environment', () => {
    expect(passesThroughShell({ PATH: '/bin', A_1: 'x', _: 'y' })).toBe(true)
    expect(passesThroughShell({ 'BASH_FUNC_x%%': '() { :; }' })).toBe(false)
    expect(passesThroughShell({ 'a.b': '' })).toBe(false)
    expect(passesThroughShell({ IFS: ',' })).toBe(false)
  })

  it('is never given a file that the system would not start', async () => {
    const program = await files.read(process.execPath, 64)
    const other = program.with(18, (program[18] ?? 0) ^ 0xff)
    const starts = async (content: string | Uint8Array) => {
      await files.write(`${folder}/file`, content)
      return startsBySystem(`${folder}/file`)
    }
    expect(await starts('#!/bin/sh\n')).toBe(true)
    expect(await starts(program)).toBe(true)
    expect(await starts(other)).toBe(false)
    expect(await starts('echo\n')).toBe(false)
    expect(startsBySystem(`${folder}/missing`)).toBe(false)
  })
})
