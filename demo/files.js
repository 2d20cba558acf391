import { readFile } from 'node:fs/promises'

/** Real files of the kinds that applications store: name here, name in the bucket, media type. */
const COVERS = /** @type {const} */ ([
  ['portrait.jpg', 'jobim/portrait.jpg', 'image/jpeg'],
  ['wide.webp', 'jobim/stage.webp', 'image/webp'],
  ['landscape.png', 'rio/landscape.png', 'image/png'],
  ['animated.gif', 'rio/waves.gif', 'image/gif'],
  ['drawing.svg', 'logo.svg', 'image/svg+xml'],
])

/** Under a folder that is named after its owner. */
const PAPERS = /** @type {const} */ ([
  ['invoice.pdf', 'invoice.pdf', 'application/pdf'],
  ['ledger.csv', 'ledger.csv', 'text/csv'],
  ['empty.bin', 'empty.bin', 'application/octet-stream'],
])

/** @param {readonly (readonly [string, string, string])[]} list */
const read = (list) =>
  Promise.all(list.map(async ([name, key, type]) => ({ key, type, bytes: await readFile(new URL(`./files/${name}`, import.meta.url)) })))

export const covers = () => read(COVERS)
export const papers = () => read(PAPERS)

/** A person's papers are theirs; the covers need no policy, since their bucket is public. */
export const RULES = `
drop policy if exists "demo: own folder, read" on storage.objects;
drop policy if exists "demo: own folder, write" on storage.objects;
drop policy if exists "demo: own folder, replace" on storage.objects;

create policy "demo: own folder, read" on storage.objects for select to authenticated
  using (bucket_id = 'demo-papers' and (storage.foldername(name))[1] = (select auth.uid()::text));
create policy "demo: own folder, write" on storage.objects for insert to authenticated
  with check (bucket_id = 'demo-papers' and (storage.foldername(name))[1] = (select auth.uid()::text));
create policy "demo: own folder, replace" on storage.objects for update to authenticated
  using (bucket_id = 'demo-papers' and (storage.foldername(name))[1] = (select auth.uid()::text));
`
