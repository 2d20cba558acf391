import { runWorld } from './run-world.ts'

runWorld('library')
