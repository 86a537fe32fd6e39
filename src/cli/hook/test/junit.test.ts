import { expect, it } from 'vitest'
import { junit } from './junit.ts'

it('writes passed and failed cases and escapes any output of hooks', () => {
  const passed = { file: 'a.yaml', name: 'one', seconds: 0.5, failure: '' }
  const failed = { file: 'a.yaml', name: 'two "2"', seconds: 1, failure: 'start: logs\n    - <a>\n    + \u0007b' }
  expect(junit([passed, failed])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hooks" tests="2" failures="1" time="1.500">
  <testsuite name="a.yaml" tests="2" failures="1" time="1.500">
    <testcase classname="a.yaml" name="one" time="0.500"/>
    <testcase classname="a.yaml" name="two &quot;2&quot;" time="1.000">
      <failure message="start: logs">start: logs
    - &lt;a&gt;
    + \ufffdb</failure>
    </testcase>
  </testsuite>
</testsuites>
`)
})
