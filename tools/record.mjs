/**
 * Runs the bundled operator in this process with a folder of hooks and, once each hook has run, saves the code that V8 has compiled by then. The
 * flags of V8 must be those of the operator, or it rejects the code.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codePath, runScript, scriptOf } from '../dist/cli/compiled.js'
import { limitHeapGrowth } from '../dist/runtime/memory/index.js'

const [folder, kubeconfig] = process.argv.slice(2)
const hooksRunMs = 60_000
/** The time after the last hook in which the operator handles its result. */
const settleMs = 500
const pollMs = 50

const watched = { apiVersion: 'v1', kind: 'ConfigMap', jqFilter: '.data', includeSnapshotsFrom: ['all'], name: 'all' }
const configs = {
  begin: { configVersion: 'v1', onStartup: 1, schedule: [{ name: 'often', crontab: '*/5 * * * *' }] },
  watch: { configVersion: 'v1', kubernetes: [watched] },
}
const hooks = join(folder, 'hooks')
mkdirSync(hooks)
for (const [name, config] of Object.entries(configs)) {
  const path = join(hooks, name)
  const script = `#!/bin/sh\nif [ "$1" = --config ]; then echo '${JSON.stringify(config)}'; else echo ran; : > ${folder}/${name}; fi\n`
  writeFileSync(path, script)
  chmodSync(path, 0o700)
}

limitHeapGrowth()
const path = fileURLToPath(new URL('../dist/bin/operator.cjs', import.meta.url))
const script = scriptOf(path)
const places = ['--kubeconfig', kubeconfig, '--tmp-dir', join(folder, 'tmp'), '--debug-unix-socket', `${folder}/socket`]
process.argv = [
  process.argv[0],
  path,
  'run',
  '--hooks-dir',
  hooks,
  '--listen-port',
  '0',
  '--log-level',
  'error',
  ...places,
]
const ended = runScript(script, path).main()
const haveRun = () => Object.keys(configs).every((name) => existsSync(join(folder, name)))
for (let waitedMs = 0; waitedMs < hooksRunMs && !haveRun(); waitedMs += pollMs) await pause(pollMs)
if (!haveRun()) {
  process.stderr.write(`carabiner: the hooks of the build did not run within ${hooksRunMs} ms\n`)
  process.exit(1)
}
await pause(settleMs)
writeFileSync(codePath(path), script.createCachedData())
process.kill(process.pid, 'SIGTERM')
await ended

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
