/**
 * Where the programs of the real control plane come from: KUBEBUILDER_ASSETS, PATH, the cache folder, or a build from their Go
 * modules into that folder when `go` is there. The versions are those of the modules in `go/`.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const modules = fileURLToPath(new URL('go/', import.meta.url))

const serverPrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const
const clientPrograms = ['kubectl', 'helm'] as const
type Program = (typeof serverPrograms)[number] | (typeof clientPrograms)[number]

export type Binaries = Readonly<Record<Program, string>>

const kubernetesVersion = versionOf('kubernetes', 'k8s.io/kubernetes')
const helmVersion = versionOf('helm', 'helm.sh/helm/v3')

/** The paths of all programs; missing ones are built. Returns a sentence with the reason when that is impossible. */
export function findOrBuildBinaries(): Binaries | string {
  const missing = [...serverPrograms, ...clientPrograms].filter((program) => findBinary(program) === undefined)
  if (missing.length > 0) {
    if (spawnSync('go', ['version']).status !== 0) {
      return `no ${missing.join(', ')} in KUBEBUILDER_ASSETS, PATH or ${cacheFolder()}, and no go to build them with`
    }
    for (const program of missing) build(program)
  }
  const entries = [...serverPrograms, ...clientPrograms].map((program) => [program, findBinary(program)] as const)
  return Object.fromEntries(entries) as Binaries
}

/** The path of one program, undefined when it would have to be built. */
export function findBinary(program: Program): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  // The kubectl of the machine may be years old, so the one in the cache is preferred.
  const folders = [
    process.env['KUBEBUILDER_ASSETS'],
    ...(program === 'kubectl' ? [cacheFolder(), ...path] : [...path, cacheFolder()]),
  ]
  return folders
    .map((folder) => folder && join(folder, program))
    .find((file) => file !== undefined && isExecutable(file))
}

function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return join(base, 'carabiner', 'control-plane', kubernetesVersion)
}

function build(program: Program): void {
  process.stderr.write(`building ${program} from its Go module (once, then cached) …\n`)
  const [folder, target, flags] = recipe(program)
  mkdirSync(cacheFolder(), { recursive: true })
  const output = join(cacheFolder(), program)
  const args = ['build', '-trimpath', '-ldflags', `-s -w ${flags}`, '-o', `${output}.part`, target]
  const options = {
    cwd: join(modules, folder),
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: ['ignore', 2, 2] as const,
  }
  const { status } = spawnSync('go', args, { ...options, stdio: [...options.stdio] })
  if (status !== 0) throw new Error(`go build of ${program} failed with exit code ${status}`)
  renameSync(`${output}.part`, output)
}

function recipe(program: Program): readonly [folder: string, target: string, flags: string] {
  if (program === 'etcd') return ['etcd', '.', '']
  if (program === 'helm') {
    return ['helm', 'helm.sh/helm/v3/cmd/helm', `-X helm.sh/helm/v3/internal/version.version=${helmVersion}`]
  }
  const [major, minor] = kubernetesVersion.slice(1).split('.')
  const stamps = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor }
  const flags = Object.entries(stamps).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  return ['kubernetes', `k8s.io/kubernetes/cmd/${program}`, flags.join(' ')]
}

function versionOf(folder: string, module: string): string {
  const lines = readFileSync(join(modules, folder, 'go.mod'), 'utf8').split('\n')
  const version = lines
    .map((line) =>
      line
        .trim()
        .replace(/^require /, '')
        .split(' '),
    )
    .find(([name]) => name === module)?.[1]
  if (version === undefined) throw new Error(`${folder}/go.mod does not require ${module}`)
  return version
}

function isExecutable(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
