/**
 * The cluster of the bench: a real control plane with an audit log of the operator's requests, and nodes in their own process that
 * make a pod ready after 50 ms and end a hook after 150 ms. The request limits of the native controllers are lifted, so that only those of the operator matter.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Cluster, connect } from '../../src/kube/network/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import type { Binaries } from '../../test/control-plane/binaries.ts'
import { startControlPlane } from '../../test/control-plane/start.ts'
import { AuditLog, auditPolicy } from './audit.ts'
import { firstLine } from './lines.ts'

/** The user the operator runs as. */
export const operatorUser = 'carabiner'

const lifted = ['--kube-api-qps=2000', '--kube-api-burst=4000']

/** Arguments that differ from the defaults of the programs. */
export const terms = [
  'etcd runs without fsync',
  `kube-controller-manager and kube-scheduler run with ${lifted.join(' ')}`,
  'a node writes of a pod that it runs and is ready (after 50 ms), how a hook ended (after 150 ms), that it is gone, and no events',
].join('; ')

export interface BenchCluster extends Pick<Cluster, 'client'> {
  readonly runtime: ReturnType<typeof createRealRuntime>
  readonly audit: AuditLog
  readonly operatorKubeconfig: string
  /** The ids of the processes of the cluster and the bench, by name. */
  readonly processes: ReadonlyMap<string, number>
  stop(): Promise<void>
}

export async function startCluster(binaries: Binaries): Promise<BenchCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  const policy = join(folder, 'audit-policy.json')
  const log = join(folder, 'audit.log')
  writeFileSync(policy, JSON.stringify(auditPolicy(operatorUser)))
  const plane = await startControlPlane(binaries, {
    users: [operatorUser],
    args: {
      'kube-apiserver': [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
      'kube-controller-manager': lifted,
      'kube-scheduler': lifted,
    },
  })
  const nodes = await startNodes(plane.kubeconfig)
  const runtime = createRealRuntime({ log: { level: 'error' } })
  const options = { kubeconfig: plane.kubeconfig, userAgent: 'bench', rateLimit: { qps: 5000, burst: 5000 } }
  const { client, close } = await connect(runtime, options)
  return {
    client,
    runtime,
    audit: new AuditLog(log),
    operatorKubeconfig: plane.kubeconfigOf(operatorUser),
    processes: new Map([...plane.processes, ['nodes', nodes.pid ?? 0], ['bench', process.pid]]),
    async stop() {
      await close()
      await runtime.close()
      nodes.kill('SIGTERM')
      await once(nodes, 'exit')
      await plane.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startNodes(kubeconfig: string): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('nodes.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file, kubeconfig], { stdio: ['ignore', 'pipe', 'inherit'] })
  await firstLine(child, 'the nodes')
  return child
}
