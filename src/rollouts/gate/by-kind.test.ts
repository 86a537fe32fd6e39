import { expect, it } from 'vitest'
import { compileCel } from '../../schema/cel/compile.ts'
import { celValue } from '../../schema/cel/values.ts'
import { byKind } from './by-kind.ts'

it.each([
  ['deployments', { paused: 1 }, 1],
  ['statefulsets', { partition: 2 }, 2],
  ['daemonsets', { type: 3 }, 3],
])('of %s only fields are read that they have', (resource, object, expected) => {
  const fields = { deployments: 'paused', statefulsets: 'partition', daemonsets: 'type' }
  const expression = byKind(fields, (field) => `object.${field}`)
  const { evaluate } = compileCel(expression, { variables: ['request', 'object'] })
  const request = celValue({ resource: { resource } })
  expect(Number(evaluate({ request, object: celValue(object) }).value)).toBe(expected)
})
