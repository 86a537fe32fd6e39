import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isRunning } from '../../../test/machine/is-running.ts'
import type { RunningProcess } from '../processes.ts'
import { createRealProcesses } from './processes.ts'
import { perl } from './starter-program.ts'

/**
 * Runs in its own process: tests run in worker threads, which have no pipes. `run` returns everything observable about a program,
 * `isByStarter` whether the next program is started by the starter.
 */
function inProcess(program: string, options = '{}'): RunningProcess {
  const from = (name: string) => JSON.stringify(new URL(name, import.meta.url))
  const head = `import { createRealProcesses } from ${from('processes.ts')}
    import { Starter } from ${from('starter.ts')}
    const processes = createRealProcesses(new Starter(${options}))
    const env = { PATH: process.env.PATH }
    const textOf = async (output) => {
      let text = ''
      for await (const chunk of output) text += Buffer.from(chunk)
      return text.length > 1000 ? text.length : text
    }
    const run = async (spec, { spawn } = processes) => {
      const running = spawn({ env, ...spec })
      const printed = await Promise.all([textOf(running.stdout), textOf(running.stderr)])
      const exit = await running.exit.catch(({ code, message }) => ({ code, message }))
      return { ...exit, printed, left: running.hasRemainingChildren() }
    }
    const bash = (script, more) => ({ command: 'bash', args: ['-c', script], ...more })
    const parentOf = async () => Number((await run(bash('echo $PPID'))).printed[0])
    const isByStarter = async () => (await parentOf()) !== process.pid
    const pause = (time) => new Promise((resolve) => setTimeout(resolve, time))
    const untilByStarter = async () => {
      while (!(await isByStarter())) await pause(1)
    }`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', `${head}\n${program}`]
  return createRealProcesses().spawn({
    command: process.execPath,
    args,
    env: { PATH: process.env['PATH'] ?? '' },
  })
}

async function reportOf(running: RunningProcess): Promise<unknown> {
  let text = ''
  for await (const chunk of running.stdout) text += Buffer.from(chunk).toString()
  return JSON.parse(text)
}

const reason = existsSync(perl) ? '' : ` (skipped: there is no ${perl})`
describe.skipIf(reason !== '')(`the starter${reason}`, () => {
  it('runs a program exactly like Node.js', async () => {
    const { ours, its, isStillThere, leftOpen } = (await reportOf(
      inProcess(`const cases = [
          bash('echo out; echo err >&2; exit 7'),
          bash('env | grep -v ^_= | sort; pwd', { cwd: '/tmp', env: { ...env, 'a.b': 'x=y', EMPTY: '', LONG: 'ä'.repeat(50000) } }),
          { command: 'printf', args: ['[%s]', 'a b', '', "it's", 'ü\\n', '$HOME'] },
          bash('stat -L -c %F /dev/fd/0 /dev/fd/1 /dev/fd/2; cat; ls /proc/self/fd | wc -l; umask'),
          bash('grep -E "Sig(Blk|Ign|Cgt)" /proc/self/status'),
          bash('echo $(($$ == $(ps -o pgid= $$)))'),
          bash('kill -9 $$'), bash('kill -TERM $$'), bash('kill -PIPE $$'), bash('exit 137'),
          bash('exec head -c 300000 /dev/zero'),
          bash('(sleep 0.1; echo late) & echo now'),
          bash('sleep 0.2 >/dev/null 2>&1 & echo behind'),
          { command: 'nowhere' }, { command: '/nowhere' }, { command: '/etc/passwd' },
          { command: 'true', cwd: '/missing' }, { command: 'true', cwd: '/etc/passwd' },
          { command: 'true', env: { ...env, HUGE: 'x'.repeat(3000000) } },
        ]
        const [ours, its] = [[], []]
        const alone = createRealProcesses(new Starter({ interpreter: '/nowhere' }))
        for (const one of cases) ours.push(await run(one, alone))
        await untilByStarter()
        const { readdirSync } = await import('node:fs')
        const open = () => readdirSync('/proc/self/fd').length
        const before = open()
        for (const one of cases) its.push(await run(one))
        console.log(JSON.stringify({ ours, its, isStillThere: await isByStarter(), leftOpen: open() - before }))`),
    )) as Record<string, unknown>
    expect(its).toEqual(ours)
    expect({ isStillThere, leftOpen }).toEqual({ isStillThere: true, leftOpen: 0 })
  }, 60_000)

  it('handles one program at a time; others are started directly', async () => {
    const shown = await reportOf(
      inProcess(`await untilByStarter()
        const first = processes.spawn({ env, ...bash('echo $PPID; sleep 1000') })
        const beside = await isByStarter()
        first.kill('SIGTERM')
        console.log(JSON.stringify({ beside, first: await first.exit, by: Number(await textOf(first.stdout)) !== process.pid }))`),
    )
    expect(shown).toEqual({ beside: false, first: { signal: 'SIGTERM' }, by: true })
  }, 60_000)

  it('never starts a program that was killed before the request was read', async () => {
    const shown = await reportOf(
      inProcess(`import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
        const folder = mkdtempSync('/tmp/carabiner-starter-test-')
        const ends = []
        for (let index = 0; index < 20; index++) {
          await untilByStarter()
          const running = processes.spawn({ env, ...bash('sleep 0.05; touch ' + folder + '/' + index) })
          running.kill('SIGKILL')
          ends.push((await running.exit).signal)
        }
        await untilByStarter()
        await run(bash('sleep 0.2'))
        console.log(JSON.stringify({ ends: [...new Set(ends)], ghosts: readdirSync(folder) }))
        rmSync(folder, { recursive: true })`),
    )
    expect(shown).toEqual({ ends: ['SIGKILL'], ghosts: [] })
  }, 60_000)

  it('kills the program when it dies, and is replaced', async () => {
    const shown = await reportOf(
      inProcess(`await untilByStarter()
        const running = processes.spawn({ env, ...bash('echo $PPID; sleep 1000') })
        const [starter] = [Number(Buffer.from((await running.stdout[Symbol.asyncIterator]().next()).value))]
        process.kill(starter, 'SIGKILL')
        const end = await running.exit
        while (running.hasRemainingChildren()) await pause(1)
        await untilByStarter()
        console.log(JSON.stringify({ end, another: (await parentOf()) !== starter }))`),
    )
    expect(shown).toEqual({ end: { signal: 'SIGKILL' }, another: true })
  }, 60_000)

  it('ends when it is idle and does not keep the process running', async () => {
    const shown = (await reportOf(
      inProcess(
        `await untilByStarter()
        const starter = await parentOf()
        const { readFileSync } = await import('node:fs')
        const lives = () => { try { return readFileSync('/proc/' + starter + '/stat') } catch { return false } }
        while (lives()) await pause(5)
        await untilByStarter()
        console.log(JSON.stringify(await parentOf()))`,
        '{ idleTimeoutMs: 100 }',
      ),
    )) as number
    while (isRunning(shown)) await new Promise((resolve) => setImmediate(resolve))
    expect(isRunning(shown)).toBe(false)
  }, 60_000)

  it('ends when the process is killed', async () => {
    const running = inProcess(`await untilByStarter()
      console.log(await parentOf())
      setInterval(() => isByStarter(), 10)`)
    const output = running.stdout[Symbol.asyncIterator]()
    const starter = Number(Buffer.from((await output.next()).value ?? []).toString())
    expect(isRunning(starter)).toBe(true)
    process.kill(running.pid, 'SIGKILL')
    while (isRunning(starter)) await new Promise((resolve) => setImmediate(resolve))
    expect((await running.exit).signal).toBe('SIGKILL')
  }, 60_000)
})

it('without Perl, programs are started directly', async () => {
  const shown = await reportOf(
    inProcess(
      `const ordered = []
      for (let index = 0; index < 10; index++) {
        ordered.push(await isByStarter())
        await pause(5)
      }
      console.log(JSON.stringify([...new Set(ordered)]))`,
      "{ interpreter: '/nowhere/perl' }",
    ),
  )
  expect(shown).toEqual([false])
}, 60_000)
