import { expect, it } from 'vitest'
import { filled } from './http-call.ts'

const values = { to: 'web-2', from: undefined, 'workload.name': 'web', attempt: 2, odd: 'a "quote"' }

it.each([
  ['{"text": "$(workload.name) goes to $(to), attempt $(attempt)"}', '{"text": "web goes to web-2, attempt 2"}'],
  ['from [$(from)]', 'from []'],
  ['$$(to) and $(unknown) and $to and $()', '$(to) and $(unknown) and $to and $()'],
  ['"$(odd)"', '"a \\"quote\\""'],
])('%s becomes %s', (body, text) => expect(filled(body, values)).toBe(text))
