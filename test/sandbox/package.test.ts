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

/** CPU time and not the time on the clock, which tests that run side by side would change. */
async function importCpuMs(entry: string): Promise<number> {
  const specifier = JSON.stringify(entry.replace('.', 'carabiner'))
  const program = `const start = process.cpuUsage(); await import(${specifier})
    const { user, system } = process.cpuUsage(start); console.log((user + system) / 1000)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: project })
  return Math.round(Number(stdout))
}
