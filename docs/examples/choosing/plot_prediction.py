"""
Predicting the clusters of new points
=====================================

A fitted model gives new points the labels that they would have in its clustering. The clusters do not change, so this
is fast, and the same point always gets the same label.
"""

# %%
# A model
# -------
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from emst import HDBSCAN, approximate_predict
from emst.plots import cluster_colours, plot_clusters

g = np.random.default_rng(0)
moons, _ = make_moons(1500, noise=0.08, random_state=0)
X = np.concatenate(
    [
        moons,
        g.normal([2.6, 0.9], 0.13, (300, 2)),
        g.uniform([-1.6, -1.1], [3.4, 1.7], (90, 2)),
    ]
)
model = HDBSCAN(min_cluster_size=60, min_samples=8).fit(X)
print(f"{model.labels_.max() + 1} clusters of {len(X):,} points")

# %%
# Every place of the plane
# ------------------------
# A new point joins the nearest training point, measured by the mutual reachability distance, and gets its label unless
# it is too far away: then it is noise. ``approximate_predict`` also returns probabilities. The picture shows both for
# 90,000 places: the surer the label, the stronger the colour.
x, y = np.meshgrid(np.linspace(-1.8, 3.6, 400), np.linspace(-1.2, 1.8, 225))
labels, probabilities = approximate_predict(model, np.column_stack([x.ravel(), y.ravel()]))
colours = cluster_colours(model.labels_, X)
picture = np.ones((labels.size, 3))
member = labels >= 0
strength = 0.15 + 0.6 * probabilities[member, None]
picture[member] += strength * (colours[labels[member]] - 1)

fig, ax = plt.subplots(figsize=(8.5, 4.8), layout="constrained")
ax.imshow(
    picture.reshape(*x.shape, 3),
    extent=(-1.8, 3.6, -1.2, 1.8),
    origin="lower",
    interpolation="nearest",
)
ax.scatter(*X[model.labels_ < 0].T, s=5, color="0.6", linewidths=0)
ax.scatter(
    *X[model.labels_ >= 0].T,
    s=5,
    color=colours[model.labels_[model.labels_ >= 0]] * 0.7,
    linewidths=0,
)
ax.set(xlabel="x", ylabel="y", title="Where a new point would belong to a cluster")
plt.show()

# %%
# Like other estimators of scikit-learn
# -------------------------------------
# ``predict`` returns labels alone. The training points get their own labels, and rows with NaN the label -3.
print("new points:", model.predict([[0.0, 1.0], [2.6, 0.9], [1.5, 1.6], [np.nan, 0.0]]))
print("training points keep their labels:", np.array_equal(model.predict(X), model.labels_))

# %%
# A stream of points
# ------------------
# Points that arrive later come from the same places, and also from one that the model has not seen. Prediction makes
# no new clusters: what is far from all of them is noise. If the part of noise grows, it is time for a new fit.
later = np.concatenate(
    [make_moons(400, noise=0.08, random_state=1)[0], g.normal([-0.9, -0.7], 0.12, (150, 2))]
)
labels, probabilities = approximate_predict(model, later)
anew = HDBSCAN(min_cluster_size=60, min_samples=8).fit(np.concatenate([X, later]))
print(f"noise at the fit {np.mean(model.labels_ < 0):.0%}, later {np.mean(labels < 0):.0%}")

fig, axes = plt.subplots(
    1, 2, figsize=(10, 3.6), sharex=True, sharey=True, layout="constrained"
)
plot_clusters(later, labels, probabilities, ax=axes[0])
plot_clusters(np.concatenate([X, later]), anew.labels_, anew.probabilities_, ax=axes[1])
for ax, title in zip(axes, ("later points, predicted", "all points, a new fit")):
    ax.legend_.remove()
    ax.set_title(title)
plt.show()
