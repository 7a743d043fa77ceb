// A picture of a page, for documents: node viewer/tools/picture.mjs PAGE.html OUT.png [FRAGMENT [WIDTH HEIGHT [light|dark]]]
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [page, out, fragment = '', width = '1200', height = '720', scheme = 'light'] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--enable-unsafe-swiftshader'],
});
const tab = await browser.newPage({ viewport: { width: Number(width), height: Number(height) }, colorScheme: scheme });
await tab.goto(pathToFileURL(resolve(page)).href + (fragment && `#${fragment}`));
await tab.waitForFunction(() => !document.getElementById('data') || window.polhode?.ready);
await tab.waitForTimeout(400);
await tab.screenshot({ path: out });
await browser.close();
