/** The page: what it was given is opened, then shown. */

import { render } from "preact";
import { App } from "./app.js";
import { embeddedSources } from "./model/sources.js";
import "./style.css";

const data = document.getElementById("partwire-data")?.textContent ?? "null";
const sources = await embeddedSources(data);
render(<App given={sources} />, document.getElementById("app") as HTMLElement);
