import { describe, expect, it } from 'vitest'
import { apiKeyOf, bearerOf, hasTokenInQuery } from '../../src/http/credentials.ts'

describe('the bearer token', () => {
  it.each([
    ['Bearer t', 't'],
    ['bearer t', 't'],
    ['BEARER   t', 't'],
    ['Bearer Bearer t', 'Bearer t'],
    ['t', 't'],
    ['bearert', 'bearert'],
    ['Bearer', ''],
    ['Bearer ', ''],
    ['', ''],
    [' ', ''],
    ['Basic Zm9v', 'Basic Zm9v'],
  ])('of Authorization %j is %j', (authorization, expected) => {
    expect(bearerOf({ authorization }, {})).toBe(expected)
  })

  it.each([
    [{}, null],
    [undefined, null],
    [{ authorization: 't' }, 't'],
    [{ authorization: 'Bearer t' }, 't'],
    [{ authorization: ['t', 'u'] }, ''],
    [Object.create({ authorization: 't' }), null],
  ])('of the query %j is %j', (query, expected) => {
    expect(bearerOf({}, query)).toBe(expected)
  })

  it('of the header wins', () => {
    expect(bearerOf({ authorization: '' }, { authorization: 't' })).toBe('')
    expect(bearerOf({ authorization: 'Bearer h' }, { authorization: 't' })).toBe('h')
    expect(hasTokenInQuery({ authorization: 't' })).toBe(true)
    expect(hasTokenInQuery({})).toBe(false)
  })

  it('is not the API key', () => {
    expect(bearerOf({ apikey: 'k' }, {})).toBe(null)
    expect(apiKeyOf({ apikey: ' k ' })).toBe('k')
    expect(apiKeyOf({})).toBe(null)
  })
})
