"""The HTML display of an estimator links to its page of the site, once the site has an address."""

from __future__ import annotations

import importlib
import inspect
import sys
from email.message import Message
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

from parzen import ParzenClassifier
from parzen._core import documentation

SCRIPTS = Path(__file__).parents[2] / "docs" / "scripts"
ADDRESS = "https://site.example/parzen"


@pytest.fixture
def metadata(monkeypatch):
    """The package's metadata, without an address to begin with."""
    found = Message()
    monkeypatch.setattr(documentation, "metadata", lambda name: found)
    documentation.site_address.cache_clear()
    yield found
    documentation.site_address.cache_clear()


def test_without_an_address_there_is_no_link(metadata):
    assert ParzenClassifier()._get_doc_link() == ""
    assert "href" not in ParzenClassifier()._repr_html_()


def test_with_an_address_every_estimator_links_to_a_page_of_the_reference(metadata, monkeypatch):
    metadata["Project-URL"] = "Source, https://source.example"
    metadata["Project-URL"] = f"Documentation, {ADDRESS}/"
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import reference

    things = {(m, n): getattr(importlib.import_module(m), n) for m, n in reference.documented()}
    estimators = {
        key: thing
        for key, thing in things.items()
        if inspect.isclass(thing)
        and issubclass(thing, BaseEstimator)
        and not inspect.isabstract(thing)
    }
    assert len(estimators) > 15
    for (module, name), thing in estimators.items():
        bare = thing.__new__(thing)
        wanted = f"{ADDRESS}/reference/generated/{module}.{name}.html"
        assert bare._get_doc_link() == wanted
    assert f'href="{ADDRESS}/reference' in ParzenClassifier()._repr_html_()


def test_a_class_of_the_user_has_no_link(metadata):
    metadata["Project-URL"] = f"Documentation, {ADDRESS}"

    class Own(ParzenClassifier):
        pass

    assert Own.__module__ in sys.modules
    assert Own()._get_doc_link() == ""
