/**
 * Set-up of the tiers that run on a real control plane: one plane with our nodes for all files of the suite, gone afterwards. Where
 * it cannot be had, the suite skips and says why. The tier `webhook` gets one as 1.35 is, without mutating admission policies.
 */
import type { TestProject } from 'vitest/node'
import { findOrBuildBinaries } from './binaries.ts'
import { attachTestNodes } from './nodes.ts'
import { startControlPlane } from './start.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the kubeconfig, or why there is none. */
    controlPlane: { kubeconfig: string } | { reason: string }
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = findOrBuildBinaries()
  if (typeof binaries === 'string') {
    process.stderr.write(`skipping the real control plane: ${binaries}\n`)
    project.provide('controlPlane', { reason: binaries })
    return async () => {}
  }
  const plane = await startControlPlane(binaries, { admissionPolicies: project.name !== 'webhook' })
  const nodes = await attachTestNodes(plane)
  project.provide('controlPlane', { kubeconfig: plane.kubeconfig })
  return async () => {
    await nodes.stop()
    await plane.stop()
  }
}
