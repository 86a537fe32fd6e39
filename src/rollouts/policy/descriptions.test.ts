import { expect, it } from 'vitest'
import type { Schema } from '../../schema/schema.ts'
import { rolloutPolicyDefinition } from './definition.ts'

interface Definition {
  readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[]
}

/** Fields without a sentence; Kubernetes describes what is below a Job or a variable. */
function silent(schema: Schema, path: string): string[] {
  const isForeign = schema['x-kubernetes-preserve-unknown-fields'] === true
  const inner = isForeign
    ? []
    : Object.entries(schema.properties ?? {}).flatMap(([name, one]) => silent(one, `${path}.${name}`))
  const items = schema.items as Schema | undefined
  const ofItems =
    items === undefined || isForeign
      ? []
      : Object.entries(items['x-kubernetes-preserve-unknown-fields'] === true ? {} : (items.properties ?? {})).flatMap(
          ([name, one]) => silent(one, `${path}[].${name}`),
        )
  return [...(schema.description === undefined ? [path] : []), ...inner, ...ofItems]
}

it('has a sentence for every field, and for the resource', () => {
  const { versions } = rolloutPolicyDefinition.spec as Definition
  const schema = versions[0]?.schema.openAPIV3Schema
  expect(schema === undefined ? ['no schema'] : silent(schema, 'rop')).toEqual([])
})
