/** Lights, floor shadow and floor grid. */
import * as THREE from "three";

/** Colours of the view in a theme. */
export interface Tones {
  background: string;
  horizon: string;
  object: string;
  accent: string;
  grid: string;
  shadow: number;
  body: string;
  bodyHover: string;
  sky: string;
  ground: string;
  light: number;
}

export const TONES: { [theme: string]: Tones } = {
  light: {
    background: "#f3f5f8",
    horizon: "#dde1e8",
    object: "#8fa3c4",
    accent: "#3b5bdb",
    grid: "#8a93a6",
    shadow: 0.24,
    body: "#cbbfb4",
    bodyHover: "#efe6dc",
    sky: "#ffffff",
    ground: "#b9b3ad",
    light: 1.0,
  },
  dark: {
    background: "#23272f",
    horizon: "#14161a",
    object: "#7d90b5",
    accent: "#86a0ff",
    grid: "#667089",
    shadow: 0.5,
    body: "#b3a89e",
    bodyHover: "#d8cec4",
    sky: "#d4def5",
    ground: "#6a6468",
    light: 0.85,
  },
};

const SHADED_HEIGHT_M = 1.2; // figures at least this tall get the full shadow area

export class Environment {
  private scale = 0; // of the shadow area, relative to that of an adult body
  readonly group = new THREE.Group();
  private readonly key = new THREE.DirectionalLight("#fff4e6", 2.3);
  private readonly rim = new THREE.DirectionalLight("#bcd2ff", 0.7);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#b9b3ad", 1.5);
  private readonly shade = new THREE.ShadowMaterial({ opacity: 0.25 });
  private readonly grid: THREE.ShaderMaterial;

  constructor(shadows: boolean) {
    this.key.position.set(1.6, 4.2, 2.6);
    this.rim.position.set(-2.5, 2.2, -3);
    if (shadows) {
      this.key.castShadow = true;
      this.key.shadow.mapSize.set(2048, 2048);
      this.key.shadow.radius = 5;
    }
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(60, 60).rotateX(-Math.PI / 2), this.shade);
    floor.receiveShadow = shadows;
    floor.visible = shadows;
    this.grid = gridMaterial();
    const lines = new THREE.Mesh(new THREE.PlaneGeometry(60, 60).rotateX(-Math.PI / 2), this.grid);
    lines.position.y = -0.001;
    this.group.add(this.key, this.key.target, this.rim, this.sky, lines, floor);
  }

  /** Centre the shadow map on the character at (x, z) and scale it to the character's height in metres. */
  follow(x: number, z: number, height: number): void {
    const scale = Math.min(1, height / SHADED_HEIGHT_M);
    this.key.position.set(x + 1.6 * scale, 4.2 * scale, z + 2.6 * scale);
    this.key.target.position.set(x, 0.6 * scale, z);
    this.key.target.updateMatrixWorld();
    if (scale === this.scale) return;
    this.scale = scale;
    const { camera } = this.key.shadow;
    camera.left = camera.bottom = -2.6 * scale;
    camera.right = camera.top = 2.6 * scale;
    camera.near = 0.5 * scale;
    camera.far = 12 * scale;
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.012 * scale;
  }

  setTones(tones: Tones): void {
    this.shade.opacity = tones.shadow;
    this.sky.color.set(tones.sky);
    this.sky.groundColor.set(tones.ground);
    this.sky.intensity = 1.5 * tones.light;
    this.key.intensity = 2.3 * tones.light;
    (this.grid.uniforms.colour.value as THREE.Color).set(tones.grid);
  }
}

/** Grid lines every 0.25 m and every metre, fading with the distance from the origin. */
function gridMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { colour: { value: new THREE.Color("#8a93a6") } },
    vertexShader: `
      varying vec3 place;
      void main() {
        vec4 world = modelMatrix * vec4(position, 1.0);
        place = world.xyz;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: `
      varying vec3 place;
      uniform vec3 colour;
      float lines(float size) {
        vec2 at = place.xz / size;
        vec2 width = fwidth(at);
        vec2 near = abs(fract(at - 0.5) - 0.5) / width;
        float fade = 1.0 - smoothstep(0.25, 0.7, max(width.x, width.y));
        return (1.0 - min(min(near.x, near.y), 1.0)) * fade;
      }
      void main() {
        float fade = 1.0 - smoothstep(1.2, 5.5, length(place.xz));
        float strength = max(0.28 * lines(0.25), 0.55 * lines(1.0)) * fade;
        if (strength < 0.004) discard;
        gl_FragColor = vec4(colour, strength);
        #include <colorspace_fragment>
      }`,
  });
}

/** A vertical gradient for the background. */
export function gradient(top: string, bottom: string): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = 4;
  canvas.height = 256;
  const pen = canvas.getContext("2d")!;
  const shade = pen.createLinearGradient(0, 0, 0, 256);
  shade.addColorStop(0, top);
  shade.addColorStop(1, bottom);
  pen.fillStyle = shade;
  pen.fillRect(0, 0, 4, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
