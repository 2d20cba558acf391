import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, chromium, startBrowser } from '../../support/browser.ts'
import { SERVICE_KEY, type StorageService, startStorageService } from './storage-service.ts'

const auth = { authorization: `Bearer ${SERVICE_KEY}` }

/** What tries to reach `beacon`, by every way its kind of file has. */
const PAYLOADS: Readonly<Record<string, { readonly type: string; readonly body: (beacon: string) => string }>> = {
  'drawing.svg': {
    type: 'image/svg+xml',
    body: (beacon) =>
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="10" onload="fetch('${beacon}/onload')">
        <script>fetch('${beacon}/script')</script><script xlink:href="${beacon}/src"/>
        <image href="${beacon}/image" width="5" height="5"/><rect width="5" height="5" fill="red"/>
        <foreignObject width="5" height="5"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${beacon}/frame"/></foreignObject></svg>`,
  },
  'page.html': { type: 'text/html', body: (beacon) => html(beacon) },
  'loud.html': { type: 'TEXT/HTML; charset=utf-8', body: (beacon) => html(beacon) },
  'page.xhtml': {
    type: 'application/xhtml+xml',
    body: (beacon) =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><meta http-equiv="refresh" content="0;url=${beacon}/refresh"/><title>x</title></head>
        <body onload="fetch('${beacon}/onload')"><script>fetch('${beacon}/script')</script><img src="${beacon}/image"/></body></html>`,
  },
  'data.xml': {
    type: 'text/xml',
    body: (beacon) => `<x><script xmlns="http://www.w3.org/1999/xhtml">fetch('${beacon}/script')</script></x>`,
  },
  // a browser takes the last of several types
  'two-types': {
    type: 'image/png;a=b, application/xhtml+xml',
    body: (beacon) => `<html xmlns="http://www.w3.org/1999/xhtml"><script>fetch('${beacon}/script')</script></html>`,
  },
  'no-type': { type: 'x/unheard-of', body: (beacon) => html(beacon) },
}

const html = (beacon: string): string =>
  `<!doctype html><script>fetch('${beacon}/script')</script><img src="${beacon}/image"><iframe src="${beacon}/frame"></iframe>
   <body onload="fetch('${beacon}/onload')">`

const WORKER = `self.addEventListener('fetch', () => {})`

const title = chromium ? 'a browser' : 'a browser (skipped: no Chromium is installed; CHROMIUM may name one)'

describe.skipIf(!chromium)(title, () => {
  let service: StorageService
  let browser: Browser
  let beacon: Server
  let careless: Server
  const reached: string[] = []
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  beforeAll(async () => {
    beacon = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.setHeader('access-control-allow-origin', '*').end()
    })
    await listen(beacon)
    // the control: the same files as a server sends them that takes no care; and a foreign page that uses ours
    careless = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
      const payload = PAYLOADS[pathname.slice(1)]
      if (payload) response.setHeader('content-type', payload.type).end(payload.body(addressOf(beacon)))
      else response.setHeader('content-type', 'text/html').end(searchParams.get('page') ?? '')
    })
    await listen(careless)
    service = await startStorageService('browser')
    browser = await startBrowser(chromium ?? '')
    await fetch(`${service.url}/bucket`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: '{"name":"open","public":true}',
    })
    for (const [key, { type, body }] of Object.entries(PAYLOADS)) await put(key, type, body(addressOf(beacon)))
    await put('worker.js', 'text/javascript', WORKER)
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await service?.close()
    for (const server of [beacon, careless]) server?.closeAllConnections()
    await Promise.all([beacon, careless].map((server) => new Promise((resolve) => server.close(resolve))))
  })

  async function put(key: string, type: string, body: string): Promise<void> {
    const answer = await fetch(`${service.url}/object/open/${key}`, { method: 'PUT', headers: { ...auth, 'content-type': type }, body })
    expect(answer.status).toBe(200)
  }

  /** What reached the other server after these addresses were opened, in any order. */
  async function reachedFrom(...urls: readonly string[]): Promise<readonly string[]> {
    reached.length = 0
    const pages = await Promise.all(urls.map((url) => browser.open(url)))
    await sleep(300)
    await Promise.all(pages.map((page) => page.close()))
    return [...new Set(reached)].filter((path) => path !== '/favicon.ico').sort()
  }

  async function signed(key: string): Promise<string> {
    const answer = await fetch(`${service.url}/object/sign/open/${key}`, {
      method: 'POST',
      headers: { ...auth, 'content-type': 'application/json' },
      body: '{"expiresIn":60}',
    })
    return service.url + ((await answer.json()) as { signedURL: string }).signedURL
  }

  it.each(['drawing.svg', 'page.html', 'loud.html', 'page.xhtml', 'data.xml', 'two-types'])(
    'would run %s where no care is taken',
    async (key) => {
      reached.length = 0
      const page = await browser.open(`${addressOf(careless)}/${key}`)
      for (let tries = 0; tries < 100 && !reached.includes('/script'); tries++) await sleep(50)
      expect(reached).toContain('/script')
      await page.close()
    },
    20_000,
  )

  it.each(Object.keys(PAYLOADS))(
    'runs nothing of %s on our origin',
    async (key) => {
      // as pages of their own, and inside a foreign one
      const frames = ['iframe src', 'object data', 'embed src'].map(
        (element) => `<${element}="${service.url}/object/public/open/${key}"></${element.split(' ')[0]}>`,
      )
      expect(
        await reachedFrom(
          `${service.url}/object/public/open/${key}`,
          `${service.url}/storage/v1/object/open/${key}`,
          `${service.url}/object/authenticated/open/${key}?authorization=Bearer%20${SERVICE_KEY}`,
          await signed(key),
          `${addressOf(careless)}/?page=${encodeURIComponent(frames.join(''))}`,
        ),
      ).toEqual([])
    },
    40_000,
  )

  it('installs no object as a service worker', async () => {
    const page = await browser.open(`${service.url}/version`)
    expect(await page.evaluate('location.origin')).toBe(service.url)
    const registered = (path: string) =>
      page.evaluate(`navigator.serviceWorker.register('${path}').then(() => 'installed', (error) => error.name)`)
    for (const path of [
      '/object/public/open/worker.js',
      '/object/open/worker.js',
      '/storage/v1/object/public/open/worker.js',
      (await signed('worker.js')).slice(service.url.length),
    ])
      expect([path, await registered(path)]).toEqual([path, expect.stringMatching(/Error$/)])
    expect(await page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)')).toBe(0)
    await page.close()
  }, 20_000)

  it('still shows a drawing as a picture, on a page of anybody', async () => {
    const image = `<img src="${service.url}/object/public/open/drawing.svg">`
    const page = await browser.open(`${addressOf(careless)}/?page=${encodeURIComponent(image)}`)
    expect(
      await page.evaluate('document.images[0].decode().then(() => [document.images[0].naturalWidth, document.images[0].complete])'),
    ).toEqual([10, true])
    await page.close()
  }, 20_000)
})
