/** The credentials of a kubeconfig user: certificate, token, token file, password or plugin. */
import { type Runtime, textToBase64 } from '../../runtime/index.ts'
import type { Credential, Credentials } from './credential.ts'
import { type ClusterFacts, execCredentials } from './exec.ts'
import { fieldsOf } from './fields.ts'
import type { Entry } from './kubeconfig.ts'
import { relativeTo } from './paths.ts'
import { RotatingFile } from './rotating.ts'

export function credentialsOf(
  user: Entry,
  cluster: ClusterFacts,
  runtime: Pick<Runtime, 'files' | 'clock' | 'processes' | 'env'>,
): Credentials {
  const fields = fieldsOf('user', user)
  const exec = fields.object('exec')
  const parts: Credentials[] = [certificate(user, runtime)]
  const tokenFile = fields.text('tokenFile')
  const token = fields.text('token')
  const username = fields.text('username')
  if (tokenFile !== undefined) {
    parts.push(tokenFrom(new RotatingFile(runtime, relativeTo(user.file, tokenFile), `user "${user.name}": tokenFile`)))
  } else if (token !== undefined) {
    parts.push(fixed({ authorization: `Bearer ${token}` }))
  } else if (username !== undefined) {
    parts.push(fixed({ authorization: `Basic ${textToBase64(`${username}:${fields.text('password') ?? ''}`)}` }))
  } else if (exec !== undefined) {
    parts.push(execCredentials(user, exec, cluster, runtime))
  } else if (fields.object('auth-provider') !== undefined) {
    throw fields.fail('auth-provider', 'is not supported', 'Use an exec credential plugin, as kubectl itself advises.')
  }
  return joined(parts)
}

export function fixed(credential: Credential): Credentials {
  return { current: () => Promise.resolve(credential), renew: () => Promise.resolve() }
}

export function tokenFrom(file: RotatingFile): Credentials {
  return {
    current: async () => ({ authorization: `Bearer ${(await file.read()).trim()}` }),
    async renew() {
      await file.reread()
    },
  }
}

function certificate(user: Entry, runtime: Pick<Runtime, 'files' | 'clock'>): Credentials {
  const fields = fieldsOf('user', user)
  const cert = pemSource(user, 'client-certificate', runtime)
  const key = pemSource(user, 'client-key', runtime)
  if (cert === undefined && key === undefined) return fixed({})
  if (cert === undefined) throw fields.fail('client-certificate', 'is missing, though there is a client-key')
  if (key === undefined) throw fields.fail('client-key', 'is missing, though there is a client-certificate')
  return {
    current: async () => ({ cert: await cert.read(), key: await key.read() }),
    async renew() {
      await Promise.all([cert.reread(), key.reread()])
    },
  }
}

/** Reads `<field>-data` of the entry, else the file that `<field>` names. */
export function pemSource(
  entry: Entry,
  field: string,
  runtime: Pick<Runtime, 'files' | 'clock'>,
  kind = 'user',
): Pick<RotatingFile, 'read' | 'reread'> | undefined {
  const fields = fieldsOf(kind, entry)
  const data = fields.data(`${field}-data`)
  if (data !== undefined) return { read: () => Promise.resolve(data), reread: () => Promise.resolve(data) }
  const path = fields.text(field)
  if (path === undefined) return undefined
  return new RotatingFile(runtime, relativeTo(entry.file, path), `${entry.file}: ${kind} "${entry.name}": ${field}`)
}

function joined(parts: readonly Credentials[]): Credentials {
  return {
    async current() {
      const all = await Promise.all(parts.map((part) => part.current()))
      return Object.assign({}, ...all) as Credential
    },
    async renew() {
      await Promise.all(parts.map((part) => part.renew()))
    },
  }
}
