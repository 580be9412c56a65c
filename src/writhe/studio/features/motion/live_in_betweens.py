"""Frames between keys while a key is being changed: its pose, its time or its easing.

A drag of the body carries the frames around the playhead with each result. Keys that are dragged
along the timeline, or whose easing is changed, are previewed by `PreviewKeys`: first the frames
around the playhead, then all that change.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.animation.key_interpolation import KeyBlend
from writhe.easing import read_ease
from writhe.errors import WritheError
from writhe.studio.document import TrackKind
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.document.timeline import MAX_FRAMES, PoseKeys
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Message, MessagePart

feature = Feature("live_in_betweens")
WINDOW_S = 0.25  # frames nearer to the playhead than this are solved first
_NEIGHBOURS = 3  # keys on each side of a changed key that its frames depend on


class LiveFrames(MessagePart):
    """Frames of an actor from number `first` on; q: float32 (frames, size)."""

    first: int
    size: int
    q: bytes


class PreviewKeys(Message):
    """Show the frames as they would be with keys moved by `by_s`, or with another easing.

    With `whole`, all frames that change are solved, else those near the playhead.
    """

    sequence: int
    actor: int
    keys: Annotated[list[int], Meta(max_length=1000)]
    by_s: Annotated[float, Meta(ge=-36_000, le=36_000)] = 0.0
    ease: str = ""
    whole: bool = False


class KeyPreview(Message):
    """The answer to PreviewKeys; `length` is the number of frames of the whole motion then."""

    sequence: int
    actor: int
    length: int
    frames: LiveFrames | None


@feature.drag_preview
def while_dragging(editor: Editor, actor: int) -> LiveFrames | None:
    """The frames around the playhead with the dragged pose as a key there."""
    timeline = editor.document.timeline(actor)
    if timeline.keys is None or timeline.clip is not None or timeline.sampled_tracks:
        return None
    now = editor.time_s
    keys = timeline.keys.with_key(now, editor.posed_actor_by_number(actor).q)
    at = int(np.argmin(np.abs(keys.times_s - now)))
    return _frames(editor, actor, keys, at, at, (now - WINDOW_S, now + WINDOW_S))


@feature.session_step
def preview(editor: Editor, message: PreviewKeys) -> KeyPreview:
    """The frames with changed keys; the document does not change."""
    document, actor = editor.document, message.actor
    timeline = document.timeline(actor)
    length = 0 if timeline.empty else round(timeline.end_s * document.fps) + 1
    nothing = KeyPreview(message.sequence, actor, length, None)
    track = document.track(actor, TrackKind.POSE)
    if timeline.keys is None or timeline.clip is not None or timeline.sampled_tracks:
        return nothing
    rows = [] if track is None else document.keys(track.id)
    moved = np.array([row.id in set(message.keys) for row in rows])
    if not moved.any():
        return nothing
    times = timeline.keys.times_s + np.where(moved, message.by_s, 0.0)
    if times.min() < 0.0:
        times = times - np.where(moved, times.min(), 0.0)
    ease = read_ease(message.ease) if message.ease else None
    eases = [ease if ease and m else old for old, m in zip(timeline.keys.ease, moved, strict=True)]
    order = np.lexsort((~moved, times))
    fresh = np.diff(times[order], prepend=-1e9) > SAME_TIME_S  # a moved key replaces one there
    order = order[fresh]
    keys = PoseKeys(times[order], timeline.keys.q[order], tuple(eases[int(k)] for k in order))
    changed = np.flatnonzero(moved[order])
    # frames from where a key was before change too
    old = timeline.keys.times_s[moved]
    both = np.searchsorted(keys.times_s, [old.min(), old.max()])
    first = min(int(changed[0]), int(both[0]) - 1)
    last = max(int(changed[-1]), min(int(both[1]), len(order) - 1))
    now = editor.time_s
    near = (-1e9, 1e9) if message.whole else (now - WINDOW_S, now + WINDOW_S)
    count = round(float(keys.times_s[-1]) * document.fps) + 1
    if count > MAX_FRAMES:
        raise WritheError(f"a motion has at most {MAX_FRAMES} frames")
    frames = _frames(editor, actor, keys, max(0, first), last, near)
    return KeyPreview(message.sequence, actor, count, frames)


def _frames(
    editor: Editor, actor: int, keys: PoseKeys, first: int, last: int, near_s: tuple[float, float]
) -> LiveFrames | None:
    """The frames that keys first .. last influence; those within near_s are solved."""
    document = editor.document
    row = document.actor(actor)
    figure, fps = document.figure(row.figure), document.fps
    low, high = max(0, first - _NEIGHBOURS), min(len(keys.times_s), last + _NEIGHBOURS + 1)
    blend = KeyBlend(
        figure.skeleton,
        keys.times_s[low:high],
        np.ascontiguousarray(keys.q[low:high]),
        keys.ease[low:high],
    )
    # slopes of the outermost keys are those of other keys, unless these are the ends
    inner = (low if low == 0 else low + 1), (high if high == len(keys.times_s) else high - 1)
    start, end = float(keys.times_s[inner[0]]), float(keys.times_s[inner[1] - 1])
    begin, stop = round(start * fps), round(end * fps) + 1
    near = max(start, near_s[0]), min(end, near_s[1])
    if near_s[0] > -1e9:  # frames that are not solved are not sent
        begin = max(begin, int(np.ceil(near[0] * fps - 1e-6)))
        stop = min(stop, int(np.floor(near[1] * fps + 1e-6)) + 1)
    if stop <= begin:
        return None
    times = np.arange(begin, stop) / fps
    q = blend.sample(times)
    spans, u = blend.spans(times)
    for i in np.unique(spans):
        at = (spans == i) & (u > 0.0)
        if at.any():
            solved = document.in_betweens.window(row, figure, fps, blend, int(i), near)
            if solved is not None:
                q[at] = solved.sample(u[at])
    return LiveFrames(begin, q.shape[1], q.astype("<f4").tobytes())
