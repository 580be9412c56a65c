// Prints the Khronos validator's report on each glTF file named, one JSON object a line.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

(async () => {
  for (const file of process.argv.slice(2)) {
    const beside = async (uri) =>
      new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))));
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      externalResourceFunction: beside,
    });
    console.log(JSON.stringify({ file, ...report.issues }));
  }
})();
