#!/usr/bin/env node
/**
 * Records the code cache of the operator for this version of Node.js: `node dist/bin/compile.js`, in the build of an image. Without the cache the
 * operator works the same and starts more slowly. The cache is not in the package, because it fits one version of Node.js.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { record } from './record.ts'

const self = fileURLToPath(import.meta.url)
const bin = dirname(self)
const sandboxReadyMs = 60_000

const [folder, kubeconfig] = process.argv.slice(2)
try {
  if (folder !== undefined && kubeconfig !== undefined) await record(join(bin, 'operator.cjs'), folder, kubeconfig)
  else await compile()
} catch (error) {
  process.stderr.write(`carabiner: the operator could not be compiled: ${(error as Error).message}\n`)
  process.exitCode = 1
}

/** A sandbox in one process and the operator in another, as in production. */
async function compile(): Promise<void> {
  accessSync(bin, constants.W_OK)
  const files = mkdtempSync(join(tmpdir(), 'carabiner-compile-'))
  const config = join(files, 'kubeconfig')
  const sandbox = start(['main.js', 'sandbox', '--port', '0', '--nodes', '1', '--kubeconfig', config])
  const sandboxEnd = exitOf(sandbox)
  try {
    await Promise.race([firstOutput(sandbox), sandboxEnd.then(() => Promise.reject(new Error('the sandbox ended')))])
    const code = await exitOf(start(['compile.js', files, config]))
    if (code !== 0) throw new Error(`recording ended with ${code}`)
  } finally {
    sandbox.kill()
    // It removes its kubeconfig before it ends; without the folder it would report an error.
    await sandboxEnd
    rmSync(files, { recursive: true, force: true })
  }
}

function start([script = '', ...args]: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(bin, script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

function exitOf(child: ChildProcess): Promise<number | string | null> {
  child.stdout?.resume()
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
}

/** The sandbox writes its first line when it can be used. */
function firstOutput(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no sandbox within ${sandboxReadyMs} ms`)), sandboxReadyMs)
    child.stdout?.once('data', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
