// `npm start`: installs and builds what is stale, then serves.
import { prepare } from './prepare.js'

await prepare()
const { main } = await import('../dist/cli/main.js')
await main(['serve', '--with-parent', ...process.argv.slice(2)])
