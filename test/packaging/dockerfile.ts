import { execFile } from 'node:child_process'
import { chown, cp, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

type Instruction = { readonly word: string; readonly text: string }

/** A stage as built: its file system's root on this machine, and what the image says about how to run it. */
export type Stage = {
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly health: readonly string[]
  /** paths of the image that belong to another account than root, and whose */
  readonly owners: ReadonlyMap<string, string>
}

/** Lines that end in a backslash go on; comments are none. */
function instructionsOf(dockerfile: string): readonly Instruction[] {
  const lines = dockerfile.split('\n').filter((line) => !/^\s*#/.test(line))
  return lines
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => ({ word: (line.split(/\s+/, 1)[0] ?? '').toUpperCase(), text: line.replace(/^\S+\s+/, '').replaceAll(/\s+/g, ' ') }))
}

/**
 * Does what a builder does with these steps, in folders of this machine instead of layers, on this machine's Node instead of the base image's.
 * Only commands that keep to their working folder can be run so: a path of the image in a RUN is refused.
 */
export async function buildWithoutEngine(context: string, folder: string, env: NodeJS.ProcessEnv): Promise<Stage> {
  const stages = new Map<string, Stage>()
  let name = ''
  let stage: Stage | null = null
  for (const { word, text } of instructionsOf(await readFile(join(context, 'Dockerfile'), 'utf8'))) {
    if (word === 'FROM') {
      name = / as (\S+)$/i.exec(text)?.[1] ?? 'final'
      const root = join(folder, name)
      await mkdir(root)
      stage = { root, workdir: '/', env: {}, user: 'root', entrypoint: [], command: [], health: [], owners: new Map() }
    } else {
      if (!stage) throw new Error(`${word} stands before FROM`)
      stage = await step(stage, { word, text }, { context, stages, env })
    }
    stages.set(name, stage)
  }
  if (!stage) throw new Error('there is no FROM')
  return stage
}

async function step(
  stage: Stage,
  { word, text }: Instruction,
  { context, stages, env }: { readonly context: string; readonly stages: ReadonlyMap<string, Stage>; readonly env: NodeJS.ProcessEnv },
): Promise<Stage> {
  const inImage = (path: string) => (path.startsWith('/') ? path : join(stage.workdir, path))
  switch (word) {
    case 'WORKDIR':
      await mkdir(join(stage.root, text), { recursive: true })
      return { ...stage, workdir: text }
    case 'ENV':
      return { ...stage, env: { ...stage.env, ...Object.fromEntries(text.split(' ').map((pair) => pair.split('=') as [string, string])) } }
    case 'COPY': {
      const words = text.split(' ')
      const flag = (named: string) => words.find((given) => given.startsWith(`--${named}=`))?.split('=')[1]
      const paths = words.filter((given) => !given.startsWith('--'))
      const to = paths.pop() ?? ''
      const from = flag('from')
      const source = from === undefined ? context : stages.get(from)?.root
      if (source === undefined) throw new Error(`COPY from the stage ${from}, which is not there`)
      if (from === undefined) await refuseIgnored(context, paths)
      for (const path of paths) await copyOne(join(source, path), join(stage.root, inImage(to)), paths.length > 1 || to.endsWith('/'))
      const owner = flag('chown')?.split(':')[0]
      return owner ? { ...stage, owners: new Map([...stage.owners, [inImage(to), owner]]) } : stage
    }
    case 'RUN':
      if (/(?<![\w.:/-])\/(?!dev\/null)/.test(text)) throw new Error(`RUN ${text}: a path of the image cannot be tried here`)
      await run('sh', ['-e', '-c', text], { cwd: join(stage.root, stage.workdir), env: { ...env, ...stage.env }, maxBuffer: 2 ** 24 })
      return stage
    case 'USER':
      return { ...stage, user: text }
    case 'ENTRYPOINT':
      return { ...stage, entrypoint: JSON.parse(text) as string[] }
    case 'CMD':
      return { ...stage, command: JSON.parse(text) as string[] }
    case 'HEALTHCHECK':
      return { ...stage, health: JSON.parse(text.replace(/^.*?CMD /, '')) as string[] }
    case 'EXPOSE':
    case 'VOLUME':
    case 'STOPSIGNAL':
      return stage
    default:
      throw new Error(`${word} is not known here`)
  }
}

/** As the builder does it: a folder's content goes into the target, a file beside others into it by its name. */
async function copyOne(from: string, to: string, isFolder: boolean): Promise<void> {
  const isDirectory = (await lstat(from)).isDirectory()
  await cp(from, !isDirectory && isFolder ? join(to, basename(from)) : to, { recursive: true, verbatimSymlinks: true })
}

/** .dockerignore hides everything but what it lists with an exclamation mark. */
async function refuseIgnored(context: string, paths: readonly string[]): Promise<void> {
  const lines = (await readFile(join(context, '.dockerignore'), 'utf8')).split('\n').filter((line) => line !== '')
  if (lines[0] !== '*' || lines.slice(1).some((line) => !line.startsWith('!')))
    throw new Error('.dockerignore is not a list of what is let in')
  const letIn = lines.slice(1).map((line) => line.slice(1))
  for (const path of paths) if (!letIn.includes(path.split('/')[0] ?? '')) throw new Error(`COPY ${path}: .dockerignore keeps it out`)
}

/** Gives every path of the image to the account that it says, and the rest to be read by all. Only root can. */
export async function handOver({ root, owners }: Stage, uid: number): Promise<void> {
  await run('chmod', ['-R', 'a+rX', root])
  for (const path of owners.keys()) {
    await chown(join(root, path), uid, uid)
    for (const entry of await readdir(join(root, path))) await chown(join(root, path, entry), uid, uid)
  }
}
