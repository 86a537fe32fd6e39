/**
 * Brings modules to where their values and flags want them: hooks before all, which modules are on, a run of each in order, the end of those that
 * are off, hooks after all. All of it are errands in the queue `main`; a newer wish makes what is left of an older one disappear.
 */
import { isHelmMissing } from '../../../helm/program.ts'
import { inOrder } from '../../scripts/engine/engine.ts'
import type { Errand } from '../../scripts/index.ts'
import type { ConfigChange } from '../config-map/change.ts'
import { type ActiveMember, activated, type Member } from './member.ts'
import { purgeRelease, removeModule } from './remove.ts'
import { runModule } from './run.ts'
import type { Stage } from './stage.ts'

type ErrandWork = Awaited<ReturnType<Errand['work']>>

const done: ErrandWork = { outcome: 'done' }

export class Converge {
  /** Resolves when all modules have been run for the first time. */
  readonly ready: Promise<void>
  readonly #stage: Stage
  /** By name. */
  readonly #active = new Map<string, ActiveMember>()
  /** Modules whose run waits by itself, by name. */
  readonly #waiting = new Set<string>()
  /** Which of all wishes to converge is the newest. */
  #newest = 0
  #begun = 0
  /** The newest one has not decided yet which modules are on: it will run all of them, with values as they are then. */
  #isUndecided = false
  /** Hooks after all changed what modules are made of. */
  #isOutdated = false
  #becomeReady = () => {}

  constructor(stage: Stage) {
    this.#stage = stage
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
  }

  /** From the beginning, in place of whatever is left of an earlier wish. */
  begin(): void {
    const wish = ++this.#newest
    const { engine, runtime } = this.#stage
    this.#begun = runtime.clock.monotonic()
    this.#isUndecided = true
    for (const errand of this.#globalHooks('beforeAll')) engine.put(this.#unlessOutdone(wish, errand))
    const discover = {
      type: 'DiscoverModulesState',
      name: '',
      work: (signal: AbortSignal) => this.#discover(wish, signal),
    }
    engine.put(this.#unlessOutdone(wish, discover))
  }

  /** Runs one module again, if it is on. */
  run(name: string): void {
    if (this.#isUndecided || this.#waiting.has(name) || !this.#active.has(name)) return
    this.#waiting.add(name)
    this.#stage.engine.put({
      type: 'ModuleRun',
      name,
      work: async (signal) => {
        this.#waiting.delete(name)
        const member = this.#active.get(name)
        return member === undefined ? done : this.#runModule(member, signal)
      },
    })
  }

  /** The ConfigMap says something else. */
  configured({ global, modules, flags }: ConfigChange): void {
    if (global || flags.length > 0) {
      this.begin()
      return
    }
    for (const { module } of this.#stage.members) {
      if (!modules.includes(module.key)) continue
      if (this.#active.has(module.name)) this.run(module.name)
      // Its values may be why its script switched it off.
      else if (module.enabledScript !== undefined) this.begin()
    }
  }

  /** A hook changed values; `isLast`: it runs after everything else, so that what it changed has not been used yet. */
  changed(owner: Member | undefined, isLast: boolean): void {
    if (owner === undefined) {
      if (isLast) this.#isOutdated = true
      else this.begin()
      return
    }
    const member = this.#active.get(owner.module.name)
    if (member === undefined) return
    if (isLast) member.isOutdated = true
    else this.run(owner.module.name)
  }

  /** Whether what a module is made of is still to be used: it is in the middle of its run, or all of them are still to come. */
  isStillToCome(owner: Member | undefined): boolean {
    return owner === undefined ? this.#isUndecided : (this.#active.get(owner.module.name)?.isRunning ?? false)
  }

  async #discover(wish: number, signal: AbortSignal): Promise<ErrandWork> {
    const { metrics, members } = this.#stage
    try {
      const decisions = await this.#stage.decide(signal)
      const releases = await this.#releases(signal)
      // Whatever was found out meanwhile is old.
      if (wish !== this.#newest) return done
      const on = new Set(decisions.filter(({ enabled }) => enabled).map(({ module }) => module.name))
      this.#isUndecided = false
      this.#switch(on)
      const known = new Set(members.map(({ module }) => module.name))
      const runs = members.flatMap((member) => this.#moduleRun(member))
      const removals = members
        .toReversed()
        .flatMap((member) => (on.has(member.module.name) ? [] : this.#removal(member, releases)))
      const purges = [...releases.keys()].filter((name) => !known.has(name)).map((name) => this.#purge(name))
      const errands = [...runs, ...removals, ...purges, ...this.#globalHooks('afterAll')]
      return { outcome: 'done', next: [...errands, this.#end()].map((errand) => this.#unlessOutdone(wish, errand)) }
    } catch (error) {
      if (!signal.aborted) metrics.discoverFailed()
      throw error
    }
  }

  /** Status by name. Without helm whatever needs no release goes on. */
  async #releases(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { helm, members, runtime, ignoredRelease } = this.#stage
    try {
      const found = await helm.releases(signal)
      const releases = found.filter(({ name }) => name !== ignoredRelease)
      return new Map(releases.map(({ name, status }) => [name, status]))
    } catch (error) {
      const isNeeded = members.some(({ module }) => module.chart !== undefined) && !isHelmMissing(error)
      if (signal.aborted || isNeeded) throw error
      runtime.log[members.length > 0 ? 'warn' : 'debug']('releases of modules that are gone are not looked for', {
        error,
      })
      return new Map()
    }
  }

  /** Hooks of modules that are off are gone at once; those of modules that are on wait for the run of their module. */
  #switch(on: ReadonlySet<string>): void {
    const { engine, members, metrics } = this.#stage
    this.#stage.enabled([...on])
    for (const member of members) {
      const { module, hooks } = member
      const isOn = on.has(module.name)
      metrics.enabled(module.name, isOn)
      if (isOn === this.#active.has(module.name)) continue
      if (isOn) {
        engine.add(hooks)
        this.#active.set(module.name, activated(member))
      } else {
        engine.remove(hooks)
        this.#active.delete(module.name)
        this.#stage.forget(module)
      }
    }
  }

  #moduleRun({ module: { name } }: Member): readonly Errand[] {
    const member = this.#active.get(name)
    if (member === undefined) return []
    return [{ type: 'ModuleRun', name, work: (signal) => this.#runModule(member, signal) }]
  }

  async #runModule(member: ActiveMember, signal: AbortSignal): Promise<ErrandWork> {
    const outcome = await runModule(this.#stage, member, signal)
    if (outcome === 'done' && member.isOutdated) this.run(member.module.name)
    return { outcome }
  }

  #removal(member: Member, releases: ReadonlyMap<string, string>): readonly Errand[] {
    const { name } = member.module
    const status = releases.get(name)
    if (status === undefined) return []
    const leaving = { ...member, isUninstalled: status === 'uninstalled' }
    const work = async (signal: AbortSignal) => ({ outcome: await removeModule(this.#stage, leaving, signal) })
    return [{ type: 'ModuleDelete', name, work }]
  }

  #purge(name: string): Errand {
    const work = async (signal: AbortSignal): Promise<ErrandWork> => {
      await purgeRelease(this.#stage, name, signal)
      return done
    }
    return { type: 'ModulePurge', name, work }
  }

  #globalHooks(order: 'beforeAll' | 'afterAll'): readonly Errand[] {
    const { engine, globalHooks } = this.#stage
    return inOrder(globalHooks, ({ config }) => config.orders[order]).map((hook) => ({
      type: 'HookRun',
      name: hook.name,
      binding: order,
      work: async (signal) => ({ outcome: await engine.run(hook, { kind: 'order', order }, signal) }),
    }))
  }

  #end(): Errand {
    const work = async (): Promise<ErrandWork> => {
      const { metrics, runtime } = this.#stage
      metrics.converged(runtime.clock.monotonic() - this.#begun)
      runtime.log.info('modules are converged', { modules: [...this.#active.keys()] })
      this.#becomeReady()
      const isOutdated = this.#isOutdated
      this.#isOutdated = false
      if (isOutdated) this.begin()
      return done
    }
    return { type: 'ConvergeEnd', name: '', work }
  }

  /** Nothing of a wish is done any more once there is a newer one. */
  #unlessOutdone(wish: number, errand: Errand): Errand {
    const work: Errand['work'] = async (signal) => (wish === this.#newest ? errand.work(signal) : done)
    return { ...errand, work }
  }
}
