/** User errors: each has a code, a cause, a remedy and an exit code, and no stack trace. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../src/runtime/real/index.ts'
import { run, start } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-bad-input-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function kubeconfig(name: string, server: string, more: object = {}): string {
  const path = join(folder, name)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'here', cluster: { server, ...more } }],
    users: [{ name: 'me', user: { token: 'secret-token-value' } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}

async function failsWith(
  code: string,
  says: RegExp,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const ran = await run(args, env)
  expect(ran.code).not.toBe(0)
  expect(ran.stderr).toMatch(new RegExp(`^error ${code}: `, 'm'))
  expect(ran.stderr).toMatch(says)
  expect(ran.stderr).toMatch(/^ {2}what to do: \S.*\.$/m)
  expect(ran.stdout + ran.stderr).not.toMatch(/\n\s+at .*:\d+:\d+/)
  expect(ran.stdout + ran.stderr).not.toContain('secret-token-value')
}

describe('bad input', () => {
  it('a missing kubeconfig', async () => {
    await failsWith('CRB_KUBECONFIG_MISSING', /no-such-file/, ['run', '--kubeconfig', join(folder, 'no-such-file')])
    await failsWith('CRB_KUBECONFIG_MISSING', /\.kube\/config/, ['run'])
  })

  it('an unknown context', async () => {
    const path = kubeconfig('context', 'https://127.0.0.1:1')
    await failsWith('CRB_KUBECONFIG_UNKNOWN', /elsewhere[\s\S]*here/, [
      'run',
      '--kubeconfig',
      path,
      '--context',
      'elsewhere',
    ])
  })

  it('a kubeconfig that is not YAML', async () => {
    const path = join(folder, 'broken')
    writeFileSync(path, 'clusters: [\n  {name: a\n')
    await failsWith('CRB_YAML_MALFORMED', /broken/, ['run', '--kubeconfig', path])
  })

  it('a connection that is refused', async () => {
    await failsWith('CRB_CONNECTION_REFUSED', /127\.0\.0\.1:1\b/, [
      'run',
      '--kubeconfig',
      kubeconfig('refused', 'https://127.0.0.1:1'),
    ])
  })

  it('a server that never responds does not delay an interrupt', async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    try {
      const connected = once(silent, 'connection')
      const path = kubeconfig('silent', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
      const operator = start(['run', '--kubeconfig', path, '--listen-port', '0'])
      await connected
      operator.interrupt()
      expect(await operator.ended).toMatchObject({ code: 0, stderr: '' })
    } finally {
      silent.close()
    }
  })

  it('a server certificate that has expired', async () => {
    const authority = createAuthority('expired test')
    const past = { from: Date.parse('2020-01-01'), until: Date.parse('2020-01-02') }
    const tls = authority.issueServer({ commonName: 'old', names: ['127.0.0.1'] }, past)
    const server = createTlsServer(tls, (_, response) => response.end('{}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const data = { 'certificate-authority-data': Buffer.from(authority.cert).toString('base64') }
    const path = kubeconfig('expired', `https://127.0.0.1:${port}`, data)
    await failsWith('CRB_TLS_EXPIRED', /expired/, ['run', '--kubeconfig', path])
    server.close()
  })

  it('a port that is in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const args = ['sandbox', '--port', String(port), '--kubeconfig', join(folder, 'port')]
    await failsWith('CRB_PORT_IN_USE', new RegExp(`${port}`), args)
    server.close()
  })

  it('a path for the kubeconfig that is not writable', async () => {
    const args = ['sandbox', '--port', '0', '--kubeconfig', '/proc/sandbox/kubeconfig']
    await failsWith('CRB_FILE_UNREADABLE', /\/proc\/sandbox\/kubeconfig[\s\S]*--kubeconfig FILE/, args)
  })

  it('a sample that is not YAML', async () => {
    const samples = join(folder, 'samples')
    mkdirSync(samples)
    writeFileSync(join(samples, 'bad.yaml'), 'kind: ConfigMap\nmetadata: {name: a\n')
    const args = ['up', '--port', '0', '--listen-port', '0', '--kubeconfig', join(folder, 'up'), '--samples', samples]
    await failsWith('CRB_YAML_MALFORMED', /bad\.yaml.*3/, args)
  })

  it('an invalid setting', async () => {
    await failsWith('CRB_SETTING_INVALID', /--listen-port must be a number/, [
      'run',
      '--print-config',
      '--listen-port',
      'http',
    ])
  })

  it('invalid option values', async () => {
    const refused = [
      [['up', '--check', '--timeout', '1m'], /--timeout <seconds>.*'1m' is invalid.*a number of seconds, more than 0/],
      [['sandbox', '--port', '65536'], /--port <number>.*'65536' is invalid.*a whole number from 0 to 65535/],
      [['install', '--print', '--replicas', '0'], /--replicas <number>.*'0' is invalid.*a whole number, 1 or more/],
      [
        ['hook', 'test', '.', '--timeout', '0'],
        /--timeout <seconds>.*'0' is invalid.*a number of seconds, more than 0/,
      ],
      [
        ['install', '--print', '-n', 'My Shop'],
        /--namespace <name>.*'My Shop' is invalid.*lower-case letters, digits and dashes/,
      ],
      [['install', '--print', '--image', ''], /--image <image>.*'' is invalid.*an image reference/],
      [['doctor', '-o', 'xml'], /--output <format>.*'xml' is invalid.*text, json/],
      [['version', '--client', '-o', 'xml'], /--output <format>.*'xml' is invalid.*text, json/],
    ] as const
    for (const [args, says] of refused) {
      const ran = await run(args)
      expect([args, ran.code, ran.stdout, ran.stderr]).toEqual([args, 2, '', expect.stringMatching(says)])
    }
  })

  it('an unknown command or option', async () => {
    const command = await run(['snadbox'])
    expect([command.code, command.stderr]).toEqual([
      2,
      expect.stringMatching(/unknown command 'snadbox'[\s\S]*Did you mean sandbox/),
    ])
    const option = await run(['sandbox', '--nods', '3'])
    expect([option.code, option.stderr]).toEqual([
      2,
      expect.stringMatching(/unknown option '--nods'[\s\S]*Did you mean --nodes/),
    ])
  })
})
