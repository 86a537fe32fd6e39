/** Hooks at the hook points of a deployer: order, arguments and effects of their results. */
import { describe, expect, it } from 'vitest'
import { continuousReconcileSetup } from '../../src/deployers/hooks/continuous.ts'
import { loggingSetup } from '../../src/deployers/hooks/logging.ts'
import {
  type HookResult,
  type HookType,
  hookTypes,
  ReconcileExtensionHooks,
} from '../../src/deployers/hooks/registry.ts'
import { type DeployerDefinition, defineDeployer } from '../../src/deployers/library/deployer.ts'
import { annotations } from '../../src/deployers/resources/annotations.ts'
import { itemType, onStage, type Stage } from './deployers.ts'

type Answers = Partial<Record<HookType, HookResult | (() => HookResult | undefined)>>

/** A deployer whose hooks and functions record their calls and return the given results. */
function observed(answers: Answers = {}, more: Partial<DeployerDefinition> = {}) {
  const steps: string[] = []
  const targets: (string | undefined)[] = []
  const hooks = new ReconcileExtensionHooks().registerHook(
    ({ type, deployItem, target }) => {
      steps.push(type === 'Start' ? `Start ${deployItem} ${target}` : type)
      const answer = answers[type]
      return typeof answer === 'function' ? answer() : answer
    },
    ...hookTypes,
  )
  const step = (name: string, run: DeployerDefinition['reconcile'] = () => undefined) => {
    const stepped: DeployerDefinition['reconcile'] = (context) => {
      steps.push(`(${name})`)
      targets.push(context.target?.metadata.name)
      return run(context)
    }
    return stepped
  }
  const deployer = defineDeployer({
    type: itemType,
    name: 'things',
    hooks,
    ...more,
    reconcile: step('reconcile', more.reconcile),
    delete: step('delete', more.delete),
    abort: step('abort', more.abort),
    forceReconcile: step('forceReconcile', more.forceReconcile),
  })
  return { deployer, steps, targets, taken: () => steps.splice(0) }
}

const begin = ['Start undefined undefined', 'DuringResponsibilityCheck']
const until = [...begin, 'AfterResponsibilityCheck', 'ShouldReconcile']
const abort: HookResult = { abortReconcile: true }
const goOn: HookResult = { abortReconcile: false }

/** Creates an item, waits until it has finished and clears the records. */
async function finished(stage: Stage, { taken }: { taken(): unknown }): Promise<void> {
  await stage.item()
  await stage.untilPhase('Succeeded')
  await stage.sleep(1)
  taken()
  stage.writes()
}

/** Triggers a reconcile without a change of the item. */
const nudge = (stage: Stage) => stage.annotate({ 'example.com/nudge': String(stage.runtime.clock.now()) })

describe('hook order', () => {
  it('fires every hook of a reconcile in order, once per type [deployers S0 S2 S2c S3 S4 S5 S5x S6 S7]', () =>
    onStage(async (stage) => {
      const play = observed()
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.untilPhase('Succeeded')
      await stage.sleep(1)
      expect(play.steps).toEqual([...until, 'BeforeAnyReconcile', 'BeforeReconcile', '(reconcile)', 'End'])
    }))

  it.each([
    ['abort', 'BeforeAbort', '(abort)'],
    ['force-reconcile', 'BeforeForceReconcile', '(forceReconcile)'],
  ])('fires the hook of operation %s alone [deployers S5x]', (operation, hook, call) =>
    onStage(async (stage) => {
      const play = observed({}, { reconcile: () => ({ unfinished: true, requeueAfterMs: 3_600_000 }) })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.sleep(1)
      play.taken()
      await stage.annotate({ [annotations.operation]: operation })
      await stage.sleep(10)
      expect(play.steps.slice(0, 8)).toEqual([...until, 'BeforeAnyReconcile', hook, call, 'End'])
    }),
  )

  it('fires the hook of a deletion alone [deployers S5x]', () =>
    onStage(async (stage) => {
      const play = observed()
      await stage.deploy(play.deployer)
      await finished(stage, play)
      await stage.remove()
      await stage.sleep(10)
      expect(play.steps).toEqual([...until, 'BeforeAnyReconcile', 'BeforeDelete', '(delete)', 'End'])
    }))

  it('stops at ShouldReconcile for a finished item [deployers S4 O10]', () =>
    onStage(async (stage) => {
      const play = observed()
      await stage.deploy(play.deployer)
      await finished(stage, play)
      await nudge(stage)
      await stage.sleep(10)
      expect([play.steps, stage.writes()]).toEqual([until, []])
    }))

  it('stops at Start and requeues on request [deployers S0]', () =>
    onStage(async (stage) => {
      const play = observed({ Start: { abortReconcile: true, reconcileResult: { requeueAfterMs: 60_000 } } })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.sleep(130)
      expect([play.steps, stage.writes()]).toEqual([
        ['Start undefined undefined', 'Start undefined undefined', 'Start undefined undefined'],
        [],
      ])
    }))

  it('fires no hook for a deleted item [deployers S1]', () =>
    onStage(async (stage) => {
      const play = observed({ Start: { reconcileResult: { requeueAfterMs: 1000 } } })
      await stage.deploy(play.deployer)
      await finished(stage, play)
      await stage.remove()
      await stage.sleep(5)
      play.taken()
      await stage.sleep(3600)
      expect(play.steps).toEqual([])
    }))

  it('stops after the responsibility check without a write [deployers S2c]', () =>
    onStage(async (stage) => {
      const play = observed({ AfterResponsibilityCheck: abort })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.sleep(60)
      expect([play.steps, stage.writes()]).toEqual([[...begin, 'AfterResponsibilityCheck'], []])
    }))

  it('reads the Context last, just before the deployer is called [deployers S2d]', () =>
    onStage(
      async (stage) => {
        const play = observed()
        await stage.deploy(play.deployer)
        await stage.item()
        await stage.until(({ status }) => status?.lastError?.reason === 'ContextNotFound')
        expect(play.steps).toEqual([...until, 'BeforeAnyReconcile', 'BeforeReconcile'])
      },
      { withoutContext: true },
    ))

  it.each([
    ['BeforeAnyReconcile', []],
    ['BeforeReconcile', ['BeforeReconcile']],
  ] as const)('stops at %s and keeps phase Init [deployers S5 S5x]', (type, more) =>
    onStage(async (stage) => {
      const play = observed({ [type]: abort })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.sleep(60)
      expect(play.steps).toEqual([...until, 'BeforeAnyReconcile', ...more])
      expect((await stage.get()).status?.phase).toBe('Init')
    }),
  )

  it.each([
    ['BeforeAbort', 'abort', '(abort)'],
    ['BeforeForceReconcile', 'force-reconcile', '(forceReconcile)'],
  ] as const)('stops at %s before the function runs [deployers S5x]', (type, operation, call) =>
    onStage(async (stage) => {
      const play = observed({ [type]: abort }, { reconcile: () => ({ unfinished: true, requeueAfterMs: 3_600_000 }) })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.annotate({ [annotations.operation]: operation })
      await stage.sleep(60)
      expect(play.steps.at(-1)).toBe(type)
      expect(play.steps).not.toContain(call)
      expect((await stage.get()).metadata.annotations).toEqual({ [annotations.operation]: operation })
      stage.writes()
      await stage.sleep(60)
      expect(stage.writes()).toEqual([])
    }),
  )

  it('fires no End after an error, and one after the status is written [deployers S6]', () =>
    onStage(async (stage) => {
      let phase: string | undefined
      let fails = true
      const play = observed(
        { End: () => undefined },
        {
          hooks: new ReconcileExtensionHooks().registerHook(async ({ deployItem }) => {
            phase = deployItem.status?.phase
            expect((await stage.get()).status?.phase).toBe(phase)
            return undefined
          }, 'End'),
          reconcile() {
            if (fails) throw new Error('not yet')
            return undefined
          },
        },
      )
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.until(({ status }) => status?.lastError !== undefined)
      expect(phase).toBeUndefined()
      fails = false
      await stage.untilPhase('Succeeded')
      await stage.sleep(1)
      expect(phase).toBe('Succeeded')
    }))

  it('requeues on request of End and ignores its abort [deployers S6]', () =>
    onStage(async (stage) => {
      const play = observed({ End: { abortReconcile: true, reconcileResult: { requeueAfterMs: 30_000 } } })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.untilPhase('Succeeded')
      play.taken()
      await stage.sleep(31)
      expect(play.steps.filter((step) => step.startsWith('Start'))).toHaveLength(1)
    }))

  it('applies the requeue of Start to items of other deployers too [deployers B16 R10 S2b]', () =>
    onStage(async (stage) => {
      const play = observed({ Start: { reconcileResult: { requeueAfterMs: 10_000 } } })
      await stage.deploy(play.deployer, { targetSelectors: [{ targets: [{ name: 'south' }] }] })
      await stage.target('north')
      await stage.item({ target: { name: 'north' } })
      await stage.sleep(25)
      expect(play.steps).toEqual([...begin, ...begin, ...begin])
    }))
})

describe('what hooks can override', () => {
  const rows: readonly [string, name: 'north' | 'south', HookResult | undefined, goes: boolean][] = [
    ['[deployers O1]', 'north', undefined, true],
    ['[deployers O2]', 'north', goOn, true],
    ['[deployers O3]', 'north', abort, false],
    ['[deployers O4]', 'south', undefined, false],
    ['[deployers O5 B7]', 'south', goOn, true],
    ['[deployers O6]', 'south', abort, false],
  ]
  it.each(rows)('responsibility: a deployer for north, an item for %2$s, %3$o: %4$s %1$s', (_, name, answer, goes) =>
    onStage(async (stage) => {
      const play = observed(answer === undefined ? {} : { DuringResponsibilityCheck: answer })
      await stage.deploy(play.deployer, { targetSelectors: [{ targets: [{ name: 'north' }] }] })
      await stage.target(name)
      await stage.item({ target: { name } })
      await stage.sleep(10)
      expect(play.steps.includes('(reconcile)')).toBe(goes)
      expect(play.targets).toEqual(goes ? [name] : [])
      if (!goes) expect(stage.writes()).toEqual([])
    }),
  )

  it('responsibility: a hook can claim an item of another type [deployers N3 S2]', () =>
    onStage(async (stage) => {
      const play = observed({ DuringResponsibilityCheck: goOn })
      await stage.deploy(play.deployer, { watchAllTypes: true })
      await stage.item({ type: 'example.com/other' })
      await stage.untilPhase('Succeeded')
    }))

  const needed: readonly [string, HookResult | undefined][] = [
    ['[deployers O7]', undefined],
    ['[deployers O8]', goOn],
    ['[deployers O9]', abort],
  ]
  it.each(needed)('a required run continues regardless of ShouldReconcile %s %o', (_, answer) =>
    onStage(async (stage) => {
      const play = observed(answer === undefined ? {} : { ShouldReconcile: answer })
      await stage.deploy(play.deployer)
      await stage.item()
      await stage.untilPhase('Succeeded')
      expect(play.steps.filter((step) => step === '(reconcile)').length).toBeGreaterThan(0)
    }),
  )

  it('a run that is not required is stopped by abort [deployers O12]', () =>
    onStage(async (stage) => {
      const play = observed({ ShouldReconcile: abort })
      await stage.deploy(play.deployer)
      await finished(stage, play)
      await nudge(stage)
      await stage.sleep(10)
      expect([play.steps, stage.writes()]).toEqual([until, []])
    }))

  it('a run that is not required is started on request [deployers O11 S4b]', () =>
    onStage(async (stage) => {
      const play = observed({ ShouldReconcile: goOn })
      await stage.deploy(play.deployer)
      await finished(stage, play)
      await stage.sleep(5)
      await nudge(stage)
      const item = await stage.until(({ status }) => status?.lastReconcileTime === '2026-01-01T00:00:06Z')
      expect(item.status?.phase).toBe('Init')
      await stage.untilPhase('Succeeded')
      await stage.sleep(60)
      expect(play.steps).toEqual([...until, 'BeforeAnyReconcile', 'BeforeReconcile', '(reconcile)', 'End'])
      expect(stage.writes()).toHaveLength(2)
    }))

  it.each([
    ['needed', goOn],
    ['needed', abort],
    ['not needed', abort],
  ] as const)('the requeue time is applied when a run is %s and the result is %o [deployers O13]', (need, answer) =>
    onStage(async (stage) => {
      const play = observed({ ShouldReconcile: { ...answer, reconcileResult: { requeueAfterMs: 20_000 } } })
      await stage.deploy(play.deployer)
      await finished(stage, play)
      await stage.sleep(25)
      if (need === 'not needed') {
        play.taken()
        await stage.sleep(21)
      }
      expect(play.steps.filter((step) => step === 'ShouldReconcile').length).toBeGreaterThanOrEqual(1)
    }),
  )
})

describe('hooks that fail', () => {
  it.each(['Start', 'DuringResponsibilityCheck'] as const)(
    'in %s are not reported on the item [deployers E2]',
    (type) =>
      onStage(async (stage) => {
        const play = observed({
          [type]: () => {
            throw new Error('broken')
          },
        })
        await stage.deploy(play.deployer)
        await stage.item()
        await stage.sleep(60)
        expect([stage.writes(), await stage.events()]).toEqual([[], []])
        expect(play.steps.filter((step) => step.startsWith('Start')).length).toBeGreaterThan(3)
      }),
  )

  it.each(['AfterResponsibilityCheck', 'ShouldReconcile', 'BeforeAnyReconcile', 'BeforeReconcile', 'End'] as const)(
    'in %s set lastError and record a warning [deployers E1 E3]',
    (type) =>
      onStage(async (stage) => {
        const play = observed({
          [type]: () => {
            throw new Error('broken')
          },
        })
        await stage.deploy(play.deployer)
        await stage.item()
        const item = await stage.until(({ status }) => status?.lastError !== undefined)
        expect(item.status?.lastError).toMatchObject({
          operation: type,
          reason: 'HookFailed',
          message: `hook 0 of ${type}: broken`,
        })
        // Without a previous phase the item fails.
        expect(item.status?.phase).toBe(
          type === 'AfterResponsibilityCheck' ? 'Failed' : type === 'End' ? 'Succeeded' : 'Init',
        )
        expect((await stage.events())[0]).toMatchObject({ type: 'Warning', reason: 'HookFailed' })
      }),
  )
})

describe('hook setups', () => {
  it('reconcile continuously as configured in the item [deployers P1]', () =>
    onStage(async (stage) => {
      const at: number[] = []
      const deployer = defineDeployer({
        type: itemType,
        hooks: new ReconcileExtensionHooks().registerHookSetup(continuousReconcileSetup()),
        reconcile: ({ clock }) => void at.push((clock.now() - Date.UTC(2026, 0, 1)) / 1000),
        delete() {},
      })
      const stop = await stage.deploy(deployer)
      const config = { apiVersion: 'example.com/v1', kind: 'Configuration', continuousReconcile: { every: '1h' } }
      await stage.item({ config })
      await stage.sleep(3 * 3600 + 60)
      expect(at).toEqual([0, 3600, 7200, 10_800])
      await stage.annotate({ [annotations.operation]: 'reconcile' })
      await stage.sleep(3599)
      expect(at).toHaveLength(5)
      await stop()
      await stage.annotate({ [annotations.continuousReconcile]: 'false' })
      await stage.sleep(24 * 3600)
      expect(at).toHaveLength(5)
    }))

  it('keep their timer over a restart [deployers P1]', () =>
    onStage(async (stage) => {
      const at: number[] = []
      const make = () =>
        defineDeployer({
          type: itemType,
          hooks: new ReconcileExtensionHooks().registerHookSetup(continuousReconcileSetup()),
          reconcile: ({ clock }) => void at.push((clock.now() - Date.UTC(2026, 0, 1)) / 1000),
          delete() {},
        })
      const stop = await stage.deploy(make())
      const config = { apiVersion: 'example.com/v1', kind: 'Configuration', continuousReconcile: { every: '1h' } }
      await stage.item({ config })
      await stage.sleep(1800)
      await stop()
      await stage.deploy(make())
      await stage.sleep(1860)
      expect(at).toEqual([0, 3600])
    }))

  it('log every hook point and change nothing', () =>
    onStage(async (stage) => {
      const hooks = new ReconcileExtensionHooks().registerHookSetup(loggingSetup)
      await stage.deploy(defineDeployer({ type: itemType, hooks, reconcile() {}, delete() {} }))
      await stage.item()
      await stage.untilPhase('Succeeded')
      await stage.sleep(1)
      const points = stage.simulation.logs
        .filter(({ message }) => message === 'hook')
        .map(({ fields }) => fields['point'])
      expect(points).toEqual([
        'Start',
        'DuringResponsibilityCheck',
        'AfterResponsibilityCheck',
        'ShouldReconcile',
        'BeforeAnyReconcile',
        'BeforeReconcile',
        'End',
      ])
    }))
})
