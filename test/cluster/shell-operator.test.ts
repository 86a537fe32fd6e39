/** The program as a replacement of shell-operator: flags, environment variables, commands. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { keeping, startProgram } from './script-operator.ts'
import { onCluster } from './suite.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

async function run(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [program, 'shell-operator', ...args])).stdout
}

onCluster('the stand-in for shell-operator', (cluster) => {
  it('[addons Y1, Y2, Y4, Y5, Y6, Z14] accepts its flags, environment variables and commands', async () => {
    const namespace = await cluster.namespace()
    const binding = {
      name: 'maps',
      kind: 'ConfigMap',
      namespace: { nameSelector: { matchNames: [namespace] } },
      jqFilter: 'import "names" as names; names::name',
    }
    const config = { configVersion: 'v1', kubernetes: [binding] }
    const speak = `echo '{"level":"info","msg":"from the hook","shoe":"size 42"}'`
    const { server, kubeconfig } = cluster.target
    let root = ''
    const operator = await startProgram({ 'a.sh': keeping(config, speak) }, (folders) => {
      root = folders.root
      mkdirSync(join(root, 'jq'))
      writeFileSync(join(root, 'jq', 'names.jq'), 'def name: .metadata.name;')
      // The address in the file is invalid; the rest of the output is compared.
      const text = readFileSync(kubeconfig, 'utf8').replace(server, 'https://127.0.0.1:1')
      writeFileSync(join(root, 'kubeconfig'), text)
      return {
        args: [
          ...['shell-operator', '--kube-server', server, '--debug-unix-socket', join(root, 'socket')],
          ...['--listen-address', '127.0.0.1', '--log-type', 'json', '--log-no-time', '--debug-keep-tmp-files=yes'],
          ...['--object-patcher-kube-client-qps', '7', '--jq-library-path', join(root, 'jq')],
        ],
        env: {
          SHELL_OPERATOR_HOOKS_DIR: folders.hooks,
          SHELL_OPERATOR_TMP_DIR: join(root, 'tmp'),
          SHELL_OPERATOR_LISTEN_ADDRESS: '203.0.113.1',
          SHELL_OPERATOR_LISTEN_PORT: '0',
          SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX: 'shop_',
          KUBE_CONFIG: join(root, 'kubeconfig'),
          KUBE_CLIENT_QPS: '50',
          LOG_PROXY_HOOK_JSON: 'true',
          DEBUG_KUBERNETES_API: 'true',
        },
      }
    })
    try {
      await operator.until('the list', () => operator.contexts('a.sh').length === 1)
      expect(operator.contexts('a.sh')[0]).toMatchObject([{ objects: [{ filterResult: 'kube-root-ca.crt' }] }])
      expect(readdirSync(join(root, 'tmp'))).not.toEqual([])
      // The run ends a moment after the script wrote its context.
      await expect.poll(() => operator.get('/metrics'), { timeout: 30_000 }).toContain('shop_hook_run_seconds')
      await operator.until('the output of the hook', () =>
        operator.outputLines.some((line) => line.includes('size 42')),
      )
      const lines = operator.outputLines
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as object)
      expect(lines).not.toContainEqual(expect.objectContaining({ time: expect.anything() }))
      expect(lines).toContainEqual(expect.objectContaining({ shoe: 'size 42', hook: 'a.sh' }))
      for (const name of ['flag --object-patcher-kube-client-qps', 'environment variable DEBUG_KUBERNETES_API'])
        expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: `${name} has no effect` }))
      const socket = ['--debug-unix-socket', join(root, 'socket')]
      expect(JSON.parse(await run('queue', 'list', '-o', 'json', ...socket))).toMatchObject({ active: [] })
      expect(await run('hook', 'list', '-o', 'text', ...socket)).toContain('a.sh')
      expect(await run('hook', 'snapshot', 'a.sh', ...socket)).toContain('filterResult: kube-root-ca.crt')
      expect(await run('config', 'list', ...socket)).toContain('log.level')
      expect(await run('raw', '/hook/list.text', ...socket)).toContain('a.sh')
      expect(await run('version', '--client')).toContain('carabiner')
      expect(await run('debug-options')).toContain('--debug-keep-tmp-files (DEBUG_KEEP_TMP_FILES)')
    } finally {
      await operator.stop()
    }
  })
})
