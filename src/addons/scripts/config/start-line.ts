/**
 * Why the system would not start a script, found in its first line before it is tried: what the system says itself is one bare word, or
 * nothing but a wrong interpreter.
 */
import type { Files } from '../../../runtime/files.ts'

const headSize = 256

export async function checkStart(files: Files, path: string): Promise<string | undefined> {
  const head = await files.read(path, headSize)
  if (head.includes(0)) return undefined
  const [line = ''] = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head).split('\n', 1)
  if (!line.startsWith('#!')) {
    const bom = head[0] === 0xef && head[1] === 0xbb ? ' (it begins with a byte order mark, which must go)' : ''
    return `has no #! line, so that nothing says which program runs it${bom}; begin it with #!/usr/bin/env bash, for example`
  }
  if (line.endsWith('\r'))
    return `its #! line ends with a carriage return, so that the interpreter ${JSON.stringify(line.slice(2).trimStart())} is looked for; save it with Unix line ends: sed -i 's/\\r$//' ${path}`
  return undefined
}
