/** The hooks of the guide work as described, as a script and as a function. */
import { readFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { it } from 'vitest'
import { startScripts } from './script-operator.ts'
import { onCluster } from './suite.ts'

const page = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')
const guide = page('guides/write-a-hook.md')
const reference = page('reference/hooks.md')
const block = (language: string, holds: string, text = guide): string =>
  Array.from(
    text.matchAll(new RegExp(`\`\`\`${language}[^\n]*\n([\\s\\S]*?)\`\`\``, 'g')),
    ([, code]) => code ?? '',
  ).find((code) => code.includes(holds)) ?? ''

onCluster('hooks of the guide', (cluster) => {
  it.each([
    ['teams.sh', () => block('bash', 'kind: Namespace')],
    ['teams.mjs', () => transformSync(block('ts', 'defineHook'), { loader: 'ts' }).code],
  ])('[addons W1, T2] copy a label to a ConfigMap: %s', async (name, code) => {
    const label = (namespace: string, team: string) =>
      cluster.call('PATCH', `/api/v1/namespaces/${namespace}`, {
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { labels: { team } } },
      })
    const [before, after] = [await cluster.namespace(), await cluster.namespace()]
    const copied = (namespace: string, team: string) =>
      cluster.until(`/api/v1/namespaces/${namespace}/configmaps/team`, ({ data }) => data?.['team'] === team)
    await label(before, 'a')
    const operator = await startScripts(cluster.target, '--hooks-dir', {
      [name]: code(),
      'start.sh': block('bash', 'onStartup'),
    })
    try {
      await copied(before, 'a')
      await label(after, 'b')
      await copied(after, 'b')
      await label(after, 'c')
      await copied(after, 'c')
      const word = 'the operator has started'
      await operator.until(word, () => operator.outputLines.some((line) => line.includes(word)))
    } finally {
      await operator.stop()
    }
  })

  it('[addons L1, L2] find the bash framework', async () => {
    const namespace = await cluster.namespace()
    const pods = `/api/v1/namespaces/${namespace}/pods`
    await cluster.create(pods, {
      metadata: { name: `web-${namespace}` },
      spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
    })
    const scripts = { 'pods.sh': `${block('bash', 'shell_lib', reference)}\ntouch $OUT/$(date +%s%N)\n` }
    const operator = await startScripts(cluster.target, '--hooks-dir', scripts)
    try {
      await cluster.call('DELETE', `${pods}/web-${namespace}?gracePeriodSeconds=0`)
      const word = `gone: web-${namespace}`
      await operator.until(word, () => operator.outputLines.some((line) => line.includes(word)))
    } finally {
      await operator.stop()
    }
  })
})
