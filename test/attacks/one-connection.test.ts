import { runAttacks } from './run-attacks.ts'

runAttacks(['one connection'], { STOWAGE_WEB_CONNECTIONS: '1', STOWAGE_SERVICE_CONNECTIONS: '1', STOWAGE_AUTHENTICATED_TIMEOUT: '1s' })
