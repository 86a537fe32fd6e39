/**
 * Runs helm for deployers: passes only the environment variables that the network needs and the credentials of the item, and converts
 * failures into `LandscaperError`.
 */
import { HelmError, type HelmRun, withHelm as withHelmProgram } from '../../../helm/index.ts'
import type { KubeClient } from '../../../kube/index.ts'
import type { JsonObject, Runtime } from '../../../runtime/index.ts'
import { configurationProblem, LandscaperError } from '../../library/errors.ts'

export interface HelmSettings {
  /** The helm program. @default helm on PATH */
  readonly program?: string
  /** Folders with OCI image layouts of charts, by the prefix of the references they replace. */
  readonly ociFolders?: Readonly<Record<string, string>>
}

/** The target of a helm call. */
export interface HelmCluster {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

export interface HelmRunInput {
  readonly runtime: Runtime
  readonly settings: HelmSettings
  /** The item, for messages: `deploy item "default/web"`. */
  readonly item: string
  readonly kubeconfig: string | undefined
  /** Registry credentials, in the format of a docker configuration. */
  readonly registries: JsonObject | undefined
}

/** Inherited environment variables: network settings, and the address of the pod's own cluster. */
const inheritedVariables = /^(PATH|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy|KUBERNETES_SERVICE_(HOST|PORT))$/i

export function withHelm<T>(material: HelmRunInput, work: (run: HelmRun) => Promise<T>): Promise<T> {
  const { runtime, settings, item, kubeconfig, registries } = material
  const inherited = Object.entries(runtime.env).filter(
    ([name, value]) => value !== undefined && inheritedVariables.test(name),
  )
  return withHelmProgram(
    {
      runtime,
      program: settings.program,
      subject: item,
      env: (folder) => ({
        ...(Object.fromEntries(inherited) as Record<string, string>),
        HOME: folder,
        ...(kubeconfig === undefined ? {} : { KUBECONFIG: `${folder}/kubeconfig` }),
      }),
      files: {
        ...(registries === undefined ? {} : { 'registries.json': JSON.stringify(registries) }),
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
      },
    },
    (run) => work({ ...run, call: (call) => run.call(call).catch(throwLandscaperError) }),
  )
}

function throwLandscaperError(error: unknown): never {
  if (!(error instanceof HelmError)) throw error
  if (error.code === 'CRB_HELM_VALUES_REFUSED')
    throw configurationProblem('RunHelm', `spec.config.values: ${error.message}`, error)
  if (error.code === 'CRB_HELM_FAILED') throw new LandscaperError('RunHelm', 'HelmFailed', error.message)
  throw new LandscaperError('RunHelm', 'HelmMissing', error.message, { codes: ['ERR_INTERNAL_PROBLEM'], cause: error })
}
