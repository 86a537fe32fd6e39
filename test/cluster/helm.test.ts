/** The real helm: a release from install to uninstall, and an upgrade that fails. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { helm, helmPath } from './programs.ts'
import { onCluster } from './suite.ts'

const chart = fileURLToPath(new URL('chart/', import.meta.url))

onCluster('helm', (cluster) => {
  describe.skipIf(helmPath === undefined)('with helm', () => {
    const h = async (ns: string, ...args: string[]) => {
      const { code, stdout, stderr } = await helm(cluster.target, ['-n', ns, ...args])
      if (code !== 0) throw new Error(`helm ${args.join(' ')}: exit code ${code}\n${stdout}${stderr}`)
      return stdout
    }
    const image = async (ns: string) => {
      const { body } = await cluster.call('GET', `/apis/apps/v1/namespaces/${ns}/deployments/hello`)
      return (body.spec as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]
        ?.image
    }

    it('installs, upgrades, rolls back, lists and uninstalls', async () => {
      const ns = await cluster.namespace()
      expect(await h(ns, 'install', 'hello', chart, '--wait', '--timeout=150s')).toMatch(
        /STATUS: deployed\nREVISION: 1/,
      )
      expect(
        await h(ns, 'upgrade', 'hello', chart, '--atomic', '--timeout=150s', '--set', 'image=example/app:2'),
      ).toContain('REVISION: 2')
      expect(await image(ns)).toBe('example/app:2')
      expect(await h(ns, 'list')).toMatch(/hello\s+\S+\s+2\s+.*deployed\s+hello-0\.1\.0/)
      expect(await h(ns, 'rollback', 'hello', '1', '--wait', '--timeout=150s')).toContain('Rollback was a success')
      expect(await image(ns)).toBe('example/app:1')
      expect(await h(ns, 'history', 'hello')).toMatch(/Rollback to 1/)
      expect(await h(ns, 'get', 'manifest', 'hello')).toContain('kind: Deployment')
      expect(await h(ns, 'uninstall', 'hello', '--wait', '--timeout=150s')).toBe('release "hello" uninstalled\n')
      expect((await cluster.call('GET', `/apis/apps/v1/namespaces/${ns}/deployments`)).body.items).toEqual([])
      await cluster.untilList(`/api/v1/namespaces/${ns}/pods`, (items) => items.length === 0)
    })

    it('rolls back an atomic upgrade that does not become ready', async () => {
      const ns = await cluster.namespace()
      await h(ns, 'install', 'hello', chart, '--wait', '--timeout=150s')
      const never = ['--set-json', 'podAnnotations={"sandbox.carabiner.dev/ready-delay":"never"}']
      const failed = await helm(cluster.target, [
        '-n',
        ns,
        'upgrade',
        'hello',
        chart,
        '--atomic',
        '--timeout=12s',
        '--set',
        'image=example/app:2',
        ...never,
      ])
      expect(failed.code).toBe(1)
      expect(failed.stderr).toContain('release hello failed, and has been rolled back due to atomic being set')
      expect(await image(ns)).toBe('example/app:1')
    })

    it('refuses existing objects and reports them', async () => {
      const ns = await cluster.namespace()
      await h(ns, 'install', 'hello', chart)
      const again = await helm(cluster.target, ['-n', ns, 'install', 'hello', chart])
      expect(again.code).toBe(1)
      expect(again.stderr).toContain('cannot re-use a name that is still in use')
    })
  })
})
