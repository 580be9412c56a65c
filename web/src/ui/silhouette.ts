/** Thumbnail of a preset pose, drawn from the capsules of the body. */
import type { PresetPose } from "../generated/messages";

// in centimetres, with offsets that make all coordinates fit into a byte
const FLOOR = 8;
const MIDDLE = 128;
const MIN_VIEW = 150;
const MARGIN = 6;

/** Draw into a square canvas: the object first, then the capsules of the body from back to front. */
export function drawSilhouette(canvas: HTMLCanvasElement, picture: PresetPose, radii: number[]): void {
  const pen = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  const { left, right, top } = extent(picture);
  const view = Math.max(MIN_VIEW, right - left, top - FLOOR) + 2 * MARGIN;
  const scale = canvas.width / view;
  const x = (value: number) => canvas.width / 2 + (value - MIDDLE) * scale;
  const y = (value: number) => canvas.height - (value - FLOOR + MARGIN) * scale;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = pen.strokeStyle = colour("--picture-object");
  for (const polygon of picture.object) {
    pen.beginPath();
    for (let i = 0; i < polygon.length; i += 2) pen.lineTo(x(polygon[i]), y(polygon[i + 1]));
    pen.fill();
  }
  pen.lineCap = "round";
  const { body } = picture,
    count = body.length / 5;
  for (let k = 0; k < count; k++) {
    const [number, x1, y1, x2, y2] = body.subarray(5 * k, 5 * k + 5);
    const width = 200 * radii[number] * scale;
    const line = (extra: number, tone: string) => {
      pen.lineWidth = width + extra;
      pen.strokeStyle = tone;
      pen.beginPath();
      pen.moveTo(x(x1), y(y1));
      pen.lineTo(x(x2) + 0.01, y(y2)); // a sphere is a line of zero length, which would not be drawn
      pen.stroke();
    };
    line(1.4, `color-mix(in srgb, ${colour("--picture-edge")} 40%, transparent)`);
    line(
      0,
      `color-mix(in oklab, ${colour("--picture-near")} ${Math.round((100 * (k + 1)) / count)}%, ${colour("--picture-far")})`,
    );
  }
}

function extent({ body, object }: PresetPose): { left: number; right: number; top: number } {
  let [left, right, top] = [255, 0, 0];
  const include = (x: number, y: number) => {
    [left, right, top] = [Math.min(left, x), Math.max(right, x), Math.max(top, y)];
  };
  for (let i = 0; i < body.length; i += 5) {
    include(body[i + 1], body[i + 2]);
    include(body[i + 3], body[i + 4]);
  }
  for (const polygon of object) for (let i = 0; i < polygon.length; i += 2) include(polygon[i], polygon[i + 1]);
  return { left, right, top: top + 12 };
}
