/**
 * The two servers that API servers ask: one for admission, one for conversion. They listen only when hooks want them, and what was registered by an
 * earlier start and is bound no longer is taken back.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { IssueCertificate } from '../../../kube/serving/certificate.ts'
import { inThisProcess } from '../../../kube/serving/certificate-store.ts'
import { type ReachedBy, type ServingService, serviceNames, urlOf } from '../../../kube/serving/place.ts'
import { serveCalls } from '../../../kube/serving/serve.ts'
import {
  type CertificateFiles,
  filedCredentials,
  issuedCredentials,
  withClientAuthorities,
} from '../../../kube/serving/source.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Hook } from '../hook.ts'
import { type AdmissionEndpoint, type AskHook, admissionEndpoints, admit } from './admission.ts'
import { ConversionChains } from './chains.ts'
import { Complaints } from './complaints.ts'
import { convert } from './conversion.ts'
import { Definitions } from './definitions.ts'
import { type Reviewer, reviewHandler } from './exchange.ts'
import { registerAdmission, unregisterAdmission } from './registration.ts'

export interface ServerPlace {
  readonly listen: { readonly host: string; readonly port: number }
  /** The Service in front of it; without it the API server is told the address of this process. */
  readonly service?: ServingService
  /** Where the certificate comes from. @default made by ourselves */
  readonly files?: CertificateFiles
  /** Files of authorities; clients without a certificate of theirs are refused. @default anybody may ask */
  readonly clientCas?: readonly string[]
}

export interface WebhookOptions {
  readonly admission: ServerPlace & { readonly name: string; readonly failurePolicy: 'Fail' | 'Ignore' }
  readonly conversion: ServerPlace
  /** Makes certificates where no files are given. */
  readonly issue: IssueCertificate
}

interface Surroundings {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly ask: AskHook
}

export class Webhooks {
  readonly #options: WebhookOptions
  readonly #endpoints: readonly AdmissionEndpoint[]
  readonly #chains: ConversionChains
  readonly #ends: Promise<void>[] = []

  /** Throws when bindings of hooks exclude each other. */
  constructor(hooks: readonly Hook[], options: WebhookOptions) {
    this.#options = options
    this.#endpoints = admissionEndpoints(hooks)
    this.#chains = new ConversionChains(hooks)
  }

  /** Resolves when everything is registered; works until the signal aborts. */
  async start(around: Surroundings): Promise<void> {
    const { client, runtime, signal } = around
    const { admission, conversion } = this.#options
    const definitions = new Definitions(client, runtime, this.#chains.definitions, ownerOf(conversion))
    this.#ends.push(definitions.follow(signal), this.#cleanUp(around, definitions))
    const registration = { ...admission, owner: ownerOf(admission) }
    if (this.#endpoints.length > 0)
      await this.#serve('the webhook of hooks that admit objects', admission, this.#admissions(around), around, (way) =>
        registerAdmission(client, this.#endpoints, registration, way),
      )
    if (this.#chains.definitions.length > 0)
      await this.#serve('the webhook of hooks that convert', conversion, this.#conversions(around), around, (way) =>
        definitions.announce(way.reached, way.ca),
      )
  }

  /** To be called after the signal has aborted. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends)
  }

  #admissions({ ask, runtime: { log } }: Surroundings): Reviewer {
    const byPath = new Map(this.#endpoints.map((endpoint) => [endpoint.path, endpoint]))
    return (path, review) => {
      const endpoint = byPath.get(path)
      return endpoint && admit(endpoint, review, ask, log)
    }
  }

  #conversions({ ask, runtime }: Surroundings): Reviewer {
    const { clock, log } = runtime
    const around = { clock, complaints: new Complaints(runtime) }
    for (const way of this.#chains.oneWay())
      log.warn('no hook converts back: reads and writes of the version converted from will fail', way)
    return (path, review) => {
      const name = path.slice(1)
      if (!this.#chains.definitions.includes(name)) return undefined
      return convert(this.#chains, name, review, ask, around)
    }
  }

  async #serve(
    title: string,
    { listen, service, files, clientCas = [] }: ServerPlace,
    reviewer: Reviewer,
    { runtime, signal }: Surroundings,
    register: (way: { readonly reached: ReachedBy; readonly ca: string }) => Promise<void>,
  ): Promise<void> {
    const host = reachableHost(listen.host)
    const names = service === undefined ? [host] : serviceNames(service)
    const { issue } = this.#options
    const source =
      files === undefined
        ? issuedCredentials(runtime.clock, { store: inThisProcess(), names, issue })
        : filedCredentials(runtime.files, files)
    const server = await serveCalls(
      runtime,
      {
        listen,
        title,
        source: clientCas.length === 0 ? source : withClientAuthorities(runtime.files, source, clientCas),
        handler: reviewHandler(reviewer, clientCas.length > 0),
        register: (ca, port) =>
          register({ reached: service === undefined ? { url: urlOf(host, port) } : { service }, ca }),
      },
      signal,
    )
    this.#ends.push(server.ended)
  }

  async #cleanUp({ client, runtime, signal }: Surroundings, definitions: Definitions): Promise<void> {
    const { admission } = this.#options
    try {
      await unregisterAdmission(client, this.#endpoints, { ...admission, owner: ownerOf(admission) })
      await definitions.giveBack()
    } catch (error) {
      if (!signal.aborted) runtime.log.warn('cannot take back what hooks of an earlier start had registered', { error })
    }
  }
}

/** Tells operators apart. */
function ownerOf({ service, listen }: ServerPlace): string {
  return service === undefined ? `${listen.host}:${listen.port}` : `${service.namespace}/${service.name}`
}

/** Whoever listens everywhere is reached on this machine, where nothing else is said. */
function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}
