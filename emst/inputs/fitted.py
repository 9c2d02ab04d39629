"""Attributes of an estimator that exist only after `fit`: reading one too early says so."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted


class FittedAttribute:
    """Stands in the class for an attribute that `fit` sets on the instance, which then hides it.

    Reading it before a fit raises `NotFittedError`, an AttributeError; so `hasattr` is false. `made_where` says what a
    fit makes the attribute for, if not every fit does.
    """

    def __init__(self, made_where: str = "") -> None:
        self.made_where = made_where

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        check_is_fitted(estimator)
        reason = f": they are made where {self.made_where}" if self.made_where else ""
        raise AttributeError(f"this {type(estimator).__name__} has no {self.name}{reason}")


def fitted_attribute(made_where: str = "") -> Any:
    """A `FittedAttribute`, for type checkers of any type: the class annotates it with the type that `fit` sets."""
    return FittedAttribute(made_where)
