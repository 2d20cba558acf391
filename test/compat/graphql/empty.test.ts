import { runWorld } from './run-world.ts'

runWorld('empty')
