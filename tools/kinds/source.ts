/**
 * Where the documents come from: a running API server, or a folder an earlier run saved them in. Does not interpret them.
 * A server with a self-signed certificate needs `NODE_EXTRA_CA_CERTS` (or, on loopback, `NODE_TLS_REJECT_UNAUTHORIZED=0`).
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface DocumentSource {
  /** Reads one document by its path on the server. */
  read(path: string, accept?: string): Promise<unknown>
}

function fileName(path: string, accept: string): string {
  const suffix = accept.includes('as=Table') ? '.table' : accept.includes('apidiscovery') ? '.discovery' : ''
  return `${path.replace(/^\//, '').replaceAll('/', '__')}${suffix}.json`
}

export function savedDocuments(folder: string): DocumentSource {
  return {
    read: async (path, accept = 'application/json') =>
      JSON.parse(await readFile(join(folder, fileName(path, accept)), 'utf8')),
  }
}

/** Reads from a server; with `folder` every document is also saved there. */
export function liveDocuments(server: string, token: string, folder?: string): DocumentSource {
  return {
    read: async (path, accept = 'application/json') => {
      const response = await fetch(new URL(path, server), { headers: { accept, authorization: `Bearer ${token}` } })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      const text = await response.text()
      if (folder !== undefined) {
        await mkdir(folder, { recursive: true })
        await writeFile(join(folder, fileName(path, accept)), text)
      }
      return JSON.parse(text)
    },
  }
}
