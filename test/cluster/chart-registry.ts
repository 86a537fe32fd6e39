/** A server that offers one packed chart by URL, as a chart repository and as an OCI registry. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issueCertificate } from '../../src/cli/certificate.ts'

export interface ChartRegistry {
  /** `127.0.0.1:PORT`. */
  readonly host: string
  /** The CA of its certificate (PEM). */
  readonly ca: string
  /** User and password, as `user:password`. */
  readonly credentials: string
  /** Paths requested with the credentials. */
  readonly requestedPaths: string[]
  /** Refused credentials. */
  readonly refused: string[]
  stop(): Promise<void>
}

const credentials = 'shopper:a-secret'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** `/open` is public; `/charts` and `/v2` require credentials. */
export async function startChartRegistry(chart: Buffer): Promise<ChartRegistry> {
  const now = Date.now()
  const { ca, cert, key } = issueCertificate(['127.0.0.1'], { from: now, until: now + 3_600_000 })
  const requestedPaths: string[] = []
  const refused: string[] = []
  const files = filesFor(chart)
  const server = createServer({ cert, key }, (request, response) =>
    respond(request, response, { files, requestedPaths, refused }),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    credentials,
    requestedPaths,
    refused,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Files = ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer }>

function filesFor(chart: Buffer): Files {
  const config = Buffer.from(JSON.stringify({ name: 'hello', version: '0.1.0', apiVersion: 'v2' }))
  const entry = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length })
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: entry('application/vnd.cncf.helm.config.v1+json', config),
      layers: [entry('application/vnd.cncf.helm.chart.content.v1.tar+gzip', chart)],
    }),
  )
  const index = {
    apiVersion: 'v1',
    entries: { hello: [{ apiVersion: 'v2', name: 'hello', version: '0.1.0', urls: ['hello-0.1.0.tgz'] }] },
  }
  const json = (value: object) => ({ type: 'application/json', bytes: Buffer.from(JSON.stringify(value)) })
  const packed = { type: 'application/octet-stream', bytes: chart }
  const manifestFile = { type: manifestType, bytes: manifest }
  const oci = '/v2/charts/hello'
  return new Map([
    ['/open/hello-0.1.0.tgz', packed],
    ['/charts/hello-0.1.0.tgz', packed],
    ['/charts/index.yaml', json(index)],
    ['/v2/', json({})],
    [`${oci}/tags/list`, json({ name: 'charts/hello', tags: ['0.1.0'] })],
    [`${oci}/manifests/0.1.0`, manifestFile],
    [`${oci}/manifests/${digestOf(manifest)}`, manifestFile],
    [`${oci}/blobs/${digestOf(config)}`, { type: 'application/octet-stream', bytes: config }],
    [`${oci}/blobs/${digestOf(chart)}`, packed],
  ])
}

function respond(
  { url = '', method, headers }: IncomingMessage,
  response: ServerResponse,
  {
    files,
    requestedPaths,
    refused,
  }: { readonly files: Files; readonly requestedPaths: string[]; readonly refused: string[] },
) {
  const path = url.split('?', 1)[0] ?? ''
  const isKnown = headers.authorization === `Basic ${btoa(credentials)}`
  if (!isKnown && headers.authorization !== undefined) refused.push(headers.authorization)
  if (!path.startsWith('/open/') && !isKnown)
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="charts"' }).end()
  if (isKnown) requestedPaths.push(path)
  const file = files.get(path)
  if (file === undefined) return void response.writeHead(404).end()
  const { type, bytes } = file
  const length = { 'content-type': type, 'content-length': bytes.length, 'docker-content-digest': digestOf(bytes) }
  response.writeHead(200, length).end(method === 'HEAD' ? undefined : bytes)
}
