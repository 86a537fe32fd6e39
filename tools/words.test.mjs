import { describe, expect, it } from 'vitest'
import { findMarkers } from './words/find.mjs'

const found = (path, text, literal = []) => findMarkers(path, text, literal).map(({ line, word }) => `${line} ${word}`)
// Composed here, so that the rule does not find them in its own test.
const [no, wi, le] = ['no', 'wi', 'le'].map((half, index) => half + ['body', 'sh', 'tGo'][index])

describe('word rule', () => {
  it('finds words in comments, texts and parts of names', () => {
    const text = `// ${no} reads this\nconst text = 'for ${no.toUpperCase()}'\nconst ${wi}List = \`\${text} ${no}\`\n`
    expect(found('a.ts', text)).toEqual([`1 ${no}`, `2 ${no}`, `3 ${wi}`, `3 ${no}`])
  })

  it('finds words that are private only as names in names, single-word texts and file names, not in sentences', () => {
    const name = `cro${'wd'}`
    expect(found('a.ts', `// A ${name} of pods.\nconst state = '${name}'\nisIn${name}()\n`)).toEqual([`2 ${name}`])
    expect(found('a.ts', `const ${name}Size = 1\n`)).toEqual([`1 ${name}`])
    expect(found(`src/${name}.ts`, 'export {}\n')).toEqual([`1 ${name}`])
    expect(found('a.ts', `${le}()\n`)).toEqual([`1 ${le}`])
  })

  it('finds a phrase that a line break divides', () => {
    expect(found('a.md', 'It waits for\never.\n')).toEqual([`1 for ${'ever'}`])
  })

  it('ignores block quotes and listed quotations', () => {
    expect(found('a.md', `> ${no} said\n\n${no} says\n`)).toEqual([`3 ${no}`])
    expect(found('a.ts', `const message = 'asked by ${no}: ok'\n`, [`asked by ${no}`])).toEqual([])
  })

  it('does not take words for parts of longer words', () => {
    expect(found('a.md', `the ${no}x ${wi}bone\n`)).toEqual([])
  })
})
