/** Runs tasks side by side, as many as there are cores, and hands over their results in the order of the list. */

/**
 * `perform(task)` returns a promise of a result; `report(task, result)` is called in the order of the tasks, each as soon as it and all before
 * it have ended. A task with `after` starts when that one has ended, and gets its result as second argument.
 */
export async function schedule(tasks, { limit, perform, report }) {
  const waiting = [...new Set(tasks.flatMap((task) => task.after ?? [])), ...tasks]
  const results = new Map()
  const running = new Set()
  let reported = 0
  const isReady = (task) => task.after === undefined || results.has(task.after)
  while (waiting.length + running.size > 0) {
    const next = running.size < limit ? waiting.findIndex(isReady) : -1
    if (next < 0) {
      await Promise.race(running)
    } else {
      const [task] = waiting.splice(next, 1)
      const run = perform(task, results.get(task.after)).then((result) => {
        results.set(task, result)
        running.delete(run)
      })
      running.add(run)
    }
    for (; reported < tasks.length && results.has(tasks[reported]); reported++) {
      report(tasks[reported], results.get(tasks[reported]))
    }
  }
  return tasks.map((task) => results.get(task))
}
