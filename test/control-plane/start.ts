/**
 * A real control plane on loopback: etcd, API server, controller manager and scheduler with random ports and their own credentials,
 * in a temporary folder that is removed afterwards. It has no nodes; attachTestNodes adds them.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { eventually, freePort, RunningProgram } from './programs.ts'

export interface ControlPlaneOptions {
  /** Serve MutatingAdmissionPolicy, as 1.36 does; off means the API of 1.35, which has none. @default true */
  readonly admissionPolicies?: boolean
  /** Further users with all rights, each with a kubeconfig. @default none */
  readonly users?: readonly string[]
  /** Further arguments of its programs. @default none */
  readonly args?: Partial<Readonly<Record<keyof Binaries, readonly string[]>>>
}

export interface ControlPlane {
  /** Path of a kubeconfig with all rights. */
  readonly kubeconfig: string
  readonly origin: string
  /** PEM text. */
  readonly ca: string
  readonly token: string
  /** Path of the kubeconfig of one of the further users. */
  kubeconfigOf(user: string): string
  /** The ids of its processes, by program. */
  readonly processes: ReadonlyMap<string, number>
  stop(): Promise<void>
}

export async function startControlPlane(binaries: Binaries, options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-control-plane-'))
  const programs: RunningProgram[] = []
  const launch = (file: string, args: readonly string[]) => {
    const program = new RunningProgram(file, args, folder)
    programs.push(program)
    return program
  }
  const stop = async () => {
    for (const program of programs.reverse()) await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const tokens = writeCredentials(folder, [admin, ...(options.users ?? [])])
    const token = tokens.get(admin) ?? ''
    const etcdOrigin = await startEtcd(launch, binaries)
    const origin = await startApiServer(launch, binaries, folder, etcdOrigin, token, options)
    for (const [user, own] of tokens) writeKubeconfig(folder, origin, user, own)
    const kubeconfigOf = (user: string) => kubeconfigPath(folder, user)
    const kubeconfig = kubeconfigOf(admin)
    startManagers(launch, binaries, kubeconfig, options)
    const ca = readFileSync(join(folder, 'apiserver.crt'), 'utf8')
    await eventually('the default service account', async () => {
      for (const program of programs) program.assertAlive()
      return (await get(`${origin}/api/v1/namespaces/default/serviceaccounts/default`, ca, token)).status === 200
    })
    // Without it no Service gets an address.
    await eventually('addresses for Services', async () => {
      const { text } = await get(`${origin}/apis/networking.k8s.io/v1/servicecidrs/kubernetes`, ca, token)
      const { status } = JSON.parse(text) as { status: { conditions?: { type: string; status: string }[] } }
      return status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false
    })
    const processes = new Map(programs.map(({ name, pid }) => [name, pid]))
    return { kubeconfig, origin, ca, token, kubeconfigOf, processes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Launch = (file: string, args: readonly string[]) => RunningProgram

async function startEtcd(launch: Launch, binaries: Binaries): Promise<string> {
  const client = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const urls = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${peer}`]
  const cluster = [`--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`]
  launch(binaries.etcd, ['--data-dir=etcd', '--unsafe-no-fsync', ...urls, ...cluster])
  return client
}

async function startApiServer(
  launch: Launch,
  binaries: Binaries,
  folder: string,
  etcd: string,
  token: string,
  { admissionPolicies = true, args = {} }: ControlPlaneOptions,
): Promise<string> {
  const port = await freePort()
  const program = launch(binaries['kube-apiserver'], [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--cert-dir=.',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-account-key-file=service-account.key',
    '--service-account-signing-key-file=service-account.key',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--kubelet-preferred-address-types=InternalIP',
    ...(admissionPolicies ? [] : ['--emulated-version=kube=1.35']),
    ...(args['kube-apiserver'] ?? []),
  ])
  const origin = `https://127.0.0.1:${port}`
  await eventually('readiness of the API server', async () => {
    program.assertAlive()
    return (await get(`${origin}/readyz`, readFileSync(join(folder, 'apiserver.crt'), 'utf8'), token)).status === 200
  })
  return origin
}

function startManagers(
  launch: Launch,
  binaries: Binaries,
  kubeconfig: string,
  { args = {} }: ControlPlaneOptions,
): void {
  const common = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0']
  const keys = ['--service-account-private-key-file=service-account.key', '--root-ca-file=apiserver.crt']
  launch(binaries['kube-controller-manager'], [...common, ...keys, ...(args['kube-controller-manager'] ?? [])])
  launch(binaries['kube-scheduler'], [...common, ...(args['kube-scheduler'] ?? [])])
}

const admin = 'admin'

function writeCredentials(folder: string, users: readonly string[]): ReadonlyMap<string, string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(join(folder, 'service-account.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), {
    mode: 0o600,
  })
  const tokens = new Map(users.map((user) => [user, randomBytes(24).toString('hex')]))
  const lines = [...tokens].map(([user, token]) => `${token},${user},${user},system:masters\n`)
  writeFileSync(join(folder, 'tokens.csv'), lines.join(''), { mode: 0o600 })
  return tokens
}

function kubeconfigPath(folder: string, user: string): string {
  return join(folder, user === admin ? 'kubeconfig' : `kubeconfig-${user}`)
}

function writeKubeconfig(folder: string, server: string, user: string, token: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'control-plane',
    clusters: [{ name: 'control-plane', cluster: { server, 'certificate-authority': join(folder, 'apiserver.crt') } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: 'control-plane', context: { cluster: 'control-plane', user } }],
  }
  writeFileSync(kubeconfigPath(folder, user), JSON.stringify(config, null, 2), { mode: 0o600 })
}

function get(url: string, ca: string, token: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { ca, headers: { authorization: `Bearer ${token}` } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    call.once('error', reject)
    call.end()
  })
}
