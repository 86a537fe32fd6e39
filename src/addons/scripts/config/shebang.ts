/** Checks the first line of a script before it is started, because the error of the system is unspecific or names only the interpreter. */
import type { Files } from '../../../runtime/index.ts'

const headBytes = 256

export async function checkShebang(files: Files, path: string): Promise<string | undefined> {
  const head = await files.read(path, headBytes)
  if (head.includes(0)) return undefined
  const [line = ''] = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head).split('\n', 1)
  if (!line.startsWith('#!')) {
    const bom = head[0] === 0xef && head[1] === 0xbb ? ' (remove the byte order mark at its beginning)' : ''
    return `has no #! line, so its interpreter is unknown${bom}; begin it with #!/usr/bin/env bash, for example`
  }
  if (line.endsWith('\r'))
    return `its #! line ends with a carriage return, so the system looks for the interpreter ${JSON.stringify(line.slice(2).trimStart())}; save it with Unix line endings: sed -i 's/\\r$//' ${path}`
  return undefined
}
