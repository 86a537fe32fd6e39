/** Converts a Node request (HTTP/1.1 or HTTP/2) to an `HttpRequest`: flat headers, whole body, facts about the peer. */
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { HttpHeaders, HttpPeer, HttpRequest } from '../http.ts'

/** Well above the limit of an API server for one object (3 MiB), and small enough for the memory of the process. */
const maxBodyBytes = 64 * 1024 * 1024

export async function readRequest(
  incoming: IncomingMessage | Http2ServerRequest,
  signal: AbortSignal,
): Promise<HttpRequest | 'too large'> {
  const peer = peerOf(incoming)
  const body = await readBody(incoming)
  if (body === 'too large') return body
  return {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: flatten(incoming),
    ...(body.byteLength > 0 && { body }),
    signal,
    peer,
  }
}

async function readBody(incoming: IncomingMessage | Http2ServerRequest): Promise<Uint8Array | 'too large'> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += (chunk as Uint8Array).byteLength
    if (size > maxBodyBytes) return 'too large'
    chunks.push(chunk as Uint8Array)
  }
  return new Uint8Array(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
}

function flatten(incoming: IncomingMessage | Http2ServerRequest): HttpHeaders {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || name.startsWith(':')) continue
    flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const authority = incoming.headers[':authority']
  if (typeof authority === 'string') flat['host'] ??= authority
  return flat
}

function peerOf(incoming: IncomingMessage | Http2ServerRequest): HttpPeer {
  const socket = incoming.socket as TLSSocket
  const address = socket.remoteAddress ?? ''
  if (!socket.encrypted || !socket.authorized) return { address }
  const subject = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] } | undefined
  if (subject === undefined) return { address }
  const organizations = subject.O === undefined ? [] : [subject.O].flat()
  return { address, certificate: { commonName: subject.CN ?? '', organizations } }
}
