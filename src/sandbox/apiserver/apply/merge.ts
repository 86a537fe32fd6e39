/**
 * Merges an applied configuration into the live object: fields of the configuration win, all others stay. Associative
 * lists take the configuration's order for items on both sides.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import type { Element } from './element.ts'
import {
  fieldStructure,
  fitting,
  itemElement,
  type ListStructure,
  type MapStructure,
  type Structure,
} from './structure.ts'

type Side = Json | undefined

export function merge(live: Json, config: Json, structure: Structure): Json {
  return mergeValues(live, config, structure) ?? {}
}

/** Undefined when the merged value is empty because both sides are absent below it. */
function mergeValues(live: Side, config: Side, structure: Structure): Side {
  const { map, scalar, list } = fitting(structure, config === undefined ? live : config)
  if (map !== undefined) return mergeMaps(live, config, map)
  if (scalar !== undefined) return configOrLive(live, config)
  if (list !== undefined) return mergeLists(live, config, list)
  return configOrLive(live, config)
}

function configOrLive(live: Side, config: Side): Side {
  return config === undefined ? live : config
}

function mergeMaps(live: Side, config: Side, map: MapStructure): Side {
  const left: JsonObject = isJsonObject(live) ? live : {}
  const right: JsonObject = isJsonObject(config) ? config : {}
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  if (map.atomic || names.size === 0) return configOrLive(live, config)
  const merged: Record<string, Json> = {}
  for (const name of names) {
    const value = mergeValues(left[name], right[name], fieldStructure(map, name))
    if (value !== undefined) merged[name] = value
  }
  return Object.keys(merged).length === 0 ? undefined : merged
}

function mergeLists(live: Side, config: Side, list: ListStructure): Side {
  const left = Array.isArray(live) ? (live as readonly Json[]) : []
  const right = Array.isArray(config) ? (config as readonly Json[]) : []
  if (list.atomic || (left.length === 0 && right.length === 0)) return configOrLive(live, config)
  const merged = zip(left, right, list)
  return merged.length === 0 ? undefined : merged
}

/** Merges two associative lists: items of one side stay next to their neighbours, shared items take the order of `right`. */
function zip(left: readonly Json[], right: readonly Json[], list: ListStructure): Json[] {
  const leftElements = left.map((item) => itemElement(list, item))
  const rightElements = right.map((item) => itemElement(list, item))
  const leftItems = index(leftElements, left)
  const rightItems = index(rightElements, right)
  const shared = rightElements.filter((element) => leftItems.has(element))
  const done = new Set<Element>()
  const merged: Json[] = []
  const add = (before: Side, after: Side): void => {
    const value = mergeValues(before, after, list.element())
    if (value !== undefined) merged.push(value)
  }
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    const leftElement = leftElements[l]
    const rightElement = rightElements[r]
    if (leftElement !== undefined && rightElement !== undefined) {
      if (leftElement === rightElement) {
        done.add(leftElement)
        add(leftItems.get(leftElement), rightItems.get(rightElement))
        l++
        r++
        shared.shift()
        continue
      }
      if (rightItems.has(leftElement) && shared[0] !== undefined && shared[0] !== leftElement) {
        l++
        continue
      }
    }
    if (leftElement !== undefined) {
      if (!rightItems.has(leftElement)) {
        add(left[l], undefined)
        l++
        continue
      }
      if (done.has(leftElement)) l++
    }
    if (rightElement !== undefined) {
      done.add(rightElement)
      add(leftItems.get(rightElement), rightItems.get(rightElement))
      r++
      if (shared[0] === rightElement) shared.shift()
    }
  }
  return merged
}

/** Duplicate items of the live list are not merged: the item of the configuration replaces them. */
function index(elements: readonly Element[], items: readonly Json[]): Map<Element, Side> {
  const found = new Map<Element, Side>()
  elements.forEach((element, position) => {
    found.set(element, found.has(element) ? undefined : items[position])
  })
  return found
}
