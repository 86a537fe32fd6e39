/** Script hooks with exactly the permissions of the reference; without some of them only the hooks that need them wait. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseYaml } from '../../src/kube/index.ts'
import { untilGranted } from './rights.ts'
import { keeping, startScripts } from './script-operator.ts'
import { onCluster } from './suite.ts'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')
const role = /```yaml\n(apiVersion: rbac[\s\S]*?)```/.exec(read('reference/hooks.md'))?.[1] ?? ''
const hook = /```bash[^\n]*\n([^`]*kind: Namespace[^`]*)```/.exec(read('guides/write-a-hook.md'))?.[1] ?? ''
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const apiGroup = 'rbac.authorization.k8s.io'

onCluster('rights of script hooks', (cluster) => {
  it('are those of the reference', async () => {
    const namespace = await cluster.namespace()
    const account = `hooks-${namespace}`
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
    await cluster.create(accounts, { metadata: { name: account } })
    const { status } = await cluster.create(`${accounts}/${account}/token`, { spec: { expirationSeconds: 3600 } })
    const { rules } = parseYaml(role, 'hooks.md') as { rules: { verbs: string[] }[] }
    await cluster.create(`${rbac}/clusterroles`, { metadata: { name: account }, rules })
    await cluster.create(`${rbac}/clusterrolebindings`, {
      metadata: { name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      roleRef: { apiGroup, kind: 'ClusterRole', name: account },
    })
    const user = `system:serviceaccount:${namespace}:${account}`
    await untilGranted(cluster, user, [{ kind: 'ClusterRole', metadata: { name: account }, rules }])
    const kubeconfig = join(cluster.target.home, 'rights')
    writeFileSync(kubeconfig, asUser(cluster.target.kubeconfig, (status as { token: string }).token))
    const forbidden = { configVersion: 'v1', kubernetes: [{ name: 'secrets', kind: 'Secret' }] }
    const scripts = { 'secrets.sh': keeping(forbidden), 'team.sh': hook }
    const operator = await startScripts({ ...cluster.target, kubeconfig }, '--hooks-dir', scripts)
    try {
      const labelled = {
        body: { metadata: { labels: { team: 'a' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      }
      await cluster.call('PATCH', `/api/v1/namespaces/${namespace}`, labelled)
      await cluster.until(`/api/v1/namespaces/${namespace}/configmaps/team`, ({ data }) => data?.['team'] === 'a')
      await operator.until('a refusal', () => operator.outputLines.some((line) => /secrets is forbidden/.test(line)))
      expect(operator.contexts('secrets.sh')).toEqual([])
      expect(operator.outputLines.filter((line) => line.includes('hook failed'))).toEqual([])
    } finally {
      await operator.stop()
      for (const kind of ['clusterrolebindings', 'clusterroles'])
        await cluster.call('DELETE', `${rbac}/${kind}/${account}`)
    }
  })
})

function asUser(kubeconfig: string, token: string): string {
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as { users: { user: object }[] }
  return JSON.stringify({ ...config, users: config.users.map((one) => ({ ...one, user: { token } })) })
}
