// Preloaded into a service that must fail (node --import): breaks what TORTURE_SABOTAGE names, as its modules are loaded.
import { register } from 'node:module'
import { SABOTAGES } from '../sabotages.js'

const sabotage = SABOTAGES.find(({ name }) => name === process.env.TORTURE_SABOTAGE)
if (!sabotage) throw new Error(`there is no sabotage ${process.env.TORTURE_SABOTAGE}`)
register('./edit-modules.js', import.meta.url, { data: sabotage.edits })
