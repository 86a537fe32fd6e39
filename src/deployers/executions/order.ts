/** The order in which the items of an execution depend on each other, and what is wrong with it. */
import { LandscaperError } from '../library/errors.ts'
import type { DeployItem, DeployItemTemplate } from '../resources/types.ts'
import { annotations, labels } from '../resources/words.ts'

const operation = 'CheckDeployItems'

/** Undefined when every name is given once, every dependency exists and none leads back to itself. */
export function problemOf(templates: readonly DeployItemTemplate[]): LandscaperError | undefined {
  const byName = new Map<string, DeployItemTemplate>()
  for (const [index, template] of templates.entries()) {
    if (byName.has(template.name)) return invalid(`spec.deployItems[${index}].name: ${template.name} is there twice`)
    byName.set(template.name, template)
  }
  for (const [index, { name, dependsOn = [] }] of templates.entries()) {
    const unknown = dependsOn.find((other) => !byName.has(other))
    if (unknown !== undefined)
      return invalid(`spec.deployItems[${index}].dependsOn: ${name} depends on ${unknown}, which is not there`)
  }
  const cycle = cycleIn(byName)
  if (cycle === undefined) return undefined
  const message = `spec.deployItems: the dependencies go round in a circle: ${cycle.join(' -> ')}`
  return new LandscaperError(operation, 'CyclicDependencies', message, { codes: ['ERR_CYCLIC_DEPENDENCIES'] })
}

function invalid(message: string): LandscaperError {
  return new LandscaperError(operation, 'InvalidDeployItems', message, { codes: ['ERR_CONFIGURATION_PROBLEM'] })
}

/** The names along a circle, the first one again at its end. */
function cycleIn(templates: ReadonlyMap<string, DeployItemTemplate>): readonly string[] | undefined {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (name: string): readonly string[] | undefined => {
    if (done.has(name)) return undefined
    const start = path.indexOf(name)
    if (start >= 0) return [...path.slice(start), name]
    path.push(name)
    for (const other of templates.get(name)?.dependsOn ?? []) {
      const cycle = visit(other)
      if (cycle !== undefined) return cycle
    }
    path.pop()
    done.add(name)
    return undefined
  }
  for (const name of templates.keys()) {
    const cycle = visit(name)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

/** The template's name, which the item carries as a label. */
export function nameOf({ metadata }: DeployItem): string {
  return metadata.labels?.[labels.managedName] ?? ''
}

/** Those no other of the items depends on any more, by what they themselves say: their templates may be gone. */
export function removable(items: readonly DeployItem[]): readonly DeployItem[] {
  const needed = new Set(items.flatMap(dependenciesOf))
  const free = items.filter((item) => !needed.has(nameOf(item)))
  // Annotations can be edited into a circle; that must not keep anything alive.
  return free.length === 0 ? items : free
}

function dependenciesOf({ metadata }: DeployItem): readonly string[] {
  return (metadata.annotations?.[annotations.dependsOn] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
