/**
 * Start-up time of a cluster in milliseconds: the sandbox of the built program, and the real control plane. Both are stopped before the
 * function returns.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Binaries } from '../../test/control-plane/binaries.ts'
import { startControlPlane } from '../../test/control-plane/start.ts'

const program = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url))

export async function startSandbox(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  const begun = performance.now()
  const args = [program, 'sandbox', '--port', '0', '--kubeconfig', join(folder, 'kubeconfig')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('ready')) return performance.now() - begun
    }
    throw new Error('the sandbox ended before it was ready')
  } finally {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function startReal(binaries: Binaries): Promise<number> {
  const begun = performance.now()
  const plane = await startControlPlane(binaries)
  const taken = performance.now() - begun
  await plane.stop()
  return taken
}
