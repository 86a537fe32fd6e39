/** Finds duplicate members of a JSON text. JSON.parse keeps the last one silently; the API server reports them. */
import type { Json } from '../../../runtime/index.ts'

interface Frame {
  readonly path: string
  /** Undefined for a list. */
  readonly keys: Set<string> | undefined
  index: number
  /** The current member name. */
  key: string
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

/**
 * Returns messages such as `duplicate field "spec.a"`.
 * @param text well-formed JSON
 * @param value the parsed text; when it serializes to the same text there are no duplicates and the search is skipped
 */
export function duplicateFields(text: string, value: Json): readonly string[] {
  if (JSON.stringify(value) === text) return []
  const found: string[] = []
  const frames: Frame[] = []
  let expectsKey = false
  for (const [part] of text.matchAll(token)) {
    const frame = frames.at(-1)
    switch (part) {
      case '{':
      case '[':
        frames.push({ path: placeIn(frame), keys: part === '{' ? new Set() : undefined, index: 0, key: '' })
        expectsKey = part === '{'
        break
      case '}':
      case ']':
        frames.pop()
        expectsKey = false
        break
      case ',':
        if (frame !== undefined) frame.index++
        expectsKey = frame?.keys !== undefined
        break
      case ':':
        break
      default:
        if (!expectsKey || frame?.keys === undefined) break
        frame.key = JSON.parse(part) as string
        if (frame.keys.has(frame.key)) found.push(`duplicate field "${placeIn(frame)}"`)
        frame.keys.add(frame.key)
        expectsKey = false
    }
  }
  return found
}

function placeIn(frame: Frame | undefined): string {
  if (frame === undefined) return ''
  if (frame.keys === undefined) return `${frame.path}[${frame.index}]`
  return frame.path === '' ? frame.key : `${frame.path}.${frame.key}`
}
