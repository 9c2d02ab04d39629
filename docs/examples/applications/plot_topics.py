"""
Topics of sentences
===================

What are the functions of NumPy, SciPy and scikit-learn about? The first sentence of a docstring says it in a few words.
Here thousands of these sentences become vectors, and HDBSCAN finds groups of sentences about the same topic. It leaves
out the sentences that are about nothing in particular. The sentences come from the packages that are installed, so the
result changes a little with their versions.
"""

# %%
# The sentences
# -------------
import importlib
import inspect
import re

PACKAGES = """
numpy numpy.fft numpy.linalg numpy.random
scipy.cluster.hierarchy scipy.fft scipy.integrate scipy.interpolate scipy.linalg scipy.ndimage
scipy.optimize scipy.signal scipy.sparse scipy.sparse.linalg scipy.spatial scipy.spatial.distance
scipy.special scipy.stats
sklearn.cluster sklearn.covariance sklearn.datasets sklearn.decomposition sklearn.ensemble
sklearn.feature_extraction sklearn.feature_selection sklearn.linear_model sklearn.manifold
sklearn.metrics sklearn.mixture sklearn.model_selection sklearn.naive_bayes sklearn.neighbors
sklearn.preprocessing sklearn.svm sklearn.tree
"""


def first_sentence(thing):
    """Of the first paragraph that has one. Some docstrings begin with a signature."""
    for paragraph in (inspect.getdoc(thing) or "").split("\n\n"):
        sentence = " ".join(paragraph.split()).split(". ")[0]
        if " " in sentence and (paragraph.endswith(".") or ". " in paragraph):
            return re.sub(r"[`*:]", "", sentence)
    return ""


sentences = {}
for package in PACKAGES.split():
    module = importlib.import_module(package)
    for name in dir(module):
        thing = getattr(module, name)
        if not name.startswith("_") and callable(thing):
            sentences.setdefault(first_sentence(thing), f"{package}.{name}")
sentences.pop("", None)
texts, names = list(sentences), list(sentences.values())
print(f"{len(texts):,} sentences, for example {names[0]}: {texts[0]}")

# %%
# Vectors
# -------
# TF-IDF counts words, and rare words count more. A truncated SVD turns these hundreds of columns into twenty,
# in which words that occur together point in the same direction. For such vectors the angle matters and the length does
# not: this is the metric ``cosine``.
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

tfidf = TfidfVectorizer(
    stop_words="english", sublinear_tf=True, min_df=3, token_pattern=r"[A-Za-z]{3,}"
)
words = tfidf.fit_transform(texts)
svd = TruncatedSVD(20, random_state=0)
X = svd.fit_transform(words)
print(f"{words.shape[1]:,} words, {X.shape[1]} columns after the SVD")

# %%
# Clusters
# --------
# A sentence without any of the counted words is a row of zeros, which has no direction. Such rows are left out.
import numpy as np

from emst import HDBSCAN

kept = np.linalg.norm(X, axis=1) > 1e-9
X, words = X[kept], words[kept]
model = HDBSCAN(
    min_cluster_size=15, min_samples=4, metric="cosine", cluster_selection_method="leaf"
).fit(X)
labels = model.labels_
print(f"{labels.max() + 1} topics; {np.mean(labels < 0):.0%} of the sentences have none")

# %%
# Names of the topics
# -------------------
# A topic is named by its heaviest words: those with the greatest mean of TF-IDF over its sentences.
vocabulary = tfidf.get_feature_names_out()
topics = []
for i in range(labels.max() + 1):
    weight = np.asarray(words[labels == i].mean(axis=0)).ravel()
    topics.append(", ".join(vocabulary[np.argsort(-weight)[:3]]))
for i in np.argsort(-np.bincount(labels[labels >= 0])):
    print(f"{np.sum(labels == i):4d}  {topics[i]}")

# %%
# A picture
# ---------
# t-SNE puts sentences with similar vectors next to each other in the plane. It only draws: the clusters were found in
# all columns. The largest topics are named.
import matplotlib.pyplot as plt
from sklearn.manifold import TSNE

from emst.plots import cluster_colours

plane = TSNE(metric="cosine", perplexity=20, max_iter=400, random_state=0).fit_transform(X)
members = labels >= 0
colours = cluster_colours(labels, plane)
fig, ax = plt.subplots(figsize=(9, 7), layout="constrained")
ax.scatter(*plane[~members].T, s=3, color="0.85", linewidths=0)
ax.scatter(*plane[members].T, s=9, color=colours[labels[members]], linewidths=0)
for i in np.argsort(-np.bincount(labels[members]))[:22]:
    x, y = np.median(plane[labels == i], axis=0)
    style = {"ha": "center", "va": "center", "fontsize": 8, "weight": "bold"}
    box = {"color": "white", "alpha": 0.6, "pad": 0.5}
    name = topics[i].replace(", ", "\n")
    ax.text(x, y, name, color=colours[i] * 0.7, bbox=box, **style)
ax.set_axis_off()
plt.show()

# %%
# With sentence embeddings
# ------------------------
# Words are a simple description of sentences. Vectors of a language model also know that *fit* and *train* mean nearly
# the same::
#
#     import umap
#     from sentence_transformers import SentenceTransformer
#
#     X = SentenceTransformer("all-MiniLM-L6-v2").encode(texts)
#     X = umap.UMAP(n_components=5, metric="cosine").fit_transform(X)
#     HDBSCAN(min_cluster_size=15).fit(X)
#
# BERTopic does all of this. After one call, it treats ``HDBSCAN`` of ``emst`` like that of the hdbscan package::
#
#     from bertopic import BERTopic
#     from emst.compat import bertopic
#
#     bertopic.register()
#     BERTopic(hdbscan_model=HDBSCAN(min_cluster_size=15), calculate_probabilities=True).fit(texts)
