/** Bodies of responses, bounded in bytes. */
import type { HttpResponse } from '../../runtime/index.ts'

export interface BodyText {
  readonly text: string
  /** There was more. */
  readonly isCut: boolean
}

/** Reads at most `maxBytes`; a body that breaks off rejects. */
export async function readBody(response: HttpResponse, maxBytes: number): Promise<BodyText> {
  const body = new BoundedText(maxBytes)
  for await (const chunk of chunksOf(response)) if (!body.add(chunk)) break
  return body.end()
}

/** Reads at most `maxBytes`; of a body that breaks off what has come. */
export async function readBeginning(response: HttpResponse, maxBytes: number): Promise<string> {
  const body = new BoundedText(maxBytes)
  try {
    for await (const chunk of chunksOf(response)) if (!body.add(chunk)) break
  } catch {
    // The beginning is still useful.
  }
  return body.end().text
}

/** Closes the stream without reading it. */
export async function discardBody({ body }: HttpResponse): Promise<void> {
  if (!(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.()
}

function chunksOf({ body }: HttpResponse): AsyncIterable<Uint8Array> | readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body
}

class BoundedText {
  readonly #decoder = new TextDecoder()
  readonly #maxBytes: number
  #text = ''
  #bytes = 0
  #isCut = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** False when nothing more is taken. */
  add(chunk: Uint8Array): boolean {
    const taken = chunk.subarray(0, this.#maxBytes - this.#bytes)
    this.#bytes += taken.length
    this.#isCut = taken.length < chunk.length
    this.#text += this.#decoder.decode(taken, { stream: true })
    return !this.#isCut
  }

  end(): BodyText {
    return { text: this.#text + (this.#isCut ? '' : this.#decoder.decode()), isCut: this.#isCut }
  }
}
