// The condensed tree beside the map, as SVG. A branch that is clicked, or reached by the arrow keys, shows its points. A
// slider chooses a level: a distance, at which the map shows the clusters that exist there.
//
// Of `tree`, these have an entry for every cluster; parents come before children:
//   parent     -1 for the root
//   born, died number of the levels, from the first on, at which the cluster is a part of its parent; and at which it
//              has not yet split, nor lost its last points
//   size       points at its birth
//   label      -1 if it is not selected
//   colour     its number in `palette`, whose last one is the grey of noise
// `own` is the cluster that the points of a group leave. `drawn` are the clusters in the picture, and shapes, begins,
// ends and persistence have an entry for each of these.
const OTHER = 0xff4a4a4a // 0xAABBGGRR: points of the chosen branch that are in no cluster
const BARE = "#b4b4b4" // clusters of the tree that have no colour now
const STYLE = `
  body { display: grid; grid-template: 100vh / minmax(0, 1fr) 24rem }
  body > [data-root-id] { display: block !important; grid-area: 1 / 1; min-width: 0 }
  #tree { grid-area: 1 / 2; box-sizing: border-box; height: 100vh; padding: 0.5rem 1rem; overflow: auto; display: flex;
    flex-direction: column; gap: 0.4rem; font: 14px/1.4 sans-serif; border-left: 1px solid #ddd }
  #tree h2 { font-size: 1.1em; margin: 0.2em 0 0 }
  #tree p { margin: 0; color: #555 }
  #drawing { position: relative; flex: 1; min-height: 14rem; margin-left: 3.6rem }
  #drawing svg { position: absolute; width: 100%; height: 100%; overflow: visible }
  #drawing span { position: absolute; right: calc(100% + 0.5rem); transform: translateY(-50%); color: #555;
    font-size: 12px; white-space: nowrap }
  #tree path, #tree line { vector-effect: non-scaling-stroke }
  #tree g { cursor: pointer }
  #tree label { display: flex; gap: 0.6rem; align-items: center }
  #tree input { flex: 1; min-width: 0 }
  #told { min-height: 5.6em; overflow-wrap: anywhere }
  #tree button { font: inherit; align-self: start }
  @media (max-width: 800px) {
    html, body { display: block }
    body > [data-root-id] { height: 85vh }
    #tree { height: auto; border-left: 0 }
    #drawing { flex: none; height: 60vh }
  }`
let level = 0 // 0: the clusters of the slider of sizes
let branch = -1 // the cluster whose points are shown; -1: those of all

/** Whether each cluster is the chosen branch or lies below it. */
function within() {
  const found = new Uint8Array(tree.parent.length)
  found.forEach((_, c) => { found[c] = branch < 0 || c === branch || (c > 0 && found[tree.parent[c]]) ? 1 : 0 })
  return found
}

/** The cluster at the level that the points of each cluster belong to. */
function atLevel() {
  const found = new Int32Array(tree.parent.length)
  found.forEach((_, c) => { found[c] = tree.born[c] < level ? c : found[tree.parent[c]] })
  return found
}

/** Colour of the points of each group, and whether they lie above the others; then the same for points of these groups
 * that have left the tree at the level. */
function looks() {
  const colour = new Uint32Array(2 * groups)
  const above = new Uint8Array(2 * groups)
  const inside = tree && branch >= 0 ? within() : null
  const clusters = level > 0 ? atLevel() : null
  for (let g = 0; g < groups; g++) {
    const now = slider.value * groups + g
    const member = clusters !== null || labels[now] >= 0
    const shown = inside === null || inside[tree.own[g]] === 1
    const chosen = inside !== null && shown
    const own = clusters === null ? colours[now] : tree.palette[tree.colour[clusters[tree.own[g]]]]
    const rest = tree ? (chosen ? OTHER : tree.palette.at(-1)) : 0
    colour[g] = shown && (member || !chosen) ? own : rest
    above[g] = shown && (member || chosen) ? 1 : 0
    colour[groups + g] = rest
    above[groups + g] = chosen ? 1 : 0
  }
  return {colour, above}
}

const css = (colour) => `rgb(${colour & 255} ${(colour >> 8) & 255} ${(colour >> 16) & 255})`
const short = (value) => String(Number(value.toPrecision(4)))
const distance = (lambda) => (lambda === null ? "0" : lambda === 0 ? "infinity" : short(1 / lambda))
const lambdaText = (lambda) => (lambda === null ? "infinite" : short(lambda))

/** Write what the clusters of the level are. */
function levelText() {
  const [clusters, members] = tree.counts[level - 1]
  const others = tree.size[0] - members
  return (
    `<b>distance ${tree.levels[level - 1]}</b> in the condensed tree: ${plural(clusters, "cluster")}, ` +
    `${plural(others, "point")} in none (${(100 * others / Math.max(given.n, 1)).toFixed(1)}%)` +
    (given.missing ? `, ${plural(given.missing, "row")} with NaN or infinite values` : "")
  )
}

/** The cluster of a point at the level. */
function levelCluster(i) {
  if (left[i] < level) return `in no cluster at distance ${tree.levels[level - 1]}`
  const c = atLevel()[tree.own[group[i]]]
  return `branch ${tree.first + c} (${plural(tree.size[c], "point")} at its birth)`
}

/** The label of the selected cluster that a cluster is or lies in, or -1. */
function selected(c) {
  for (; c >= 0; c = tree.parent[c]) if (tree.label[c] >= 0) return tree.label[c]
  return -1
}

/** What the chosen branch has to do with the selected clusters. */
function relation() {
  const label = selected(branch)
  if (label >= 0) return tree.label[branch] === label ? `It is cluster ${label}.` : `It lies in cluster ${label}.`
  const inside = within()
  return `It holds ${plural(tree.label.filter((own, c) => own >= 0 && inside[c]).length, "cluster")}.`
}

/** Write what the chosen branch is. */
function branchText() {
  if (branch < 0) return "Click a branch, or use the arrow keys, to see its points."
  const i = tree.drawn.indexOf(branch)
  const [begin, end, persistence] = [tree.begins[i], tree.ends[i], tree.persistence[i]]
  const parts = [`Branch ${tree.first + branch}: ${plural(tree.size[branch], "point")}`]
  if (n < tree.size[0]) {
    const inside = within()
    parts[0] += `, of which ${number(group.filter((g) => inside[tree.own[g]]).length)} are in the sample shown`
  }
  const birth = branch === 0 ? "The root" : `Born at distance ${distance(begin)} (lambda ${lambdaText(begin)})`
  const splits = tree.parent.includes(branch) ? "splits" : "ends"
  parts.push(`${birth}, ${splits} at distance ${distance(end)} (lambda ${lambdaText(end)})`)
  parts.push(`Persistence ${lambdaText(persistence)}`)
  return `${parts.join(". ")}. ${relation()}`
}

/** Colour the tree as the map, and write what is chosen. */
function colourTree() {
  const inside = within()
  const sizeOfTree = slider.value === tree.position
  const labelled = new Map(tree.drawn.map((c) => [c, selected(c)]))
  panel.querySelectorAll("g").forEach((shape, i) => {
    const c = tree.drawn[i]
    const alive = level > 0 ? tree.born[c] < level && level <= tree.died[c] : sizeOfTree && labelled.get(c) >= 0
    const of = level > 0 ? c : tree.selected[labelled.get(c)]
    const fill = alive ? css(tree.palette[tree.colour[of]]) : BARE
    shape.lastChild.setAttribute("fill", fill)
    shape.lastChild.setAttribute("stroke", fill)
    shape.setAttribute("opacity", inside[c] ? 1 : 0.3)
    shape.setAttribute("aria-pressed", String(c === branch))
  })
  const line = panel.querySelector("line")
  line.setAttribute("display", level > 0 ? "inline" : "none")
  for (const end of ["y1", "y2"]) line.setAttribute(end, level > 0 ? tree.side * tree.heights[level - 1] : 0)
  const control = panel.querySelector("input")
  control.value = String(level)
  const text = level > 0 ? `distance ${tree.levels[level - 1]}` : "as selected"
  control.setAttribute("aria-valuetext", text)
  panel.querySelector("output").textContent = text
  panel.querySelector("#told").textContent = branchText()
  panel.querySelector("button").disabled = level === 0 && branch < 0
}

function changeLevel(chosen) {
  level = chosen
  show()
}

function changeBranch(chosen) {
  branch = chosen
  show()
}

/** The drawn branch in a direction from the chosen one: its parent, its largest child, or the branch beside it. */
function neighbour(key) {
  if (branch < 0) return tree.drawn[0]
  if (key === "ArrowUp") return Math.max(tree.parent[branch], 0)
  const others = (parent) => tree.drawn.filter((c) => tree.parent[c] === parent)
  if (key === "ArrowDown")
    return others(branch).reduce((best, c) => (best === branch || tree.size[c] > tree.size[best] ? c : best), branch)
  const beside = others(tree.parent[branch])
  return beside[beside.indexOf(branch) + (key === "ArrowRight" ? 1 : -1)] ?? branch
}

const panel = document.createElement("aside")

/** Put the tree beside the map. */
function growTree() {
  const {shapes, drawn, levels, heights, lines, hidden} = tree
  const groupsOfShapes = shapes.map(
    (path, i) => `<g data-cluster="${tree.first + drawn[i]}">` +
      `<path d="${path}" fill="none" stroke="transparent" stroke-width="7" pointer-events="all"/>` +
      `<path d="${path}" stroke-width="1.5"/></g>`)
  const every = Math.max(1, Math.ceil(levels.length / 7))
  const ticks = levels.map((d, k) => (k % every ? "" : `<span style="top:${100 * heights[k]}%">${d}</span>`))
  panel.id = "tree"
  panel.innerHTML =
    `<style>${STYLE}</style><h2>Condensed tree</h2>` +
    `<p>Of min_cluster_size ${number(sizes[tree.position])}. Distance falls downwards, on a logarithmic scale; the ` +
    `width of a bar is the number of points.` +
    (hidden ? ` ${plural(hidden, "branch").replace("branchs", "branches")} that are less stable are not drawn.` : "") +
    `</p><div id="drawing">${ticks.join("")}<svg viewBox="0 0 ${tree.side} ${tree.side}" preserveAspectRatio="none" tabindex="0" ` +
    `role="application" aria-label="Condensed tree. Arrow keys choose a branch, Escape shows all points" ` +
    `aria-describedby="told"><path d="${lines}" fill="none" stroke="#888"/>${groupsOfShapes.join("")}` +
    `<line x1="${-0.01 * tree.side}" x2="${1.01 * tree.side}" stroke="#111" stroke-width="1.5" ` +
    `stroke-dasharray="5 3" pointer-events="none"/></svg></div>` +
    `<label>Level <input type="range" min="0" max="${levels.length}" step="1"><output></output></label>` +
    `<p id="told" aria-live="polite"></p><button type="button">Show all</button>`
  document.body.append(panel)
  panel.querySelectorAll("g").forEach((shape, i) => {
    shape.addEventListener("click", () => changeBranch(drawn[i] === branch ? -1 : drawn[i]))
  })
  panel.querySelector("svg").addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) changeBranch(neighbour(event.key))
    else if (event.key === "Escape") changeBranch(-1)
    else return
    event.preventDefault()
  })
  panel.querySelector("input").addEventListener("input", (event) => changeLevel(Number(event.target.value)))
  panel.querySelector("button").addEventListener("click", () => { branch = -1; changeLevel(0) })
}

if (tree) growTree()

