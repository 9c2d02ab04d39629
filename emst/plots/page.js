// The points as pixels of one image that covers the plot. It is painted again whenever a slider or the view moves:
// half a million points take some ten milliseconds, with or without a GPU. Bokeh draws all else.

const pixel = new Int32Array(n) // of each point; -1 outside the view
const Image = picture.data.image[0].constructor // Bokeh's array with a shape
let hit = new Int32Array(0) // the point that each pixel shows, plus 1
let width = 0
let height = 0
let waiting = false
let extent = null // inner width and height of the plot for which the ranges were set

/** The pixels around (0, 0) that a dot of this size covers, as offsets (dx, dy). */
function disc(size) {
  const offsets = []
  const middle = (size - 1) / 2
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++)
      if (size < 3 || (i - middle) ** 2 + (j - middle) ** 2 <= (size / 2) ** 2)
        offsets.push([i - Math.floor(middle), j - Math.floor(middle)])
  return offsets
}

/** Find the pixel of each point; return how many points are in the view. */
function project() {
  const left = (plot.x_range.start - low[0]) / step[0]
  const bottom = (plot.y_range.start - low[1]) / step[1]
  const across = (step[0] * width) / (plot.x_range.end - plot.x_range.start)
  const up = (step[1] * height) / (plot.y_range.end - plot.y_range.start)
  let visible = 0
  for (let i = 0; i < n; i++) {
    const px = Math.floor((x[i] - left) * across)
    const py = Math.floor((y[i] - bottom) * up)
    const seen = px >= 0 && px < width && py >= 0 && py < height
    pixel[i] = seen ? py * width + px : -1
    visible += seen
  }
  return visible
}

/** Paint what is in the background first, such as noise, then the members of clusters above it. */
function paint() {
  waiting = false
  const start = performance.now()
  const ratio = window.devicePixelRatio || 1
  width = Math.max(1, Math.round(plot.inner_width * ratio))
  height = Math.max(1, Math.round(plot.inner_height * ratio))
  const image = new Image(width * height, [height, width])
  if (hit.length !== width * height) hit = new Int32Array(width * height)
  else hit.fill(0)
  const visible = project()
  const side = Math.sqrt((0.25 * width * height) / Math.max(visible, 1))
  const size = Math.round(Math.min(Math.max(side, 1), 7 * ratio))
  const {colour, above} = looks()
  for (const members of [0, 1]) {
    const dot = disc(members ? size : Math.max(1, Math.round(0.7 * size)))
    for (let i = 0; i < n; i++) {
      if (pixel[i] < 0) continue
      const g = left[i] < level ? groups + group[i] : group[i]
      if (above[g] !== members) continue
      const py = Math.floor(pixel[i] / width)
      const px = pixel[i] - py * width
      for (const [dx, dy] of dot) {
        const u = px + dx
        const v = py + dy
        if (u < 0 || u >= width || v < 0 || v >= height) continue
        image[v * width + u] = colour[g]
        hit[v * width + u] = i + 1
      }
    }
  }
  const {x_range, y_range} = plot
  picture.data = {
    image: [image],
    x: [x_range.start],
    y: [y_range.start],
    dw: [x_range.end - x_range.start],
    dh: [y_range.end - y_range.start],
  }
  document.body.dataset.milliseconds = String(performance.now() - start)
  document.body.dataset.paintings = String(1 + Number(document.body.dataset.paintings || 0))
}

/** Show the size, the level and the branch that are chosen now, in both pictures. */
function show() {
  describe()
  if (tree) colourTree()
  repaint()
}

/** Paint before the browser draws next, however many events ask for it. */
function repaint() {
  if (waiting) return
  waiting = true
  requestAnimationFrame(paint)
}

/** After a change of the plot's size, keep the middle of the view and its scale; a view of all points remains one. */
function resize() {
  const sides = [plot.inner_width, plot.inner_height]
  if (!(sides[0] > 0 && sides[1] > 0)) return
  const [left, right, bottom, top] = bounds
  const scale = 1.04 * Math.max((right - left) / sides[0], ((top - bottom) * stretch) / sides[1])
  const middle = [(left + right) / 2, (bottom + top) / 2]
  const half = [(scale * sides[0]) / 2, (scale * sides[1]) / 2 / stretch]
  const ranges = [plot.x_range, plot.y_range]
  const unmoved = (range) => range.start === range.reset_start && range.end === range.reset_end
  const whole = extent === null || ranges.every(unmoved)
  ranges.forEach((range, k) => {
    const all = {reset_start: middle[k] - half[k], reset_end: middle[k] + half[k]}
    const centre = (range.start + range.end) / 2
    const reach = whole ? 0 : ((range.end - range.start) / 2) * (sides[k] / extent[k])
    const view = whole ? [all.reset_start, all.reset_end] : [centre - reach, centre + reach]
    range.setv({start: view[0], end: view[1], ...all})
  })
  extent = sides
  repaint()
}

/** Write what the clustering of this size, or at this level of the condensed tree, is. */
function describe() {
  if (level > 0) {
    headline.text = levelText()
    return
  }
  const {clusters, noise} = counts[slider.value]
  const share = (100 * noise / Math.max(given.n, 1)).toFixed(1)
  headline.text =
    `<b>min_cluster_size ${number(sizes[slider.value])}</b>: ${plural(clusters.length, "cluster")}, ` +
    `${plural(noise, "point")} of noise (${share}%)` +
    (given.missing ? `, ${plural(given.missing, "row")} with NaN or infinite values` : "")
}

/** The topmost point within a few pixels of a place in the plot, or -1. */
function nearest(at) {
  const {x_range, y_range} = plot
  const px = Math.floor((at.x - x_range.start) / (x_range.end - x_range.start) * width)
  const py = Math.floor((at.y - y_range.start) / (y_range.end - y_range.start) * height)
  const reach = Math.round(5 * (window.devicePixelRatio || 1))
  let best = -1
  let least = reach * reach + 1
  for (let v = Math.max(0, py - reach); v <= Math.min(height - 1, py + reach); v++)
    for (let u = Math.max(0, px - reach); u <= Math.min(width - 1, px + reach); u++) {
      const distance = (u - px) ** 2 + (v - py) ** 2
      if (hit[v * width + u] > 0 && distance < least) {
        least = distance
        best = hit[v * width + u] - 1
      }
    }
  return best
}

const tip = document.createElement("div")
tip.id = "tip"
tip.style.cssText =
  "position:fixed;display:none;pointer-events:none;z-index:9;background:#fffffff0;border:1px solid #999;" +
  "border-radius:4px;padding:4px 8px;font:13px/1.4 sans-serif;" +
  "white-space:pre-wrap;overflow-wrap:anywhere;max-width:min(40em, 90vw);max-height:90vh;overflow:hidden"
document.body.append(tip)

/** A coordinate to the last decimal place that is not shorter than a step. */
function rounded(value, length) {
  const decimals = Math.floor(-Math.log10(length))
  if (decimals >= 0) return Number(value.toFixed(Math.min(decimals, 100)))
  return Math.round(value / 10 ** -decimals) * 10 ** -decimals
}

/** Say beside the pointer which point and cluster it is over. As text: names and values may look like HTML. */
function tell(at) {
  const i = nearest(at)
  tip.style.display = i < 0 ? "none" : "block"
  if (i < 0) return
  const label = labels[slider.value * groups + group[i]]
  const selected = label < 0 ? "noise" : `cluster ${label} (${plural(counts[slider.value].clusters[label], "point")})`
  const cluster = level > 0 ? levelCluster(i) : selected
  const longitude = low[0] + x[i] * step[0]
  const across = wrap ? ((longitude + wrap) % (2 * wrap)) - wrap : longitude
  const place = [across, low[1] + y[i] * step[1]].map((value, k) => `${names[k]} ${rounded(value, step[k])}`)
  const told = hover.map(({name, texts, numbers}) => [name, texts[numbers[i]]]).filter(([, text]) => text !== "")
  const lines = told.map(([name, text]) => `${name} ${text}`)
  tip.textContent = [cluster, ...lines, ...place, `row ${row[i]}`].join("\n")
  const box = tip.getBoundingClientRect()
  tip.style.left = `${Math.min(pointer[0] + 14, window.innerWidth - box.width - 4)}px`
  tip.style.top = `${Math.min(pointer[1] + 14, window.innerHeight - box.height - 4)}px`
}

/** The colour of every point of the map, in the order of the rows: for tests. */
window.pointColours = () => {
  const {colour} = looks()
  const order = [...row.keys()].sort((a, b) => row[a] - row[b])
  return order.map((i) => colour[left[i] < level ? groups + group[i] : group[i]])
}

let pointer = [0, 0]
window.addEventListener("pointermove", (event) => { pointer = [event.clientX, event.clientY] }, true)
plot.on_event("mousemove", tell)
plot.on_event("mouseleave", () => { tip.style.display = "none" })
for (const range of [plot.x_range, plot.y_range]) range.change.connect(repaint)
plot.properties.inner_width.change.connect(resize)
plot.properties.inner_height.change.connect(resize)
slider.properties.value.change.connect(() => changeLevel(0))
show()
resize()
