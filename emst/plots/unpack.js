// What the page was given, unpacked: `packing.py` packs it. All files of this page are one program: `tree.js` draws the
// condensed tree, and `page.js` paints the points.
//
// Given: plot, picture (the source of the image), slider, headline and line (texts), and `given`, which packing.py made.
// Unpacked, for m points in the order of a curve:
//   x, y       int32[m]: steps of the length `step` from `low`
//   row        int32[m]: row numbers
//   group      int32[m]: points of one group have the same label at every size, and leave the same cluster of the tree
//   left       uint8[m]: number of the levels, from the first on, at which the point is in the condensed tree
//   labels     int32[sizes, groups]: negative for noise
//   colours    uint32[sizes, groups]: 0xAABBGGRR
//   hover      columns that the pointer tells: name, texts, and for each point the number of its text
//   wrap       180 degrees in the unit of longitudes that go on beyond it, otherwise 0
//   counts     for every size, the number of points of each cluster, and of noise
//   tree       the condensed tree: see tree_of in page_tree.py; null if there is none
const {counts, low, step, bounds, sizes, names, stretch, wrap, groups} = given

/** Integers from planes of bytes, the lowest bytes first. `page.html` has put all bytes into `arrays`. */
function joined({at, shape}) {
  const [count, m] = shape
  const planes = window.arrays.subarray(at)
  const values = new Float64Array(m)
  for (let k = count - 1; k >= 0; k--) for (let i = 0; i < m; i++) values[i] = 256 * values[i] + planes[k * m + i]
  return values
}

/** Bits 0, 2, 4, ... 22 of an integer, side by side. */
function everyOther(bits) {
  bits &= 0x555555
  bits = (bits | (bits >> 1)) & 0x333333
  bits = (bits | (bits >> 2)) & 0x0f0f0f
  bits = (bits | (bits >> 4)) & 0xff00ff
  return (bits | (bits >> 8)) & 0xfff
}

/** The steps in x and y of points along the curve, from the differences of their positions on it. */
function unfold(differences) {
  const m = differences.length
  const cells = [new Int32Array(m), new Int32Array(m)]
  let code = 0 // of up to 48 bits
  for (let i = 0; i < m; i++) {
    code += differences[i]
    const high = Math.floor(code / 2 ** 24)
    const rest = code % 2 ** 24
    for (const axis of [0, 1]) cells[axis][i] = (everyOther(high >> axis) << 12) | everyOther(rest >> axis)
  }
  return cells
}

const [x, y] = unfold(joined(given.curve))
const [row, group] = [given.row, given.group].map((planes) => Int32Array.from(joined(planes)))
const labels = Int32Array.from(joined(given.labels), (label) => label - 1)
const colours = Uint32Array.from(joined(given.colours), (number) => given.palette[number])
const hover = given.hover.map(({name, texts, numbers}) => ({name, texts, numbers: joined(numbers)}))
const n = x.length
const left = given.tree ? Uint8Array.from(joined(given.left)) : new Uint8Array(n)
const tree = given.tree ? {...given.tree} : null
for (const name of tree ? ["parent", "born", "died", "size", "label", "colour", "own"] : [])
  tree[name] = Int32Array.from(joined(tree[name]), (value) => (name === "parent" || name === "label" ? value - 1 : value))

if (tree) {
  tree.selected = [] // the cluster of each label
  tree.label.forEach((label, c) => { if (label >= 0) tree.selected[label] = c })
}

const number = (value) => value.toLocaleString("en-US")
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`

