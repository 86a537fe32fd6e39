/** How the helm deployer calls helm: chart sources, arguments, files and failures. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { helmDeployer } from '../../src/deployers/stock/helm/deployer.ts'
import type { HelmSettings } from '../../src/deployers/stock/helm/program.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { ProcessScript } from '../../src/runtime/simulated/index.ts'
import { deploying, type Stage } from './deploying.ts'

const config = (chart: object, more: object = {}) => ({
  apiVersion: 'helm.deployer.landscaper.gardener.cloud/v1alpha1',
  kind: 'ProviderConfiguration',
  chart,
  name: 'hello',
  namespace: 'default',
  ...more,
})
const archive = { archive: { raw: btoa('the chart') } }

interface Call {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Files of the run, by name. */
  readonly files: Readonly<Record<string, string>>
}

interface Played {
  readonly stage: Stage
  readonly calls: Call[]
  /** The next result of helm by first argument: printed text or an error. */
  readonly says: Map<string, string | Error>
}

const rendered = `---
# Source: hello/templates/all.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: hello
data: {a: "1"}
---
# Source: hello/templates/text.txt
only: text
---
# Source: hello/templates/empty.yaml
`

function play(scenario: (played: Played) => Promise<void>, settings: HelmSettings = {}): Promise<void> {
  return deploying(
    (targets) => helmDeployer(targets, settings),
    async (stage) => {
      const calls: Call[] = []
      const says = new Map<string, string | Error>([
        ['template', rendered],
        ['upgrade', ''],
        ['get', rendered],
        ['uninstall', ''],
        ['repo', ''],
        ['show', 'replicas: 1\nimage: x\n'],
      ])
      const helm: ProcessScript = async ({ spec: { args = [], env }, runtime, print, printError }) => {
        const home = env['HOME'] ?? ''
        const files: Record<string, string> = {}
        for (const name of await runtime.files.list(home)) {
          if ((await runtime.files.facts(`${home}/${name}`))?.kind === 'file')
            files[name] = await runtime.files.readText(`${home}/${name}`)
        }
        calls.push({ args, env, files })
        const answer = says.get(args[0] ?? '') ?? ''
        if (typeof answer === 'string') print(answer)
        else printError(`WARNING: something\nError: ${answer.message}\n`)
        return typeof answer === 'string' ? 0 : 1
      }
      stage.cluster.simulation.script('helm', helm)
      await scenario({ stage, calls, says })
    },
  )
}

const argumentsOf = (calls: readonly Call[], command: string) =>
  calls
    .filter(({ args }) => args[0] === command)
    .map(({ args }) => args.filter((one) => !one.startsWith('--api-versions')))

describe('the helm deployer', () => {
  it('reports the item when the helm program is missing', () =>
    deploying(
      (targets) => helmDeployer(targets, { program: '/nowhere/helm' }),
      async (stage) => {
        const said = await stage.reconcile(config(archive))
        expect(said).toMatch(
          /^ERR_INTERNAL_PROBLEM deploy item "default\/item" needs the program helm: .*\/nowhere\/helm/,
        )
      },
    ))

  it('renders and applies once per run without giving helm access to a cluster', () =>
    play(async ({ stage, calls }) => {
      expect(await stage.reconcile(config(archive, { helmDeployment: false, values: { a: 1 } }))).toBe('done')
      expect(argumentsOf(calls, 'template')).toEqual([
        [
          'template',
          'hello',
          expect.stringMatching(/chart\.tgz$/),
          '--namespace=default',
          expect.stringMatching(/^--values=.*values\.yaml$/),
          '--include-crds',
          '--skip-tests',
          expect.stringMatching(/^--kube-version=v1\./),
        ],
      ])
      expect(calls).toHaveLength(1)
      expect(calls[0]?.files).toMatchObject({ 'chart.tgz': 'the chart', 'values.yaml': 'a: 1\n' })
      expect(calls[0]?.files['kubeconfig']).not.toContain('the kubeconfig')
      expect(stage.item().status.providerStatus?.['managedResources']).toHaveLength(1)
      const home = calls[0]?.env['HOME'] ?? ''
      expect(
        Object.entries(calls[0]?.env ?? {})
          .filter(([name]) => name.startsWith('HELM_'))
          .every(([, path]) => path.startsWith(home)),
      ).toBe(true)
      expect(await stage.cluster.runtime.files.facts(home)).toBeUndefined()
    }))

  it('installs a release with the kubeconfig as a file, once per run', () =>
    play(async ({ stage, calls }) => {
      await stage.cluster.create(resources.configMaps, { metadata: { name: 'hello' } })
      const options = { helmDeploymentConfig: { install: { atomic: true, timeout: '2m' }, upgrade: { wait: true } } }
      expect(await stage.reconcile(config(archive, options))).toBe('done')
      expect(argumentsOf(calls, 'upgrade')[0]).toEqual([
        'upgrade',
        'hello',
        expect.stringMatching(/chart\.tgz$/),
        '--install',
        '--namespace=default',
        '--create-namespace',
        '--history-max=10',
        '--reset-values',
        expect.stringMatching(/^--values=/),
        '--atomic',
        '--timeout=2m',
      ])
      expect(calls[0]?.files['kubeconfig']).toBe('the kubeconfig')
      expect(stage.item().persisted[0]?.['release']).toEqual({ name: 'hello', namespace: 'default' })
      expect(await stage.call(config(archive, options))).toBeUndefined()
      expect(argumentsOf(calls, 'upgrade')).toHaveLength(1)
    }))

  it('[deployers B10] a failed uninstall is an error, a successful one completes the deletion', () =>
    play(async ({ stage, calls, says }) => {
      await stage.cluster.create(resources.configMaps, { metadata: { name: 'hello' } })
      expect(await stage.reconcile(config(archive))).toBe('done')
      says.set('uninstall', new Error('timed out waiting for the condition'))
      expect(await stage.remove(config(archive))).toBe('helm uninstall: timed out waiting for the condition')
      says.set('uninstall', '')
      expect(await stage.remove(config(archive))).toBe('done')
      expect(argumentsOf(calls, 'uninstall')[0]).toEqual([
        'uninstall',
        'hello',
        '--namespace=default',
        '--ignore-not-found',
        '--wait',
        '--timeout=5m',
      ])
    }))

  it('deletes only a pending revision', () =>
    play(async ({ stage }) => {
      const secret = (version: number, status: string) =>
        stage.cluster.create(resources.secrets, {
          metadata: { name: `sh.helm.release.v1.hello.v${version}`, labels: { owner: 'helm', name: 'hello', status } },
        })
      await stage.cluster.create(resources.configMaps, { metadata: { name: 'hello' } })
      await secret(1, 'deployed')
      await secret(2, 'pending-upgrade')
      expect(await stage.reconcile(config(archive))).toBe('done')
      const left = (await stage.cluster.list(resources.secrets, 'owner=helm')).map(({ metadata }) => metadata.name)
      expect(left).toEqual(['sh.helm.release.v1.hello.v1'])
    }))

  it('converts a release to applied objects on request', () =>
    play(async ({ stage }) => {
      await stage.cluster.create(resources.configMaps, { metadata: { name: 'hello' } })
      await stage.cluster.create(resources.secrets, {
        metadata: { name: 'sh.helm.release.v1.hello.v1', labels: { owner: 'helm', name: 'hello', status: 'deployed' } },
      })
      expect(await stage.reconcile(config(archive))).toBe('done')
      expect(await stage.reconcile(config(archive, { helmDeployment: false }))).toBe('done')
      expect(await stage.cluster.list(resources.secrets, 'owner=helm')).toEqual([])
      expect(stage.item().status.providerStatus?.['release']).toBeUndefined()
    }))

  it('reads exports without fromResource from the values', () =>
    play(async ({ stage }) => {
      const exports = {
        exports: [
          { key: 'r', jsonPath: '.Values.replicas' },
          { key: 'i', jsonPath: '.Values.image' },
        ],
      }
      const values = { image: 'y' }
      expect(await stage.reconcile(config(archive, { helmDeployment: false, values, exports }))).toBe('done')
      expect(stage.item().exports).toEqual({ r: 1, i: 'y' })
    }))

  it('fetches charts from a registry with helm and from a folder without it', () =>
    play(
      async ({ stage, calls }) => {
        const { files } = stage.cluster.runtime
        const blob = async (content: string) => {
          const hex = createHash('sha256').update(content).digest('hex')
          await files.makeDirectory('/charts/hello/blobs/sha256')
          await files.write(`/charts/hello/blobs/sha256/${hex}`, content)
          return `sha256:${hex}`
        }
        const mediaType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
        const layer = { mediaType, digest: await blob('from the folder') }
        const manifest = await blob(JSON.stringify({ layers: [layer] }))
        const annotations = { 'org.opencontainers.image.ref.name': '1.0.0' }
        await files.write(
          '/charts/hello/index.json',
          JSON.stringify({ manifests: [{ digest: manifest, annotations }] }),
        )
        const template = { helmDeployment: false }
        expect(await stage.reconcile(config({ ref: 'local/hello:1.0.0' }, template))).toBe('done')
        expect(calls.at(-1)?.files['chart.tgz']).toBe('from the folder')
        expect(await stage.reconcile(config({ ref: 'local/hello:2.0.0' }, template))).toBe(
          'ERR_CONFIGURATION_PROBLEM spec.config.chart.ref "local/hello:2.0.0": /charts/hello/index.json has no 2.0.0 version; there are: 1.0.0.',
        )
        expect(await stage.reconcile(config({ ref: 'registry:5000/charts/hello:1.2.3' }, template))).toBe('done')
        expect(argumentsOf(calls, 'template').at(-1)?.slice(2, 4)).toEqual([
          'oci://registry:5000/charts/hello',
          '--version=1.2.3',
        ])
      },
      { ociFolders: { local: '/charts' } },
    ))

  it('passes a repository to helm as a file', () =>
    play(async ({ stage, calls }) => {
      const helmChartRepo = {
        helmChartRepoUrl: 'https://charts.example.org/stable',
        helmChartName: 'hello',
        helmChartVersion: '1.0.0',
      }
      expect(await stage.reconcile(config({ helmChartRepo }, { helmDeployment: false }))).toBe('done')
      expect(argumentsOf(calls, 'repo')).toEqual([['repo', 'update', 'repository']])
      expect(calls[0]?.files['repositories.yaml']).toContain('url: https://charts.example.org/stable')
      expect(argumentsOf(calls, 'template')[0]?.slice(2, 4)).toEqual(['repository/hello', '--version=1.0.0'])
    }))

  it.each<[string, object, object, string]>([
    ['no chart', {}, {}, 'spec.config.chart needs exactly one of'],
    ['two charts', { ref: 'a/b', ...archive }, {}, 'spec.config.chart needs exactly one of'],
    ['a path as a chart', { ref: '../secret' }, {}, 'spec.config.chart.ref'],
    ['a path in a folder', { ref: 'local/../../etc' }, {}, 'spec.config.chart.ref'],
    ['an option as a chart', { ref: '--post-renderer=x' }, {}, 'spec.config.chart.ref'],
    [
      'a file as an address',
      { archive: { remote: { url: 'file:///etc/passwd' } } },
      {},
      'spec.config.chart.archive.remote.url',
    ],
    ['an option as a name', archive, { name: '--debug' }, 'spec.config.name'],
    ['text that is no archive', { archive: { raw: '%' } }, { helmDeployment: false }, 'archive.raw is not base64'],
    ['an unknown resource', { fromResource: { resourceName: 'x' } }, {}, 'spec.config.chart.fromResource'],
  ])('refuses %s', async (_, chart, more, problem) => {
    await play(async ({ stage, calls }) => {
      const said = await stage.reconcile(config(chart, more))
      expect(said).toContain('ERR_CONFIGURATION_PROBLEM')
      expect(said).toContain(problem)
      expect(calls).toEqual([])
    })
  })
})
