/** Releases of modules with the real helm: only changed releases are upgraded, and every interrupted state is repaired. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Module } from '../../src/addons/modules/discovery/module.ts'
import { ModuleHelm } from '../../src/addons/modules/helm/helm.ts'
import { type Cluster as Connected, connect } from '../../src/kube/network/index.ts'
import type { Json } from '../../src/runtime/json.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { helm, helmPath } from './programs.ts'
import { onCluster } from './suite.ts'

const { signal } = new AbortController()

const template = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  port: {{ .Values.web.port | quote }}
  modules: {{ .Values.global.enabledModules | toJson | quote }}
  own: {{ .Values.own | default "none" | quote }}
`

onCluster('releases of modules', (cluster) => {
  describe.skipIf(helmPath === undefined)('with helm', () => {
    const runtime = createRealRuntime({ log: { level: 'error', format: 'text' } })
    let folder = ''
    let connected: Connected | undefined
    let path = ''

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'carabiner-module-helm-'))
      connected = await connect(runtime, { kubeconfig: cluster.target.kubeconfig })
    })
    afterAll(async () => {
      await connected?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    function put(files: Readonly<Record<string, string>>): void {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), text)
      }
    }

    async function begin(files: Readonly<Record<string, string>>, program = helmPath) {
      const namespace = await cluster.namespace()
      path = join(folder, namespace)
      put(files)
      const chart = files['Chart.yaml'] === undefined ? ('templates' as const) : ('whole' as const)
      const module: Module = { name: 'web', key: 'web', order: 1, folder: 'web', path, enabledScript: undefined, chart }
      if (connected === undefined || program === undefined) throw new Error('not begun')
      const { kubeconfig } = cluster.target
      const releases = new ModuleHelm(runtime, connected.client, {
        program,
        namespace,
        kubeconfig,
        tmpDir: join(folder, 'tmp'),
      })
      const values = (port: Json) => ({ global: { enabledModules: ['web'] }, web: { port } })
      const configMap = async () =>
        (await cluster.call('GET', `/api/v1/namespaces/${namespace}/configmaps/web`)).body.data
      const h = async (...args: string[]) => {
        const { code, stdout, stderr } = await helm(cluster.target, ['-n', namespace, ...args])
        if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}`)
        return stdout
      }
      const install = (port: Json) => releases.install(module, values(port), signal)
      return { namespace, releases, install, configMap, h }
    }

    it('are upgraded only when chart or values change', async () => {
      const { releases, install, configMap } = await begin({
        'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
        'values.yaml': 'own: from the chart\nweb: {port: 1}\n',
        'templates/all.yaml': template,
      })
      expect(await install(80)).toBe('installed')
      expect(await configMap()).toEqual({ port: '80', modules: '["web"]', own: 'none' })
      expect(await install(80)).toBe('unchanged')
      expect(await install(81)).toBe('upgraded')
      expect(await configMap()).toMatchObject({ port: '81' })
      put({ 'templates/all.yaml': `${template}  more: "yes"\n` })
      expect(await install(81)).toBe('upgraded')
      expect(await configMap()).toMatchObject({ port: '81', more: 'yes' })
      expect(await releases.releases(signal)).toEqual([{ name: 'web', status: 'deployed' }])
    })

    it('need no Chart.yaml and are distinguished from foreign releases', async () => {
      const { releases, install, configMap, h } = await begin({ 'templates/all.yaml': template })
      await h('install', 'foreign', foreignChart(folder))
      expect(await install(80)).toBe('installed')
      expect(await configMap()).toMatchObject({ port: '80' })
      expect(await releases.releases(signal)).toEqual([{ name: 'web', status: 'deployed' }])
    })

    it('are deleted in two repeatable steps', async () => {
      const { releases, install, configMap, h } = await begin({ 'templates/all.yaml': template })
      await install(80)
      await releases.uninstall('web', signal)
      await releases.uninstall('web', signal)
      expect(await configMap()).toBeUndefined()
      expect(await releases.releases(signal)).toEqual([{ name: 'web', status: 'uninstalled' }])
      await releases.purge('web', signal)
      await releases.purge('web', signal)
      await releases.uninstall('web', signal)
      expect(await h('list', '-a', '-q')).toBe('')
      await install(80)
      await releases.uninstall('web', signal)
      expect(await install(80)).toBe('installed')
      expect(await h('history', 'web', '-o', 'json')).toMatch(/"revision":1,[^}]*"status":"deployed"/)
    })

    it('are installed again with pre-install hooks when the first installation failed', async () => {
      const before = template
        .replace('{{ .Release.Name }}', 'before\n  annotations: {"helm.sh/hook": pre-install}')
        .replace('{{ .Values.web.port | quote }}', 'x')
      const { namespace, install, configMap, h } = await begin({
        'templates/all.yaml': template,
        'templates/before.yaml': before,
        'templates/bad.yaml': template.replace('{{ .Release.Name }}', 'Not_A_Name'),
      })
      await expect(install(80)).rejects.toThrow(
        new RegExp(`^module web, release ${namespace}/web: helm upgrade: .*Not_A_Name`),
      )
      expect(await h('list', '-a', '-o', 'json')).toContain('"status":"failed"')
      rmSync(join(path, 'templates/bad.yaml'))
      await cluster.call('DELETE', `/api/v1/namespaces/${namespace}/configmaps/before`)
      expect(await install(80)).toBe('installed')
      expect(await configMap()).toMatchObject({ port: '80' })
      const { status } = await cluster.call('GET', `/api/v1/namespaces/${namespace}/configmaps/before`)
      expect(status).toBe(200)
    })

    it('left pending by an interrupted helm are upgraded', async () => {
      const { namespace, install, configMap, h } = await begin({ 'templates/all.yaml': template })
      await install(80)
      await install(81)
      const secret = `/api/v1/namespaces/${namespace}/secrets/sh.helm.release.v1.web.v2`
      const { body } = await cluster.call('GET', secret)
      await cluster.call('DELETE', secret)
      await cluster.create(`/api/v1/namespaces/${namespace}/secrets`, pending(body as unknown as HelmRecord))
      expect(await h('list', '--pending', '-q')).toBe('web\n')
      expect(await install(82)).toBe('upgraded')
      expect(await configMap()).toMatchObject({ port: '82' })
    })

    it('fail with the message of helm without secrets, and report missing files', async () => {
      const { install, releases } = await begin({
        'templates/all.yaml': template.replace(
          '{{ .Values.web.port | quote }}',
          '{{ fail .Values.web.port.password }}',
        ),
      })
      const refused = await install({ password: 'very secret' }).catch((error: Error) => error)
      expect(refused).toMatchObject({ code: 'CRB_HELM_FAILED', message: expect.stringContaining('[redacted]') })
      expect(String(refused)).not.toContain('very secret')
      expect(await releases.releases(signal)).toEqual([])
      const without = await begin({ 'templates/all.yaml': template }, '/nowhere/helm')
      await expect(without.install(80)).rejects.toMatchObject({
        code: 'CRB_HELM_MISSING',
        message: expect.stringMatching(/^module web needs the program helm: .*\/nowhere\/helm/),
      })
    })
  })
})

interface HelmRecord {
  readonly metadata: { readonly labels: Record<string, string>; readonly name: string; readonly namespace: string }
  readonly type: string
  readonly data: { readonly release: string }
}

/** The record that helm leaves when it is killed during an upgrade. */
function pending({ metadata: { name, namespace, labels }, type, data: { release } }: HelmRecord): object {
  const text = Buffer.from(Buffer.from(release, 'base64').toString(), 'base64')
  const plain = gunzipSync(text).toString().replace('"status":"deployed"', '"status":"pending-upgrade"')
  const packed = Buffer.from(gzipSync(plain).toString('base64')).toString('base64')
  const metadata = { name, namespace, labels: { ...labels, status: 'pending-upgrade' } }
  return { apiVersion: 'v1', kind: 'Secret', metadata, type, data: { release: packed } }
}

function foreignChart(folder: string): string {
  const chart = join(folder, 'foreign')
  mkdirSync(join(chart, 'templates'), { recursive: true })
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: foreign\nversion: 0.1.0\n')
  return chart
}
