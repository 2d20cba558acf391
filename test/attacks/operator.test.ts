import { runAttacks } from './run-attacks.ts'

runAttacks(['operator'])
