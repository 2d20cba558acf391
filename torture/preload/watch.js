// Preloaded into every service under test (node --import): tells the harness of faults that nobody caught.
process.on('uncaughtExceptionMonitor', (error, origin) =>
  process.send?.({ fault: `${origin}: ${error instanceof Error ? error.stack : String(error)}` }),
)
process.channel?.unref()
