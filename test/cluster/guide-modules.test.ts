/** The module of the guide works as described, with real bash and real helm. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { helmPath } from './programs.ts'
import { startScripts } from './script-operator.ts'
import { onCluster } from './suite.ts'

const guide = readFileSync(new URL('../../docs/guides/converge-modules.md', import.meta.url), 'utf8')

/** The code block that follows the mention of a file. */
function file(path: string): string {
  const [, code = ''] = /```\w+[^\n]*\n([\s\S]*?)```/.exec(guide.slice(guide.indexOf(`\`addons/${path}\``))) ?? []
  return code
}

const module = 'modules/010-greeter'
const files = ['Chart.yaml', 'templates/greeting.yaml', 'values.yaml', 'hooks/count.sh'].map(
  (name) => `${module}/${name}`,
)

onCluster('the module of the guide', (cluster) => {
  it.skipIf(helmPath === undefined)(
    '[addons D7, B3, Z2] reacts to namespaces and the ConfigMap, is removed when disabled, and returns when enabled',
    async () => {
      const namespace = await cluster.namespace()
      const maps = `/api/v1/namespaces/${namespace}/configmaps`
      const team = `t${namespace}`
      const label = (name: string, value: string | null) =>
        cluster.call('PATCH', `/api/v1/namespaces/${name}`, {
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { metadata: { labels: { team: value } } },
        })
      const says = (text: string) => cluster.until(`${maps}/greeting`, ({ data }) => data?.['text'] === text)
      const configure = (data: object) =>
        cluster.call('PATCH', `${maps}/addon-operator`, {
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { data },
        })
      const scripts = Object.fromEntries(files.map((path) => [path, file(path)]))
      const flags = ['--namespace', namespace, '--helm', helmPath ?? '']
      const operator = await startScripts(cluster.target, '--working-dir', scripts, flags)
      try {
        // Other namespaces may have team labels as well.
        const pattern = /^hello, (\d+) teams$/
        const { data } = await cluster.until(`${maps}/greeting`, (found) => pattern.test(found.data?.['text'] ?? ''))
        const more = Number(pattern.exec(data?.['text'] ?? '')?.[1]) + 1
        await label(namespace, team)
        await says(`hello, ${more} teams`)
        await cluster.create(maps, { metadata: { name: 'addon-operator' }, data: { greeter: 'word: good morning\n' } })
        await says(`good morning, ${more} teams`)
        await configure({ greeterEnabled: 'false' })
        await cluster.untilGone(`${maps}/greeting`)
        await configure({ greeterEnabled: 'true' })
        await says(`good morning, ${more} teams`)
        expect(await operator.get('/metrics')).toContain('addon_operator_mm_module_enabled{module="greeter"} 1')
      } finally {
        await label(namespace, null)
        await operator.stop()
      }
    },
    300_000,
  )
})
