#!/usr/bin/env node
/**
 * The entry point. An operator runs for weeks and is mostly idle, so V8 flags that keep its memory small are set before anything else is
 * loaded. All other commands are short and must start fast.
 */
import { fileURLToPath } from 'node:url'
import { limitHeapGrowth } from '../runtime/memory/index.ts'
import { loadCompiled } from './compiled.ts'
import { loadNodeModules } from './node-modules.ts'

const command = process.argv.slice(2).find((argument) => !argument.startsWith('-'))
const isOperator = command === 'run' || command === 'shell-operator'
if (isOperator) {
  loadNodeModules()
  limitHeapGrowth()
}
const compiled = isOperator
  ? loadCompiled<typeof import('./process.ts')>(fileURLToPath(new URL('operator.cjs', import.meta.url)))
  : undefined
const { main } = compiled ?? (await import('./process.ts'))
await main()
