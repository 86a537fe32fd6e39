/**
 * Releases of modules, made by the helm program in the namespace of the operator. A checksum of chart and values is kept with each as a label: as long as
 * it stays the same nothing is upgraded, and by the label a release is known to be a module's.
 */
import { HelmError, type HelmRun, valuesFile, withHelm } from '../../../helm/program.ts'
import { removePending } from '../../../helm/revisions.ts'
import { withoutSecrets } from '../../../hooks/index.ts'
import type { KubeClient } from '../../../kube/client/client.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { canonicalJson } from '../../../runtime/canonical-json.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { sha256Hex } from '../../../runtime/sha256.ts'
import { hookEnvironment } from '../../scripts/environment.ts'
import type { Module } from '../discovery/module.ts'
import { copyChart } from './chart.ts'
import { secretsIn } from './secrets.ts'

export interface ModuleHelmSettings {
  /** The helm program. @default helm on PATH */
  readonly program?: string
  /** For the files of each call of helm, values among them; created if it is not there. @default where this machine keeps such files */
  readonly tmpDir?: string
  /** Of all releases. */
  readonly namespace: string
  /** A file. @default as helm finds its cluster: KUBECONFIG, the home folder, the pod's own */
  readonly kubeconfig?: string
  readonly context?: string
  /** Address of the API server, instead of the one in the kubeconfig. */
  readonly server?: string
  /** Revisions kept of each release. @default 10 */
  readonly historyMax?: number
  /** Milliseconds for each thing helm waits for. @default 20 minutes */
  readonly timeout?: number
}

export interface Release {
  readonly name: string
  readonly status: string
}

export type Installed = 'installed' | 'upgraded' | 'unchanged'

interface Listed {
  readonly name: string
  readonly status: string
  readonly revision: string
}

const label = 'moduleChecksum'

/** One by one: helm 3 leaves some out unless told otherwise, and helm 4 knows no word for all of them. */
const inAnyState = ['deployed', 'failed', 'pending', 'superseded', 'uninstalled', 'uninstalling'].map(
  (state) => `--${state}`,
)

export class ModuleHelm {
  readonly #runtime: Runtime
  readonly #client: KubeClient
  readonly #settings: ModuleHelmSettings

  constructor(runtime: Runtime, client: KubeClient, settings: ModuleHelmSettings) {
    this.#runtime = runtime
    this.#client = client
    this.#settings = settings
  }

  /** Those of the namespace that were made for modules, whatever their state. */
  releases(signal: AbortSignal): Promise<readonly Release[]> {
    return this.#inRun(`the namespace ${this.#settings.namespace}`, 'releases', [], async (run) => {
      const ours = await this.#list(run, [...inAnyState, `--selector=${label}`], signal)
      return ours.map(({ name, status }) => ({ name, status }))
    })
  }

  /** For modules with a chart. */
  install(module: Module, values: JsonObject, signal: AbortSignal): Promise<Installed> {
    const { namespace, historyMax = 10 } = this.#settings
    const { name } = module
    return this.#inRun(`module ${name}`, this.#named(name), secretsIn(values), async (run) => {
      const chart = `${run.folder}/chart`
      const sum = await copyChart(this.#runtime.files, module, chart)
      // Labels hold no more than 63 characters.
      const checksum = sha256Hex(`${sum}\n${canonicalJson(values)}`).slice(0, 40)
      const only = `--filter=^${name}$`
      const same = await this.#list(run, ['--deployed', only, `--selector=${label}=${checksum}`], signal)
      if (same.length > 0) return 'unchanged'
      const [found] = await this.#list(run, [...inAnyState, only], signal)
      const isThere = found !== undefined && (await this.#mend(run, found, signal))
      const file = await run.write('values.yaml', valuesFile(values))
      const kept = [`--history-max=${historyMax}`, '--reset-values', `--labels=${label}=${checksum}`]
      await run.call({
        args: [
          'upgrade',
          name,
          chart,
          '--install',
          `--namespace=${namespace}`,
          ...kept,
          `--values=${file}`,
          this.#timeout,
        ],
        signal,
      })
      return isThere ? 'upgraded' : 'installed'
    })
  }

  /** Its history stays, and tells that the module was not yet done with it. One that is not there, or is deleted already, is no error. */
  uninstall(release: string, signal: AbortSignal): Promise<void> {
    return this.#inRun(`module ${release}`, this.#named(release), [], async (run) => {
      const [found] = await this.#list(run, [...inAnyState, `--filter=^${release}$`], signal)
      if (found !== undefined && found.status !== 'uninstalled')
        await this.#remove(run, release, ['--keep-history'], signal)
    })
  }

  /** With all that is known of it. One that is not there is no error. */
  purge(release: string, signal: AbortSignal): Promise<void> {
    return this.#inRun(`module ${release}`, this.#named(release), [], (run) => this.#remove(run, release, [], signal))
  }

  /** Brings a release into a state that can be upgraded. @returns whether there is still one */
  async #mend(run: HelmRun, { name, status, revision }: Listed, signal: AbortSignal): Promise<boolean> {
    const isFirst = revision === '1'
    const isPending = status.startsWith('pending-')
    const isGoing = status === 'uninstalled' || status === 'uninstalling'
    // An upgrade would not run what the chart wants to be run before its first installation.
    const neverWorked = isFirst && (isPending || status === 'failed')
    if (isGoing || (neverWorked && (await this.#isOurs(run, name, signal)))) {
      await this.#remove(run, name, [], signal)
      return false
    }
    if (!isPending) return true
    const storage = /^configmaps?$/.test(this.#runtime.env['HELM_DRIVER'] ?? '')
      ? resources.configMaps
      : resources.secrets
    return removePending(this.#client, { name, namespace: this.#settings.namespace }, signal, storage)
  }

  async #isOurs(run: HelmRun, name: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#list(run, [...inAnyState, `--filter=^${name}$`, `--selector=${label}`], signal)).length > 0
  }

  async #remove(run: HelmRun, name: string, more: readonly string[], signal: AbortSignal): Promise<void> {
    const where = [`--namespace=${this.#settings.namespace}`, '--ignore-not-found', this.#timeout]
    await run.call({ args: ['uninstall', name, ...where, ...more], signal })
  }

  async #list(run: HelmRun, which: readonly string[], signal: AbortSignal): Promise<readonly Listed[]> {
    const form = [`--namespace=${this.#settings.namespace}`, '--max=0', '--output=json']
    return JSON.parse(await run.call({ args: ['list', ...form, ...which], signal })) as Listed[]
  }

  get #timeout(): string {
    return `--timeout=${this.#settings.timeout ?? 20 * 60_000}ms`
  }

  #named(release: string): string {
    return `release ${this.#settings.namespace}/${release}`
  }

  async #inRun<T>(
    subject: string,
    what: string,
    secrets: readonly string[],
    work: (run: HelmRun) => Promise<T>,
  ): Promise<T> {
    const { program, tmpDir } = this.#settings
    if (tmpDir !== undefined) await this.#runtime.files.makeDirectory(tmpDir)
    const material = { runtime: this.#runtime, program, subject, env: () => this.#env() }
    try {
      return await withHelm({ ...material, ...(tmpDir === undefined ? {} : { tmpDir }) }, work)
    } catch (error) {
      if (!(error instanceof HelmError) || error.code !== 'CRB_HELM_FAILED') throw error
      throw new HelmError('CRB_HELM_FAILED', `${subject}, ${what}: ${withoutSecrets(error.message, secrets)}`)
    }
  }

  #env(): Readonly<Record<string, string>> {
    const { kubeconfig, context, server } = this.#settings
    return {
      ...hookEnvironment(this.#runtime.env, undefined),
      ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
      ...(context === undefined ? {} : { HELM_KUBECONTEXT: context }),
      ...(server === undefined ? {} : { HELM_KUBEAPISERVER: server }),
    }
  }
}
