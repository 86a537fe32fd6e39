import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealFiles } from './files.ts'

const filesModule = fileURLToPath(new URL('files.ts', import.meta.url))

describe('private folders of a process', () => {
  let parent: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'own-'))
  })
  const children: ChildProcess[] = []
  afterEach(() => {
    // Also after a failed test: a remaining child keeps the output of this process open.
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(parent, { recursive: true, force: true })
  })

  const processes = () => readdirSync(parent).filter((name) => name.startsWith('process-'))

  /** Starts another process, which creates a folder and then runs `rest`. */
  async function another(rest: string) {
    const code = `import { createRealFiles } from ${JSON.stringify(filesModule)}
      const { path } = await createRealFiles().makePrivate(${JSON.stringify(parent)}, ['a'])
      process.stdout.write(path); ${rest}`
    const args = ['--import', 'tsx', '--input-type=module', '-e', code]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const [path] = (await once(child.stdout, 'data')) as [Buffer]
    return { path: String(path), child, ended: once(child, 'exit') }
  }

  it('are removed when it exits', async () => {
    const { path, ended } = await another('')
    await ended
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(parent)).toEqual([])
  })

  it('are removed by the next process only if it was killed', async () => {
    const living = await another('setInterval(() => {}, 1000)')
    const killed = await another('setInterval(() => {}, 1000)')
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(processes()).toHaveLength(2)
    const own = await createRealFiles().makePrivate(parent, ['a'])
    // The files in a folder are removed before the folder.
    await expect.poll(processes, { timeout: 20_000 }).toHaveLength(2)
    expect([killed.path, living.path, own.path].map((path) => existsSync(path))).toEqual([false, true, true])
    living.child.kill('SIGKILL')
    await living.ended
  })

  it('are created again after a cleanup job removed them', async () => {
    const files = createRealFiles()
    await files.makePrivate(parent, ['a'])
    for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true })
    const again = await files.makePrivate(parent, ['a'])
    expect(existsSync(join(again.path, 'a'))).toBe(true)
  })

  it('are kept with `outlives`', async () => {
    const { path } = await createRealFiles().makePrivate(parent, ['a'], { outlives: true })
    expect(join(path, '..')).toBe(parent)
  })
})
