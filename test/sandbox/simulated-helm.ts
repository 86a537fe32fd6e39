/**
 * Simulates the program `helm` as far as modules need it, in virtual time. Releases survive crashes of other
 * components; every change is recorded.
 */
import { parseYaml } from '../../src/kube/manifest/index.ts'
import type { ProcessScript, ScriptedProcess } from '../../src/runtime/simulated/index.ts'

export interface SimulatedRelease {
  readonly name: string
  status: string
  revision: number
  values: unknown
  labels: Readonly<Record<string, string>>
}

/** The states as named by flags. */
const states = ['deployed', 'failed', 'pending', 'superseded', 'uninstalled', 'uninstalling']
const defaultStates = ['deployed', 'failed']
const stateOf = (status: string) => (status.startsWith('pending-') ? 'pending' : status)

/** Called before and after each change, where a test can inject a crash. */
export type HelmMoment = (what: string) => Promise<void>

export class SimulatedHelm {
  readonly releases = new Map<string, SimulatedRelease>()
  /** Changes such as `upgrade web {"n":1}`. */
  readonly changes: string[] = []
  /** Makes an upgrade or uninstall fail with the returned message. */
  refuse: (command: string, release: string) => string | undefined = () => undefined
  readonly #note: (change: string) => void
  readonly #moment: HelmMoment

  constructor(note: (change: string) => void = () => {}, moment: HelmMoment = async () => {}) {
    this.#note = note
    this.#moment = moment
  }

  /** Adds a release of a removed module or of another owner. */
  put(name: string, labels: Readonly<Record<string, string>> = {}): void {
    this.releases.set(name, { name, status: 'deployed', revision: 1, values: {}, labels })
  }

  readonly script: ProcessScript = async (process) => {
    const { words, flags } = read(process.spec.args ?? [])
    const [command = '', name = ''] = words
    switch (command) {
      case 'list':
        return this.#list(process, flags)
      case 'upgrade':
        return this.#change(process, command, name, async () => this.#upgrade(process, name, flags))
      case 'uninstall':
        return this.#change(process, command, name, async () => this.#uninstall(name, flags.has('keep-history')))
      default:
        process.printError(`Error: unknown command "${command}"\n`)
        return 1
    }
  }

  #list(process: ScriptedProcess, flags: ReadonlyMap<string, string>): number {
    const wanted = states.filter((state) => flags.has(state))
    const isWanted = (status: string) => (wanted.length === 0 ? defaultStates : wanted).includes(stateOf(status))
    const selector = flags.get('selector') ?? ''
    const filter = new RegExp(flags.get('filter') ?? '')
    const shown = [...this.releases.values()]
      .filter(({ status }) => isWanted(status))
      .filter(({ name }) => filter.test(name))
      .filter(({ labels }) => selector === '' || isSelected(labels, selector))
      .map(({ name, status, revision }) => ({ name, status, revision: `${revision}` }))
    process.print(JSON.stringify(shown))
    return 0
  }

  async #change(
    process: ScriptedProcess,
    command: string,
    name: string,
    change: () => Promise<string | undefined>,
  ): Promise<number> {
    await this.#moment('helm: before')
    await process.runtime.clock.sleep(1000)
    const refusal = this.refuse(command, name)
    if (refusal !== undefined) {
      this.#note(`helm ${command} ${name} failed`)
      process.printError(`Error: ${refusal}\n`)
      return 1
    }
    const what = await change()
    if (what !== undefined) {
      this.changes.push(what)
      this.#note(`helm ${what}`)
    }
    await this.#moment('helm: after')
    return 0
  }

  async #upgrade(process: ScriptedProcess, name: string, flags: ReadonlyMap<string, string>): Promise<string> {
    const path = flags.get('values') ?? ''
    const values = parseYaml(await process.runtime.files.readText(path), path)
    const labels = Object.fromEntries((flags.get('labels') ?? '').split(',').map((pair) => pair.split('=', 2)))
    const revision = (this.releases.get(name)?.revision ?? 0) + 1
    this.releases.set(name, { name, status: 'deployed', revision, values, labels: labels as Record<string, string> })
    return `upgrade ${name} ${JSON.stringify(values)}`
  }

  async #uninstall(name: string, isKept: boolean): Promise<string | undefined> {
    const release = this.releases.get(name)
    if (release === undefined) return undefined
    if (isKept) {
      if (release.status === 'uninstalled') return undefined
      release.status = 'uninstalled'
      return `uninstall ${name}`
    }
    this.releases.delete(name)
    return `purge ${name}`
  }
}

function read(args: readonly string[]) {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const flags = args
    .filter((arg) => arg.startsWith('--'))
    .map((arg): [string, string] => {
      const [, name = '', value = ''] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? []
      return [name, value]
    })
  return { words, flags: new Map(flags) }
}

function isSelected(labels: Readonly<Record<string, string>>, selector: string): boolean {
  const [key = '', value] = selector.split('=', 2)
  return value === undefined ? key in labels : labels[key] === value
}
