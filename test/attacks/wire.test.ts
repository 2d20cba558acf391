import { runAttacks } from './run-attacks.ts'

runAttacks(['wire'], { STOWAGE_IDLE_TIMEOUT: '3s' })
