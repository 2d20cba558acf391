#!/usr/bin/env node
await (await import('./prepare.js')).prepare()
const args = process.argv.slice(2)
const [command = 'serve'] = args
// npx hands no signal on: without this the service would outlive the npx that was told to stop
const isUnderNpx = process.env.npm_lifecycle_event === 'npx' && command === 'serve'
await (await import('../dist/cli/main.js')).main(isUnderNpx ? ['serve', '--with-parent', ...args.slice(1)] : args)
