/** The dependencies between the items of an execution: their validation and the order of deletion. */
import { LandscaperError } from '../library/errors.ts'
import { annotations, labels } from '../resources/annotations.ts'
import type { DeployItem, DeployItemTemplate } from '../resources/types.ts'

const operation = 'CheckDeployItems'

/** Undefined when names are unique, every dependency exists and there is no cycle. */
export function problemOf(templates: readonly DeployItemTemplate[]): LandscaperError | undefined {
  const byName = new Map<string, DeployItemTemplate>()
  for (const [index, template] of templates.entries()) {
    if (byName.has(template.name)) return invalid(`spec.deployItems[${index}].name: duplicate name ${template.name}`)
    byName.set(template.name, template)
  }
  for (const [index, { name, dependsOn = [] }] of templates.entries()) {
    const unknown = dependsOn.find((other) => !byName.has(other))
    if (unknown !== undefined)
      return invalid(`spec.deployItems[${index}].dependsOn: ${name} depends on ${unknown}, which does not exist`)
  }
  const cycle = findCycle(byName)
  if (cycle === undefined) return undefined
  const message = `spec.deployItems: cyclic dependency: ${cycle.join(' -> ')}`
  return new LandscaperError(operation, 'CyclicDependencies', message, { codes: ['ERR_CYCLIC_DEPENDENCIES'] })
}

function invalid(message: string): LandscaperError {
  return new LandscaperError(operation, 'InvalidDeployItems', message, { codes: ['ERR_CONFIGURATION_PROBLEM'] })
}

/** The names along a cycle, with the first one repeated at the end. */
function findCycle(templates: ReadonlyMap<string, DeployItemTemplate>): readonly string[] | undefined {
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

/** The name of the item's template, from its label. */
export function nameOf({ metadata }: DeployItem): string {
  return metadata.labels?.[labels.managedName] ?? ''
}

/** The items that no other item depends on, by their annotations: their templates may be gone. */
export function removable(items: readonly DeployItem[]): readonly DeployItem[] {
  const needed = new Set(items.flatMap(dependenciesOf))
  const free = items.filter((item) => !needed.has(nameOf(item)))
  // Annotations can be edited into a cycle, which must not block the deletion.
  return free.length === 0 ? items : free
}

function dependenciesOf({ metadata }: DeployItem): readonly string[] {
  return (metadata.annotations?.[annotations.dependsOn] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
