import { runAttacks } from './run-attacks.ts'

runAttacks(['tokens', 'signed addresses'])
