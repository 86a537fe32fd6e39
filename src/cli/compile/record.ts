/**
 * Runs the bundled operator in this process with a folder of hooks and, once each hook has run, saves the code that V8 has compiled by then: the
 * functions it calls there are those it calls at every start. The flags of V8 must be those of the operator, or it rejects the code.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { limitHeapGrowth } from '../../runtime/memory/index.ts'
import { codePath, runScript, scriptOf } from '../compiled.ts'

const hooksRunMs = 60_000
/** The time after the last hook in which the operator handles its result. */
const settleMs = 500
const pollMs = 50

const watched = { apiVersion: 'v1', kind: 'ConfigMap', jqFilter: '.data', includeSnapshotsFrom: ['all'], name: 'all' }
const configs = {
  begin: { configVersion: 'v1', onStartup: 1, schedule: [{ name: 'often', crontab: '*/5 * * * *' }] },
  watch: { configVersion: 'v1', kubernetes: [watched] },
}

/** `folder` must be empty; `operator` is the bundle whose code is saved beside it. */
export async function record(operator: string, folder: string, kubeconfig: string): Promise<void> {
  const hooks = join(folder, 'hooks')
  mkdirSync(hooks)
  for (const [name, config] of Object.entries(configs)) writeHook(join(hooks, name), config, join(folder, name))
  limitHeapGrowth()
  const script = scriptOf(operator)
  const places = ['--kubeconfig', kubeconfig, '--tmp-dir', join(folder, 'tmp')]
  const quiet = ['--listen-port', '0', '--log-level', 'error', '--debug-unix-socket', join(folder, 'socket')]
  process.argv = [process.argv[0] ?? '', operator, 'run', '--hooks-dir', hooks, ...quiet, ...places]
  const ended = runScript<typeof import('../process.ts')>(script, operator).main()
  const haveRun = (): boolean => Object.keys(configs).every((name) => existsSync(join(folder, name)))
  for (let waitedMs = 0; waitedMs < hooksRunMs && !haveRun(); waitedMs += pollMs) await pause(pollMs)
  if (!haveRun()) throw new Error(`the hooks did not run within ${hooksRunMs} ms`)
  await pause(settleMs)
  writeFileSync(codePath(operator), script.createCachedData())
  process.kill(process.pid, 'SIGTERM')
  await ended
}

function writeHook(path: string, config: object, mark: string): void {
  const isConfig = `[ "$1" = --config ]`
  writeFileSync(path, `#!/bin/sh\nif ${isConfig}; then echo '${JSON.stringify(config)}'; else : > '${mark}'; fi\n`)
  chmodSync(path, 0o700)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
