import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime, type RealRuntime } from '../../runtime/real/index.ts'
import type { Connection } from './connection.ts'
import { impersonating } from './impersonation.ts'
import { type ConnectionOptions, loadConnection } from './load.ts'

/** Time that stands still until the test moves it. */
function handClock(runtime: RealRuntime) {
  const time = { now: Date.parse('2030-01-01T00:00:00Z'), monotonic: 0 }
  return {
    clock: { ...runtime.clock, now: () => time.now, monotonic: () => time.monotonic },
    pass(milliseconds: number) {
      time.now += milliseconds
      time.monotonic += milliseconds
    },
  }
}

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`

describe('loadConnection', () => {
  let runtime: RealRuntime
  let directory: string
  let time: ReturnType<typeof handClock>

  beforeEach(async () => {
    runtime = createRealRuntime()
    directory = await runtime.files.makeTemporary('kubeconfig-')
    time = handClock(runtime)
  })
  afterEach(async () => {
    await runtime.files.remove(directory)
    await runtime.close()
  })

  function load(options: ConnectionOptions = {}, env: Record<string, string> = {}): Promise<Connection> {
    const path = process.env['PATH'] ?? ''
    return loadConnection({ ...runtime, clock: time.clock, env: { PATH: path, HOME: directory, ...env } }, options)
  }

  const write = (name: string, content: string) => runtime.files.write(`${directory}/${name}`, content)

  /** A file with one cluster, one user and one context, each called `c`. */
  async function config(parts: { cluster?: object; user?: object; context?: object } = {}): Promise<string> {
    await write(
      'config',
      JSON.stringify({
        'current-context': 'c',
        clusters: [{ name: 'c', cluster: { server: 'https://h:6443', ...parts.cluster } }],
        users: [{ name: 'c', user: parts.user ?? {} }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'c', ...parts.context } }],
      }),
    )
    return `${directory}/config`
  }

  it('merges the files of KUBECONFIG: the first definition wins and missing files are skipped', async () => {
    await write(
      'a',
      `
clusters: [{name: one, cluster: {server: "https://first"}}]
contexts: [{name: x, context: {cluster: one, user: u}}]
`,
    )
    await write(
      'b',
      `
current-context: x
clusters: [{name: one, cluster: {server: "https://second"}}, {name: two, cluster: {server: "https://two/"}}]
contexts: [{name: "y", context: {cluster: two, namespace: shop}}]
users: [{name: u, user: {token: 123}}]
`,
    )
    await write('c', 'current-context: "y"\n')
    const list = ['a', 'missing', 'b', 'c'].map((name) => `${directory}/${name}`).join(':')
    const current = await load({}, { KUBECONFIG: list })
    expect([current.name, current.server, current.namespace]).toEqual(['x', 'https://first', 'default'])
    expect((await current.identity()).headers).toEqual({ authorization: 'Bearer 123' })
    const other = await load({ context: 'y' }, { KUBECONFIG: list })
    expect([other.server, other.namespace]).toEqual(['https://two', 'shop'])
    expect((await other.identity()).headers).toEqual({})
  })

  it('finds the file in the home directory', async () => {
    await runtime.files.makeDirectory(`${directory}/.kube`)
    await write(
      '.kube/config',
      'current-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://home"}}]\n',
    )
    expect((await load()).server).toBe('https://home')
  })

  it('reads certificates from data before files, and files relative to the kubeconfig', async () => {
    await write('ca.pem', pem('file CA'))
    await write('key.pem', pem('key'))
    const path = await config({
      cluster: { 'certificate-authority': 'ca.pem', 'tls-server-name': 'inner' },
      user: {
        'client-certificate': 'nowhere.pem',
        'client-certificate-data': btoa(pem('cert')),
        'client-key': 'key.pem',
      },
    })
    const { tls } = await (await load({ kubeconfig: path })).identity()
    expect(tls).toEqual({ ca: pem('file CA'), cert: pem('cert'), key: pem('key'), serverName: 'inner' })
  })

  it('uses a renewed certificate, and the old one while the file is missing', async () => {
    await write('cert.pem', pem('one'))
    await write('key.pem', pem('key one'))
    const path = await config({ user: { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' } })
    const connection = await load({ kubeconfig: path })
    const first = await connection.identity()
    await runtime.files.remove(`${directory}/cert.pem`)
    time.pass(60_000)
    expect(await connection.identity()).toBe(first)
    await write('cert.pem', pem('two'))
    await write('key.pem', pem('key two'))
    time.pass(60_000)
    const second = await connection.identity()
    expect(second.tls).toEqual({ cert: pem('two'), key: pem('key two') })
    expect(await connection.identity()).toBe(second)
  })

  it('reads a token file again after a while, and at once when the server refuses the token', async () => {
    await write('token', 'one\n')
    const connection = await load({ kubeconfig: await config({ user: { token: 'zero', tokenFile: 'token' } }) })
    const first = await connection.identity()
    expect(first.headers).toEqual({ authorization: 'Bearer one' })
    await write('token', 'two\n')
    expect(await connection.identity()).toBe(first)
    expect(await connection.renew(first)).toBe(true)
    const second = await connection.identity()
    expect(second.headers).toEqual({ authorization: 'Bearer two' })
    expect(second.tls).toBe(first.tls)
    expect(await connection.renew(second)).toBe(false)
    await write('token', 'three\n')
    time.pass(60_000)
    expect((await connection.identity()).headers).toEqual({ authorization: 'Bearer three' })
  })

  it('acts as another user instead of the one that the kubeconfig impersonates, with renewed credentials', async () => {
    await write('token', 'first')
    const user = { tokenFile: 'token', as: 'bob', 'as-groups': ['system:masters'] }
    const connection = await load({ kubeconfig: await config({ user }) })
    const acting = impersonating(connection, 'operator')
    const { headers } = await acting.identity()
    expect(headers).toEqual({ authorization: 'Bearer first', 'impersonate-user': 'operator' })
    expect(await acting.identity()).toBe(await acting.identity())
    expect((await impersonating(connection, undefined).identity()).headers).toEqual({ authorization: 'Bearer first' })
    await write('token', 'second')
    expect(await acting.renew(await acting.identity())).toBe(true)
    expect((await acting.identity()).headers).toMatchObject({ authorization: 'Bearer second' })
  })

  it('sends a password, an impersonated user, groups and extras as headers', async () => {
    const user = {
      username: 'ann',
      password: 'pä',
      as: 'bob',
      'as-groups': ['g1', 'g2'],
      'as-uid': '7',
      'as-user-extra': { Scope: ['a'] },
    }
    const connection = await load({ kubeconfig: await config({ user }) })
    expect((await connection.identity()).headers).toEqual({
      authorization: 'Basic YW5uOnDDpA==',
      'impersonate-user': 'bob',
      'impersonate-group': ['g1', 'g2'],
      'impersonate-uid': '7',
      'impersonate-extra-scope': ['a'],
    })
  })

  it('sends no credentials to a server without TLS', async () => {
    const path = await config({ cluster: { server: 'h:8080' }, user: { token: 't' } })
    const connection = await load({ kubeconfig: path })
    expect(connection.server).toBe('http://h:8080')
    expect((await connection.identity()).headers).toEqual({})
  })

  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
    [{ HTTPS_PROXY: 'proxy:3128', NO_PROXY: 'other,.example.com' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.org,10.0.0.0/8' }, 'http://proxy:3128'],
    [{ HTTP_PROXY: 'http://proxy:3128' }, undefined],
  ])('takes the proxy of the environment %j', async (env, proxy) => {
    const path = await config({ cluster: { server: 'https://api.example.com:6443' } })
    expect((await load({ kubeconfig: path }, env)).proxy).toBe(proxy)
  })

  it('prefers the proxy of the cluster entry', async () => {
    const path = await config({ cluster: { 'proxy-url': 'socks5://s:1080' } })
    expect((await load({ kubeconfig: path }, { HTTPS_PROXY: 'http://p' })).proxy).toBe('socks5://s:1080')
  })

  describe('in a pod', () => {
    it('uses the service account, IPv6 included', async () => {
      const account = '/var/run/secrets/kubernetes.io/serviceaccount'
      const held: Record<string, string> = {
        [`${account}/token`]: 'tok\n',
        [`${account}/ca.crt`]: pem('ca'),
        [`${account}/namespace`]: 'mine\n',
      }
      const files = {
        ...runtime.files,
        facts: async (path: string) =>
          path in held
            ? { kind: 'file' as const, size: 1, mode: 0o600, modified: 0, link: false, owned: true }
            : undefined,
        readText: async (path: string) => held[path] ?? Promise.reject(new Error('absent')),
      }
      const env = { HOME: '/nonexistent', KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
      const connection = await loadConnection({ ...runtime, clock: time.clock, files, env })
      expect([connection.name, connection.server, connection.namespace]).toEqual([
        'in-cluster',
        'https://[fd00::1]:443',
        'mine',
      ])
      const identity = await connection.identity()
      expect(identity).toEqual({ tls: { ca: pem('ca') }, headers: { authorization: 'Bearer tok' } })
      held[`${account}/token`] = 'next'
      expect(await connection.renew(identity)).toBe(true)
    })
  })

  describe('errors', () => {
    it.each<[string, Parameters<typeof config>[0], string, RegExp]>([
      ['no server', { cluster: { server: '' } }, 'CRB_KUBECONFIG_INVALID', /config: cluster "c": server is missing\.$/],
      ['a wrong server', { cluster: { server: 'ftp://x' } }, 'CRB_KUBECONFIG_INVALID', /server is "ftp:\/\/x"/],
      [
        'an unknown cluster',
        { context: { cluster: 'z' } },
        'CRB_KUBECONFIG_UNKNOWN',
        /context "c": there is no cluster "z"; clusters are "c"\.$/,
      ],
      ['an unknown user', { context: { user: 'z' } }, 'CRB_KUBECONFIG_UNKNOWN', /there is no user "z"/],
      [
        'broken base64',
        { cluster: { 'certificate-authority-data': '%%' } },
        'CRB_KUBECONFIG_INVALID',
        /certificate-authority-data is not base64/,
      ],
      ['a list as token', { user: { token: [1] } }, 'CRB_KUBECONFIG_INVALID', /user "c": token is not a string/],
      [
        'a key without certificate',
        { user: { 'client-key-data': 'aGk=' } },
        'CRB_KUBECONFIG_INVALID',
        /client-certificate is missing/,
      ],
      [
        'skipping beside a CA',
        { cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority': 'x' } },
        'CRB_KUBECONFIG_INVALID',
        /is set beside a certificate-authority/,
      ],
      [
        'an auth provider',
        { user: { 'auth-provider': { name: 'oidc' } } },
        'CRB_KUBECONFIG_INVALID',
        /auth-provider is not supported/,
      ],
    ])('names %s', async (_, parts, code, message) => {
      const path = await config(parts)
      await expect(load({ kubeconfig: path })).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    })

    it('names a missing context and the existing ones', async () => {
      const path = await config()
      await expect(load({ kubeconfig: path, context: 'prod' })).rejects.toMatchObject({
        code: 'CRB_KUBECONFIG_UNKNOWN',
        message: `${path}: there is no context "prod"; contexts are "c".`,
      })
    })

    it('names a missing file and the searched paths', async () => {
      await expect(load({ kubeconfig: `${directory}/none` })).rejects.toMatchObject({
        code: 'CRB_KUBECONFIG_MISSING',
        message: `The kubeconfig ${directory}/none does not exist.`,
      })
      await expect(load()).rejects.toMatchObject({
        code: 'CRB_KUBECONFIG_MISSING',
        message: `There is no kubeconfig (looked for ${directory}/.kube/config).`,
      })
    })

    it('names the line of malformed YAML', async () => {
      await write('bad', 'clusters:\n- name: a\n   cluster: x\n')
      await expect(load({ kubeconfig: `${directory}/bad` })).rejects.toMatchObject({
        code: 'CRB_YAML_MALFORMED',
        message: expect.stringContaining(`${directory}/bad:3: `),
      })
    })

    it('names a missing certificate file with its entry and field', async () => {
      const path = await config({ user: { 'client-certificate': 'gone.pem', 'client-key': 'gone.key' } })
      await expect((await load({ kubeconfig: path })).identity()).rejects.toMatchObject({
        code: 'CRB_FILE_UNREADABLE',
        message: `${path}: user "c": client-certificate: the file ${directory}/gone.pem cannot be read.`,
      })
    })
  })

  describe('credential plugins', () => {
    /** A plugin that counts its runs and prints what `status` says in shell. */
    async function plugin(script: string, spec: object = {}): Promise<string> {
      await write('plugin.sh', `#!/bin/sh\necho run >> "${directory}/runs"\n${script}\n`)
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: '/bin/sh',
        args: [`${directory}/plugin.sh`],
        interactiveMode: 'Never',
        ...spec,
      }
      return config({ user: { exec } })
    }
    const print = (status: string) =>
      `printf '%s' '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":'"${status}"'}'`
    const runs = async () => (await runtime.files.readText(`${directory}/runs`)).trim().split('\n').length

    it('runs once for many requests, again after the expiry, and again when the server refuses the token', async () => {
      const path = await plugin(
        `${print(`{\\"token\\":\\"t$(wc -l < ${directory}/runs | tr -d ' ')\\",\\"expirationTimestamp\\":\\"2030-01-01T01:00:00Z\\"}`)}`,
      )
      const connection = await load({ kubeconfig: path })
      const [first] = await Promise.all([connection.identity(), connection.identity(), connection.identity()])
      expect(first?.headers).toEqual({ authorization: 'Bearer t1' })
      expect(await runs()).toBe(1)
      time.pass(3_601_000)
      const second = await connection.identity()
      expect(second.headers).toEqual({ authorization: 'Bearer t2' })
      const third = await connection.renew(await connection.identity())
      expect(third).toBe(true)
      expect(await connection.renew(second)).toBe(true)
    })

    it('passes the cluster to the plugin when it requests it, and its environment', async () => {
      const path = await plugin(
        `printf '%s' "$KUBERNETES_EXEC_INFO" > "${directory}/info"\nprintf '%s' "$EXTRA" > "${directory}/extra"\n${print('{\\"token\\":\\"t\\"}')}`,
        {
          provideClusterInfo: true,
          env: [{ name: 'EXTRA', value: 'more' }],
        },
      )
      await (await load({ kubeconfig: path })).identity()
      expect(JSON.parse(await runtime.files.readText(`${directory}/info`))).toEqual({
        kind: 'ExecCredential',
        apiVersion: 'client.authentication.k8s.io/v1',
        spec: { interactive: false, cluster: { server: 'https://h:6443', config: null } },
      })
      expect(await runtime.files.readText(`${directory}/extra`)).toBe('more')
    })

    it('uses a client certificate from the plugin', async () => {
      const path = await plugin(print('{\\"clientCertificateData\\":\\"C\\",\\"clientKeyData\\":\\"K\\"}'))
      expect((await (await load({ kubeconfig: path })).identity()).tls).toEqual({ cert: 'C', key: 'K' })
    })

    it.each([
      ['fails', 'echo "not logged in" >&2; exit 3', /ended with code 3: not logged in\.$/],
      ['prints no JSON', 'echo secret', /printed something that is not JSON\.$/],
      ['returns nothing', print('{}'), /returned neither a token nor a certificate/],
      ['returns another version', `echo '{"kind":"ExecCredential","apiVersion":"v0","status":{}}'`, /returned "v0"/],
    ])('explains a plugin that %s', async (_, script, message) => {
      const connection = await load({ kubeconfig: await plugin(script) })
      await expect(connection.identity()).rejects.toMatchObject({
        code: 'CRB_CREDENTIALS_FAILED',
        message: expect.stringMatching(message),
      })
    })

    it('shows the install hint of a missing plugin', async () => {
      const path = await plugin('', { command: 'no-such-plugin', installHint: 'npm i -g no-such-plugin' })
      await expect((await load({ kubeconfig: path })).identity()).rejects.toMatchObject({
        code: 'CRB_CREDENTIALS_FAILED',
        remedy: 'npm i -g no-such-plugin',
      })
    })
  })
})
