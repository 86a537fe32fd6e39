import { describe, expect, it } from 'vitest'
import { requestInfoOf } from './request-info.ts'

function about(method: string, target: string): string {
  const url = new URL(target, 'http://server')
  const { verb, group, version, namespace, resource, subresource, name, isResource } = requestInfoOf(
    method,
    url.pathname,
    url.searchParams,
  )
  return isResource
    ? [verb, `${group}/${version}`, namespace, resource, name, subresource].join('|')
    : `${verb} outside`
}

describe('request info', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list|/v1||pods||'],
    ['GET', '/api/v1/pods?watch=true', 'watch|/v1||pods||'],
    ['GET', '/api/v1/pods?watch=false', 'list|/v1||pods||'],
    ['GET', '/api/v1/namespaces/a/pods/b', 'get|/v1|a|pods|b|'],
    ['GET', '/api/v1/namespaces/a/pods/b/log', 'get|/v1|a|pods|b|log'],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'create|apps/v1|a|deployments||'],
    ['PUT', '/apis/apps/v1/namespaces/a/deployments/b/scale', 'update|apps/v1|a|deployments|b|scale'],
    ['PATCH', '/api/v1/namespaces/a', 'patch|/v1|a|namespaces|a|'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update|/v1|a|namespaces|a|finalize'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection|/v1|a|pods||'],
    ['DELETE', '/api/v1/nodes/n', 'delete|/v1||nodes|n|'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx', 'list|/v1||pods|x|'],
    ['GET', '/api/v1', 'get outside'],
    ['GET', '/apis/apps/v1', 'get outside'],
    ['POST', '/healthz', 'post outside'],
  ])('%s %s', (method, target, expected) => {
    expect(about(method, target)).toBe(expected)
  })
})
