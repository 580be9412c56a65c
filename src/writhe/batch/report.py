"""The report of a batch: one HTML file with table, distributions and the worst clips.

The file is self-contained: pictures, style and script are embedded.
"""

from __future__ import annotations

import base64
import html
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from writhe.batch.result_row import Row
from writhe.batch.task import local_copy
from writhe.errors import WritheError
from writhe.files import write_file
from writhe.io.files import READABLE

# column: heading, digits
_COLUMNS: dict[str, tuple[str, int]] = {
    "file": ("clip", 0),
    "verdict": ("verdict", 0),
    "frames": ("frames", 0),
    "pass_throughs": ("pass-throughs", 0),
    "deep_overlaps": ("deep overlaps", 0),
    "folded_joints": ("folded joints", 0),
    "penetration_before_mm": ("penetration before (mm)", 1),
    "penetration_mm": ("penetration (mm)", 1),
    "mean_displacement_mm": ("mean displacement (mm)", 1),
    "max_displacement_mm": ("largest displacement (mm)", 0),
    "leap_mm": ("leap beyond the source (mm)", 0),
    "foot_slide_mm": ("feet slide (mm)", 1),
    "linking_max": ("largest linking", 2),
    "postures": ("postures", 0),
    "seconds": ("seconds", 2),
    "error": ("error", 0),
}
_PLOTTED = (
    "penetration_before_mm",
    "penetration_mm",
    "mean_displacement_mm",
    "leap_mm",
    "foot_slide_mm",
    "linking_max",
    "seconds",
)
_TEXTS = ("file", "verdict", "error")
_BINS = 24

_STYLE = """
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.tiles { display: flex; flex-wrap: wrap; gap: 1rem; }
.tile { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; }
.tile b { display: block; font-size: 1.4rem; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; } figcaption { font-size: .85rem; }
img { max-width: 100%; display: block; margin-bottom: 2px; border-radius: .4rem; }
figure { margin-bottom: 1.2rem; } svg rect { fill: #3b6fb6; }
.scroll { overflow-x: auto; } ul { padding-left: 1.2rem; }
table { border-collapse: collapse; font-size: .85rem; width: 100%; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
th { cursor: pointer; position: sticky; top: 0; background: Canvas; }
th[aria-sort=ascending]::after { content: " ↑"; } th[aria-sort=descending]::after { content: " ↓"; }
tr.bad td { color: inherit; } tr.bad td:first-child { border-left: 3px solid #cf222e; }
.good { color: #1a7f37; } .bad { color: #cf222e; }
input { font: inherit; padding: .3rem .6rem; width: 20rem; max-width: 100%; }
"""

_SCRIPT = """
const table = document.querySelector('table'), body = table.tBodies[0];
for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
  head.addEventListener('click', () => {
    const down = head.getAttribute('aria-sort') === 'descending';
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'ascending' : 'descending');
    const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const sorted = [...body.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      const order = isNaN(x) || isNaN(y) || x === '' || y === ''
        ? String(x).localeCompare(String(y)) : x - y;
      return down ? order : -order;
    });
    body.append(...sorted);
  });
}
document.querySelector('input').addEventListener('input', (event) => {
  const word = event.target.value.toLowerCase();
  for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(word);
});
"""


def write_report(rows: Sequence[Row], path: Path, *, strips: int = 6) -> None:
    """Write the report of a batch; `strips` film strips of its worst clips are drawn if possible.

    The strips show the motion that was written, or else the source. They need the extra `render`
    and are left out without it.
    """
    ordered = sorted(rows, key=lambda r: (r.passes, -_badness(r), r.file))
    shown = [c for c in _COLUMNS if any(getattr(r, c) is not None for r in rows)]
    work = rows[0].operation if rows else "batch"
    text = "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>writhe batch: {html.escape(work)}</title><style>{_STYLE}</style>",
            f"<h1>{html.escape(work.capitalize())}: {len(rows)} clips</h1>",
            f"<p>{_sentence(rows)}</p>",
            _tiles(rows),
            _errors(rows),
            "<h2>Distributions</h2>",
            '<div class="plots">' + "".join(_histogram(rows, c) for c in _PLOTTED) + "</div>",
            _worst(ordered, strips),
            '<h2>All clips</h2><p><input placeholder="Filter" aria-label="Filter clips"></p>',
            _table(ordered, shown),
            f"<script>{_SCRIPT}</script></html>",
        ]
    )
    write_file(path, lambda part: part.write_text(text, encoding="utf-8"))


def _badness(row: Row) -> float:
    """Sort key, worst first: errors, pass-throughs, depth, then displacement."""
    return (
        1e9 * (row.error is not None)
        + 1e4 * (row.pass_throughs or 0)
        + (row.penetration_mm or 0.0)
        + 0.1 * (row.mean_displacement_mm or 0.0)
    )


def _sentence(rows: Sequence[Row]) -> str:
    """What the run did, in words for readers who did not start it."""
    frames = sum(r.frames or 0 for r in rows)
    length = sum((r.frames or 0) / r.fps for r in rows if r.fps)
    parts = [f"{frames:,} frames, {length / 60:,.1f} minutes of motion."]
    limits = sorted({r.tolerance_mm for r in rows if r.tolerance_mm is not None})
    if limits:
        words = " or ".join(f"{limit:g}" for limit in limits)
        parts.append(
            "A clip passes if nothing passes through anything, at frames and between them, and no"
            f" part is deeper than {words} mm in another."
        )
    before = sum(r.pass_throughs_before or 0 for r in rows)
    deepest = [r.penetration_before_mm for r in rows if r.penetration_before_mm is not None]
    if deepest:
        after = max((r.penetration_mm or 0.0 for r in rows), default=0.0)
        moved = np.mean([r.mean_displacement_mm or 0.0 for r in rows if r.error is None])
        left = sum(r.pass_throughs or 0 for r in rows)
        parts.append(
            f"Before: up to {max(deepest):.0f} mm deep, {before} pass-throughs. After: up to"
            f" {after:.1f} mm, {left} pass-throughs; joints moved by {moved:.1f} mm on average."
        )
    parts += _failures(rows)
    versions = ", ".join(sorted({r.version for r in rows if r.version}))
    parts.append(f"writhe {versions}, {datetime.now():%Y-%m-%d}.")
    return html.escape(" ".join(parts))


def _failures(rows: Sequence[Row]) -> list[str]:
    """Why clips do not pass, as a sentence; nothing if all pass."""
    left = [r for r in rows if not r.passes and r.error is None]
    deeper = [r for r in left if (r.penetration_mm or 0.0) > (r.tolerance_mm or 0.0)]
    reasons = {
        "with pass-throughs": sum(bool(r.pass_throughs) for r in left),
        "deeper than that": len(deeper),
        "with a joint folded beyond its range": sum(bool(r.folded_joints) for r in left),
    }
    found = ", ".join(f"{count} {why}" for why, count in reasons.items() if count)
    return [f"Clips that do not pass: {len(left)} ({found})."] if found else []


def _errors(rows: Sequence[Row]) -> str:
    """The files that could not be processed, and why."""
    lines = [
        f"<li><b>{html.escape(r.file)}</b>: {html.escape(r.error)}</li>"
        for r in rows
        if r.error is not None
    ]
    return f"<h2>Could not be processed</h2><ul>{''.join(lines)}</ul>" if lines else ""


def _tiles(rows: Sequence[Row]) -> str:
    frames = sum(r.frames or 0 for r in rows)
    seconds = sum(r.seconds for r in rows)
    passed, failed = sum(r.passes for r in rows), sum(r.error is not None for r in rows)
    tiles = [
        (
            f'<b class="{"good" if passed == len(rows) else "bad"}">{passed} of {len(rows)}</b>',
            "pass",
        ),
        (f'<b class="{"bad" if failed else "good"}">{failed}</b>', "could not be processed"),
        (f"<b>{frames:,}</b>", "frames"),
        (f"<b>{frames / seconds if seconds else 0:,.0f}</b>", "frames a second and core"),
    ]
    tiles += [
        (f"<b>{sum(r.verdict == verdict for r in rows)}</b>", html.escape(verdict))
        for verdict in sorted({r.verdict for r in rows if r.verdict is not None})
    ]
    return (
        '<div class="tiles">'
        + "".join(f'<div class="tile">{b}{t}</div>' for b, t in tiles)
        + "</div>"
    )


def _histogram(rows: Sequence[Row], column: str) -> str:
    values = np.array([v for r in rows if (v := getattr(r, column)) is not None], dtype=np.float64)
    if len(values) < 2:
        return ""
    counts, edges = np.histogram(values, bins=_BINS)
    width, height = 320.0, 120.0
    bar = width / _BINS
    bars = "".join(
        f'<rect x="{i * bar:.1f}" y="{height * (1 - n / counts.max()):.1f}" width="{bar - 1:.1f}"'
        f' height="{height * n / counts.max():.1f}"><title>{edges[i]:.3g} to {edges[i + 1]:.3g}:'
        f" {n} clips</title></rect>"
        for i, n in enumerate(counts)
    )
    heading = _COLUMNS[column][0]
    return (
        f'<figure><svg viewBox="0 0 {width:.0f} {height + 16:.0f}" width="320" role="img"'
        f' aria-label="Histogram: {html.escape(heading)}" fill="currentColor">{bars}'
        f'<text x="0" y="{height + 13:.0f}" font-size="11">{_short(edges[0])}</text>'
        f'<text x="{width:.0f}" y="{height + 13:.0f}" font-size="11" text-anchor="end">'
        f"{_short(edges[-1])}</text></svg><figcaption>{html.escape(heading)}: median"
        f" {np.median(values):.3g}, largest {values.max():.3g}</figcaption></figure>"
    )


def _short(value: float) -> str:
    """Three digits; rounding errors of zero as zero."""
    return f"{value:.3g}" if abs(value) >= 5e-4 else "0"


def _table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    heads = "".join(
        f'<th scope="col"{" class=text" if c in _TEXTS else ""}>{html.escape(_COLUMNS[c][0])}</th>'
        for c in columns
    )
    lines = [
        f'<tr class="{"" if r.passes else "bad"}">'
        + "".join(_cell(r, c) for c in columns)
        + "</tr>"
        for r in rows
    ]
    body = "".join(lines)
    return (
        f'<div class="scroll"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(row: Row, column: str) -> str:
    value: Any = getattr(row, column)
    if value is None:
        return "<td></td>"
    if isinstance(value, str):
        return f'<td class="text">{html.escape(value)}</td>'
    return f'<td data-value="{value}">{value:,.{_COLUMNS[column][1]}f}</td>'


def _worst(ordered: Sequence[Row], count: int) -> str:
    """Film strips of the first clips that can be drawn; of cleaned clips before and after."""
    pictures: list[str] = []
    for row in ordered:
        if len(pictures) >= count:
            break
        if row.error is not None:
            continue
        cleaned = row.penetration_before_mm is not None
        files = (row.source, row.output) if cleaned else (row.output, row.source)
        shown = [f for f in files if f and Path(f).suffix.lower() in READABLE]
        strips = [_strip(f, row.file) for f in shown[: 2 if cleaned else 1]]
        images = "".join(
            f'<img alt="Film strip of {html.escape(row.file)}" src="data:image/jpeg;base64,{s}">'
            for s in strips
            if s is not None
        )
        if images:
            pictures.append(f"<figure>{images}<figcaption>{_caption(row)}</figcaption></figure>")
    title = "Worst clips, before and after" if _is_cleaning(ordered) else "Worst clips"
    note = "<p>Parts that collide at the frame shown are red.</p>"
    return f"<h2>{title}</h2>{note}" + "".join(pictures) if pictures else ""


def _is_cleaning(rows: Sequence[Row]) -> bool:
    return any(r.penetration_before_mm is not None for r in rows)


def _caption(row: Row) -> str:
    words = [row.verdict or ""]
    if row.penetration_before_mm is not None and row.penetration_mm is not None:
        words.append(
            f"{row.penetration_before_mm:.1f} mm deep before, {row.penetration_mm:.1f} after"
        )
        words.append(f"joints moved {row.mean_displacement_mm or 0.0:.1f} mm on average")
    elif row.penetration_mm is not None:
        words.append(f"{row.penetration_mm:.1f} mm deep")
    if row.folded_joints:
        words.append(f"{row.folded_joints} folded joint{'s' if row.folded_joints > 1 else ''}")
    if row.pass_throughs:
        words.append(f"{row.pass_throughs} pass-throughs")
    text = "; ".join(word for word in words if word)
    return f"<b>{html.escape(row.file)}</b>: {html.escape(text)}"


def _strip(location: str, name: str) -> str | None:
    """A film strip of a motion file (a path or URL) as base64; None if it cannot be drawn."""
    from writhe.batch.operations import OPERATIONS
    from writhe.batch.settings import Settings

    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "strip.jpg"
        try:
            motion = local_copy(location, Path(folder))
            OPERATIONS["render"].run(motion, picture, name, Settings("render"))
        except (WritheError, ImportError, OSError):
            return None
        return base64.b64encode(picture.read_bytes()).decode()
