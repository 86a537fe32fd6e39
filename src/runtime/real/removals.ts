/**
 * Removes folders that nobody waits for, those of a moment together. Where a file system keeps a journal removing takes longer than making, and
 * handing each file to a thread costs more than the thread saves; so another program does it when there are many.
 */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'

/** Milliseconds in which folders are gathered. */
const moment = 200

/** From this many on, starting a program is cheaper. */
const many = 3

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
      }, moment)
    })
    return this.#next
  }
}

async function removeAll(paths: readonly string[]): Promise<void> {
  if (paths.length >= many && (await byProgram(paths))) return
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })))
}

function byProgram(paths: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('rm', ['-rf', '--', ...paths], (error) => resolve(error === null))
  })
}
