// Prints the Khronos validator's report on each .glb file named, one JSON object a line.
const fs = require("fs");
const validator = require("gltf-validator");

(async () => {
  for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    console.log(JSON.stringify({ file, ...report.issues }));
  }
})();
