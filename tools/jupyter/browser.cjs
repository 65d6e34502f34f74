// Opens a notebook in JupyterLab, runs all its cells, saves it, and takes a picture.
//   node browser.cjs URL TOKEN NOTEBOOK PICTURE
const { chromium } = require('playwright-core');
const [url, token, notebook, picture] = process.argv.slice(2);

async function reachable() {
  for (let i = 0; i < 600; i++) {
    try {
      if ((await fetch(`${url}/api/status?token=${token}`)).ok) return;
    } catch { /* not yet */ }
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error(`${url} does not answer`);
}

let page;

(async () => {
  await reachable();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
  page = await browser.newPage({ viewport: { width: 1300, height: 1000 } });
  const problems = [];
  page.on('pageerror', (e) => problems.push(String(e)));
  await page.goto(`${url}/lab/tree/${notebook}?token=${token}`);
  const panel = page.locator('.jp-NotebookPanel:not(.lm-mod-hidden)');
  await panel.locator('.jp-CodeCell').first().waitFor({ timeout: 120000 });
  // The kernel of the document is found by its name.
  await panel.locator('.jp-KernelName', { hasText: 'Go (Context Mover)' }).waitFor({ timeout: 60000 });
  const get = async (path) => (await fetch(`${url}/api/${path}${path.includes('?') ? '&' : '?'}token=${token}`)).json();
  const idle = async () => (await get('kernels')).some((k) => k.execution_state === 'idle');
  for (let i = 0; !(await idle()); i++) {
    if (i === 300) throw new Error('the kernel is not ready');
    await page.waitForTimeout(200);
  }
  await page.getByRole('menuitem', { name: 'Run', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Run All Cells/ }).click();

  // Cells beyond the window are not on the page, so ask the server what is saved.
  const read = async () => (await get(`contents/${notebook}?type=notebook`)).content;
  let code = [];
  const deadline = Date.now() + 500000;
  for (;;) {
    await page.keyboard.press('Control+s');
    await page.waitForTimeout(1000);
    code = (await read()).cells.filter((c) => c.cell_type === 'code');
    if (code.some((c) => c.outputs.some((o) => o.output_type === 'error'))) break;
    if ((await idle()) && code.every((c) => c.execution_count)) break;
    if (Date.now() > deadline) break;
  }
  await page.waitForTimeout(500);
  await panel.locator('.jp-OutputArea-output table').nth(1).scrollIntoViewIfNeeded();
  await page.waitForTimeout(2000); // it draws what scrolls into view
  await page.screenshot({ path: picture });
  const tables = await panel.locator('.jp-OutputArea-output table').count();
  const errors = code.flatMap((c) => c.outputs).filter((o) => o.output_type === 'error').map((o) => o.evalue);
  console.log(`JupyterLab: ${code.length} code cells, ${code.filter((c) => c.execution_count).length} executed, ${tables} tables in view`);
  await browser.close();
  if (errors.length || problems.length || !tables || !code.every((c) => c.execution_count)) {
    console.error('failed:', errors.join('; '), problems.join('; '));
    process.exit(1);
  }
})().catch(async (e) => {
  console.error(e);
  await page?.screenshot({ path: picture }).catch(() => {});
  process.exit(1);
});
