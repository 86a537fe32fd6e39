/**
 * A first try of an administrator on a cluster of their own: `carabiner run --install` and the guide to migrations, line by line with the real
 * kubectl. The person who starts the operator is held by the gate like all others, or the operator does not start.
 */
import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { networkTransport } from '../../src/kube/network/index.ts'
import { createAuthority, createRealRuntime } from '../../src/runtime/real/index.ts'
import { attachNodes } from '../../src/sandbox/nodes/attach.ts'
import { blocksOf, statementsOf } from '../sandbox/guides.ts'
import { type Running, start } from '../sandbox/program.ts'
import { kubeconfigAs } from './engine.ts'
import { removeGates } from './gate.ts'
import { kubectl, kubectlOk, kubectlPath } from './programs.ts'
import { onCluster } from './suite.ts'
import { conditionOf, deployment, isRolledOut, mergePatch, podTemplate } from './workloads.ts'

const guide = blocksOf('docs/guides/add-a-migration-to-a-deployment.md', 'Try it')
const samples = fileURLToPath(new URL('../../examples/01-deployment', import.meta.url))
const main = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))
const rbac = '/apis/rbac.authorization.k8s.io/v1'

onCluster('a first try', (cluster) => {
  let node: { stop(): Promise<void> } | undefined
  beforeAll(async () => {
    if (kubectlPath === undefined) return
    // Only nodes that run processes can fail a command.
    node = await attachProcessNode(cluster.target)
    for (const name of ['node-1', 'node-2', 'node-3']) await kubectlOk(cluster.target, ['cordon', name])
    await cluster.until('/api/v1/nodes/runner', (found) => conditionOf(found, 'Ready')?.status === 'True')
  })
  const running: Running[] = []
  afterEach(async () => {
    for (const one of running.splice(0)) {
      one.interrupt()
      await one.ended.catch(() => undefined)
    }
    await removeGates(cluster)
  })
  afterAll(async () => {
    if (kubectlPath === undefined) return
    for (const name of ['node-1', 'node-2', 'node-3']) await kubectl(cluster.target, ['uncordon', name])
    await kubectl(cluster.target, ['delete', 'namespace', 'shop', '--wait=false'])
    await node?.stop()
    await kubectl(cluster.target, ['delete', 'node', 'runner'])
    for (const kind of ['clusterrole', 'clusterrolebinding'])
      for (const name of ['carabiner:run', 'carabiner-impersonator', 'first-try'])
        await kubectl(cluster.target, ['delete', kind, name, '--ignore-not-found'])
  })

  const run = (kubeconfig: string, ...args: string[]): Running => {
    const operator = start(['run', ...args, '--listen-port', '0', '--kubeconfig', kubeconfig])
    running.push(operator)
    return operator
  }
  const withoutRights = async () => {
    for (const kind of ['clusterrole', 'clusterrolebinding'])
      await kubectlOk(cluster.target, ['delete', kind, 'carabiner:run', '--ignore-not-found'])
  }
  const isReady = (operator: Running) => operator.line(/carabiner is ready/)

  describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
    it('of an administrator: a broken migration holds the rollout', async () => {
      const said = await isReady(run(cluster.target.kubeconfig, '--install'))
      expect(said).toContain('clusterrole/carabiner:run applied\nclusterrolebinding/carabiner:run applied\n')
      expect(said).toMatch(/rollouts are managed as user system:carabiner, which \S+ impersonates/)
      await kubectlOk(cluster.target, ['apply', '-f', samples])
      await kubectlOk(cluster.target, ['rollout', 'status', '-n', 'shop', 'deployment/web', '--timeout=60s'])
      const shell = shellOf(cluster.target)
      // The first block starts a cluster.
      for (const { note, text, language } of guide.slice(1)) {
        if (note !== '') writeFileSync(join(cluster.target.home, note), text)
        else for (const statement of commandsOf(language, text)) await shell(statement)
        // The broken migration.
        if (text.includes('exit 1'))
          expect((await shell(images)).trim()).toBe('shop/web:2 shop/web:2 shop/web:2 shop/web:2')
      }
      expect(await shell('carabiner rollout logs -n shop web')).toMatch(
        /--> pre at 0, .*: failed [\s\S]*attempt 2, .*: succeeded /,
      )
      expect(new Set((await shell(images)).split(' '))).toEqual(new Set(['shop/web:3']))
    })

    it('of a user who may impersonate no user: it does not start, and the two commands help', async () => {
      await withoutRights()
      const alice = await accountOf('alice')
      const refused = await run(alice, '--install').ended
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain('CRB_GATE_OPEN_TO_USER')
      expect(refused.stderr).toContain('may not act as user system:carabiner')
      const commands = [...refused.stderr.matchAll(/^ {2}(kubectl create .*)$/gm)].map(([, command = '']) => command)
      expect(commands).toHaveLength(2)
      expect((await cluster.call('GET', `${rbac}/clusterroles/carabiner:run`)).status).toBe(404)
      for (const command of commands) await shellOf(cluster.target)(command)
      const said = await pollStart(alice)
      expect(said).toMatch(/which system:serviceaccount:\S+:alice impersonates/)
    })

    it('of a change made as the user of the operator: the change is reported', async () => {
      await isReady(run(cluster.target.kubeconfig, '--install'))
      const ns = await cluster.namespace()
      const path = `/apis/apps/v1/namespaces/${ns}/deployments/web`
      await cluster.create(path.slice(0, path.lastIndexOf('/')), deployment('web', 1))
      await cluster.until(path, isRolledOut)
      const policies = `/apis/carabiner.dev/v1alpha1/namespaces/${ns}/rolloutpolicies`
      const pre = { failurePolicy: 'Abort', execNewPod: { containerName: 'main', command: ['true'] } }
      const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
      const metadata = { name: 'web' }
      await cluster.create(policies, {
        apiVersion: 'carabiner.dev/v1alpha1',
        kind: 'RolloutPolicy',
        ...{ metadata, spec: { targetRef, lifecycle: { pre } } },
      })
      const ready = (status: string, reason: string) =>
        cluster.until(`${policies}/web`, (found) => {
          const condition = conditionOf(found, 'Ready')
          return condition?.status === status && condition.reason === reason
        })
      await ready('True', 'AtRest')
      const as = { 'impersonate-user': 'system:carabiner', 'impersonate-group': 'system:masters' }
      const change = (version: number, headers = {}) => {
        const body = { spec: { template: podTemplate('web', `example/app:${version}`) } }
        return cluster.call('PATCH', path, { headers: { ...mergePatch, ...headers }, body })
      }
      await change(2, as)
      await ready('False', 'GateOpenToYou')
      const events = `/apis/events.k8s.io/v1/namespaces/${ns}/events`
      const found = await cluster.untilList(events, (items) =>
        items.some(({ reason }) => reason === 'RolledOutWithoutHooks'),
      )
      expect(found.find(({ reason }) => reason === 'RolledOutWithoutHooks')).toMatchObject({
        type: 'Warning',
        note: expect.stringMatching(/^revision web-\S+ of Deployment web rolled out without hooks/),
      })
      // Every other writer is held still, and a rollout with its hooks ends the condition.
      await change(3)
      await ready('True', 'Complete')
    })

    it('with a kubeconfig that impersonates an administrator: it acts as its own user all the same', async () => {
      const jane = kubeconfigAs(cluster.target, { user: 'jane', groups: ['system:masters'] })
      expect(await isReady(run(jane, '--install'))).toContain('rollouts are managed as user system:carabiner')
    })

    it('twice: the second operator stands by', async () => {
      await isReady(run(cluster.target.kubeconfig, '--install'))
      const second = run(cluster.target.kubeconfig, '--install')
      expect(await second.line(/standing by/)).not.toContain('carabiner is ready')
    })

    it('without --install before anything is installed: it names the rights that are missing', async () => {
      await withoutRights()
      const { code, stderr } = await run(cluster.target.kubeconfig, '--gate', 'webhook').ended
      expect(code).toBe(1)
      expect(stderr).toMatch(/CRB_API_FORBIDDEN.*user system:carabiner may not get rolloutpolicies/)
      expect(stderr).toContain('run --install` as an administrator')
    })
  })

  /** Administrators see a new role through a watch: the first attempts may be refused still. */
  async function pollStart(kubeconfig: string): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      const operator = run(kubeconfig, '--install')
      const said = await isReady(operator).catch((error: unknown) => (attempt < 10 ? undefined : Promise.reject(error)))
      if (said !== undefined) return said
    }
  }

  /** A kubeconfig of a service account that may do everything but impersonate. */
  async function accountOf(name: string): Promise<string> {
    const ns = await cluster.namespace()
    await cluster.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name } })
    const { status } = await cluster.create(`/api/v1/namespaces/${ns}/serviceaccounts/${name}/token`, { spec: {} })
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'bind', 'escalate']
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs }]
    await cluster.create(`${rbac}/clusterroles`, { metadata: { name: 'first-try' }, rules })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'first-try' }
    const subjects = [{ kind: 'ServiceAccount', name, namespace: ns }]
    await cluster.create(`${rbac}/clusterrolebindings`, { metadata: { name: 'first-try' }, roleRef, subjects })
    const config = JSON.parse(readFileSync(cluster.target.kubeconfig, 'utf8')) as { users: { name: string }[] }
    const users = config.users.map((user) => ({
      name: user.name,
      user: { token: (status as { token: string }).token },
    }))
    const path = join(cluster.target.home, `${name}.kubeconfig`)
    writeFileSync(path, JSON.stringify({ ...config, users }))
    return path
  }
})

/** A transcript has its commands behind `$`. */
function commandsOf(language: string, text: string): readonly string[] {
  if (language === 'sh') return statementsOf(text)
  return [...text.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command)
}

const images = `kubectl get pods -n shop -l app=web -o jsonpath='{.items[*].spec.containers[*].image}'`

/** Runs lines as a user types them; the guide marks the one that fails. */
function shellOf({ home, kubeconfig }: { readonly home: string; readonly kubeconfig: string }) {
  const program = join(home, 'carabiner')
  rmSync(program, { force: true })
  symlinkSync(main, program)
  chmodSync(main, 0o755)
  const path = [home, dirname(kubectlPath ?? ''), process.env['PATH']].join(delimiter)
  const env = { PATH: path, HOME: home, KUBECONFIG: kubeconfig }
  return (line: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { cwd: home, env, timeout: 60_000 }
      execFile('bash', ['-c', line], options, (error, stdout, stderr) => {
        const mustFail = /# ends with (1|an error)/.test(line)
        if ((error !== null) === mustFail) resolve(stdout)
        else reject(new Error(`${line}: ${error === null ? 'did not fail' : error.message}\n${stdout}${stderr}`))
      })
    })
}

async function attachProcessNode({ kubeconfig }: { readonly kubeconfig: string }) {
  const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
  const transport = networkTransport(await loadConnection(runtime, { kubeconfig }), runtime)
  const host = '127.0.0.1'
  const tls = createAuthority('runner').issueServer({ commonName: 'node', names: [host] })
  const nodes = attachNodes(createClient({ transport, runtime }), runtime, {
    nodes: [{ name: 'runner', address: host }],
    nodeMode: 'process',
    endpoint: { host, tls },
  })
  await nodes.ready
  return {
    async stop() {
      await nodes.stop()
      await transport.close()
      await runtime.close()
    },
  }
}
