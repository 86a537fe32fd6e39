/**
 * Removes folders in batches in the background. On a journaling file system removing takes longer than creating, and passing each file to a
 * thread is expensive; so larger batches are removed by the program `rm`.
 */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'

/** How long folders are collected before a batch is removed. */
const batchDelayMs = 200

/** From this number of folders on, starting a program is cheaper. */
const minFoldersForProgram = 3

export class Removals {
  #waiting: string[] = []
  #next: Promise<void> | undefined

  /** Resolves when the folder is gone. */
  remove(path: string): Promise<void> {
    this.#waiting.push(path)
    this.#next ??= new Promise((resolve, reject) => {
      setTimeout(() => {
        const paths = this.#waiting
        this.#waiting = []
        this.#next = undefined
        removeAll(paths).then(resolve, reject)
      }, batchDelayMs)
    })
    return this.#next
  }
}

async function removeAll(paths: readonly string[]): Promise<void> {
  if (paths.length >= minFoldersForProgram && (await byProgram(paths))) return
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })))
}

function byProgram(paths: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('rm', ['-rf', '--', ...paths], (error) => resolve(error === null))
  })
}
