/** Reads the file that says which deployers run and how, and turns it into the options of the surface. */
import { CarabinerError, type Json } from '../../runtime/index.ts'
import { explainFieldError, type FieldError, validate } from '../../schema/index.ts'
import { type AccessRule, hookRules, jobHookRules } from '../access.ts'
import { type HookBinding, hookFrom, problemOf } from '../hooks/binding.ts'
import type { TargetSelector } from '../library/selectors.ts'
import { readDuration } from '../resources/duration.ts'
import type { ContainerSettings } from '../stock/container/configuration.ts'
import { stockDeployer } from '../stock/deployers.ts'
import type { HelmSettings } from '../stock/helm/program.ts'
import type { StockName } from '../stock/names.ts'
import { stockRules } from '../stock/rights.ts'
import type { DeployersSurfaceOptions } from '../surface.ts'
import { createTargets, type TargetSettings, type Targets } from '../targets/clients.ts'
import type { Timeouts } from '../timeouts/decide.ts'
import { configurationSchema } from './schema.ts'

export interface DeployerEntry {
  /** One of the stock deployers: `manifest`, `helm`, `container`, `mock`. */
  readonly name: string
  readonly identity?: string
  readonly targetSelectors?: readonly TargetSelector[]
  readonly workers?: number
  readonly deletionFirst?: boolean
  readonly watchAllTypes?: boolean
  readonly hooks?: readonly HookBinding[]
}

export interface DeployersConfiguration {
  readonly deployItemTimeouts?: Readonly<Partial<Record<keyof Timeouts, string>>>
  readonly deployers?: readonly DeployerEntry[]
  /** @default true */
  readonly landscaper?: boolean
  readonly targets?: TargetSettings
  readonly helm?: HelmSettings
  readonly container?: ContainerSettings
}

/** Validates a document; `file` is its name, for messages. */
export function readConfiguration(document: Json, file: string): DeployersConfiguration {
  const [error] = validate(document, configurationSchema, { path: '', closed: true })
  const refuse = (problem: string) => new CarabinerError('CRB_SETTING_INVALID', `${file}: ${problem}`)
  if (error !== undefined) throw refuse(explainFieldError(isCredential(error) ? withoutValue(error) : error))
  const configuration = document as DeployersConfiguration
  for (const [index, { hooks = [] }] of (configuration.deployers ?? []).entries()) {
    const problem = problemIn(hooks)
    if (problem !== undefined) throw refuse(`deployers[${index}].${problem}`)
  }
  return configuration
}

/** The path of a URL may be a credential, and so may what was written in its place. */
function isCredential({ field }: FieldError): boolean {
  return /\.http\.(?:url|headers)\b/.test(field)
}

function withoutValue({ badValue: _, ...error }: FieldError): FieldError {
  return error
}

/** Checked when the file is read: a replica that never leads never starts a deployer. */
function problemIn(hooks: readonly HookBinding[]): string | undefined {
  for (const [index, binding] of hooks.entries()) {
    const problem = problemOf(binding)
    if (problem !== undefined) return `hooks[${index}] (${binding.name}): ${problem}`
    // The name of a hook's Job contains the hook's name, so two hooks with one name would share a Job.
    const first = hooks.findIndex(({ name }) => name === binding.name)
    if (first !== index) return `hooks[${index}].name: hooks[${first}] already has the name ${binding.name}`
  }
  return undefined
}

/**
 * With commands and working folders of hooks relative to `folder`, which is absolute: that of the file. A command without a slash is a program on
 * PATH.
 */
export function resolvedIn(folder: string, configuration: DeployersConfiguration): DeployersConfiguration {
  const { deployers } = configuration
  if (deployers === undefined) return configuration
  const resolved = (path: string) => (path.startsWith('/') ? path : `${folder}/${path.replace(/^(\.\/)+/, '')}`)
  const hookIn = (hook: HookBinding): HookBinding => {
    if (hook.process === undefined) return hook
    const { command, workingDir } = hook.process
    const [program = '', ...args] = command
    const process = {
      ...hook.process,
      command: [program.includes('/') ? resolved(program) : program, ...args],
      ...(workingDir === undefined ? {} : { workingDir: workingDir === '.' ? folder : resolved(workingDir) }),
    }
    return { ...hook, process }
  }
  return {
    ...configuration,
    deployers: deployers.map((entry) =>
      entry.hooks === undefined ? entry : { ...entry, hooks: entry.hooks.map((hook) => hookIn(hook)) },
    ),
  }
}

/** The options of the surface for this configuration. */
export function surfaceOptions(configuration: DeployersConfiguration): DeployersSurfaceOptions<Targets> {
  const {
    deployItemTimeouts = {},
    landscaper = true,
    deployers = [],
    targets: settings = {},
    helm = {},
    container = {},
  } = configuration
  const timeouts: Partial<Record<keyof Timeouts, number>> = {}
  for (const [name, given] of Object.entries(deployItemTimeouts)) {
    const read = readDuration(given)
    if (read !== undefined) timeouts[name as keyof Timeouts] = read
  }
  return {
    landscaper,
    timeouts,
    rules: deployers.flatMap(rulesFor),
    targetClients: (runtime) => createTargets(runtime, settings),
    deployers: (_runtime, targets, _client, hookRunner) =>
      deployers.map(({ name, hooks = [], ...options }) => {
        const deployer = stockDeployer(name, targets, { helm, container })
        for (const binding of hooks) deployer.hooks.registerHook(hookFrom(binding, hookRunner), ...binding.points)
        return { deployer, options }
      }),
  }
}

function rulesFor({ name, hooks = [] }: DeployerEntry): readonly AccessRule[] {
  const isKnown = Object.hasOwn(stockRules, name)
  return [
    ...(isKnown ? stockRules[name as StockName] : []),
    ...(hooks.length > 0 ? hookRules : []),
    ...(hooks.some(({ job }) => job !== undefined) ? jobHookRules : []),
  ]
}
