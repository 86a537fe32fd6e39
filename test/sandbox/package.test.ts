/** The package as it is published: its size, its links, what importing it costs, and the controller of the guide in a project of its own. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const maxPackedBytes = 2_500_000
const maxFiles = 400
const maxImportCpuMs = 150

interface Manifest {
  readonly exports: Readonly<Record<string, string | object>>
  readonly dependencies: Readonly<Record<string, string>>
}

let project = ''
let packed: { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] }
let manifest: Manifest

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'carabiner-package-'))
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project])
  const answer = JSON.parse(stdout)
  packed = Array.isArray(answer) ? answer[0] : Object.values(answer)[0]
  await install()
  manifest = JSON.parse(await readFile(join(project, 'node_modules/carabiner/package.json'), 'utf8'))
})

afterAll(() => rm(project, { recursive: true, force: true }))

/** What `npm install` of the tarball does, with the dependencies of this checkout instead of a registry. */
async function install(): Promise<void> {
  const modules = join(project, 'node_modules')
  await mkdir(modules)
  await run('tar', ['-xzf', join(project, packed.filename), '-C', modules])
  await cp(join(modules, 'package'), join(modules, 'carabiner'), { recursive: true })
  await rm(join(modules, 'package'), { recursive: true })
  for (const name of await readdir('node_modules')) {
    if (!name.startsWith('.') && name !== 'carabiner')
      await symlink(join(process.cwd(), 'node_modules', name), join(modules, name))
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
}

describe('the package', () => {
  it('is small', () => {
    expect(packed.size).toBeLessThanOrEqual(maxPackedBytes)
    expect(packed.files.length).toBeLessThanOrEqual(maxFiles)
  })

  it('loads every entry quickly', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))
    expect(entries.length).toBeGreaterThan(10)
    const slow: string[] = []
    for (const entry of entries) {
      const cpuMs = Math.min(await importCpuMs(entry), await importCpuMs(entry))
      if (cpuMs > maxImportCpuMs) slow.push(`${entry} ${cpuMs} ms`)
    }
    expect(slow).toEqual([])
  })

  it('has pages whose links lead to files of the package', async () => {
    const paths = packed.files.map(({ path }) => path)
    const exists = (path: string): boolean => paths.some((one) => one === path || one.startsWith(`${path}/`))
    const dead: string[] = []
    // The architecture leads into the sources, which are in the repository only, and says so.
    const pages = paths.filter((path) => path.endsWith('.md') && path !== 'docs/architecture.md')
    for (const page of pages) {
      const prose = (await readFile(page, 'utf8')).replace(/^```[\s\S]*?^```/gm, '')
      for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        const [path] = link.split('#')
        if (/^[a-z]+:/.test(link) || path === undefined || path === '') continue
        if (!exists(normalize(join(dirname(page), path)).replace(/\/$/, ''))) dead.push(`${page}: ${link}`)
      }
    }
    expect(dead).toEqual([])
  })
})

describe('the controller of the guide, in a project of its own', () => {
  const folder = () => join(project, 'guide')
  const blocks = async (): Promise<ReadonlyMap<string, string>> => {
    const guide = await readFile(join(project, 'node_modules/carabiner/docs/guides/write-a-controller.md'), 'utf8')
    const found = guide.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```/gm)
    return new Map(Array.from(found, ([, name = '', text = '']) => [name, text]))
  }

  it('has thirty lines and no cast, and compiles strictly against the package', async () => {
    const files = await blocks()
    expect([...files.keys()]).toEqual(['sizes.ts', 'main.ts', 'sizes.test.ts'])
    const controller = files.get('sizes.ts') ?? ''
    expect(controller.trim().split('\n').length).toBeLessThanOrEqual(30)
    expect(controller).not.toMatch(/ as |<[A-Z]\w*>\(|\bany\b/)
    await mkdir(folder())
    for (const [name, text] of files) await writeFile(join(folder(), name), text)
    // What a strict user has, and the declarations of the package are checked too.
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
    const platform = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', 'out']
    const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc')
    const args = [compiler, ...strict, ...platform, ...files.keys()]
    const { stdout } = await run(process.execPath, args, { cwd: folder() }).catch((error) => error)
    expect(stdout).toBe('')
  })

  it('passes its test, which takes three virtual hours', async () => {
    const { stdout } = await run(process.execPath, ['--test', 'out/'], { cwd: folder() }).catch((error) => error)
    expect(stdout).toContain('# pass 1\n')
  })
})

describe('a test that waits for what never comes', () => {
  const text = `
import { createClient, resources } from 'carabiner/kube'
import { createSimulation } from 'carabiner/runtime'
import { createSandbox } from 'carabiner/sandbox'
const simulation = createSimulation(1)
const start = process.cpuUsage()
const error = await simulation.run(async () => {
  const sandbox = createSandbox(simulation.domain('cluster').runtime)
  await sandbox.ready
  const { runtime } = simulation.domain('test')
  const pods = createClient({ transport: sandbox.transport(), runtime }).of(resources.pods)
  while ((await pods.list()).items.length < 1) await runtime.clock.sleep(1000)
}).catch((error) => error)
const { user, system } = process.cpuUsage(start)
console.log(JSON.stringify({ code: error.code, message: error.message, cpuMs: (user + system) / 1000 }))`

  it('ends within a second and names what is repeated', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', text], { cwd: project })
    const { code, message, cpuMs } = JSON.parse(stdout)
    expect(code).toBe('CRB_SIMULATION_STUCK')
    expect(message).toContain('\n  test: timer of 1000 ms')
    expect(message).toContain('\nagain and again:\n  test: timer 1000ms\n')
    expect(cpuMs).toBeLessThan(1000)
  })
})

/** CPU time and not the time on the clock, which tests that run side by side would change. */
async function importCpuMs(entry: string): Promise<number> {
  const specifier = JSON.stringify(entry.replace('.', 'carabiner'))
  const program = `const start = process.cpuUsage(); await import(${specifier})
    const { user, system } = process.cpuUsage(start); console.log((user + system) / 1000)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: project })
  return Math.round(Number(stdout))
}
