import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANON_KEY, SERVICE_KEY, type StorageService, startStorageService } from '../../http/storage/storage-service.ts'

const STORAGE3 = '2.34.1'
const INSTALL_MS = 90_000

const run = promisify(execFile)
const works = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, args, { timeout: INSTALL_MS }).then(
    () => true,
    () => false,
  )
const python = await pythonWithClient()
const hasCurl = await works('curl', '--version')

/** The client that storage-py is, from PyPI, in an environment of its own below the checkout; null where there is no Python or no way to PyPI. */
async function pythonWithClient(): Promise<string | null> {
  const given = process.env.PYTHON ?? 'python3'
  if (await works(given, '-c', 'import storage3, httpx')) return given
  const folder = join(import.meta.dirname, '../../../.tmp', `storage3-${STORAGE3}`)
  const own = join(folder, 'bin/python')
  if (await works(own, '-c', 'import storage3, httpx')) return own
  const install = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--timeout', '5', `storage3==${STORAGE3}`]
  return (await works(given, '-m', 'venv', '--clear', folder)) && (await works(own, ...install)) ? own : null
}

let service: StorageService
beforeAll(async () => {
  service = await startStorageService('clients')
})
afterAll(() => service.close())

describe('supabase-js', () => {
  const connect = (key: string) =>
    createClient(service.url, key, {
      auth: { persistSession: false, autoRefreshToken: false },
      // Node 20 has no WebSocket, and nothing here needs one
      realtime: { transport: class {} as never },
    }).storage
  const of = <T>({ data, error }: { data: T; error: unknown }): NonNullable<T> => {
    expect(error).toBeNull()
    return data as NonNullable<T>
  }

  it('goes through everything that is done to a file', async () => {
    const root = connect(SERVICE_KEY)
    of(await root.createBucket('js', { public: false, fileSizeLimit: '1MB', allowedMimeTypes: ['text/*', 'image/png'] }))
    const files = root.from('js')
    of(await files.upload('docs/a.txt', 'hello', { contentType: 'text/plain', metadata: { by: 'test' } }))
    of(await files.upload('docs/b.txt', new Blob(['blob'], { type: 'text/plain' }), { cacheControl: '60' }))
    expect(await of(await files.download('docs/a.txt')).text()).toBe('hello')
    expect(of(await files.info('docs/a.txt'))).toMatchObject({ size: 5, contentType: 'text/plain', metadata: { by: 'test' } })
    expect(of(await files.list('docs')).map(({ name }) => name)).toEqual(['a.txt', 'b.txt'])
    const { signedUrl } = of(await files.createSignedUrl('docs/a.txt', 60, { download: 'my file.txt' }))
    const saved = await fetch(signedUrl)
    expect([await saved.text(), saved.headers.get('content-disposition')]).toEqual([
      'hello',
      "attachment; filename=my%20file.txt; filename*=UTF-8''my%20file.txt",
    ])
    const { token, path } = of(await files.createSignedUploadUrl('docs/c.txt'))
    of(await files.uploadToSignedUrl(path, token, 'by address', { contentType: 'text/plain' }))
    of(await files.copy('docs/a.txt', 'docs/d.txt'))
    of(await files.move('docs/d.txt', 'other/e.txt'))
    expect(of(await files.remove(['docs/a.txt', 'none'])).map(({ name }) => name)).toEqual(['docs/a.txt'])
    expect((await files.exists('docs/a.txt')).data).toBe(false)
    expect((await files.upload('docs/b.txt', 'again')).error).toMatchObject({ message: 'The resource already exists' })
    expect((await files.upload('x.gif', 'gif', { contentType: 'image/gif' })).error).toMatchObject({
      message: 'mime type image/gif is not supported',
    })
    expect((await connect(ANON_KEY).from('js').download('docs/b.txt')).error).not.toBeNull()
    of(await root.emptyBucket('js'))
    of(await root.deleteBucket('js'))
  })
})

describe(
  python ? 'storage-py' : 'storage-py (skipped: no Python with the package storage3, nor a way to install it; PYTHON may name one)',
  () => {
    it.skipIf(!python)('makes the whole tour', async () => {
      const env = { ...process.env, BASE_URL: service.url, SERVICE_KEY }
      const { stdout } = await run(python ?? '', [join(import.meta.dirname, 'clients/storage_py_tour.py')], { env })
      expect(stdout.trim().split('\n').at(-1)).toBe('done')
    })
  },
)

describe(hasCurl ? 'curl' : 'curl (skipped: there is none)', () => {
  const curl = async (...args: string[]): Promise<string> =>
    (await run('curl', ['-sS', '-H', `Authorization: Bearer ${SERVICE_KEY}`, ...args])).stdout

  it.skipIf(!hasCurl)('makes the whole tour', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stowage-curl-'))
    const file = join(folder, 'file.txt')
    await writeFile(file, 'from a file')
    const asJson = ['-H', 'Content-Type: application/json', '-d']
    expect(await curl(`${service.url}/bucket`, ...asJson, '{"name":"curl"}')).toBe('{"name":"curl"}')
    expect(
      JSON.parse(await curl('-T', file, '-X', 'POST', '-H', 'Content-Type: text/plain', `${service.url}/object/curl/a.txt`)),
    ).toMatchObject({ Key: 'curl/a.txt' })
    expect(JSON.parse(await curl('-F', `file=@${file};type=text/plain`, `${service.url}/object/curl/b.txt`))).toMatchObject({
      Key: 'curl/b.txt',
    })
    expect(await curl('-r', '5-8', `${service.url}/object/curl/b.txt`)).toBe('a fi')
    const { signedURL } = JSON.parse(await curl(`${service.url}/object/sign/curl/a.txt`, ...asJson, '{"expiresIn":60}')) as {
      signedURL: string
    }
    await run('curl', ['-sS', '-o', join(folder, 'saved'), service.url + signedURL])
    expect(await readFile(join(folder, 'saved'), 'utf8')).toBe('from a file')
    expect(await curl(`${service.url}/object/move`, ...asJson, '{"bucketId":"curl","sourceKey":"a.txt","destinationKey":"c/d.txt"}')).toBe(
      '{"message":"Successfully moved"}',
    )
    const listed = JSON.parse(await curl(`${service.url}/object/list/curl`, ...asJson, '{"prefix":""}')) as { name: string }[]
    expect(listed.map(({ name }) => name)).toEqual(['b.txt', 'c'])
    expect(await curl('-X', 'POST', `${service.url}/bucket/curl/empty`)).toContain('queued')
    expect(await curl('-X', 'DELETE', `${service.url}/bucket/curl`)).toBe('{"message":"Successfully deleted"}')
    await rm(folder, { recursive: true })
  })
})
