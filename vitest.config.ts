import { defineConfig } from 'vitest/config'

/** Two files at a time: half the machines that run this have two cores, and every file shares one PostgreSQL. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    // who waits for an event without saying how long does not mean a second
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/reporter.ts'],
    chaiConfig: { truncateThreshold: 0 },
  },
})
