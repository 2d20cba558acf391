// `npm run bench [-- --write] [--rounds N] [--seconds N] [--only word]`: ratios of the service to what the machine could do at best.
import { prepare } from './prepare.js'

await prepare({ development: true })
const { bench } = await import('../bench/bench.js')
process.exitCode = await bench(process.argv.slice(2))
