/**
 * Converges modules to their values and flags: beforeAll hooks, the decision which modules are enabled, a run of each enabled module in
 * order, the removal of disabled modules, afterAll hooks. All steps are jobs in the queue `main`; a newer convergence cancels the remaining
 * jobs of an older one.
 */
import { isHelmMissing } from '../../../helm/index.ts'
import { inOrder } from '../../scripts/engine/engine.ts'
import type { QueueJob } from '../../scripts/index.ts'
import type { ConfigChange } from '../config-map/change.ts'
import type { ConvergeDependencies } from './dependencies.ts'
import { type ActiveMember, activated, type Member } from './member.ts'
import { purgeRelease, removeModule } from './remove.ts'
import { runModule } from './run.ts'

type JobResult = Awaited<ReturnType<QueueJob['work']>>

const done: JobResult = { outcome: 'done' }

export class Converge {
  /** Resolves when all modules have been run for the first time. */
  readonly ready: Promise<void>
  readonly #dependencies: ConvergeDependencies
  /** By name. */
  readonly #active = new Map<string, ActiveMember>()
  /** Names of modules that have a separate run in the queue. */
  readonly #queuedRuns = new Set<string>()
  /** The number of the newest convergence. */
  #newest = 0
  #begun = 0
  /** The newest convergence has not decided yet which modules are enabled; it will run all of them with the current values. */
  #isUndecided = false
  /** An afterAll hook changed values, so another convergence is needed. */
  #isOutdated = false
  #becomeReady = () => {}

  constructor(stage: ConvergeDependencies) {
    this.#dependencies = stage
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
  }

  /** Starts a new convergence, which replaces the rest of an earlier one. */
  begin(): void {
    const convergence = ++this.#newest
    const { engine, runtime } = this.#dependencies
    this.#begun = runtime.clock.monotonic()
    this.#isUndecided = true
    for (const job of this.#globalHooks('beforeAll')) engine.put(this.#unlessSuperseded(convergence, job))
    const discover = {
      type: 'DiscoverModulesState',
      name: '',
      work: (signal: AbortSignal) => this.#discover(convergence, signal),
    }
    engine.put(this.#unlessSuperseded(convergence, discover))
  }

  /** Runs one module again if it is enabled. */
  run(name: string): void {
    if (this.#isUndecided || this.#queuedRuns.has(name) || !this.#active.has(name)) return
    this.#queuedRuns.add(name)
    this.#dependencies.engine.put({
      type: 'ModuleRun',
      name,
      work: async (signal) => {
        this.#queuedRuns.delete(name)
        const member = this.#active.get(name)
        return member === undefined ? done : this.#runModule(member, signal)
      },
    })
  }

  /** The ConfigMap changed. */
  configChanged({ global, modules, flags }: ConfigChange): void {
    if (global || flags.length > 0) {
      this.begin()
      return
    }
    for (const { module } of this.#dependencies.members) {
      if (!modules.includes(module.key)) continue
      if (this.#active.has(module.name)) this.run(module.name)
      // The enabled script of the module may decide differently with the new values.
      else if (module.enabledScript !== undefined) this.begin()
    }
  }

  /** A hook changed values; `afterRun`: the hook runs at the end of a run that has used the old values. */
  valuesChanged(owner: Member | undefined, when: 'afterRun' | 'anytime'): void {
    if (owner === undefined) {
      if (when === 'afterRun') this.#isOutdated = true
      else this.begin()
      return
    }
    const member = this.#active.get(owner.module.name)
    if (member === undefined) return
    if (when === 'afterRun') member.isOutdated = true
    else this.run(owner.module.name)
  }

  /** Whether a run that will use the current values is under way: of the module, or of all modules. */
  isPending(owner: Member | undefined): boolean {
    return owner === undefined ? this.#isUndecided : (this.#active.get(owner.module.name)?.isRunning ?? false)
  }

  async #discover(convergence: number, signal: AbortSignal): Promise<JobResult> {
    const { metrics, members } = this.#dependencies
    try {
      const decisions = await this.#dependencies.decide(signal)
      const releases = await this.#releases(signal)
      // A newer convergence has started meanwhile.
      if (convergence !== this.#newest) return done
      const on = new Set(decisions.filter(({ enabled }) => enabled).map(({ module }) => module.name))
      this.#isUndecided = false
      this.#switch(on)
      const known = new Set(members.map(({ module }) => module.name))
      const runs = members.flatMap((member) => this.#moduleRun(member))
      const removals = members
        .toReversed()
        .flatMap((member) => (on.has(member.module.name) ? [] : this.#removal(member, releases)))
      const purges = [...releases.keys()].filter((name) => !known.has(name)).map((name) => this.#purge(name))
      const jobs = [...runs, ...removals, ...purges, ...this.#globalHooks('afterAll')]
      return { outcome: 'done', next: [...jobs, this.#end()].map((job) => this.#unlessSuperseded(convergence, job)) }
    } catch (error) {
      if (!signal.aborted) metrics.discoverFailed()
      throw error
    }
  }

  /** The status of releases by name. Without the helm program, modules without a chart still run. */
  async #releases(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { helm, members, runtime, ignoredRelease } = this.#dependencies
    try {
      const found = await helm.releases(signal)
      const releases = found.filter(({ name }) => name !== ignoredRelease)
      return new Map(releases.map(({ name, status }) => [name, status]))
    } catch (error) {
      const isNeeded = members.some(({ module }) => module.chart !== undefined) && !isHelmMissing(error)
      if (signal.aborted || isNeeded) throw error
      runtime.log[members.length > 0 ? 'warn' : 'debug'](
        'cannot list helm releases: releases of removed modules are kept',
        {
          error,
        },
      )
      return new Map()
    }
  }

  /** Removes the hooks of disabled modules at once; hooks of newly enabled modules start with the run of their module. */
  #switch(on: ReadonlySet<string>): void {
    const { engine, members, metrics } = this.#dependencies
    this.#dependencies.setEnabled([...on])
    for (const member of members) {
      const { module, hooks } = member
      const isOn = on.has(module.name)
      metrics.enabled(module.name, isOn ? 'on' : 'off')
      if (isOn === this.#active.has(module.name)) continue
      if (isOn) {
        engine.add(hooks)
        this.#active.set(module.name, activated(member))
      } else {
        engine.remove(hooks)
        this.#active.delete(module.name)
        this.#dependencies.forget(module)
      }
    }
  }

  #moduleRun({ module: { name } }: Member): readonly QueueJob[] {
    const member = this.#active.get(name)
    if (member === undefined) return []
    return [{ type: 'ModuleRun', name, work: (signal) => this.#runModule(member, signal) }]
  }

  async #runModule(member: ActiveMember, signal: AbortSignal): Promise<JobResult> {
    const outcome = await runModule(this.#dependencies, member, signal)
    if (outcome === 'done' && member.isOutdated) this.run(member.module.name)
    return { outcome }
  }

  #removal(member: Member, releases: ReadonlyMap<string, string>): readonly QueueJob[] {
    const { name } = member.module
    const status = releases.get(name)
    if (status === undefined) return []
    const leaving = { ...member, isUninstalled: status === 'uninstalled' }
    const work = async (signal: AbortSignal) => ({ outcome: await removeModule(this.#dependencies, leaving, signal) })
    return [{ type: 'ModuleDelete', name, work }]
  }

  #purge(name: string): QueueJob {
    const work = async (signal: AbortSignal): Promise<JobResult> => {
      await purgeRelease(this.#dependencies, name, signal)
      return done
    }
    return { type: 'ModulePurge', name, work }
  }

  #globalHooks(order: 'beforeAll' | 'afterAll'): readonly QueueJob[] {
    const { engine, globalHooks } = this.#dependencies
    return inOrder(globalHooks, ({ config }) => config.orders[order]).map((hook) => ({
      type: 'HookRun',
      name: hook.name,
      binding: order,
      work: async (signal) => ({ outcome: await engine.run(hook, { kind: 'order', order }, signal) }),
    }))
  }

  #end(): QueueJob {
    const work = async (): Promise<JobResult> => {
      const { metrics, runtime } = this.#dependencies
      metrics.converged(runtime.clock.monotonic() - this.#begun)
      runtime.log.info('modules converged', { modules: [...this.#active.keys()] })
      this.#becomeReady()
      const isOutdated = this.#isOutdated
      this.#isOutdated = false
      if (isOutdated) this.begin()
      return done
    }
    return { type: 'ConvergeEnd', name: '', work }
  }

  /** Skips the job when a newer convergence has started. */
  #unlessSuperseded(convergence: number, job: QueueJob): QueueJob {
    const work: QueueJob['work'] = async (signal) => (convergence === this.#newest ? job.work(signal) : done)
    return { ...job, work }
  }
}
