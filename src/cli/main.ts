#!/usr/bin/env node
/**
 * The program. The operator stays for weeks and mostly waits, and what keeps it small must be said before anything else is loaded; every
 * other command is over soon and had better be quick.
 */
import { keepMemorySmall } from '../runtime/real/memory.ts'

const command = process.argv.slice(2).find((argument) => !argument.startsWith('-'))
if (command === 'run' || command === 'shell-operator') keepMemorySmall()
await import('./process.ts')
