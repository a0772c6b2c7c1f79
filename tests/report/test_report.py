"""Reports, in a real browser where there is one."""

import re
import shutil
from html.parser import HTMLParser

import pytest
from sklearn.datasets import load_iris

from parzen.compare import Comparison, Outcome, compare, estimators, random_splits
from parzen.papers.engine import Cell, Figure, Reproduction, Table, TableRow
from parzen.report import (
    Entry,
    MarkdownPage,
    Page,
    comparison_page,
    draw_errors,
    paper_page,
    write_paper,
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def page():
    import matplotlib

    matplotlib.use("Agg")
    X, y = load_iris(return_X_y=True)
    names = ["parzen", "rls", "knn", "gnb"]
    found = compare(estimators(names), X, y, random_splits(y, 4), n_jobs=1)
    return comparison_page(
        found, title="Iris <&>", facts=["150 rows"], command="parzen compare iris"
    )


@pytest.fixture(scope="module")
def browser():
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium here")
    with sync.sync_playwright() as tool:
        started = tool.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def opened(browser, page, tmp_path):
    """The report in a window, with what it asked for and what it complained about."""
    path = tmp_path / "report.html"
    page.write(path)
    window = browser.new_page(viewport={"width": 390, "height": 800})
    window.complaints, window.requests = [], []
    window.on("console", lambda m: window.complaints.append(m.text))
    window.on("pageerror", lambda e: window.complaints.append(str(e)))
    window.on("request", lambda r: window.requests.append(r.url))
    window.goto(path.as_uri())
    yield window
    window.close()


def column(window, place):
    cells = window.locator("table").first.locator(f"tbody td:nth-child({place})")
    return cells.all_inner_texts()


@pytest.mark.slow
def test_a_click_sorts_the_table_and_another_turns_it_round(opened):
    head = opened.locator("table").first.locator("th button")
    head.nth(0).click()
    assert column(opened, 1) == ["gnb", "knn", "parzen", "rls"]
    head.nth(1).click()
    errors = [float(text) for text in column(opened, 2)]
    assert errors == sorted(errors)
    head.nth(1).click()
    assert [float(text) for text in column(opened, 2)] == sorted(errors, reverse=True)
    marks = opened.locator("table").first.locator("th[aria-sort=descending]")
    assert marks.count() == 1


def test_empty_cells_sort_last_either_way(browser, tmp_path):
    path = tmp_path / "gaps.html"
    Page("gaps").table(["a"], [[Entry.number(None, ".1f")], [Entry.number(9, ".1f")],
                               [Entry.number(10, ".1f")]]).write(path)  # fmt: skip
    window = browser.new_page()
    window.goto(path.as_uri())
    for wanted in (["9.0", "10.0", ""], ["10.0", "9.0", ""]):
        window.locator("th button").click()
        assert column(window, 1) == wanted
    window.close()


@pytest.mark.slow
def test_the_console_is_silent_and_the_network_untouched(opened):
    opened.locator("table").first.locator("th button").nth(2).click()
    assert opened.complaints == []
    assert all(url.startswith(("file:", "data:")) for url in opened.requests)


@pytest.mark.slow
def test_the_page_is_no_wider_than_a_phone(opened):
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    wide = opened.evaluate("Math.max(...[...document.querySelectorAll('svg')].map(s => "
                           "s.getBoundingClientRect().width))")  # fmt: skip
    assert 100 < wide <= 390


def test_a_reproduction_becomes_a_page_with_its_figures(tmp_path):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    ax.plot([1, 2])
    figure.savefig(tmp_path / "one.svg")
    plt.close(figure)
    table = Table("2", "Errors", ["l2"], [TableRow("Banana", {"l2": Cell(0.5, printed=0.4)})])
    found = Reproduction(
        "l2", "A paper", "parzen reproduce l2", {"numpy": "2"}, [table],
        [Figure("1", "A line", ["one.svg"]), Figure("2", "Elsewhere", ["two.png"])],
    )  # fmt: skip
    text = paper_page(found, tmp_path).html()
    assert "<figcaption>A line</figcaption>" in text
    assert "two.png" in text
    assert 'data-key="0.5"' in text
    assert "purl.org" not in text


def test_markdown_and_html_have_the_same_cells_and_marks(tmp_path):
    cells = {"l2": Cell(9.0, 1.0, printed=4.0, printed_sd=1.0), "nb": Cell(4.0, 1.0, printed=4.0)}
    table = Table("2", "Errors", ["l2", "nb"], [TableRow("Banana", cells)])
    found = Reproduction("l2", "A paper", "parzen reproduce l2", {}, [table], [])
    page = MarkdownPage(found.title)
    write_paper(page, found, tmp_path)
    html = paper_page(found, tmp_path).html()
    assert "**9.0±1.0 (4.0, +3.5)**" in page.text()
    assert 'class="open">9.0±1.0 (4.0, +3.5)</td>' in html
    assert "| 2 | 2 | 1 | 0 | 1 |" in page.text()


def test_a_page_draws_its_formula_and_leaves_out_what_was_not_run(tmp_path):
    cells = {"SVM": Cell(96.0, 1.0, printed=96.13, printed_sd=4.0)}
    table = Table("2", "Right", ["SVM"], [TableRow("Iris", cells)])
    empty = Table("4", "Nothing", ["SVM"], [], ["It has (not run)."], {"Pima": "not here."})
    found = Reproduction("bmachine", "A report", "parzen reproduce", {}, [table, empty], [])
    text = paper_page(found, tmp_path).html()
    assert "<math" in text
    assert "\\frac" not in text
    assert "\\sum" not in text
    assert "(not run)" not in text
    assert "Left out: Pima: not here." in text
    assert "<code>BMachineClassifier</code>" in text
    assert text.count("<table") == 2  # the counts and Table 2


class Checker(HTMLParser):
    """Tags are closed in order, names are unique."""

    EMPTY = frozenset({"meta", "link", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.names = [], []

    def handle_starttag(self, tag, attributes):
        self.names += [value for key, value in attributes if key == "id"]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.names += [value for key, value in attributes if key == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_well_formed_escaped_and_stands_alone(page):
    text = page.html()
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert len(checker.names) == len(set(checker.names))
    assert "<h1>Iris &lt;&amp;&gt;</h1>" in text
    outside = re.findall(r'(?:src|href)="(?!#|data:)([^"]*)"', text)
    assert outside == []


def test_the_report_says_everything(page):
    text = page.html()
    for words in ("150 rows", "parzen compare iris", "scikit-learn", "Parameters chosen",
                  "bandwidth", "n_neighbors", "<svg", "All pairs"):  # fmt: skip
        assert words in text, words


@pytest.mark.parametrize(("alpha", "names"), [(0.05, ["near", "far *"]), (1e-9, ["near", "far"])])
def test_a_star_marks_what_is_worse_at_the_level_that_is_asked_for(alpha, names):
    near = [0.10, 0.14, 0.12, 0.13, 0.11, 0.12]
    outcomes = [
        Outcome(name, split, error=error + shift, fit_seconds=0.1, predict_seconds=0.1)
        for name, shift in (("near", 0.0), ("far", 0.3))
        for split, error in enumerate(near)
    ]
    found = Comparison(("near", "far"), tuple(outcomes), 60, 30)
    labels = draw_errors(found, alpha=alpha).axes[0].get_yticklabels()
    assert [label.get_text() for label in labels] == names


def test_the_same_comparison_gives_the_same_page(page):
    assert page.html() == page.html()
    assert "<metadata>" not in page.html()
