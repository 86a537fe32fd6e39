/**
 * Watches a folder and the folders below it, with one watch of the system for each. Node's recursive watch misses folders that appear while it
 * reads them, and network file systems and containers report nothing or only a part: so the caller also looks at intervals.
 */
import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

/** How often the caller looks without a report of the system. */
const lookIntervalMs = 2000

export function watchTree(
  root: string,
  changed: () => void,
  isSkipped: (name: string) => boolean = () => false,
): () => void {
  const watchers = new Map<string, FSWatcher>()
  const forget = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const report = (): void => {
    follow()
    changed()
  }
  const follow = (): void => {
    const folders = new Set(foldersIn(root, isSkipped))
    for (const folder of watchers.keys()) if (!folders.has(folder)) forget(folder)
    for (const folder of folders) {
      if (watchers.has(folder)) continue
      const watcher = watched(folder, report)
      if (watcher === undefined) continue
      watchers.set(folder, watcher)
      // A folder that was replaced by another of the same name is found by the next look.
      watcher.on('error', () => forget(folder))
    }
  }
  follow()
  const looking = setInterval(() => {
    // A watch follows the folder it was created for, also after that was moved away.
    for (const folder of [...watchers.keys()]) forget(folder)
    report()
  }, lookIntervalMs)
  return () => {
    clearInterval(looking)
    for (const folder of [...watchers.keys()]) forget(folder)
  }
}

/** Undefined where the system has no watches or allows no more of them. */
function watched(folder: string, report: () => void): FSWatcher | undefined {
  try {
    return watch(folder, report)
  } catch {
    return undefined
  }
}

/** The folder and all below it; none when it is missing. Links are not followed, because they may form a cycle. */
function foldersIn(folder: string, isSkipped: (name: string) => boolean): readonly string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !isSkipped(entry.name),
    )
    return [folder, ...below.flatMap(({ name }) => foldersIn(join(folder, name), isSkipped))]
  } catch {
    return []
  }
}
