// Before packing: the schemas of this repository, which the extension takes with it.
"use strict";

const fs = require("fs");
const path = require("path");

const from = path.join(__dirname, "..", "..", "..", "schemas");
const to = path.join(__dirname, "schemas");
fs.mkdirSync(to, { recursive: true });
for (const name of fs.readdirSync(from).filter((one) => one.endsWith(".schema.json"))) {
  fs.copyFileSync(path.join(from, name), path.join(to, name));
}
