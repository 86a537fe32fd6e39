/**
 * The servers for admission and conversion requests. A server listens only if hooks have such bindings, and unused registrations of an
 * earlier start are removed.
 */
import {
  type CertificateFiles,
  filedCredentials,
  type IssueCertificate,
  inMemory,
  issuedCredentials,
  type KubeClient,
  type ReachedBy,
  type ServingService,
  serveWebhooks,
  serviceNames,
  urlOf,
  withClientAuthorities,
} from '../../../kube/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { Hook } from '../hook.ts'
import { type AdmissionEndpoint, type AskHook, admissionEndpoints, admit } from './admission.ts'
import { ConversionChains } from './chains.ts'
import { convert } from './conversion.ts'
import { Definitions } from './definitions.ts'
import { type Reviewer, reviewHandler } from './exchange.ts'
import { FailureLog } from './failure-log.ts'
import { registerAdmission, unregisterAdmission } from './registration.ts'

export interface ServerPlace {
  readonly listen: { readonly host: string; readonly port: number; readonly flag?: string }
  /** The Service in front of the server; without it the address of this process is registered. */
  readonly service?: ServingService
  /** Files with the certificate. @default a self-issued certificate */
  readonly files?: CertificateFiles
  /** Files with client CAs; clients without a certificate from them are refused. @default any client is accepted */
  readonly clientCas?: readonly string[]
}

export interface WebhookOptions {
  readonly admission: ServerPlace & { readonly name: string; readonly failurePolicy: 'Fail' | 'Ignore' }
  readonly conversion: ServerPlace
  /** Issues certificates where no files are configured. */
  readonly issue: IssueCertificate
}

interface WebhookContext {
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

  /** Throws when bindings of hooks conflict. */
  constructor(hooks: readonly Hook[], options: WebhookOptions) {
    this.#options = options
    this.#endpoints = admissionEndpoints(hooks)
    this.#chains = new ConversionChains(hooks)
  }

  /** Resolves when all webhooks are registered; serves until the signal aborts. */
  async start(context: WebhookContext): Promise<void> {
    const { client, runtime, signal } = context
    const { admission, conversion } = this.#options
    const definitions = new Definitions(client, runtime, this.#chains.definitions, ownerOf(conversion))
    this.#ends.push(definitions.follow(signal), this.#cleanUp(context, definitions))
    const registration = { ...admission, owner: ownerOf(admission) }
    if (this.#endpoints.length > 0)
      await this.#serve(
        { title: 'the admission webhook of hooks', ...admission },
        this.#admissions(context),
        context,
        (server) => registerAdmission(client, this.#endpoints, registration, server),
      )
    if (this.#chains.definitions.length > 0)
      await this.#serve(
        { title: 'the conversion webhook of hooks', ...conversion },
        this.#conversions(context),
        context,
        (server) => definitions.setServer(server.reached, server.ca),
      )
  }

  /** To be called after the signal has aborted. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends)
  }

  #admissions({ ask, runtime: { log } }: WebhookContext): Reviewer {
    const byPath = new Map(this.#endpoints.map((endpoint) => [endpoint.path, endpoint]))
    return (path, review) => {
      const endpoint = byPath.get(path)
      return endpoint && admit(endpoint, review, ask, log)
    }
  }

  #conversions({ ask, runtime }: WebhookContext): Reviewer {
    const { clock, log } = runtime
    const dependencies = { chains: this.#chains, ask, clock, failureLog: new FailureLog(runtime) }
    for (const conversion of this.#chains.oneWay())
      log.warn('no hook converts back: reads and writes of the source version will fail', conversion)
    return (path, review) => {
      const name = path.slice(1)
      if (!this.#chains.definitions.includes(name)) return undefined
      return convert(name, review, dependencies)
    }
  }

  async #serve(
    { title, listen, service, files, clientCas = [] }: ServerPlace & { readonly title: string },
    reviewer: Reviewer,
    { runtime, signal }: WebhookContext,
    register: (server: { readonly reached: ReachedBy; readonly ca: string }) => Promise<void>,
  ): Promise<void> {
    const host = reachableHost(listen.host)
    const names = service === undefined ? [host] : serviceNames(service)
    const { issue } = this.#options
    const source =
      files === undefined
        ? issuedCredentials(runtime.clock, { store: inMemory(), names, issue })
        : filedCredentials(runtime.files, files)
    const server = await serveWebhooks(
      runtime,
      {
        listen,
        title,
        source: clientCas.length === 0 ? source : withClientAuthorities(runtime.files, source, clientCas),
        handler: reviewHandler(reviewer, { clients: clientCas.length > 0 ? 'certificate' : 'any' }),
        register: (ca, port) =>
          register({ reached: service === undefined ? { url: urlOf(host, port) } : { service }, ca }),
      },
      signal,
    )
    this.#ends.push(server.ended)
  }

  async #cleanUp({ client, runtime, signal }: WebhookContext, definitions: Definitions): Promise<void> {
    const { admission } = this.#options
    try {
      await unregisterAdmission(client, this.#endpoints, { ...admission, owner: ownerOf(admission) })
      await definitions.resetUnused()
    } catch (error) {
      if (!signal.aborted) runtime.log.warn('cannot remove unused webhook registrations of an earlier start', { error })
    }
  }
}

/** Identifies this operator. */
function ownerOf({ service, listen }: ServerPlace): string {
  return service === undefined ? `${listen.host}:${listen.port}` : `${service.namespace}/${service.name}`
}

/** A server that listens on all addresses is registered with the local one. */
function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}
