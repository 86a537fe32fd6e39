/**
 * Set-up of the tiers on a real control plane: one plane with nodes for all files of a tier, removed afterwards. Without the programs of the
 * plane the suite is skipped and prints the reason. The tier `webhook` gets the API of Kubernetes 1.35, without mutating admission policies.
 */
import type { TestProject } from 'vitest/node'
import { findOrBuildBinaries } from './binaries.ts'
import { attachTestNodes } from './nodes.ts'
import { startControlPlane } from './start.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the kubeconfig, or the reason why there is no control plane. */
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
