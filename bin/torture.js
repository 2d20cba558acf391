// `npm run torture -- --minutes 5 --seed 7`: load, faults, and what was promised. See torture/README.md.
import { prepare } from './prepare.js'

await prepare({ development: true })
const { torture } = await import('../torture/torture.js')
process.exitCode = await torture(process.argv.slice(2))
