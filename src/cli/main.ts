#!/usr/bin/env node
/**
 * The program. The operator stays for weeks and mostly waits, and what keeps it small must be said before anything else is loaded; every
 * other command is over soon and had better be quick.
 */
import { fileURLToPath } from 'node:url'
import { limitHeapGrowth } from '../runtime/real/memory.ts'
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
