/** Measures how long the event loop is blocked, in wall-clock time and in CPU time. */
export class Stalls {
  longest = 0
  longestCpu = 0
  #timer: NodeJS.Timeout | undefined

  watch(): void {
    let wall = performance.now()
    let cpu = process.cpuUsage()
    this.#timer = setInterval(() => {
      const used = process.cpuUsage(cpu)
      this.longest = Math.max(this.longest, performance.now() - wall)
      this.longestCpu = Math.max(this.longestCpu, (used.user + used.system) / 1000)
      wall = performance.now()
      cpu = process.cpuUsage()
    }, 1)
  }

  ignore(): void {
    clearInterval(this.#timer)
  }
}
