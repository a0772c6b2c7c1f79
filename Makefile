# Each target works on a fresh machine with Python 3.11 or newer and a C++20 compiler.
PYTHON ?= python3
ENV := .venv
BIN := $(ENV)/bin

.PHONY: demo test test-quick fuzz docs docs-quick clean

demo: $(ENV)/cli  ## compare all classifiers on a bundled data set; write report.html and compare.png
	$(BIN)/parzen info
	$(BIN)/parzen compare wine --report report.html --figure compare.png

test: $(ENV)/test  ## run all tests and doctests
	$(BIN)/python -m pytest -q -n 2 ./tests --pyargs parzen

test-quick: $(ENV)/test  ## run the quick tests
	$(BIN)/python -m pytest -q -n 2 -m "not slow" ./tests --pyargs parzen

fuzz: $(ENV)/test  ## run random cases for MINUTES (60) from SEED (1), and print a reproducer for each failure
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),60) --seed $(or $(SEED),1)

docs: $(ENV)/docs  ## build the site into build/site, with the whole gallery
	$(BIN)/python -m sphinx -W --keep-going -n -q -j 2 docs build/site

docs-quick: $(ENV)/docs  ## build the site without running the gallery
	PARZEN_DOCS_QUICK=1 $(BIN)/python -m sphinx -W --keep-going -n -q -j 2 docs build/site

# One file marks each set of extras as installed; sources newer than it are installed again.
$(ENV)/%: pyproject.toml CMakeLists.txt $(shell git ls-files src native 2>/dev/null)
	test -x $(BIN)/python || $(PYTHON) -m venv $(ENV)
	$(BIN)/python -m pip install --quiet ".[$*]"
	touch $@

clean:
	rm -rf $(ENV) build/site docs/auto_examples docs/reference/generated docs/reference/backreferences \
	  docs/reference/names docs/tables
