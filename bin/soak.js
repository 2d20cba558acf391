// `npm run soak [-- --minutes N] [--rate N] [--seed N]`: mixed load with one fault in a hundred, and whether anything grows meanwhile.
import { prepare } from './prepare.js'

await prepare({ development: true })
const { soak } = await import('../bench/soak.js')
process.exitCode = await soak(process.argv.slice(2))
