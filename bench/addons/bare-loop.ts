/** Starts a program again and again, and waits for each to end and for its output: the lower bound for every operator that runs hooks. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'

const [program = '', count = '0'] = process.argv.slice(2)
const contextPath = `${program}.context`
writeFileSync(contextPath, '[]')
const env = { ...process.env, BINDING_CONTEXT_PATH: contextPath }
for (let index = 0; index < Number(count); index++) {
  const child = spawn(program, [], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'close')
}
