/** Runs the built operator with a folder of modules, real bash and real helm, in a namespace for releases and the ConfigMap. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { helm, helmPath, kubectlPath } from './programs.ts'
import { type ScriptOperator, startProgram } from './script-operator.ts'
import type { Cluster } from './suite.ts'
import type { Thing } from './target.ts'

export interface ModuleOperator extends ScriptOperator {
  /** The lines that hooks wrote with `tell`. */
  records(): readonly string[]
}

export interface ModulePlace {
  readonly namespace: string
  start(files: Readonly<Record<string, string>>, env?: Readonly<Record<string, string>>): Promise<ModuleOperator>
  /** Changes the ConfigMap of modules; omitted keys stay, null removes a key. */
  configure(data: Readonly<Record<string, string | null>>): Promise<void>
  /** The ConfigMap with this name, created by test charts. */
  made(name: string): Promise<Thing['data']>
  /** `name status` of every release in any state. */
  releases(): Promise<readonly string[]>
  helm(...args: string[]): Promise<string>
}

export const canRun = helmPath !== undefined && kubectlPath !== undefined

/** A hook that prints its configuration; when run, it records the run and executes the given commands. */
export function hook(config: object, more = ''): string {
  return `#!/usr/bin/env bash
set -e
if [[ "$1" == "--config" ]]; then
  echo '${JSON.stringify(config)}'
  exit 0
fi
tell() { echo "$*" >> "$OUT/records"; }
name=\${0#"$WORKING_DIR"/}
binding=$(sed 's/.*"binding": *"\\([^"]*\\)".*/\\1/' "$BINDING_CONTEXT_PATH")
${more === '' ? 'tell "$name $binding"' : more}
`
}

/** A chart of one ConfigMap, named after the release. */
export function chart(data: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: ${data}\n`
}

export async function modulePlace(cluster: Cluster): Promise<ModulePlace> {
  const namespace = await cluster.namespace()
  const { target } = cluster
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`
  const runHelm = async (...args: string[]) => {
    const { code, stdout, stderr } = await helm(target, ['-n', namespace, ...args])
    if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  return {
    namespace,
    helm: runHelm,
    async start(files, env = {}) {
      const operator = await startProgram(files, ({ root, hooks }) => ({
        args: [
          ...['run', '--working-dir', hooks, '--kubeconfig', target.kubeconfig, '--namespace', namespace],
          ...['--tmp-dir', join(root, 'tmp'), '--listen-port', '0', '--leader-election', 'false'],
          ...['--log-format', 'text'],
        ],
        env: {
          HELM_BIN: helmPath ?? '',
          KUBECTL: `${kubectlPath} -n ${namespace}`,
          KUBECONFIG: target.kubeconfig,
          ...env,
        },
      }))
      const records = () => {
        try {
          return readFileSync(join(operator.out, 'records'), 'utf8').split('\n').slice(0, -1)
        } catch {
          return []
        }
      }
      return { ...operator, records }
    },
    async configure(data) {
      const headers = { 'content-type': 'application/merge-patch+json' }
      const { status } = await cluster.call('PATCH', `${configMaps}/addon-operator`, { body: { data }, headers })
      if (status !== 404) return
      await cluster.create(configMaps, { metadata: { name: 'addon-operator' }, data })
    },
    made: async (name) => (await cluster.call('GET', `${configMaps}/${name}`)).body.data,
    async releases() {
      const listed = JSON.parse(await runHelm('list', '-a', '-o', 'json')) as { name: string; status: string }[]
      return listed.map(({ name, status }) => `${name} ${status}`)
    },
  }
}
