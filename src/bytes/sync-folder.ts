import fsPromises from 'node:fs/promises'

type FolderIo = { readonly open: (folder: string, flags: 'r') => Promise<{ sync(): Promise<void>; close(): Promise<void> }> }

/** Makes a rename or a new name in the folder outlast a power cut (fsync(2)). */
export async function syncFolder(folder: string, io: FolderIo = fsPromises): Promise<void> {
  const handle = await io.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
