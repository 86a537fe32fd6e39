/**
 * The real kubectl and helm, run as a user runs them. Where one is missing, the tests that need it are skipped with a
 * message.
 */
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { findBinary } from '../control-plane/binaries.ts'
import type { Target } from './target.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export const kubectlPath = findBinary('kubectl')
export const helmPath = findBinary('helm')
if (kubectlPath === undefined)
  process.stderr.write('skipping tests of kubectl: it is not in PATH, KUBEBUILDER_ASSETS or the cache\n')
if (helmPath === undefined)
  process.stderr.write('skipping tests of helm: it is not in PATH, KUBEBUILDER_ASSETS or the cache\n')

/** Runs a program to its end; a failure is a result too. */
function run(program: string | undefined, target: Target, args: readonly string[], stdin?: string): Promise<Ran> {
  if (program === undefined) throw new Error('the program is not there; the test should have been skipped')
  return new Promise((resolve) => {
    const child = execFile(program, args, { env: environment(target), timeout: 120_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, stderr })
    })
    child.stdin?.end(stdin ?? '')
  })
}

export function kubectl(target: Target, args: readonly string[], stdin?: string): Promise<Ran> {
  return run(kubectlPath, target, args, stdin)
}

export function helm(target: Target, args: readonly string[]): Promise<Ran> {
  return run(helmPath, target, args)
}

/** The output of a successful run; a failure fails the test with the output of the program. */
export async function kubectlOk(target: Target, args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(target, args, stdin)
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: exit code ${code}\n${stdout}${stderr}`)
  return stdout
}

/** The lines of a kubectl that runs until the reader stops. */
export async function* kubectlLines(target: Target, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn(kubectlPath ?? '', args, { env: environment(target), stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    yield* createInterface({ input: child.stdout })
  } finally {
    child.kill()
  }
}

function environment(target: Target): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: target.home, KUBECONFIG: target.kubeconfig }
}
