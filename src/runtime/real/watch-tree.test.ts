import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRealFiles } from './files.ts'

const files = createRealFiles()
let root = ''
let reports = 0
let stop = () => {}

beforeEach(async () => {
  root = await files.makeTemporary('watch-tree-')
  reports = 0
})
afterEach(async () => {
  stop()
  await files.remove(root)
})

/** Sooner than the interval, so that only a watch of the system can have reported it. */
const soon = { timeout: 1500, interval: 5 }

async function isReported(edit: () => Promise<void>, within = soon): Promise<void> {
  const before = reports
  await edit()
  await vi.waitUntil(() => reports > before, within)
}

const watch = (folder: string) => {
  stop = files.watch(
    folder,
    () => reports++,
    (name) => name === 'node_modules',
  )
}

it('reports writes, replaced files, removals, and files in folders that appear', async () => {
  await files.write(`${root}/a`, '1')
  watch(root)
  await isReported(() => files.write(`${root}/a`, '2'))
  await isReported(async () => {
    await files.write(`${root}/.a.new`, '3')
    await files.rename(`${root}/.a.new`, `${root}/a`)
  })
  await isReported(() => files.makeDirectory(`${root}/x/y/z`))
  await isReported(() => files.write(`${root}/x/y/z/b`, '1'))
  await isReported(() => files.rename(`${root}/x`, `${root}/moved`))
  await isReported(() => files.write(`${root}/moved/y/z/b`, '2'), { timeout: 6000, interval: 5 })
  await isReported(() => files.remove(`${root}/a`))
})

it('finds a folder that appears later', async () => {
  watch(`${root}/later`)
  await isReported(() => files.makeDirectory(`${root}/later`), { timeout: 6000, interval: 5 })
  await isReported(() => files.write(`${root}/later/a`, '1'))
})

it('ends', async () => {
  watch(root)
  stop()
  await files.write(`${root}/a`, '1')
  await new Promise((resolve) => setImmediate(resolve))
  expect(reports).toBe(0)
})
