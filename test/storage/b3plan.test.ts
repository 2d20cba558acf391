import { test } from 'vitest'
import { service, storageDatabase } from '/work/main/test/storage/storage-database.ts'
test('plan', async () => {
  const d = await storageDatabase('plan')
  await d.service(`insert into storage.buckets (id, name) values ('big','big')`)
  await d.service(`insert into storage.objects (bucket_id, name) select 'big', 'f' || n % 100 || '/' || n from generate_series(1, 200000) n`)
  const c = await d.connect()
  c.on('notice', (n) => console.log(n.message))
  await c.query(`load 'auto_explain'; set auto_explain.log_min_duration = 20; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze=on; set client_min_messages = log`)
  await c.query(`select * from storage.list_level('big', '', '', 200)`)
  await d.drop()
}, 60000)
