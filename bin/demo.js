// `npm run demo`: a tour on real data, against the service that runs (or BASE_URL names), else one of its own that is thrown away.
import { prepare } from './prepare.js'

await prepare({ development: true })
const { tour } = await import('../demo/tour.js')
process.exitCode = await tour()
