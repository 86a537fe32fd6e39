/** A progress line: animated on a terminal, one plain line per step elsewhere. */
import type { Clock, Timer } from '../../runtime/index.ts'
import type { Output } from '../context.ts'
import { paint } from './paint.ts'
import { legible } from './symbols.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const asciiFrames = ['|', '/', '-', '\\']
const frameMs = 80

export class Progress {
  readonly #output: Output
  readonly #clock: Clock
  readonly #started: number
  #step: string | undefined
  #frame = 0
  #timer: Timer | undefined

  constructor(output: Output, clock: Clock) {
    this.#output = output
    this.#clock = clock
    this.#started = clock.monotonic()
  }

  /** Begins the next step and marks the one before as done. */
  step(text: string): void {
    this.#finishStep()
    this.#step = text
    if (this.#output.isTerminal) this.#draw()
  }

  /** Ends the last step and prints the total time. */
  done(text: string): void {
    this.#finishStep()
    const seconds = ((this.#clock.monotonic() - this.#started) / 1000).toFixed(1)
    this.#output.write(`${paint(this.#output).bold(text)} (${seconds} s)\n`)
  }

  /** Clears the line, so that an error can follow. */
  stop(): void {
    this.#timer?.cancel()
    if (this.#step !== undefined && this.#output.isTerminal) this.#output.write('\r\x1b[K')
    this.#step = undefined
  }

  #finishStep(): void {
    const step = this.#step
    this.stop()
    if (step !== undefined) this.#output.write(`${paint(this.#output).green(legible('✓', this.#output))} ${step}\n`)
  }

  #draw(): void {
    const shown = this.#output.isAscii === true ? asciiFrames : frames
    const frame = shown[this.#frame++ % shown.length] ?? ''
    this.#output.write(`\r\x1b[K${paint(this.#output).cyan(frame)} ${this.#step ?? ''}`)
    this.#timer = this.#clock.after(frameMs, () => this.#draw())
  }
}
