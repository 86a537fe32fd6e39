/**
 * The cluster under test: the sandbox, started from the built product as a user starts it, or the real control plane
 * started by the setup of the tier. Tests use plain HTTP, kubectl and helm, not the client of this project.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

/** Address and credentials of requests. */
export interface Connection {
  readonly server: string
  readonly ca: string
  readonly token: string
}

export interface Target extends Connection {
  readonly isReal: boolean
  readonly kubeconfig: string
  /** A private folder for the state of kubectl and helm. */
  readonly home: string
  stop(): Promise<void>
}

export async function openTarget(): Promise<Target> {
  const home = mkdtempSync(join(tmpdir(), 'carabiner-suite-'))
  const { stop, ...target } = process.env['CARABINER_TEST_CLUSTER'] === 'real' ? realPlane() : await startSandbox(home)
  return {
    ...target,
    ...connectionOf(target.kubeconfig),
    home,
    stop: async () => {
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function realPlane() {
  const plane = inject('controlPlane')
  if (!('kubeconfig' in plane)) throw new Error(`no real control plane: ${plane.reason}`)
  return { isReal: true, kubeconfig: plane.kubeconfig, stop: async () => {} }
}

/** The reason to skip the suite, or undefined. */
export function reasonToSkip(): string | undefined {
  if (process.env['CARABINER_TEST_CLUSTER'] !== 'real') return undefined
  const plane = inject('controlPlane')
  return 'reason' in plane ? plane.reason : undefined
}

async function startSandbox(folder: string) {
  const kubeconfig = join(folder, 'kubeconfig')
  const args = [program, 'sandbox', '--port', '0', '--kubeconfig', kubeconfig, '--nodes', '3']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  await readyLine(child)
  const stop = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await exited
  }
  return { isReal: false, kubeconfig, stop }
}

function readyLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const outputLines: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        outputLines.push(line)
        if (line.includes('ready')) resolve()
      })
    }
    child.once('close', (code) => reject(new Error(`the sandbox ended with ${code}:\n${outputLines.join('\n')}`)))
  })
}

function connectionOf(kubeconfig: string): Connection {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority'?: string; 'certificate-authority-data'?: string } }[]
    users: { user: { token: string } }[]
  }
  const cluster = config.clusters[0]?.cluster
  const token = config.users[0]?.user.token
  if (cluster === undefined || token === undefined) throw new Error(`${kubeconfig} has no cluster or no token`)
  const data = cluster['certificate-authority-data']
  const ca = data
    ? Buffer.from(data, 'base64').toString()
    : readFileSync(cluster['certificate-authority'] ?? '', 'utf8')
  return { server: cluster.server, ca, token }
}

/** An object of the server with the fields that tests read by name. */
export interface Thing {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation: number
    readonly creationTimestamp: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[]
    readonly managedFields?: readonly {
      readonly manager: string
      readonly operation: string
      readonly subresource?: string
      readonly fieldsV1: object
    }[]
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status: unknown
  readonly data?: Readonly<Record<string, string>>
  readonly items: readonly Thing[]
  readonly code: number
  readonly reason: string
  readonly message: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Thing
  readonly text: string
  readonly bytes: Uint8Array
}

export interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** One request; a JSON body is parsed. */
export function call(to: Connection, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = open(to, { method, path, ...options }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        const isJson = incoming.headers['content-type']?.includes('json') ?? false
        const headers = incoming.headers as Record<string, string>
        resolve({ status: incoming.statusCode ?? 0, headers, text, bytes, body: isJson ? JSON.parse(text) : {} })
      })
    })
    outgoing.once('error', reject)
  })
}

/** A request whose response is read line by line, for watches and logs; ends without error when `signal` aborts. */
export async function* stream(to: Connection, path: string, options: CallOptions = {}): AsyncGenerator<string> {
  try {
    const incoming = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
      open(to, { method: 'GET', path, ...options }, resolve).on('error', reject)
    })
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of incoming) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } catch (error) {
    if (!options.signal?.aborted) throw error
  }
}

function open(
  to: Connection,
  { method, path, body, headers = {}, signal }: CallOptions & { readonly method: string; readonly path: string },
  onResponse: (incoming: import('node:http').IncomingMessage) => void,
) {
  const type = headers['content-type'] ?? 'application/json'
  const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const authorization = to.token === '' ? {} : { authorization: `Bearer ${to.token}` }
  // Node.js sends the body of a DELETE only with a content-length.
  const framing =
    content === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(content)) }
  const sent = { accept: 'application/json', ...authorization, ...framing, ...headers }
  const outgoing = request(
    `${to.server}${path}`,
    { method, ca: to.ca, headers: sent, ...(signal ? { signal } : {}) },
    onResponse,
  )
  outgoing.end(content)
  return outgoing
}
