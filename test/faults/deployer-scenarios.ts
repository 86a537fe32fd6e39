/** Scenarios for faults: every branch of a deployer's run, and every way it can end. */
import { continuousReconcileSetup } from '../../src/deployers/hooks/continuous.ts'
import { ReconcileExtensionHooks } from '../../src/deployers/hooks/registry.ts'
import { LandscaperError } from '../../src/deployers/library/errors.ts'
import { annotations } from '../../src/deployers/resources/annotations.ts'
import type { DeployItem } from '../../src/deployers/resources/types.ts'
import { itemType, type Scenario } from './deployer-world.ts'

const isPhase =
  (phase: string, generation?: number) =>
  ({ status }: DeployItem) =>
    status?.phase === phase && (generation === undefined || status.observedGeneration === generation)
const config = { apiVersion: 'example.com/v1', kind: 'Configuration' }
const template = (name: string, ...dependsOn: string[]) => ({
  name,
  type: itemType,
  config,
  ...(dependsOn.length > 0 ? { dependsOn } : {}),
})
const busy = { unfinished: true, requeueAfterMs: 3_000 }

export const scenarios: readonly Scenario[] = [
  {
    name: 'a reconcile requested by an annotation',
    async play(user) {
      await user.item({}, { [annotations.operation]: 'reconcile', [annotations.reconcileTime]: '2026-01-01T00:00:00Z' })
      await user.until(isPhase('Succeeded'))
    },
  },
  {
    name: 'a reconcile with exports and a provider status, in three steps',
    deployer: ({ reconcile }) => ({
      async reconcile(context) {
        const { setProviderStatus, deployItem, exports } = context
        const step = Number(deployItem.status.providerStatus?.['step'] ?? 0) + 1
        setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', step: Math.min(step, 3) })
        await context.persist()
        await reconcile(context)
        if (step < 3) return busy
        await exports({ url: 'x' })
        return undefined
      },
    }),
    async play(user) {
      await user.item()
      await user.until(isPhase('Succeeded'))
    },
  },
  {
    name: 'a change of the spec',
    async play(user) {
      await user.item()
      await user.until(isPhase('Succeeded'))
      await user.change({ timeout: '9m' })
      await user.until(isPhase('Succeeded', 2))
    },
  },
  {
    name: 'a force-reconcile',
    async play(user) {
      await user.item({}, { [annotations.operation]: 'force-reconcile' })
      await user.until(isPhase('Succeeded'))
    },
  },
  {
    name: 'an abort',
    deployer: ({ delete: remove }) => ({ reconcile: () => busy, abort: remove }),
    async play(user) {
      await user.item()
      await user.until(isPhase('Progressing'))
      await user.annotate({ [annotations.operation]: 'abort' })
      await user.until(isPhase('Failed'))
    },
  },
  {
    name: 'a deletion',
    async play(user) {
      await user.item()
      await user.until(isPhase('Succeeded'))
      await user.remove()
    },
  },
  {
    name: 'an abort followed by a deletion',
    deployer: () => ({ reconcile: () => busy }),
    async play(user) {
      await user.item()
      await user.until(isPhase('Progressing'))
      await user.annotate({ [annotations.operation]: 'abort' })
      await user.remove()
    },
  },
  {
    name: 'a deletion without uninstalling',
    async play(user) {
      await user.item()
      await user.until(isPhase('Succeeded'))
      await user.annotate({ [annotations.deleteWithoutUninstall]: 'true' })
      await user.remove()
    },
  },
  {
    name: 'runs forced by a continuous-reconcile hook',
    deployer: () => ({ hooks: new ReconcileExtensionHooks().registerHookSetup(continuousReconcileSetup()) }),
    async play(user) {
      await user.item({ config: { ...config, continuousReconcile: { every: '7m' } } })
      await user.until(isPhase('Succeeded'))
    },
  },
  {
    name: 'an item of another type',
    async play(user) {
      await user.item({ type: 'example.com/other' })
      await user.sleep(60)
    },
  },
  {
    name: 'an item that no deployer picks up',
    async play(user) {
      await user.item(
        { type: 'example.com/other' },
        { [annotations.operation]: 'reconcile', [annotations.reconcileTime]: '2026-01-01T00:00:00Z' },
      )
      await user.until(isPhase('Failed'))
    },
  },
  {
    name: 'a run that times out and does not react to the abort',
    deployer: () => ({ reconcile: () => busy, abort: () => busy }),
    async play(user) {
      await user.item({ timeout: '2m' })
      await user.until(isPhase('Failed'))
    },
  },
  {
    name: 'an unrecoverable failure',
    deployer: () => ({
      reconcile() {
        throw new LandscaperError('Build', 'NoBricks', 'no bricks', { codes: ['ERR_CONFIGURATION_PROBLEM'] })
      },
    }),
    async play(user) {
      await user.item()
      await user.until(isPhase('Failed'))
    },
  },
  {
    name: 'an execution with three items, and its deletion',
    isLed: true,
    async play(user) {
      await user.execution([template('app', 'db'), template('db', 'net'), template('net')])
      await user.untilExecution(({ status }) => status?.phase === 'Succeeded')
      await user.removeExecution()
    },
  },
]
