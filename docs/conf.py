"""How Sphinx builds the site: see scripts/docs."""

import inspect
import pathlib
import pkgutil
import re
import sys

import metalmom

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))  # sphinx-gallery imports place_in_gallery by its name

project = "metalmom"
author = "The metalmom authors"
copyright = "The metalmom authors"
release = version = metalmom.__version__

extensions = [
    "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser", "sphinx_gallery.gen_gallery",
]  # fmt: skip
exclude_patterns = ["gallery", "requirements.txt"]
templates_path = ["templates"]
default_role = "py:obj"
myst_heading_anchors = 3

autodoc_typehints = "none"  # docstrings say the types, with shapes and units
autosummary_imported_members = True
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "min_reported_time": 0,
    "download_all_examples": False,
    "within_subsection_order": "conf.place_in_gallery",
}

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "search_bar_text": "Search: hop_length, mel, onset ...",
}
html_static_path = ["static"]
html_css_files = ["site.css"]
_ALONE = "index install examples/tour from-librosa glossary changelog"  # pages without pages below them
html_sidebars = dict.fromkeys(_ALONE.split(), ())
html_title = f"metalmom {release}"
html_show_sourcelink = False

# Links to places that lie elsewhere in the site than in the repository.
MOVED = {
    "](../CONTRIBUTING.md": "](contributing.md",
    "](docs/": "](",
    "](gallery/README.md": "](examples/index.rst",
}


def follow_moves(app, name, source):
    for ours, theirs in MOVED.items():
        source[0] = source[0].replace(ours, theirs)


def place_in_gallery(script):
    """Where the gallery's page in the repository, which scripts/docs calls order.md, shows a script."""
    shown = re.findall(r"\]\((\w+\.py)\)", (HERE / "gallery" / "order.md").read_text())
    return shown.index(pathlib.Path(script).name)


def public_modules():
    """The modules of the package that declare names, and those that they declare."""
    found = [each.name for each in pkgutil.iter_modules(metalmom.__path__) if not each.name.startswith("_")]
    queue = [metalmom, *(pkgutil.resolve_name(f"metalmom.{name}") for name in found)]
    modules = {}
    for module in queue:
        if hasattr(module, "__all__") and module.__name__ not in modules:
            modules[module.__name__] = module
            queue += [value for _, value in members(module) if inspect.ismodule(value)]
    return modules.values()


def members(module):
    return [(name, getattr(module, name)) for name in sorted(module.__all__, key=str.lower)]


def table(names):
    options = ["   :nosignatures:", "   :toctree: names", ""]
    return [".. autosummary::", *options, *(f"   {name}" for name in names), ""]


def heading(text, line):
    return [text, line * len(text), ""]


def page(module, home):
    """The page of a module: a table of the names that are at home there, and links to the others."""
    lines = [*heading(module.__name__, "="), f".. automodule:: {module.__name__}", "   :no-members:", ""]
    here, elsewhere = {}, []
    for name, value in members(module):
        if inspect.ismodule(value):
            continue
        full = f"{module.__name__}.{name}"
        own = home.setdefault((name, id(value)), full) if callable(value) else full
        if own != full:
            elsewhere.append(f":py:obj:`~{own}`")
            continue
        if isinstance(value, (str, int, float)):
            lines += [f".. py:data:: {name}", f"   :value: {value!r}", ""]
            continue
        topic = getattr(value, "__module__", "")
        is_part = topic.count(".") == 2 and "._" not in topic  # such as metalmom.core.audio
        here.setdefault(topic if is_part else "", []).append(name)
    for topic, names in sorted(here.items()):
        if topic and len(here) > 1:
            doc = inspect.getdoc(pkgutil.resolve_name(topic))
            lines += heading(doc.partition(":")[0].splitlines()[0].rstrip("."), "-")
        lines += table(names)
    if elsewhere:
        lines += ["Also under this name: " + ", ".join(elsewhere) + ".", ""]
    return lines


def write_reference(app, config):
    """A page for each public module, from the names that it declares."""
    folder = pathlib.Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    home = {}
    index = [*heading("API reference", "="), ".. toctree::", "   :maxdepth: 1", ""]
    for module in public_modules():
        (folder / f"{module.__name__}.rst").write_text("\n".join(page(module, home)))
        index.append(f"   {module.__name__}")
    (folder / "index.rst").write_text("\n".join(index) + "\n")


def setup(app):
    app.connect("config-inited", write_reference)  # Sphinx then looks for pages
    app.connect("source-read", follow_moves)
