import { fork } from 'node:child_process'

/**
 * Starts a script of ours in a process of its own, tells it what to do and waits for its answer.
 * @param {URL} file
 * @param {object} job
 * @returns {Promise<any>}
 */
export async function askChild(file, job) {
  const { answer, child } = await startChild(file, job)
  child.disconnect()
  return answer
}

/**
 * The same for a script that goes on after its first answer; it ends when the channel is closed.
 * @param {URL} file
 * @param {object} job
 * @returns {Promise<{ answer: any, child: import('node:child_process').ChildProcess }>}
 */
export function startChild(file, job) {
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${file.pathname.split('/').at(-1)} ended with ${code}`)))
    child.once('message', (answer) => resolve({ answer, child }))
    child.send(job)
  })
}
