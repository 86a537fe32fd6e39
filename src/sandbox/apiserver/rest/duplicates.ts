/**
 * Fields that a JSON text names twice. A parser keeps the last one and says nothing; strict clients want to know.
 */

/** Paths such as `spec.containers[0].name`, in the order they end. The text must be valid JSON. */
export function duplicateFields(text: string): readonly string[] {
  const found: string[] = []
  const open: Level[] = []
  for (let index = 0; index < text.length; index++) {
    const level = open.at(-1)
    switch (text[index]) {
      case '"': {
        const end = endOfString(text, index)
        if (level?.keys !== undefined && level.expectsKey) {
          const key = JSON.parse(text.slice(index, end + 1)) as string
          if (level.keys.has(key)) found.push(pathOf(open, key))
          level.keys.add(key)
          level.key = key
          level.expectsKey = false
        }
        index = end
        break
      }
      case '{':
        open.push({ keys: new Set(), expectsKey: true, key: '', index: 0 })
        break
      case '[':
        open.push({ keys: undefined, expectsKey: false, key: '', index: 0 })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (level?.keys !== undefined) level.expectsKey = true
        else if (level !== undefined) level.index++
        break
      default:
    }
  }
  return found
}

interface Level {
  /** Undefined inside a list. */
  readonly keys: Set<string> | undefined
  expectsKey: boolean
  key: string
  index: number
}

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

function pathOf(open: readonly Level[], key: string): string {
  let path = ''
  for (const [depth, level] of open.entries()) {
    if (level.keys === undefined) path += `[${level.index}]`
    else {
      const part = depth === open.length - 1 ? key : level.key
      path += path === '' ? part : `.${part}`
    }
  }
  return path
}
