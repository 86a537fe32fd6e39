/**
 * The JSONPath of printer columns and selectable fields: `.spec.a`, `.items[0].b`, `.list[*].name`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels.a\.b/c`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'

type Step =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'all' }
  | { readonly is: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: Json }

const known = new Map<string, readonly Step[] | undefined>()

/** Undefined for an invalid path. */
export function parsePath(path: string): readonly Step[] | undefined {
  if (!known.has(path)) known.set(path, parse(path))
  return known.get(path)
}

const field = /^\.?((?:\\.|[^.[\]\\])+)/
const index = /^\[(-?\d+)\]/
const all = /^\[\*\]/
const quoted = /^\[['"]([^'"]+)['"]\]/
const filter = /^\[\?\(@((?:\.[A-Za-z0-9_\-/\\.]+)+)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[-\w.]+)\)\]/

function parse(text: string): readonly Step[] | undefined {
  const steps: Step[] = []
  let rest = text.replace(/^\{(.*)\}$/, '$1').replace(/^\$/, '')
  if (!rest.startsWith('.') && !rest.startsWith('[')) return undefined
  if (rest === '.') return []
  while (rest !== '') {
    const bare = rest.startsWith('.[') ? rest.slice(1) : rest
    const filtered = filter.exec(bare)
    const match = filtered ?? all.exec(bare) ?? index.exec(bare) ?? quoted.exec(bare) ?? field.exec(bare)
    if (match === null) return undefined
    const [whole, first = '', operator = '', value = ''] = match
    if (filtered !== null) {
      const inner = parse(first)
      if (inner === undefined) return undefined
      steps.push({ is: 'filter', path: inner, operator, value: literal(value) })
    } else if (whole === '[*]') steps.push({ is: 'all' })
    else if (index.test(whole)) steps.push({ is: 'index', index: Number(first) })
    else if (first === '*') steps.push({ is: 'all' })
    else steps.push({ is: 'field', name: first.replaceAll(/\\(.)/g, '$1') })
    rest = bare.slice(whole.length)
  }
  return steps
}

function literal(text: string): Json {
  if (/^["']/.test(text)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  return Number.isNaN(Number(text)) ? text : Number(text)
}

/** Every value at the path; empty when part of it is missing. */
export function readPath(value: Json, path: string): readonly Json[] {
  const steps = parsePath(path)
  return steps === undefined ? [] : follow([value], steps)
}

function follow(start: readonly Json[], steps: readonly Step[]): readonly Json[] {
  let values = start
  for (const step of steps) values = values.flatMap((value) => next(value, step))
  return values
}

function next(value: Json, step: Step): readonly Json[] {
  const items = Array.isArray(value) ? (value as readonly Json[]) : undefined
  const object = isJsonObject(value) ? (value as JsonObject) : undefined
  switch (step.is) {
    case 'field': {
      const found = object !== undefined && Object.hasOwn(object, step.name) ? object[step.name] : undefined
      return found === undefined ? [] : [found]
    }
    case 'index': {
      const found = items?.at(step.index)
      return found === undefined ? [] : [found]
    }
    case 'all':
      return items ?? (object === undefined ? [] : Object.values(object))
    case 'filter':
      return (items ?? []).filter((item) => {
        const [left] = follow([item], step.path)
        return left !== undefined && holds(left, step.operator, step.value)
      })
  }
}

function holds(left: Json, operator: string, right: Json): boolean {
  switch (operator) {
    case '==':
      return left === right
    case '!=':
      return left !== right
    default:
      if (typeof left !== typeof right || left === null || right === null) return false
      if (operator === '<') return left < right
      if (operator === '<=') return left <= right
      return operator === '>' ? left > right : left >= right
  }
}
