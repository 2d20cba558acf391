import { runAttacks } from './run-attacks.ts'

runAttacks(['rights', 'injection', 'documents'], { STOWAGE_ANON_TIMEOUT: '1s', STOWAGE_AUTHENTICATED_TIMEOUT: '2s' })
