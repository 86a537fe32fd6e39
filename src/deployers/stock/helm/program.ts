/**
 * The helm program as deployers call it: with no more of our own environment than the network needs, with the credentials of the item, and with
 * failures in the words of the contract.
 */
import { HelmError, type HelmRun, withHelm as withHelmProgram } from '../../../helm/program.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { LandscaperError } from '../../library/errors.ts'

export interface HelmSettings {
  /** The helm program. @default helm on PATH */
  readonly program?: string
  /** Folders with OCI image layouts that hold charts, by the prefix of the references they stand for. */
  readonly ociFolders?: Readonly<Record<string, string>>
}

export interface RunMaterial {
  readonly runtime: Runtime
  readonly settings: HelmSettings
  /** The item, for messages: `deploy item "default/web"`. */
  readonly item: string
  readonly kubeconfig: string | undefined
  /** Credentials for registries, in the form of a docker configuration. */
  readonly registries: JsonObject | undefined
}

/** Taken over from our own environment: how to reach the network, and the identity of the pod for its own cluster. */
const passed = /^(PATH|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy|KUBERNETES_SERVICE_(HOST|PORT))$/i

export function withHelm<T>(material: RunMaterial, work: (run: HelmRun) => Promise<T>): Promise<T> {
  const { runtime, settings, item, kubeconfig, registries } = material
  const inherited = Object.entries(runtime.env).filter(([name, value]) => value !== undefined && passed.test(name))
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
    (run) => work({ ...run, call: (call) => run.call(call).catch(failWith) }),
  )
}

function failWith(error: unknown): never {
  if (!(error instanceof HelmError)) throw error
  if (error.code === 'CRB_HELM_FAILED') throw new LandscaperError('RunHelm', 'HelmFailed', error.message)
  throw new LandscaperError('RunHelm', 'HelmMissing', error.message, { codes: ['ERR_INTERNAL_PROBLEM'], cause: error })
}
