// The least a Node service can do for files: GET reads a file and sends it; POST writes, syncs, renames and syncs the folder before it answers.
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

/** As many folders as the service spreads its files over, so that neither waits for the lock of one. */
const FOLDERS = 256

process.once('message', async (/** @type {{ folder: string }} */ { folder }) => {
  for (let i = 0; i < FOLDERS; i++) await mkdir(join(folder, String(i)), { recursive: true })

  const server = createServer((request, response) => {
    const name = (request.url ?? '').split('/').at(-1) ?? ''
    const place = join(folder, String(Number(name.replaceAll(/\D/g, '') || 0) % FOLDERS))
    const failed = (/** @type {Error} */ error) => response.writeHead(500).end(error.message)
    if (request.method === 'GET') {
      readFile(join(place, name)).then((bytes) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length }).end(bytes)
      }, failed)
      return
    }
    /** @type {Buffer[]} */
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      store(place, name, Buffer.concat(chunks)).then(() => response.writeHead(200, { 'content-length': 2 }).end('{}'), failed)
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port }))
})
process.once('disconnect', () => process.exit(0))

/**
 * @param {string} place
 * @param {string} name
 * @param {Buffer} bytes
 */
async function store(place, name, bytes) {
  const unfinished = join(place, `.${name}`)
  const file = await open(unfinished, 'w')
  await file.writeFile(bytes)
  await file.sync()
  await file.close()
  await rename(unfinished, join(place, name))
  const directory = await open(place, 'r')
  await directory.sync()
  await directory.close()
}
