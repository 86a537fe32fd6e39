/** The kubeconfig of a sandbox. The file of another cluster, or of another sandbox that runs, is never changed. */
import { dirname } from 'node:path'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import { listSandboxes } from './names.ts'

export interface KubeconfigContent {
  readonly name: string
  readonly server: string
  readonly ca: string
  readonly token: string
}

/** Matches the file as written here (JSON) and as kubectl rewrites it (YAML). */
const fromSandbox = /^ *"?current-context"?: "?carabiner-[a-z0-9-]+"?,?$/m
const onLoopback = /"?server"?: "?https:\/\/127\.0\.0\.1:\d+/

function kubeconfigText({ name: sandbox, server, ca, token }: KubeconfigContent): string {
  const name = `carabiner-${sandbox}`
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  }
  return `${JSON.stringify(config, null, 2)}\n`
}

/** Empty when the file does not exist. */
async function contentOf({ files }: Runtime, path: string): Promise<string> {
  return (await files.facts(path)) === undefined ? '' : files.readText(path)
}

export async function writeKubeconfig(runtime: Runtime, path: string, content: KubeconfigContent): Promise<void> {
  const owner = (await listSandboxes(runtime)).find(({ kubeconfig }) => kubeconfig === path)
  if (owner !== undefined) throw taken(`${path} is the kubeconfig of the sandbox "${owner.name}", which runs`)
  try {
    const before = await contentOf(runtime, path)
    if (before.trim() !== '' && !(fromSandbox.test(before) && onLoopback.test(before)))
      throw taken(`${path} already exists and was not written by a sandbox; it is not overwritten`)
    await runtime.files.makeDirectory(dirname(path))
    await runtime.files.write(path, kubeconfigText(content), { mode: 0o600 })
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_USAGE') throw error
    throw new CarabinerError('CRB_FILE_UNREADABLE', `the kubeconfig cannot be written to ${path}`, {
      cause: error,
      remedy: 'Choose a writable path with --kubeconfig FILE.',
    })
  }
}

function taken(message: string): CarabinerError {
  return new CarabinerError('CRB_USAGE', message, { remedy: 'Choose another path with --kubeconfig FILE.' })
}

/** Only if it has the token of this sandbox: it may have been replaced. */
export async function removeKubeconfig(runtime: Runtime, path: string, token: string): Promise<void> {
  if ((await contentOf(runtime, path)).includes(token)) await runtime.files.remove(path)
}
