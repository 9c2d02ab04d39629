"""What the estimators share."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, clone


class DaskEstimator(BaseEstimator):
    """An estimator with the parameter `client`. Its clones use the same client, which cannot be copied."""

    def __sklearn_clone__(self) -> Any:
        params = self.get_params(deep=False)
        return type(self)(**{name: one if name == "client" else clone(one, safe=False) for name, one in params.items()})
