import { expect, it } from 'vitest'
import { compileCel } from '../../schema/cel/compile.ts'
import { celValue } from '../../schema/cel/values.ts'
import { engineIn, notByEngine } from './conditions.ts'

it.each(['system:carabiner', "o'brien", 'CORP\\operator'])('%s is the engine, and no other user is', (engine) => {
  const condition = notByEngine(engine)
  expect(engineIn([condition])).toBe(engine)
  const { evaluate } = compileCel(condition.expression, { variables: ['request'] })
  const passes = (username: string) => evaluate({ request: celValue({ userInfo: { username } }) }).value
  expect([passes(engine), passes('another')]).toEqual([false, true])
})
