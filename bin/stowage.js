#!/usr/bin/env node
await (await import('./prepare.js')).prepare()
await (await import('../dist/cli/main.js')).main(process.argv.slice(2))
