/**
 * Runs the bundled operator in this process with a folder of hooks and, once each of them has run, keeps the code that the engine has made by
 * then. Flags of the engine must be those of the operator, or it would refuse the code.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codePath, runScript, scriptOf } from '../dist/cli/compiled.js'
import { keepMemorySmall } from '../dist/runtime/real/memory.js'

const [folder, kubeconfig] = process.argv.slice(2)
/** Milliseconds: in all, and after the last hook, for what follows a run. */
const most = 20_000
const after = 500

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

keepMemorySmall()
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
for (
  let waited = 0;
  waited < most && !Object.keys(configs).every((name) => existsSync(join(folder, name)));
  waited += 50
)
  await new Promise((resolve) => setTimeout(resolve, 50))
await new Promise((resolve) => setTimeout(resolve, after))
writeFileSync(codePath(path), script.createCachedData())
process.kill(process.pid, 'SIGTERM')
await ended
