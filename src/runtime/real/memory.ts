/**
 * Keeps a process small that mostly waits. Left alone, the engine lets the space for young objects grow to 32 MB while caches fill, grows
 * the heap in large steps, and optimizes the HTTP parser's machine code, which takes 20 MB once; it gives next to nothing back.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** To be called first thing: space that is there already stays. */
export function keepMemorySmall(): void {
  for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size', '--liftoff-only']) setFlagsFromString(flag)
}

/** Collects everything nobody needs any more, and gives the space back: for the moment when the work of starting is done. */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
