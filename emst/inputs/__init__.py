"""What all estimators do with their input before they compute, and with their results before they return them.

points.py      validation of points (shape, dtype, finiteness); results in the caller's kind of array
numbers.py     parameters that are real numbers
features.py    number and names of the features, as scikit-learn keeps them
places.py      what names of columns say of latitude and longitude
devices.py     on which device an array lies, and on which device to compute
ends.py        ends of edges that are no vertices
finite.py      rows with NaN or infinite values: they are left out, and get labels of their own
masks.py       masked arrays where a mask has no meaning
weights.py     weights of rows, as whole numbers of units
scaling.py     the bounding box of the points: the power of two they are scaled by, and the grid of the curve
fitted.py      attributes that exist only after `fit`
optional.py    libraries that are imported when they are needed
summary.py     the one line that `repr` shows of a result
"""
