/**
 * Helm releases of modules in the namespace of the operator. Each release has a label with a checksum of chart and values: it is upgraded
 * only when the checksum changes, and the label marks it as a module's release.
 */
import { HelmError, type HelmRun, isHelmMissing, removePending, valuesFile, withHelm } from '../../../helm/index.ts'
import { withoutSecrets } from '../../../hooks/index.ts'
import type { KubeClient } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { canonicalJson, type JsonObject, type Runtime, sha256Hex } from '../../../runtime/index.ts'
import { hookEnvironment } from '../../scripts/environment.ts'
import type { Module } from '../discovery/module.ts'
import { copyChart } from './chart.ts'
import { secretsIn } from './secrets.ts'

export interface ModuleHelmSettings {
  /** The helm program. @default helm on PATH */
  readonly program?: string
  /**
   * A folder for temporary files of helm calls, such as values; created if it does not exist. @default the temporary folder of the system
   */
  readonly tmpDir?: string
  /** The namespace of all releases. */
  readonly namespace: string
  /** A kubeconfig file. @default as helm finds its cluster: KUBECONFIG, the home folder, the service account of the pod */
  readonly kubeconfig?: string
  readonly context?: string
  /** The address of the API server, instead of the one in the kubeconfig. */
  readonly server?: string
  /** Revisions kept per release. @default 10 */
  readonly historyMax?: number
  /** Timeout of each operation that helm waits for, in milliseconds. @default 20 minutes */
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

const checksumLabel = 'moduleChecksum'

/** All states one by one, because helm 3 omits some by default and helm 4 has no option for all. */
const allStates = ['deployed', 'failed', 'pending', 'superseded', 'uninstalled', 'uninstalling'].map(
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

  /** The releases of modules in any state. */
  releases(signal: AbortSignal): Promise<readonly Release[]> {
    return this.#inRun(`the namespace ${this.#settings.namespace}`, 'releases', [], async (run) => {
      const found = await this.#list(run, [...allStates, `--selector=${checksumLabel}`], signal)
      return found.map(({ name, status }) => ({ name, status }))
    })
  }

  /** Installs or upgrades the release of a module with a chart. */
  install(module: Module, values: JsonObject, signal: AbortSignal): Promise<Installed> {
    const { namespace, historyMax = 10 } = this.#settings
    const { name } = module
    return this.#inRun(`module ${name}`, this.#named(name), secretsIn(values), async (run) => {
      const chart = `${run.folder}/chart`
      const sum = await copyChart(this.#runtime.files, module, chart)
      // Label values have at most 63 characters.
      const checksum = sha256Hex(`${sum}\n${canonicalJson(values)}`).slice(0, 40)
      const only = `--filter=^${name}$`
      const same = await this.#list(run, ['--deployed', only, `--selector=${checksumLabel}=${checksum}`], signal)
      if (same.length > 0) return 'unchanged'
      const [found] = await this.#list(run, [...allStates, only], signal)
      const exists = found !== undefined && (await this.#makeUpgradable(run, found, signal))
      const file = await run.write('values.yaml', valuesFile(values))
      const kept = [`--history-max=${historyMax}`, '--reset-values', `--labels=${checksumLabel}=${checksum}`]
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
      return exists ? 'upgraded' : 'installed'
    })
  }

  /** Keeps the history, which shows that the removal of the module is not complete. A missing release is not an error. */
  uninstall(release: string, signal: AbortSignal): Promise<void> {
    return this.#inRun(`module ${release}`, this.#named(release), [], async (run) => {
      const [found] = await this.#list(run, [...allStates, `--filter=^${release}$`], signal)
      if (found !== undefined && found.status !== 'uninstalled')
        await this.#remove(run, release, ['--keep-history'], signal)
    })
  }

  /** Uninstalls the release with its history. A missing release is not an error. */
  purge(release: string, signal: AbortSignal): Promise<void> {
    return this.#inRun(`module ${release}`, this.#named(release), [], (run) => this.#remove(run, release, [], signal))
  }

  /** Brings a release into a state that can be upgraded. @returns whether it still exists */
  async #makeUpgradable(run: HelmRun, { name, status, revision }: Listed, signal: AbortSignal): Promise<boolean> {
    const isFirst = revision === '1'
    const isPending = status.startsWith('pending-')
    const isUninstallStarted = status === 'uninstalled' || status === 'uninstalling'
    // Helm runs pre-install hooks of a chart only in the first installation, so a failed first revision is removed.
    const wasNeverInstalled = isFirst && (isPending || status === 'failed')
    if (isUninstallStarted || (wasNeverInstalled && (await this.#isModuleRelease(run, name, signal)))) {
      await this.#remove(run, name, [], signal)
      return false
    }
    if (!isPending) return true
    const storage = /^configmaps?$/.test(this.#runtime.env['HELM_DRIVER'] ?? '')
      ? resources.configMaps
      : resources.secrets
    return removePending(this.#client, { name, namespace: this.#settings.namespace }, signal, storage)
  }

  async #isModuleRelease(run: HelmRun, name: string, signal: AbortSignal): Promise<boolean> {
    return (
      (await this.#list(run, [...allStates, `--filter=^${name}$`, `--selector=${checksumLabel}`], signal)).length > 0
    )
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
      if (!(error instanceof HelmError) || isHelmMissing(error)) throw error
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
