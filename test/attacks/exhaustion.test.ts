import { runAttacks } from './run-attacks.ts'

runAttacks(['exhaustion'], { STOWAGE_WEB_CONNECTIONS: '10', STOWAGE_SERVICE_CONNECTIONS: '5', STOWAGE_POOL_WAIT: '2s' }, [
  '--max-old-space-size=192',
])
