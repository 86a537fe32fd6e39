/**
 * Two sandboxes and an operator beside each other, as a user without root whose home is read-only. As root the programs run as another user with
 * setpriv; where that is not installed, the tests are skipped.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Ran, type Running, start } from './program.ts'

const isRoot = process.getuid?.() === 0
const userId = isRoot ? 65_534 : (process.getuid?.() ?? 0)
const setpriv = ['setpriv', `--reuid=${userId}`, `--regid=${userId}`, '--clear-groups']
const wrapper = isRoot ? setpriv : []
const [program = '', ...flags] = setpriv
const isPossible = !isRoot || spawnSync(program, [...flags, 'true']).status === 0
if (!isPossible) process.stderr.write('without-root.test.ts is skipped: setpriv cannot change the user\n')

const folder = mkdtempSync(join(tmpdir(), 'carabiner-user-'))
chmodSync(folder, 0o755)
const running: Running[] = []
afterAll(() => {
  for (const one of running) one.kill()
  rmSync(folder, { recursive: true, force: true })
})

function ownFolder(name: string, mode: number): string {
  const path = join(folder, name)
  mkdirSync(path)
  chmodSync(path, mode)
  if (isRoot) chownSync(path, userId, userId)
  return path
}

const hooks = join(folder, 'hooks')
mkdirSync(hooks)
writeFileSync(
  join(hooks, 'hello.sh'),
  '#!/bin/sh\nif [ "$1" = --config ]; then echo "{\\"configVersion\\":\\"v1\\",\\"onStartup\\":1}"; else echo "in $BINDING_CONTEXT_PATH"; fi\n',
  { mode: 0o755 },
)

let folders = 0
type Env = Readonly<Record<string, string>>

const launch = (env: Env, ...args: readonly string[]): Running => {
  const one = start(args, env, folder, wrapper)
  running.push(one)
  return one
}
const run = (env: Env, ...args: readonly string[]): Promise<Ran> => launch(env, ...args).ended

async function kubeconfigOf(one: Running, pattern: RegExp): Promise<string> {
  return pattern.exec(await one.line(pattern))?.[1] ?? ''
}

describe.skipIf(!isPossible)('without root', () => {
  it('two sandboxes and an operator run beside each other, with a read-only home', async () => {
    const tmp = ownFolder('tmp', 0o700)
    const env = { HOME: ownFolder('read-only-home', 0o555), TMPDIR: tmp }
    const own = join(tmp, `carabiner-${userId}`)
    const [up, sandbox] = [launch(env, 'up', '--name', 'first'), launch(env, 'sandbox')]
    const first = await kubeconfigOf(up, /export KUBECONFIG=(\S+)[\s\S]*Ctrl-C stops/)
    const second = await kubeconfigOf(sandbox, /sandbox is ready.*KUBECONFIG=(\S+)/)
    expect([first, second]).toEqual([join(own, 'first.kubeconfig'), join(own, 'sandbox.kubeconfig')])
    expect(statSync(own).mode & 0o777).toBe(0o700)

    const operator = launch(env, 'run', '--hooks-dir', hooks, '--kubeconfig', second, '--listen-port', '0')
    expect(await operator.line(/carabiner is ready/)).toContain(join(own, 'debug.socket'))
    await operator.line(new RegExp(`in ${join(own, 'runs')}/`))
    expect((await run(env, 'queue', 'list')).stdout).toMatch(/queue/i)
    expect((await run(env, 'hook', 'list')).stdout).toMatch(/hello\.sh/)
    expect(statSync(join(own, 'debug.socket')).mode & 0o777).toBe(0o600)

    const listed = await run(env, 'sandbox', 'list', '-o', 'json')
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { state: 'running', kubeconfig: expect.any(String) },
      { state: 'running', kubeconfig: expect.any(String) },
    ])
    operator.interrupt()
    expect((await operator.ended).code).toBe(0)
    expect((await run(env, 'sandbox', 'stop', 'first')).stdout).toBe('sandbox first has ended\n')
    expect((await up.ended).code).toBe(0)
    expect([existsSync(first), existsSync(second)]).toEqual([false, true])
    expect((await run(env, 'version', '--kubeconfig', second)).stdout).toMatch(/v1\.35/)
    expect((await run(env, 'sandbox', 'stop')).code).toBe(0)
    expect((await sandbox.ended).code).toBe(0)
    expect((await run(env, 'sandbox', 'list')).stdout).toBe('No sandbox runs.\n')
  })

  it('a sandbox that was killed is not listed, and its name is free', async () => {
    const env = { HOME: ownFolder('home', 0o755), TMPDIR: ownFolder(`tmp-${++folders}`, 0o700) }
    const one = launch(env, 'sandbox', '--name', 'mine')
    await one.line(/sandbox is ready/)
    one.kill()
    await one.ended
    expect(JSON.parse((await run(env, 'sandbox', 'list', '-o', 'json')).stdout)).toEqual([])
    const another = launch(env, 'sandbox', '--name', 'mine')
    await another.line(/sandbox is ready/)
    expect((await run(env, 'sandbox', 'kubeconfig')).stdout).toBe(`${env.HOME}/.carabiner/mine.kubeconfig\n`)
    const taken = await run(env, 'up', '--name', 'mine')
    expect(taken.stderr).toMatch(/CRB_SANDBOX_RUNNING: the sandbox "mine" already runs: process \d+/)
    another.interrupt()
    await another.ended
  })

  it("the runtime folder of the session comes first for the debug socket, and another user's folder is not used", async () => {
    const session = ownFolder('session', 0o700)
    const env = {
      HOME: ownFolder('other-home', 0o755),
      XDG_RUNTIME_DIR: session,
      TMPDIR: ownFolder(`tmp-${++folders}`, 0o700),
    }
    const sandbox = launch(env, 'sandbox', '--name', 'mine')
    const kubeconfig = await kubeconfigOf(sandbox, /sandbox is ready.*KUBECONFIG=(\S+)/)
    const flags = ['--hooks-dir', hooks, '--kubeconfig', kubeconfig, '--listen-port', '0']
    const operator = launch(env, 'run', ...flags)
    expect(await operator.line(/carabiner is ready/)).toContain(join(session, 'carabiner', 'debug.socket'))
    expect((await run(env, 'queue', 'list')).code).toBe(0)
    operator.interrupt()
    await operator.ended
    // A folder that every user can change, as one prepared in /tmp could be.
    chmodSync(join(session, 'carabiner'), 0o777)
    const careful = launch(env, 'run', ...flags)
    expect(await careful.line(/carabiner is ready/)).toContain(join(env.HOME, '.carabiner', 'debug.socket'))
    for (const one of [careful, sandbox]) {
      one.interrupt()
      await one.ended
    }
  })
})
