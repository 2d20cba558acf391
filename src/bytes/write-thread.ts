import fs from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { keepFiles, type WholeFile } from './keep-files.ts'

// What a thread of write-threads.ts runs: files come, outcomes go.
parentPort?.on('message', (files: readonly WholeFile[]) => parentPort?.postMessage(keepFiles(files, fs)))
