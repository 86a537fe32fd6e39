import { expect, it } from 'vitest'
import { Picture } from './picture.ts'

const start = String.fromCharCode(27)
const on = (more: object = {}) => {
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  return { written, picture: new Picture({ write, isTerminal: true, columns: 10, ...more }) }
}

it('goes back to its own beginning, and clears what was longer', () => {
  const { written, picture } = on()
  picture.draw(['one', 'two'])
  picture.draw(['three'])
  expect(written[0]).toBe(`one${start}[K\ntwo${start}[K\n${start}[J`)
  expect(written[1]).toBe(`${start}[2A\rthree${start}[K\n${start}[J`)
})

it('is neither wider nor taller than the terminal, because the cursor could not go back', () => {
  const { written, picture } = on({ rows: 4 })
  picture.draw(['x'.repeat(30), 'two', 'three', 'four', 'five'])
  expect(written[0]?.split('\n').map((line) => line.replace(`${start}[K`, ''))).toEqual([
    'xxxxxxxxx',
    '… 3 more ',
    'five',
    `${start}[J`,
  ])
})

it('keeps the last lines of a picture that is too high, because they say what to do next', () => {
  const { written, picture } = on({ rows: 13 })
  picture.draw(Array.from({ length: 20 }, (_, index) => `${index}`))
  expect(written[0]?.split('\n').map((line) => line.replace(`${start}[K`, ''))).toEqual([
    ...['0', '1', '2', '3', '4', '5', '6'],
    '… 9 more ',
    ...['16', '17', '18', '19'],
    `${start}[J`,
  ])
})

it('stays when the next one is drawn below it', () => {
  const { written, picture } = on()
  picture.draw(['one'])
  picture.keep()
  picture.draw(['two'])
  expect(written.at(-1)).toBe(`two${start}[K\n${start}[J`)
})
