// A plot as a file: the numbers, a picture of points, a picture of lines.
import { download } from './dom';
import type { Palette } from './palette';
import { tickTexts, type Plot } from './plot';
import { locate } from './result';

const fileName = (plot: Plot, ending: string): string => `${plot.quantity.id}.${ending}`;
const heading = (plot: Plot): string => plot.quantity.name + (plot.quantity.unit ? ` [${plot.quantity.unit}]` : '');

/** All rows of the part of time that is shown, in the shortest form that reads back to the same numbers. */
export function exportCsv(plot: Plot, range: [number, number]): void {
  const { t } = plot.result;
  const first = locate(t, range[0]).row;
  const last = locate(t, range[1]).row;
  const unit = plot.quantity.unit ? ` [${plot.quantity.unit}]` : '';
  const lines = [['t [s]', ...plot.curves.map((curve) => curve.name + unit)].map((text) => `"${text.replace(/"/g, '""')}"`).join(',')];
  for (let i = first; i <= last; i++) lines.push([t[i], ...plot.curves.map((curve) => curve.values[i])].join(','));
  download(fileName(plot, 'csv'), new Blob([lines.join('\n') + '\n'], { type: 'text/csv' }));
}

export function exportPng(plot: Plot, palette: Palette): void {
  const { canvas, shown } = plot.picture();
  const ratio = devicePixelRatio;
  const picture = document.createElement('canvas');
  const head = 44 * ratio;
  picture.width = canvas.width;
  picture.height = canvas.height + head;
  const context = picture.getContext('2d')!;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(canvas, 0, head);
  context.fillStyle = palette.text;
  context.font = `600 ${13 * ratio}px system-ui, sans-serif`;
  context.fillText(heading(plot), 10 * ratio, 18 * ratio);
  let x = 10 * ratio;
  plot.curves.forEach((curve, i) => {
    if (!shown[i]) return;
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.fillStyle = palette.series[(curve.colour ?? i) % palette.series.length]!;
    context.fillText(curve.name, x, 36 * ratio);
    x += context.measureText(curve.name).width + 14 * ratio;
  });
  picture.toBlob((blob) => blob && download(fileName(plot, 'png'), blob));
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

/** Round numbers between a and b. */
function ticks(a: number, b: number, count: number): number[] {
  const rough = (b - a) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const list: number[] = [];
  for (let v = Math.ceil(a / step) * step; v <= b + 1e-9 * step; v += step) list.push(Math.abs(v) < 1e-12 * step ? 0 : v);
  return list;
}

export function svgOf(plot: Plot, range: [number, number], palette: Palette): string {
  const [width, height] = [760, 320];
  const { data, shown, y: [low, high] } = plot.picture();
  const ys = ticks(low, high, 6);
  const texts = tickTexts(ys, plot.log);
  // room for the longest text of a tick
  const [left, top, right, bottom] = [Math.max(70, 16 + 7.5 * Math.max(0, ...texts.map((text) => text.length))), 52, 24, 40];
  const px = (t: number): number => left + ((t - range[0]) / (range[1] - range[0])) * (width - left - right);
  const py = (v: number): number => height - bottom - ((v - low) / (high - low)) * (height - top - bottom);
  const out: string[] = [];
  const xs = ticks(range[0], range[1], 8);
  const times = tickTexts(xs);
  xs.forEach((t, i) => {
    out.push(`<path d="M${px(t).toFixed(1)} ${top}V${height - bottom}" stroke="${palette.grid}"/>`);
    out.push(`<text x="${px(t).toFixed(1)}" y="${height - bottom + 17}" text-anchor="middle">${times[i]}</text>`);
  });
  ys.forEach((v, i) => {
    out.push(`<path d="M${left} ${py(v).toFixed(1)}H${width - right}" stroke="${palette.grid}"/>`);
    out.push(`<text x="${left - 7}" y="${(py(v) + 4).toFixed(1)}" text-anchor="end">${texts[i]}</text>`);
  });
  out.push(`<text x="${(left + width - right) / 2}" y="${height - 5}" text-anchor="middle">t [s]</text>`);
  let x = left;
  plot.curves.forEach((curve, i) => {
    if (!shown[i]) return;
    const colour = palette.series[(curve.colour ?? i) % palette.series.length]!;
    let path = '';
    let pen = 'M';
    data[0].forEach((t, k) => {
      const v = data[i + 1]![k];
      if (v === null || v === undefined) {
        pen = 'M';
        return;
      }
      path += `${pen}${px(t).toFixed(1)} ${py(v).toFixed(1)}`;
      pen = 'L';
    });
    const dash = curve.dashed ? ' stroke-dasharray="6 4"' : '';
    out.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5" clip-path="url(#inside)"${dash}/>`);
    out.push(`<text x="${x}" y="40" fill="${colour}" font-weight="600">${escape(curve.name)}</text>`);
    x += 16 + 9 * curve.name.length;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="sans-serif" font-size="12" fill="${palette.text}" role="img">` +
    `<title>${escape(heading(plot))}</title><rect width="${width}" height="${height}" fill="${palette.ground}"/>` +
    `<clipPath id="inside"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/></clipPath>` +
    `<text x="${left}" y="22" font-size="15" font-weight="600">${escape(heading(plot))}</text>${out.join('')}</svg>\n`
  );
}

export function exportSvg(plot: Plot, range: [number, number], palette: Palette): void {
  download(fileName(plot, 'svg'), new Blob([svgOf(plot, range, palette)], { type: 'image/svg+xml' }));
}
